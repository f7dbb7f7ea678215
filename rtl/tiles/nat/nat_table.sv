// SPDX-License-Identifier: Apache-2.0
// The table of flows: rows of four entries in block RAM. A flow from inside is found by a keyed hash of its inside endpoint; its
// outside port is the number of its entry, so packets from outside need no search, and a mapping depends on the inside endpoint alone
// (RFC 4787, REQ-1).
//
//   stage 0: row -> [RAM] -> stage 1: compare, decide -> [write] -> RAM
//   sweep:   row -> [copy of the RAM] -> [ages] -> clear -> [write]
//
// A write in progress, and one to a row while it was read, are forwarded to stage 1 past the RAM. Only the sweep clears entries, in cycles in
// which no packet writes, and not if a packet has written to the entry since the sweep read it. Whether a packet writes is known late in its cycle,
// so the sweep learns in the next one whether it has cleared the entry. ready_o is 0 after reset until all entries are
// cleared. It is also 0 if packets have written in SweepPatience cycles while an entry waits to be cleared, until it is: so flows age under any traffic.
module nat_table
  import net_pkg::*, nat_types_pkg::*, nat_pkg::*;
#(
    parameter int unsigned Entries = 1024,
    localparam int unsigned Rows = Entries / Ways,
    localparam int unsigned RowBits = $clog2(Rows),
    localparam int unsigned IndexBits = RowBits + WayBits
) (
    input logic clk_i,
    input logic rst_i,

    input  cfg_t cfg_i,
    output logic ready_o,

    // Stage 0: what to find. step_i: stage 1 takes it, and its packet, if any, leaves stage 1.
    input logic    step_i,
    input logic    find_i,
    input search_t search_i,

    // Stage 1: the same packet. decide_i: with step_i, its flow may be made or renewed.
    input  logic        decide_i,
    input  facts_t      facts_i,
    output logic        found_o,     // or made
    output endpoint_t   inside_o,
    output logic [15:0] port_o,      // outside
    output logic        full_o,      // if it is not found: why
    output logic        limited_o,
    output logic        begins_o,    // if it is decided
    output logic        ended_o      // pulse: a flow's time was over
);
  localparam int unsigned Hosts = 256;  // counters of flows, selected by the low bits of the inside address
  localparam int unsigned HostBits = $clog2(Hosts);
  localparam int unsigned KeyBits = $bits(endpoint_t);
  localparam int unsigned SweepPatience = 64;  // cycles
  typedef logic [RowBits-1:0] row_t;
  typedef logic [IndexBits:0] count_t;

  // Toeplitz: each bit of the row is the parity of the key under another part of the secret, which is mixed with the digits of pi, so
  // that a secret of 0 also spreads the keys.
  localparam logic [63:0] Pi = 64'h243F6A8885A308D3;
  function automatic row_t parities(logic [KeyBits-1:0] key, logic [63:0] secret);
    logic [KeyBits+RowBits-1:0] stretched;
    stretched = (KeyBits + RowBits)'({secret, secret ^ Pi});
    for (int unsigned b = 0; b < RowBits; b++) parities[b] = ^(key & stretched[b+:KeyBits]);
  endfunction
  // The hash of an endpoint is that of its parts together, so that the port is chosen last.
  function automatic row_t hash(key_t key, logic [63:0] secret);
    endpoint_t without_port;
    without_port = '{protocol: key.protocol, ip: key.ip, port: '0};
    hash = key.is_icmp ? parities(KeyBits'(key.identifier), secret) : parities(KeyBits'(key.port), secret);
    hash ^= parities(without_port, secret);
  endfunction
  function automatic logic [Ways-1:0] lowest(logic [Ways-1:0] set);
    lowest = set & (~set + 1'b1);
  endfunction

  row_t row, row_q;
  assign row = search_i.from_outside ? search_i.port[WayBits+:RowBits]
      : search_i.is_error ? hash(search_i.quoted, cfg_i.secret) : hash(search_i.source, cfg_i.secret);

  // A write is decided in one cycle and done in the next, and again until the next step.
  typedef struct packed {
    logic by_packet;  // else by the sweep, which clears
    logic [Ways-1:0] packet_ways, sweep_ways;
    row_t packet_row, sweep_row;
    flow_t flow;
    logic packet_counts, sweep_counts;  // a number of flows, too
    logic [HostBits-1:0] packet_host, sweep_host;
    count_t packet_count, sweep_count;
  } write_t;
  write_t write, write_q;
  logic [Ways-1:0] write_ways;
  logic write_counts;
  logic [Ways-1:0] written_q, forward, expired, expired_q;
  row_t write_row, written_row_q;  // written: while the RAM was read
  flow_t write_flow;
  logic [HostBits-1:0] write_host;
  count_t write_count;
  assign write_host = write_q.by_packet ? write_q.packet_host : write_q.sweep_host;
  assign write_count = write_q.by_packet ? write_q.packet_count : write_q.sweep_count;
  assign write_row = write_q.by_packet ? write_q.packet_row : write_q.sweep_row;
  assign write_ways = write_q.by_packet ? write_q.packet_ways : write_q.sweep_ways;
  assign write_counts = write_q.by_packet ? write_q.packet_counts : write_q.sweep_counts;
  assign write_flow = write_q.by_packet ? write_q.flow : '0;
  flow_t forwarded_q;
  flow_t [Ways-1:0] ram, swept, flows;
  logic packet_wrote, sweep_wrote;  // if anyone, to this row
  logic [Ways-1:0] pending;
  assign packet_wrote = write_q.packet_row == row_q;
  assign sweep_wrote = write_q.sweep_row == row_q;
  logic sweep_read;
  row_t sweep_row_q;
  logic [HostBits-1:0] sweep_host_q;
  for (genvar w = 0; w < int'(Ways); w++) begin : gen_way
    ram_simple_dual #(
        .T(flow_t),
        .Depth(Rows)
    ) u_flows (
        .clk_i,
        .write_enable_i(write_ways[w]),
        .write_addr_i  (write_row),
        .write_data_i  (write_flow),
        .read_enable_i (step_i && find_i),
        .read_addr_i   (row),
        .read_data_o   (ram[w])
    );
    ram_simple_dual #(
        .T(flow_t),
        .Depth(Rows)
    ) u_copy (
        .clk_i,
        .write_enable_i(write_ways[w]),
        .write_addr_i  (write_row),
        .write_data_i  (write_flow),
        .read_enable_i (sweep_read),
        .read_addr_i   (sweep_row_q),
        .read_data_o   (swept[w])
    );
    assign pending[w] = write_q.by_packet ? write_q.packet_ways[w] && packet_wrote : write_q.sweep_ways[w] && sweep_wrote;
    assign forward[w] = written_q[w] && written_row_q == row_q;
    assign flows[w] = pending[w] ? write_flow : forward[w] ? forwarded_q : ram[w];
  end
  always_ff @(posedge clk_i) begin
    if (step_i && find_i) begin
      row_q <= row;
      written_q <= write_ways;
      written_row_q <= write_row;
      forwarded_q <= write_flow;
    end
  end

  // Time, in units of tick_cycles.
  logic [31:0] cycles_q;
  logic [15:0] now_q;
  always_ff @(posedge clk_i) begin
    cycles_q <= cycles_q + 1'b1;
    if (cycles_q >= cfg_i.tick_cycles) begin
      cycles_q <= 32'd1;
      now_q <= now_q + 1'b1;
    end
    if (rst_i) begin
      cycles_q <= '0;
      now_q <= '0;
    end
  end

  // Stage 1.
  logic [Ways-1:0] same, vacant, chosen;
  logic [Ways-1:0] stale;  // a packet of this flow changes the entry
  logic can_begin, begins, renew, packet_write, known;
  logic [WayBits-1:0] way;
  flow_t flow;
  logic [HostBits-1:0] host;
  count_t host_count, sweep_count;
  count_t counts[Hosts];
  // Each entry may come from the RAM or by forwarding; all are compared, and renewed, before it is known which one it is. From outside
  // the number of an entry decides, from inside its address and port.
  localparam int unsigned Written = Ways, Forwarded = Ways + 1, Candidates = Ways + 2;
  flow_t [Candidates-1:0] candidate;
  logic [Candidates-1:0] of_protocol, differs;
  assign candidate = {forwarded_q, write_q.flow, ram};
  for (genvar c = 0; c < int'(Candidates); c++) begin : gen_compare
    unequal #(
        .Width($bits(ipv4_addr_t) + 16)
    ) u_differs (
        .left_i   ({candidate[c].endpoint.ip, candidate[c].endpoint.port}),
        .right_i  ({facts_i.endpoint.ip, facts_i.endpoint.port}),
        .unequal_o(differs[c])
    );
    assign of_protocol[c] = candidate[c].valid && candidate[c].endpoint.protocol == facts_i.endpoint.protocol;
  end
  logic findable;
  assign findable = !facts_i.from_outside || facts_i.address_known;
  for (genvar w = 0; w < int'(Ways); w++) begin : gen_match
    assign vacant[w] = !flows[w].valid;
    logic there, written_same, forwarded_same, read_same;
    assign there = facts_i.endpoint.port[WayBits-1:0] == WayBits'(w);
    assign written_same = write_q.by_packet && of_protocol[Written] && (facts_i.from_outside ? there : !differs[Written]);
    assign forwarded_same = of_protocol[Forwarded] && (facts_i.from_outside ? there : !differs[Forwarded]);
    assign read_same = of_protocol[w] && (facts_i.from_outside ? there : !differs[w]);
    assign same[w] = findable && (pending[w] ? written_same : forward[w] ? forwarded_same : read_same);
  end
  assign known = same != '0;
  assign host = facts_i.endpoint.ip[HostBits-1:0];
  assign host_count = write_counts && write_host == host ? write_count : counts[host];
  assign sweep_count = write_counts && write_host == sweep_host_q ? write_count : counts[sweep_host_q];
  assign limited_o = facts_i.may_begin && 16'(host_count) >= facts_i.limit;
  assign full_o = facts_i.may_begin && vacant == '0;
  assign can_begin = facts_i.may_begin && !full_o && !limited_o;
  assign begins = can_begin && !known;
  assign chosen = known ? same : lowest(vacant);
  assign found_o = known || can_begin;
  assign begins_o = begins;
  always_comb begin
    way  = '0;
    flow = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (chosen[w]) way |= WayBits'(w);
      if (same[w]) flow |= flows[w];
    end
  end
  assign inside_o = flow.endpoint;
  assign port_o = {facts_i.first_port[15:IndexBits], row_q, way};

  // A packet renews its flow at most once per unit of time. From outside only TCP renews; errors never do.
  function automatic flow_t renewed(flow_t old);
    renewed = old;
    renewed.last = now_q;
    if (facts_i.starts && !facts_i.from_outside) {renewed.answered, renewed.closing} = 2'b00;
    if (facts_i.from_outside) renewed.answered = 1'b1;
    if (facts_i.ends) renewed.closing = 1'b1;
  endfunction
  function automatic logic is_stale(flow_t old);
    return renewed(old) != old;
  endfunction
  flow_t changed;
  for (genvar w = 0; w < int'(Ways); w++) begin : gen_stale
    assign stale[w] = pending[w] ? is_stale(write_q.flow) : forward[w] ? is_stale(forwarded_q) : is_stale(ram[w]);
  end
  always_comb begin
    changed = flow;  // 0 if it begins
    changed.valid = 1'b1;
    if (!facts_i.from_outside) changed.endpoint = facts_i.endpoint;  // which a known flow has
    changed = renewed(changed);
  end
  assign renew = (same & stale) != '0 && !facts_i.is_error && (facts_i.tcp || !facts_i.from_outside);
  assign packet_write = decide_i && step_i && (begins || renew);

  // The sweep.
  typedef enum logic [2:0] {
    Init,
    Read,
    Check,
    Choose,
    Clear
  } state_e;
  state_e state_q;
  logic [Ways-1:0] dirty, dirty_q, aged;  // entries that a packet wrote since they were read; those to be cleared
  logic changed_since, sweep_write, sweep_write_q, swept_last;
  assign sweep_read = state_q == Read;
  assign dirty = dirty_q | (write_q.by_packet && write_q.packet_row == sweep_row_q ? write_q.packet_ways : '0);
  assign aged = lowest(expired_q & ~dirty);
  assign changed_since = (expired_q & dirty) != '0;
  assign swept_last = sweep_row_q == row_t'(Rows - 1);
  localparam int unsigned WaitBits = $clog2(SweepPatience);
  logic [WaitBits:0] waited_q;
  for (genvar w = 0; w < int'(Ways); w++) begin : gen_age
    logic [15:0] age;
    logic [14:0] timeout;
    assign age = now_q - swept[w].last;
    always_comb begin
      unique case (swept[w].endpoint.protocol)
        Tcp: timeout = swept[w].answered && !swept[w].closing ? cfg_i.tcp_timeout : cfg_i.tcp_transitory;
        Query: timeout = cfg_i.icmp_timeout;
        default: timeout = cfg_i.udp_timeout;
      endcase
    end
    assign expired[w] = swept[w].valid && age > {1'b0, timeout};
  end
  assign sweep_write = state_q == Clear && !sweep_write_q && !changed_since && step_i;
  assign ended_o = sweep_write_q && !write_q.by_packet;  // the entry was cleared

  always_comb begin
    write.by_packet = packet_write;
    write.packet_ways = chosen;
    write.sweep_ways = state_q == Init ? '1 : sweep_write ? expired_q : '0;
    write.packet_row = row_q;
    write.sweep_row = sweep_row_q;
    write.flow = changed;
    write.packet_counts = begins;
    write.sweep_counts = sweep_write;
    write.packet_host = host;
    write.sweep_host = sweep_host_q;
    write.packet_count = host_count + 1'b1;
    write.sweep_count = sweep_count - 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (step_i || state_q == Init) write_q <= write;
    if (rst_i) begin
      write_q.by_packet <= 1'b0;
      write_q.sweep_ways <= '0;
      write_q.sweep_counts <= 1'b0;
    end
  end

  function automatic logic [HostBits-1:0] host_of(flow_t [Ways-1:0] row_flows, logic [Ways-1:0] which);
    host_of = '0;
    for (int unsigned w = 0; w < Ways; w++) if (which[w]) host_of |= row_flows[w].endpoint.ip[HostBits-1:0];
  endfunction
  logic [HostBits:0] cleared_q;  // counts, after reset
  always_ff @(posedge clk_i) begin
    if (!cleared_q[HostBits]) counts[cleared_q[HostBits-1:0]] <= '0;
    else if (write_counts) counts[write_host] <= write_count;
    if (!cleared_q[HostBits]) cleared_q <= cleared_q + 1'b1;
    if (rst_i) cleared_q <= '0;
  end
  always_ff @(posedge clk_i) begin
    // A row that is written while the sweep reads it may be read old or new.
    dirty_q <= state_q != Read ? dirty : write_row == sweep_row_q ? write_ways : '0;
    unique case (state_q)
      Init: begin
        sweep_row_q <= sweep_row_q + 1'b1;
        if (swept_last) begin
          sweep_row_q <= '0;
          if (cleared_q[HostBits]) state_q <= Read;
        end
      end
      Read: state_q <= Check;
      Check: begin
        expired_q <= expired;
        state_q <= Choose;
      end
      Choose: begin
        expired_q <= aged;
        sweep_host_q <= host_of(swept, aged);
        if (aged != '0) state_q <= Clear;
        else begin
          state_q <= Read;
          sweep_row_q <= sweep_row_q + 1'b1;
        end
      end
      default: if (ended_o || changed_since) state_q <= Read;
    endcase
    waited_q <= state_q != Clear ? '0 : waited_q + (WaitBits + 1)'(!waited_q[WaitBits]);
    ready_o <= state_q != Init && !waited_q[WaitBits];
    sweep_write_q <= sweep_write;
    if (rst_i) begin
      state_q <= Init;
      sweep_row_q <= '0;
      waited_q <= '0;
      ready_o <= 1'b0;
      sweep_write_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && sweep_write && !packet_write) begin
      assert (sweep_count != '0)
      else $error("nat_table: a flow ends of an address that has none");
    end
  end

  logic unused;
  assign unused = &{1'b0, cfg_i, facts_i, search_i};
endmodule
