// SPDX-License-Identifier: Apache-2.0
// Proves virtqueue_split_chains, by induction, with any heads, and a memory that answers each request at any time, in any order, with anything. Each
// request is for the descriptor of the next head, or for the one that the last answer of its chain names, in the queue's table or the chain's own,
// and never beyond the end of that table. A chain has one request at a time, and at most Links parts. A mistake in an answer stops the queue in the next
// cycle with a reason that applies to it, and nothing else does. Chains come out in the order of their heads, each once, with its sizes before it, and
// with the descriptors that have been answered, in their order. Once all is quiet, no head is left.
//
// The solver picks any head by its number (m_i) and any part of its chain (k_i): what is shown of them holds for all.
module virtqueue_split_chains_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 2,
    parameter int unsigned Links = 2,
    parameter bit Writes = 1'b0,
    parameter bit Answers = 1'b0,
    localparam int unsigned ChainBits = $clog2(Chains),
    localparam int unsigned NumberBits = ChainBits + 2
) (
    input logic clk_i,
    input place_t place_i,
    input logic [NumberBits-1:0] m_i,
    input logic [$clog2(Links)-1:0] k_i,
    input logic halt_i,
    input logic stopped_i,
    input logic head_valid_i,
    input logic [15:0] head_i,
    input logic ask_ready_i,
    input logic got_i,
    input logic [ChainBits-1:0] got_chain_i,
    input logic [127:0] got_data_i,
    input logic size_ready_i,
    input logic part_ready_i
);
  localparam int unsigned LeastBytes = 12, MostBytes = 60000, LongBytes = 131000;
  typedef logic [15:0] index_t;
  typedef logic [ChainBits-1:0] chain_t;
  typedef logic [$clog2(Links)-1:0] link_t;
  typedef logic [NumberBits-1:0] number_t;  // of a head, modulo more than can be on the way
  // What has been read of a chain.
  typedef struct packed {
    logic flight;  // a request has not been answered
    logic due;  // the last answer names a further descriptor, which has not been requested
    logic own;  // the table is the chain's own
    addr_t base;  // of the table
    index_t entries;  // of the table that can be named: 65,535 at most
    index_t index;  // the descriptor that is due
    logic [$clog2(Links)+1:0] parts;
    links_t slots;  // descriptors of the queue's table
    logic wrote;  // the part before is written to
    logic [39:0] sum;  // bytes
  } walk_t;
  typedef struct packed {
    logic  writes;
    addr_t addr;
    long_t bytes;
  } stored_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  stop_e stop;
  logic head_ready, ask_valid, size_valid, part_valid;
  addr_t ask_addr;
  chain_t ask_chain;
  chain_size_t size;
  part_t part;
  virtqueue_split_chains #(
      .Chains(Chains),
      .Links(Links),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .place_i,
      .halt_i,
      .stopped_i,
      .stop_o(stop),
      .head_valid_i,
      .head_ready_o(head_ready),
      .head_i,
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_addr_o(ask_addr),
      .ask_chain_o(ask_chain),
      .got_i,
      .got_chain_i,
      .got_data_i,
      .size_valid_o(size_valid),
      .size_ready_i,
      .size_o(size),
      .part_valid_o(part_valid),
      .part_ready_i,
      .part_o(part)
  );
  stream_check #(
      .T(part_t)
  ) u_part_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(part_valid),
      .ready_i(part_ready_i),
      .data_i(part)
  );
  stream_check #(
      .T(chain_size_t)
  ) u_size_check (
      .clk_i,
      .rst_i(rst || stopped_i),
      .valid_i(size_valid),
      .ready_i(size_ready_i),
      .data_i(size)
  );

  // The queue and what is picked stay as they are.
  proof_constant #(
      .T(place_t)
  ) u_place (
      .clk_i,
      .value_i(place_i)
  );
  proof_constant #(
      .T(number_t)
  ) u_m (
      .clk_i,
      .value_i(m_i)
  );
  proof_constant #(
      .T(link_t)
  ) u_k (
      .clk_i,
      .value_i(k_i)
  );

  // A queue that has been stopped, by a mistake here or elsewhere, stays so. It then requests nothing, and gets no more answers.
  logic stopped_q, ended_q;  // ended_q: in the cycle before, it was stopped, and no part waited
  always_ff @(posedge clk_i) begin
    stopped_q <= !rst && (stopped_i || stop != StopNone);
    ended_q   <= !rst && stopped_i && (!part_valid || part_ready_i);
  end
  always_comb begin
    if (stopped_q) assume (stopped_i);
    if (stopped_i) assume (!ask_ready_i);
  end

  walk_t [Chains-1:0] walks_q;

  // Heads that have come and have not been requested, the oldest first.
  number_t come_q, begun_q;
  index_t [1:0] heads_q;
  logic comes, asks, begins;
  assign comes = head_valid_i && head_ready;
  assign asks = ask_valid && ask_ready_i;
  assign begins = asks && !walks_q[ask_chain].due;

  // What is read. Mistakes of an answer are known by their reasons.
  walk_t of, after;
  chain_t last_q;  // the chain that was answered last
  logic [8:0] mistakes, mistakes_q;
  addr_t in_addr;
  logic [31:0] in_bytes;
  logic [15:0] in_flags, in_next;
  logic next, writes, names_table;
  assign {in_next, in_flags, in_bytes, in_addr} = got_data_i[64+HostAddrBits-1:0];
  assign {names_table, writes, next} = in_flags[2:0];
  always_comb begin
    of = walks_q[got_chain_i];
    after = of;
    after.flight = 1'b0;
    mistakes = '0;
    mistakes[StopZero] = in_bytes == '0;
    if (names_table) begin
      after.due = 1'b1;
      after.own = 1'b1;
      after.base = in_addr;
      after.entries = in_bytes[31:4] > 65535 ? 16'd65535 : in_bytes[19:4];
      after.index = '0;
      after.slots = of.slots + 1'b1;
      mistakes[StopFlags] = !place_i.indirect || of.own || next || in_flags[15:3] != '0;
      mistakes[StopSize] = in_bytes[3:0] != '0;
      mistakes[StopSetup] = in_addr[3:0] != '0;
    end else begin
      after.due = next;
      after.index = in_next;
      after.parts = of.parts + 1'b1;
      if (!of.own) after.slots = of.slots + 1'b1;
      after.wrote = writes;
      after.sum = of.sum + 40'(in_bytes);
      if (Answers) mistakes[StopFlags] = !writes && (of.wrote || !next);
      else mistakes[StopFlags] = writes != Writes;
      if (in_flags[15:3] != '0) mistakes[StopFlags] = 1'b1;
      mistakes[StopSize] = after.sum > (place_i.segments == '0 ? MostBytes : LongBytes) || (!next && after.sum < LeastBytes);
      mistakes[StopChain] = next && 32'(after.parts) == Links;
    end
    if (!got_i) mistakes = '0;
  end
  always_comb if (got_i) assume (of.flight && !stopped_i);

  // The picked chain, and the picked part of it.
  number_t given_q, sized_q;  // chains that have come out; whose sizes have
  link_t at_q;  // parts of the next chain that have come out
  chain_t mine_q;
  index_t id_q;
  logic whole_q;  // all of it has been answered, without a mistake
  logic [$clog2(Links)+1:0] parts_q;
  stored_t want_q;
  logic open, pop;  // it has been requested, and has not come out
  assign open = number_t'(m_i - given_q) < number_t'(begun_q - given_q);
  assign pop = part_valid && part_ready_i;
  always_ff @(posedge clk_i) begin
    come_q  <= come_q + number_t'(comes);
    begun_q <= begun_q + number_t'(begins);
    if (begins) heads_q[0] <= heads_q[1];
    if (comes) heads_q[1'(come_q-begun_q-number_t'(begins))] <= head_i;
    if (got_i) walks_q[got_chain_i] <= after;
    if (asks) {walks_q[ask_chain].flight, walks_q[ask_chain].due} <= 2'b10;
    if (begins) walks_q[ask_chain] <= '{flight: 1'b1, base: place_i.descriptors, entries: place_i.size, index: heads_q[0], default: '0};
    mistakes_q <= mistakes;
    last_q <= got_chain_i;
    if (got_i && open && !whole_q && got_chain_i == mine_q) begin
      if (!names_table && 32'(of.parts) == 32'(k_i)) want_q <= '{writes: writes, addr: in_addr, bytes: in_bytes};
      whole_q <= !names_table && !next && mistakes == '0;
      parts_q <= after.parts;
    end
    if (begins && begun_q == m_i) begin
      mine_q  <= ask_chain;
      id_q    <= heads_q[0];
      whole_q <= 1'b0;
    end
    if (pop) begin
      at_q <= part.last ? '0 : at_q + 1'b1;
      if (part.last) given_q <= given_q + 1'b1;
    end
    if (size_valid && size_ready_i) sized_q <= sized_q + 1'b1;
    if (rst) begin
      come_q  <= '0;
      begun_q <= '0;
      given_q <= '0;
      sized_q <= '0;
      at_q <= '0;
      for (int unsigned s = 0; s < Chains; s++) {walks_q[s].flight, walks_q[s].due} <= '0;
      mistakes_q <= '0;
    end
  end

  // A link or a head beyond the end of its table waits; nothing waits.
  logic beyond, flight, quiet;
  logic [1:0] quiet_q;  // cycles
  always_comb begin
    beyond = come_q != begun_q && heads_q[0] >= place_i.size;
    flight = 1'b0;
    for (int unsigned s = 0; s < Chains; s++) begin
      if (walks_q[s].due && walks_q[s].index >= walks_q[s].entries) beyond = 1'b1;
      if (walks_q[s].flight) flight = 1'b1;
    end
  end
  assign quiet = !comes && !ask_valid && !flight && !size_valid && !part_valid && !halt_i && !stopped_i && stop == StopNone;
  always_ff @(posedge clk_i) quiet_q <= !quiet || rst ? '0 : quiet_q + 2'(quiet_q != '1);

  // Where each chain is.
  logic [Chains-1:0] active, in_pipe, in_links, ends, good;  // good: its last answer has no mistake
  number_t out, links_count, taken;  // out: the number of the chain at out_q
  logic links_twice;
  assign taken = number_t'(u_dut.taken_q);
  assign out = begun_q - taken;
  assign links_count = number_t'(u_dut.u_links.write_ptr_q - u_dut.u_links.read_ptr_q) & number_t'(2 * Chains - 1);
  always_comb begin
    in_links = '0;
    links_twice = 1'b0;
    for (int unsigned i = 0; i < Chains; i++) begin
      chain_t at;
      at = u_dut.u_links.mem[chain_t'(u_dut.u_links.read_ptr_q)+chain_t'(i)].chain;
      if (number_t'(i) < links_count) begin
        if (in_links[at]) links_twice = 1'b1;
        in_links[at] = 1'b1;
      end
    end
    for (int unsigned s = 0; s < Chains; s++) begin
      active[s]  = number_t'(chain_t'(chain_t'(s) - u_dut.out_q)) < taken;
      in_pipe[s] = u_dut.next_valid_q && u_dut.next_chain_q == chain_t'(s);
      good[s] = mistakes_q == '0 || last_q != chain_t'(s);
      ends[s] = u_dut.ends_q && u_dut.chain_q == chain_t'(s);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst && !stopped_i) begin
      // The promises.
      if (ask_valid) begin
        assert (!walks_q[ask_chain].flight);
        if (walks_q[ask_chain].due) begin
          assert (walks_q[ask_chain].index < walks_q[ask_chain].entries);
          assert (ask_addr == walks_q[ask_chain].base + addr_t'({walks_q[ask_chain].index, 4'd0}));
        end else begin
          assert (come_q != begun_q && heads_q[0] < place_i.size && ask_addr == place_i.descriptors + addr_t'({heads_q[0], 4'd0}));
        end
      end
      if (stop == StopNone) assert (mistakes_q == '0);
      else assert (mistakes_q[stop] || (stop == StopIndex && beyond && !halt_i));
      if (size_valid) begin
        assert (Writes && sized_q != begun_q);
        if (sized_q == m_i) assert (whole_q && 32'(size.links) == 32'(parts_q) && size.slots == walks_q[mine_q].slots && 40'(size.bytes) == walks_q[mine_q].sum);
      end
      if (quiet && quiet_q >= 2) assert (come_q == given_q && head_ready);
    end
    if (!rst && stopped_i) assert (!size_valid && !(ended_q && part_valid));
    if (!rst && part_valid) begin
      assert (given_q != begun_q);
      if (Writes) assert (sized_q != given_q);
      if (given_q == m_i) begin
        assert (whole_q && 32'(at_q) < 32'(parts_q) && 32'(parts_q) <= Links && part.last == (32'(at_q) + 1 == 32'(parts_q)));
        assert (part.chain.id == id_q && part.chain.links == 6'd1);
        if (at_q == k_i) assert ({part.writes, part.addr, part.bytes} == want_q);
      end
    end

    // Invariants: the chains in their order, each in one place.
    if (!rst) begin
      assert (32'(taken) <= Chains && u_dut.in_q == u_dut.out_q + chain_t'(taken));
      assert (number_t'(begun_q - given_q) == taken + number_t'(part_valid && u_dut.last_q));
      assert (u_dut.give_q == (!part_valid ? at_q : u_dut.last_q ? '0 : at_q + 1'b1));
      assert (!links_twice && 32'(links_count) <= Chains);
      for (int unsigned s = 0; s < Chains; s++) begin
        assert (walks_q[s].flight + in_pipe[s] + in_links[s] + ends[s] + u_dut.sizing_q[s] + u_dut.whole_q[s] == 3'(active[s]));
      end
      if (u_dut.give_q != '0) assert (taken != '0 && u_dut.whole_q[u_dut.out_q]);
      if (part_valid && given_q == m_i) begin
        assert (open && whole_q && 32'(at_q) < 32'(parts_q) && 32'(parts_q) <= Links && u_dut.last_q == (32'(at_q) + 1 == 32'(parts_q)));
        assert (u_dut.given_head_q == id_q && (at_q != k_i || u_dut.stored == want_q));
      end
      if (Writes && part_valid) assert (sized_q != given_q);
    end
    if (!rst && !stopped_i) begin
      assert (number_t'(come_q - begun_q) == number_t'(u_dut.u_first.gen_cut.out_valid_q) + number_t'(u_dut.u_first.gen_cut.skid_valid_q));
      if (u_dut.u_first.gen_cut.out_valid_q) begin
        assert (u_dut.first.head == heads_q[0] && u_dut.first.beyond == (heads_q[0] >= place_i.size));
        assert (u_dut.first.addr == place_i.descriptors + addr_t'({heads_q[0], 4'd0}));
      end
      if (u_dut.u_first.gen_cut.skid_valid_q) begin
        assert (u_dut.u_first.gen_cut.skid_data_q.head == heads_q[1] && u_dut.u_first.gen_cut.skid_data_q.beyond == (heads_q[1] >= place_i.size));
        assert (u_dut.u_first.gen_cut.skid_data_q.addr == place_i.descriptors + addr_t'({heads_q[1], 4'd0}));
      end
      if (32'(taken) == Chains) assert (u_dut.full_q);
      if (quiet && quiet_q >= 1) assert ((32'(taken) == Chains || !u_dut.full_q) && in_pipe == '0 && ends == '0);
      if (quiet && quiet_q >= 2) assert (!u_dut.whole_q[u_dut.out_q]);
      for (int unsigned s = 0; s < Chains; s++) begin
        if (!good[s]) assert (in_pipe[s] || ends[s]);
        assert (walks_q[s].due == (in_pipe[s] || in_links[s]));
        if (Writes) assert (u_dut.whole_q[s] == (number_t'(chain_t'(chain_t'(s) - u_dut.out_q)) < number_t'(sized_q - out)));
        else assert (!u_dut.sizing_q[s]);
        if (!active[s]) assert (u_dut.links_q[s] == '0);
        if (active[s]) begin
          assert (u_dut.own_q[s] == walks_q[s].own);
          if (walks_q[s].own) assert (u_dut.tables_q[s] == {walks_q[s].base, walks_q[s].entries});
          else assert (walks_q[s].base == place_i.descriptors && walks_q[s].entries == place_i.size);
          assert (link_t'(walks_q[s].parts - ($clog2(Links) + 2)'(ends[s] || u_dut.sizing_q[s] || u_dut.whole_q[s])) == u_dut.links_q[s]);
          if (good[s]) begin
            if (!walks_q[s].own) assert (walks_q[s].slots == links_t'(walks_q[s].parts));
            if (walks_q[s].own || walks_q[s].parts != '0) assert (walks_q[s].slots == u_dut.slots_q[s]);
            assert (walks_q[s].sum <= LongBytes && (place_i.segments != '0 || walks_q[s].sum <= MostBytes));
            assert (walks_q[s].parts == '0 ? walks_q[s].sum == '0 && !walks_q[s].wrote : 40'(u_dut.totals_q[s]) == walks_q[s].sum);
            assert (32'(walks_q[s].parts) < Links + 32'(!walks_q[s].flight && !walks_q[s].due));
            if (!walks_q[s].flight && !walks_q[s].due) assert (walks_q[s].parts != '0);
          end
        end
        if (in_pipe[s]) assert (u_dut.next_index_q == walks_q[s].index && u_dut.table_q == {walks_q[s].base, walks_q[s].entries});
      end
      for (int unsigned i = 0; i < Chains; i++) begin
        automatic chain_t at = chain_t'(u_dut.u_links.read_ptr_q) + chain_t'(i);
        automatic chain_t s = u_dut.u_links.mem[at].chain;
        if (number_t'(i) < links_count) begin
          assert (u_dut.u_links.mem[at].beyond == (walks_q[s].index >= walks_q[s].entries));
          assert (u_dut.u_links.mem[at].addr == walks_q[s].base + addr_t'({walks_q[s].index, 4'd0}));
        end
      end
      if (Writes) assert (number_t'(sized_q - out) <= taken && u_dut.size_q == u_dut.out_q + chain_t'(sized_q - out));

      // What is wrong with the last answer.
      if (u_dut.part_q) begin
        assert (u_dut.chain_q == last_q);
        assert (40'(u_dut.total_q) == walks_q[u_dut.chain_q].sum);
        assert (u_dut.longest_q == (32'(walks_q[u_dut.chain_q].parts) == Links));
        assert (u_dut.ends_q == !in_pipe[u_dut.chain_q]);
      end else assert (!u_dut.ends_q);
      if (u_dut.form_q != StopNone) assert (mistakes_q[u_dut.form_q]);
      else if (!u_dut.part_q) assert (mistakes_q == '0);
      else begin
        assert (mistakes_q[StopSize] == (walks_q[u_dut.chain_q].sum > (place_i.segments == '0 ? MostBytes : LongBytes) || (u_dut.ends_q && walks_q[u_dut.chain_q].sum < LeastBytes)));
        assert (mistakes_q[StopChain] == (!u_dut.ends_q && u_dut.longest_q));
        assert (!(|(mistakes_q & ~(9'd1 << StopSize | 9'd1 << StopChain))));
      end

      // The picked chain.
      if (number_t'(m_i - out) < taken) begin
        assert (open && mine_q == u_dut.out_q + chain_t'(m_i - out) && u_dut.heads_q[mine_q] == id_q);
        assert (whole_q == ((ends[mine_q] && good[mine_q]) || u_dut.sizing_q[mine_q] || u_dut.whole_q[mine_q]));
        if (whole_q) assert (parts_q == walks_q[mine_q].parts);
        if (32'(k_i) < 32'(walks_q[mine_q].parts)) assert (u_dut.u_parts.mem[{mine_q, k_i}] == want_q);
        if (mine_q == u_dut.out_q) assert (u_dut.give_q <= u_dut.links_q[mine_q]);
      end
    end
  end
  if (Answers) begin : gen_answers
    always_ff @(posedge clk_i) begin
      if (!rst && !stopped_i) begin
        for (int unsigned s = 0; s < Chains; s++) if (active[s]) assert (u_dut.gen_answers.writes_q[s] == walks_q[s].wrote);
      end
    end
  end
endmodule
