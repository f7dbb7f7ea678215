// SPDX-License-Identifier: Apache-2.0
// Surrounds the engine of every tile: a sender for each fabric port, the counters, and the node on the control
// ring, in front of the tile's register block. It adds no cycle to the data path, or one with CutOutput: a register
// between each sender and the fabric.
//
// Incoming messages go straight to the engine; the shell only watches and counts them. A request of a tenant ends here
// with an error, unless it is for the engine's window, where the engine keeps tenants apart. A request whose offset
// is not a multiple of 4 ends with an error, too.
//
// With Snapshot, a write of any value to offset 0xc000 copies the values of all counters in one cycle; the copy is read from
// offset 0xc000 on, in the order of the counters at 0x8000.
//
// With WholeChanges, a master that writes 1 to ChangeHold (spec/tile_map.yaml) holds back the changes of the tile's configuration
// and node table until it writes 0; a read answers who holds, a bit for each master.
//
// With DropEntries, the last drops of the tile (drop_log), and its drops by key (drop_keys), are read from offset 0xe000 on.
module tile_shell
  import girih_pkg::*, shell_pkg::*;
#(
    parameter int unsigned Ports = 1,  // fabric ports
    parameter int unsigned CountedPorts = Ports,  // ports for which the register block has counters
    parameter node_t [Ports-1:0] PortNodes = '0,  // the first one is also the tile's node on the control ring
    parameter logic [255:0] Nodes = '1,  // bit n: node n takes messages
    parameter bit Replies = 1'b0,  // the last port carries replies only: no node table, and incoming replies are always taken
    parameter logic [255:0] ReplyNodes = '0,  // bit n: node n takes replies
    // What the tile may send. Bit t of Tenants allows messages of tenant t; with KeepsTenant, no more of them leave than
    // have come in. Lossless: there may be lossless messages on the card; with KeepsLossless, no more of them leave than
    // have come in; without it, the engine may send them while lossless_i is 1.
    parameter tenants_t Tenants = 1,
    parameter bit KeepsTenant = 1'b1,
    parameter bit Lossless = 1'b0,
    parameter bit KeepsLossless = 1'b1,
    parameter bit Routed = 1'b1,  // messages may leave by a source route; replies always do
    parameter int unsigned Entries = 4,
    parameter bit DirectHops = 1'b0,  // next_hops_i has an entry for each key (key_hops)
    parameter int unsigned Events = 1,  // counters of the engine
    parameter bit Window = 1'b0,  // the engine answers requests to offsets 0x4000 to 0x7fff
    parameter int unsigned WindowBits = 14,  // of an address in its window; with more than 14, indirect access (window_index)
    parameter bit CutOutput = 1'b0,
    parameter bit Snapshot = 1'b0,  // the counters can be copied
    parameter int unsigned DropEntries = 0,  // records of the last drops; 0: none are kept
    parameter int unsigned DropKeys = 0,  // with DropEntries, and one port that is not for replies: keys whose drops are counted
    parameter bit [Events-1:0] EventDrops = '0,  // which of the engine's events are drops
    parameter bit SharedControl = 1'b0,  // the control ring has several masters
    parameter bit WholeChanges = 1'b0,  // masters can hold back changes of the tile's configuration and node table
    localparam int unsigned Counters = CountedPorts * $bits(shell_event_t) + Events,
    localparam int unsigned WordWidth = $clog2(Counters) + 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic  [Ports-1:0] in_valid_i,
    input logic  [Ports-1:0] in_ready_i,
    input flit_t [Ports-1:0] in_flit_i,

    input  logic      [Ports-1:0] engine_valid_i,
    output logic      [Ports-1:0] engine_ready_o,
    input  flit_t     [Ports-1:0] engine_flit_i,
    input  next_key_t [Ports-1:0] engine_key_i,

    output logic  [Ports-1:0] out_valid_o,
    input  logic  [Ports-1:0] out_ready_i,
    output flit_t [Ports-1:0] out_flit_o,

    input logic [Events-1:0] event_i,  // the engine's event_t
    input next_hop_t next_hops_i[Entries],
    input logic lossless_i,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    // To the register block. A request holds until its answer, which may come in the same cycle. It starts one cycle
    // later than at the node, so that it is checked in one cycle and decoded in the next; the answer waits for a cycle in a register.
    output logic        reg_valid_o,
    output logic        reg_write_o,
    output ctrl_master_t reg_master_o,
    output logic [15:0] reg_offset_o,
    output logic [31:0] reg_wdata_o,
    input  logic        reg_done_i,
    input  logic        reg_error_i,
    input  logic [31:0] reg_rdata_i,

    // To the engine's window. A request holds until its answer, however late that is.
    output logic        window_valid_o,
    output logic        window_write_o,
    output logic [WindowBits-1:0] window_addr_o,
    output logic [31:0] window_data_o,
    output tenant_t     window_tenant_o,
    input  logic        window_done_i,
    input  logic        window_error_i,
    input  logic [31:0] window_data_i,

    output logic hold_o,  // changes of the configuration and the node table have no effect

    // From the register block: reads of counters, word by word.
    input  logic                 counter_read_i,
    input  logic [WordWidth-1:0] counter_word_i,
    output logic                 counter_done_o,
    output logic [         31:0] counter_data_o
);
  if (CountedPorts < Ports) begin : gen_bad_counted_ports
    $fatal(1, "tile_shell: CountedPorts is %0d; there are %0d ports to count", CountedPorts, Ports);
  end

  shell_event_t [CountedPorts-1:0] shell_event;

  // The messages that the senders may let through in this cycle.
  localparam bit CountsTenants = KeepsTenant && $countones(Tenants) > 1;
  localparam bit CountsLossless = KeepsLossless && Lossless;
  tenants_t sender_tenants, inside_tenants;
  logic sender_lossless, inside_lossless;
  logic [Ports-1:0] taken, taken_lossless;
  tenant_t [Ports-1:0] taken_tenant;
  assign sender_tenants = CountsTenants ? inside_tenants : '1;
  assign sender_lossless = Lossless && (KeepsLossless ? inside_lossless : lossless_i);

  if (CountsTenants || CountsLossless) begin : gen_account
    tenant_account #(
        .Ports(Ports),
        .Tenants(CountsTenants ? Tenants : '0),
        .Lossless(CountsLossless)
    ) u_account (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_i,
        .in_flit_i,
        .out_first_i(taken),
        .out_tenant_i(taken_tenant),
        .out_lossless_i(taken_lossless),
        .tenants_o(inside_tenants),
        .lossless_o(inside_lossless)
    );
  end else begin : gen_no_account
    logic unused;
    assign unused = &{taken, taken_tenant, taken_lossless};
    assign inside_tenants = '0;
    assign inside_lossless = 1'b0;
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam bit OfReplies = Replies && p == Ports - 1;
    localparam logic [255:0] PortTakers = OfReplies ? ReplyNodes : Nodes;
    localparam int unsigned PortEntries = OfReplies ? 1 : Entries;
    next_hop_t next_hops[PortEntries];
    for (genvar e = 0; e < PortEntries; e++) begin : gen_entry
      assign next_hops[e] = OfReplies ? '0 : next_hops_i[e];
    end

    logic sent_valid, sent_ready;
    flit_t sent_flit;
    tile_sender #(
        .Node(PortNodes[p]),
        .Nodes(PortTakers),
        .Tenants(Tenants),
        .Routed(Routed || OfReplies),
        .Entries(PortEntries),
        .Direct(DirectHops && !OfReplies)
    ) u_sender (
        .clk_i,
        .rst_i,
        .next_hops_i(next_hops),
        .tenants_i(sender_tenants),
        .lossless_i(sender_lossless),
        .in_valid_i(engine_valid_i[p]),
        .in_ready_o(engine_ready_o[p]),
        .in_flit_i(engine_flit_i[p]),
        .in_key_i(engine_key_i[p]),
        .out_valid_o(sent_valid),
        .out_ready_i(sent_ready),
        .out_flit_o(sent_flit),
        .taken_o(taken[p]),
        .drop_bad_tenant_o(shell_event[p].drop_bad_tenant),
        .drop_no_next_hop_o(shell_event[p].drop_no_next_hop),
        .drop_bad_node_o(shell_event[p].drop_bad_node)
    );

    stream_register #(
        .T(flit_t),
        .Cut(CutOutput)
    ) u_out (
        .clk_i,
        .rst_i,
        .in_valid_i(sent_valid),
        .in_ready_o(sent_ready),
        .in_data_i(sent_flit),
        .out_valid_o(out_valid_o[p]),
        .out_ready_i(out_ready_i[p]),
        .out_data_o(out_flit_o[p])
    );

    link_check #(
        .Contents(1'b0),  // checked at the sender
        .Taken(OfReplies),
        .Nodes(256'(1) << PortNodes[p])
    ) u_in_check (
        .clk_i,
        .rst_i,
        .valid_i(in_valid_i[p]),
        .ready_i(in_ready_i[p]),
        .flit_i (in_flit_i[p])
    );
    assign taken_tenant[p] = engine_flit_i[p].desc.tenant;
    assign taken_lossless[p] = sent_flit.desc.lossless;

    link_check #(
        .Nodes(PortTakers),
        .Tenants(Tenants)
    ) u_out_check (
        .clk_i,
        .rst_i,
        .valid_i(out_valid_o[p]),
        .ready_i(out_ready_i[p]),
        .flit_i (out_flit_o[p])
    );

    assign shell_event[p].in_messages = in_valid_i[p] && in_ready_i[p] && in_flit_i[p].last;
    assign shell_event[p].out_messages = out_valid_o[p] && out_ready_i[p] && out_flit_o[p].last;
    assign shell_event[p].mark_in_flits = in_valid_i[p] && in_ready_i[p];
    assign shell_event[p].mark_out_flits = out_valid_o[p] && out_ready_i[p];
    assign shell_event[p].mark_in_stalls = in_valid_i[p] && !in_ready_i[p];
    assign shell_event[p].mark_out_stalls = out_valid_o[p] && !out_ready_i[p];
  end

  for (genvar p = Ports; p < CountedPorts; p++) begin : gen_no_port
    assign shell_event[p] = '0;
  end

  // In the order of the counters: the first member of a generated struct is in bit 0.
  logic [Counters-1:0] events_q;
  always_ff @(posedge clk_i) events_q <= rst_i ? '0 : {event_i, shell_event};

  // The request at the node.
  logic valid, write, done, error, in_window, in_snapshot, in_drops, in_hold, refused, here;
  ctrl_master_t master;
  tenant_t tenant;
  logic [15:0] offset;
  logic [31:0] wdata;

  // The last drops. The senders report a drop in the cycle after they see the key, and events_q is another cycle later.
  logic drops_there, drops_valid_q, drops_done;
  logic [31:0] drops_data;
  if (DropEntries > 0) begin : gen_drops
    localparam int unsigned ShellReasons = 3;
    localparam int unsigned Reasons = ShellReasons + $countones(EventDrops);
    shell_event_t [CountedPorts-1:0] reported;
    logic [Events-1:0] engine_reported;
    assign {engine_reported, reported} = events_q;

    logic [Reasons-1:0] reasons;
    next_key_t [Ports-1:0] key_q, reported_key_q;
    next_key_t key;
    always_comb begin
      int unsigned next;
      reasons = '0;
      key = '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        reasons[2:0] |= {reported[p].drop_bad_node, reported[p].drop_no_next_hop, reported[p].drop_bad_tenant};
        if (reported[Ports-1-p].drop_no_next_hop) key = reported_key_q[Ports-1-p];
      end
      next = ShellReasons;
      for (int unsigned e = 0; e < Events; e++) begin
        if (EventDrops[e]) begin
          reasons[next] = engine_reported[e];
          next++;
        end
      end
    end
    always_ff @(posedge clk_i) begin
      key_q <= engine_key_i;
      reported_key_q <= key_q;
    end

    logic log_there, keys_there, keys_done;
    logic [31:0] log_data, keys_data;
    drop_log #(
        .Reasons(Reasons),
        .Entries(DropEntries)
    ) u_log (
        .clk_i,
        .rst_i,
        .reasons_i(reasons),
        .key_i(key),
        .addr_i({1'b0, offset[12:0]}),
        .there_o(log_there),
        .data_o(log_data)
    );

    if (DropKeys > 0) begin : gen_keys
      drop_keys #(
          .Keys(DropKeys)
      ) u_keys (
          .clk_i,
          .rst_i,
          .drop_i(reported[0].drop_no_next_hop),
          .key_i(reported_key_q[0]),
          .valid_i(drops_valid_q && !log_there),
          .addr_i({1'b0, offset[12:0]}),
          .there_o(keys_there),
          .done_o(keys_done),
          .data_o(keys_data)
      );
    end else begin : gen_no_keys
      assign {keys_there, keys_done, keys_data} = '0;
    end
    assign drops_there = log_there || keys_there;
    assign drops_done = log_there || keys_done;
    assign drops_data = log_there ? log_data : keys_data;
  end else begin : gen_no_drops
    assign drops_there = 1'b0;
    assign drops_done = 1'b0;
    assign drops_data = '0;
  end

  // The hold of changes, by master.
  logic [2**$bits(ctrl_master_t)-1:0] held;
  if (WholeChanges) begin : gen_hold
    change_hold u_hold (
        .clk_i,
        .rst_i,
        .write_i (here && in_hold && write && !refused),
        .master_i(master),
        .hold_i  (wdata[0]),
        .held_o  (held),
        .hold_o
    );
  end else begin : gen_no_hold
    assign held   = '0;
    assign hold_o = 1'b0;
  end

  // A request for the snapshot, in the cycle in which the register block would have it, until it is done.
  logic old_valid_q, old_asked_q, old_read, copied, counter_done;
  counter_bank #(
      .Counters(Counters),
      .Snapshot(Snapshot)
  ) u_counters (
      .clk_i,
      .rst_i,
      .event_i(events_q),
      .take_i (old_valid_q && reg_write_o),
      .taken_o(copied),
      .read_i (counter_read_i || (old_read && !old_asked_q)),
      .old_i  (old_valid_q),
      .word_i (old_valid_q ? reg_offset_o[WordWidth+1:2] : counter_word_i),
      .done_o (counter_done),
      .data_o (counter_data_o)
  );
  assign old_read = old_valid_q && !reg_write_o;
  assign counter_done_o = counter_done && !old_valid_q;

  assign in_window = Window && offset[15:14] == 2'b01;
  assign in_drops = DropEntries > 0 && offset[15:13] == 3'b111;
  assign in_hold = WholeChanges && offset == 16'(tile_map_pkg::ChangeHold);
  assign in_snapshot = Snapshot && offset[15:14] == 2'b11 && !in_drops;
  always_comb begin
    refused = offset[1:0] != '0 || (tenant != '0 && !in_window);
    if (in_snapshot) refused |= 32'(offset[13:2]) >= (write ? 1 : 2 * Counters);
    if (in_drops) refused |= write || !drops_there;
  end

  // Decoded from registers: the node's own, or, where its requests wait in a queue, others beside reg_valid_o.
  if (SharedControl) begin : gen_request
    always_ff @(posedge clk_i) {reg_write_o, reg_master_o, reg_offset_o, reg_wdata_o} <= {write, master, offset, wdata};
  end else begin : gen_no_request
    assign {reg_write_o, reg_master_o, reg_offset_o, reg_wdata_o} = {write, master, offset, wdata};
  end

  // What ends in the shell or the register block ends by a register: a request is decoded, and its answer chosen, in one cycle.
  logic reg_done, old_done, drops_end, answered_q, error_q;
  logic [31:0] data_q;
  assign reg_done = reg_valid_o && reg_done_i;
  assign old_done = old_valid_q && (reg_write_o ? copied : counter_done);
  assign drops_end = drops_valid_q && drops_done;
  assign here = valid && !answered_q;
  always_ff @(posedge clk_i) begin
    reg_valid_o <= here && !in_window && !in_snapshot && !in_drops && !in_hold && !refused && !reg_done;
    drops_valid_q <= here && in_drops && !refused && !drops_end;
    old_valid_q <= here && in_snapshot && !refused && !old_done;
    old_asked_q <= old_read;
    answered_q  <= (here && (refused || in_hold)) || reg_done || old_done || drops_end;
    error_q     <= refused || (reg_error_i && !old_valid_q && !drops_valid_q && !in_hold);
    data_q      <= in_hold ? 32'(held) : drops_valid_q ? drops_data : old_valid_q ? counter_data_o : reg_rdata_i;
    if (rst_i) begin
      reg_valid_o <= 1'b0;
      old_valid_q <= 1'b0;
      drops_valid_q <= 1'b0;
      answered_q  <= 1'b0;
    end
  end

  logic guard_done, guard_error, guard_late;
  logic [31:0] guard_data;
  if (Window) begin : gen_window
    logic meant, meant_done, meant_error, meant_late;
    logic [WindowBits-1:0] meant_addr;
    logic [31:0] meant_data;
    if (WindowBits > 14) begin : gen_index
      window_index #(
          .Bits(WindowBits)
      ) u_index (
          .clk_i,
          .rst_i,
          .valid_i (valid && in_window && !refused),
          .write_i (write),
          .master_i(master),
          .tenant_i(tenant),
          .addr_i  (offset[13:0]),
          .data_i  (wdata),
          .done_o  (guard_done),
          .error_o (guard_error),
          .late_o  (guard_late),
          .data_o  (guard_data),
          .window_valid_o(meant),
          .window_addr_o (meant_addr),
          .window_done_i (meant_done),
          .window_error_i(meant_error),
          .window_late_i (meant_late),
          .window_data_i (meant_data)
      );
    end else begin : gen_no_index
      assign meant = valid && in_window && !refused;
      assign meant_addr = offset[WindowBits-1:0];
      assign {guard_done, guard_error, guard_late, guard_data} = {meant_done, meant_error, meant_late, meant_data};
    end

    window_guard #(
        .AddrBits(WindowBits)
    ) u_guard (
        .clk_i,
        .rst_i,
        .valid_i (meant),
        .write_i (write),
        .addr_i  (meant_addr),
        .data_i  (wdata),
        .tenant_i(tenant),
        .done_o  (meant_done),
        .error_o (meant_error),
        .late_o  (meant_late),
        .data_o  (meant_data),
        .window_valid_o,
        .window_write_o,
        .window_addr_o,
        .window_data_o,
        .window_tenant_o,
        .window_done_i,
        .window_error_i,
        .window_data_i
    );
  end else begin : gen_no_window
    logic unused;
    assign unused = &{window_done_i, window_error_i, window_data_i};
    assign {guard_done, guard_error, guard_late, guard_data} = '0;
    assign window_valid_o = 1'b0;
    assign window_write_o = 1'b0;
    assign window_addr_o = '0;
    assign window_data_o = '0;
    assign window_tenant_o = '0;
  end

  // Only bit 0 of an error's answer has a meaning. The masters mask the other bits, so these need not wait for `error`.
  logic [31:0] answer;
  assign done = answered_q || guard_done;
  assign error = answered_q ? error_q : guard_error;
  always_comb begin
    answer = answered_q ? data_q : guard_data;
    if (error) answer[0] = !answered_q && guard_late;
  end

  ctrl_node #(
      .Node(PortNodes[0]),
      .Shared(SharedControl)
  ) u_node (
      .clk_i,
      .rst_i,
      .ctrl_i,
      .ctrl_o,
      .valid_o (valid),
      .write_o (write),
      .master_o(master),
      .tenant_o(tenant),
      .offset_o(offset),
      .data_o  (wdata),
      .done_i  (done),
      .error_i (error),
      .data_i  (answer)
  );
endmodule
