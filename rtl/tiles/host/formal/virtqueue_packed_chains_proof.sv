// SPDX-License-Identifier: Apache-2.0
// Proves virtqueue_packed_chains, by induction, with any descriptors and tables that virtqueue_packed may report, and flits of tables that come at any
// time behind them. The descriptors of complete chains come out once and in order, those of a table in the place of the descriptor that names it, each
// with the name of its chain and behind its chain's sizes. Those of a chain that is forgotten do not. With the first descriptor that is a mistake, the
// queue stops for a reason that applies to it; no chain from there on comes out, and nothing else stops the queue. Once all is quiet, every complete
// chain has come out, and every flit has been taken.
//
// The solver picks any place in the sequence of the descriptors that are not forgotten (m_i): what is shown of it holds for all. What is a mistake is
// judged of the sequence in which the design takes the descriptors up (u_dut.accept), which is shown to be that one.
module virtqueue_packed_chains_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 2,
    parameter int unsigned Links = 2,
    parameter int unsigned TableFlits = 2,
    parameter int unsigned Waiting = 2,  // descriptors, as in the design
    parameter bit Writes = 1'b0,
    parameter bit Answers = 1'b0,
    parameter int unsigned Parts = 4 * Links,  // as in the design
    localparam int unsigned PlaceBits = $clog2(Parts) + 2
) (
    input logic clk_i,
    input logic [PlaceBits-1:0] m_i,
    input logic stopped_i,
    input logic long_i,
    input logic found_valid_i,
    input packed_found_t found_i,
    input logic flit_valid_i,
    input logic [W-1:0] flit_i,
    input logic size_ready_i,
    input logic part_ready_i
);
  localparam int unsigned LeastBytes = 12, MostBytes = 60000, LongBytes = 131000;
  localparam int unsigned PerFlit = FlitBytes / DescriptorBytes;
  typedef logic [PlaceBits-1:0] at_t;  // a place in the sequence, modulo more than can be on the way; or a number of descriptors or flits
  typedef logic [8:0] mistakes_t;  // by reason
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
  logic found_ready, flit_pop, size_valid, part_valid;
  chain_size_t size;
  part_t part;
  virtqueue_packed_chains #(
      .Chains(Chains),
      .Links(Links),
      .TableFlits(TableFlits),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .stopped_i,
      .long_i,
      .stop_o(stop),
      .found_valid_i,
      .found_ready_o(found_ready),
      .found_i,
      .flit_valid_i,
      .flit_i,
      .flit_pop_o(flit_pop),
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
  proof_constant #(
      .T(logic [PlaceBits:0])
  ) u_constant (
      .clk_i,
      .value_i({m_i, long_i})
  );

  // What a table has: its descriptors, and its flits from one of them on.
  function automatic at_t entries_of(packed_found_t of);
    entries_of = of.indirect ? at_t'(of.descriptor.bytes >> 4) : 1;
  endfunction
  function automatic at_t lane_of(packed_found_t of, at_t entry);  // of an entry, in descriptors
    lane_of = (at_t'(of.descriptor.addr >> 4) + entry) & at_t'(PerFlit - 1);
  endfunction
  function automatic at_t flits_to(packed_found_t of, at_t entry);  // that lie before the flit of an entry
    flits_to = (lane_of(of, 0) + entry) >> $clog2(PerFlit);
  endfunction
  function automatic at_t flits_of(packed_found_t of);
    flits_of = !of.indirect || of.forget ? '0 : flits_to(of, entries_of(of) - 1'b1) + 1'b1;
  endfunction
  function automatic logic goes_on(packed_found_t of);  // a further descriptor of the ring belongs to the chain
    goes_on = !of.indirect && of.descriptor.flags[PackedNext];
  endfunction
  // What counts of an entry.
  function automatic stored_t entry_of(logic [W-1:0] flit, at_t lane);
    packed_descriptor_t entry;
    entry = '0;
    for (int unsigned i = 0; i < PerFlit; i++) if (at_t'(i) == lane) entry = packed_descriptor_t'(flit[128*i+:128]);
    entry_of = '{writes: entry.flags[1] && (Writes || Answers), addr: entry.addr, bytes: entry.bytes};
  endfunction

  // What is found. pos_q: the place of the next descriptor; start_q: of the first one of its chain.
  at_t pos_q, start_q, owed_q, held_q, offset, entries;  // flits: that tables have and that have not come; that have come and have not been taken
  logic takes, meets, found_bad;  // found_bad: what virtqueue_packed stops the queue for
  logic known_q, more_q;  // of the picked descriptor: its flit has come; others of its chain follow
  at_t left_q, lane_q;  // flits before it comes; its place in its flit
  stored_t want_q;
  name_t name_q;
  assign takes = found_valid_i && found_ready && !found_bad;
  assign entries = entries_of(found_i);
  assign offset = m_i - pos_q;
  assign meets = takes && !found_i.forget && offset < entries;
  always_comb begin
    if (found_valid_i) assume (!stopped_i && (!found_i.forget || (pos_q != start_q && !found_i.indirect)));
    if (flit_valid_i) assume (!stopped_i && owed_q != '0 && 32'(held_q) < TableFlits);
  end

  // A queue that has been stopped, by a mistake here or elsewhere, stays so. It then finds nothing, and gets no flits.
  logic stopped_q, ended_q;  // ended_q: in the cycle before, it was stopped, and no part waited
  assign found_bad = found_valid_i && found_ready && found_i.indirect && !found_i.forget && (found_i.descriptor.flags[PackedNext] || found_i.descriptor.bytes == '0 ||
      found_i.descriptor.bytes[3:0] != '0 || found_i.descriptor.bytes > 16 * Links || found_i.descriptor.addr[3:0] != '0);
  always_ff @(posedge clk_i) begin
    stopped_q <= !rst && (stopped_i || stop != StopNone || found_bad);
    ended_q   <= !rst && stopped_i && (!part_valid || part_ready_i);
  end
  always_comb if (stopped_q) assume (stopped_i);

  // What the design takes up: the place of the next one, and of the first one of its chain.
  at_t up_q, first_q;
  logic forgets, wrote_q;
  logic [39:0] sum_q;
  mistakes_t mistakes, judged_q, mistake_q;  // of this one, of the last one, of the first one that has any
  logic whole_q;  // the chain of the picked descriptor is complete, and nothing so far is a mistake
  at_t whole_first_q, whole_links_q;
  logic [39:0] whole_sum_q;
  assign forgets = u_dut.one_valid_q && u_dut.one_q.forget;
  always_comb begin
    logic [39:0] sum;
    packed_descriptor_t one;
    one = u_dut.one_q.descriptor;
    sum = sum_q + 40'(one.bytes);
    mistakes = '0;
    if (Answers) mistakes[StopFlags] = !one.flags[1] && (wrote_q || !u_dut.one_q.more);
    else mistakes[StopFlags] = one.flags[1] != Writes;
    if ((one.flags & 16'h7f7c) != '0) mistakes[StopFlags] = 1'b1;
    mistakes[StopZero] = one.bytes == '0;
    mistakes[StopSize] = sum > (long_i ? LongBytes : MostBytes) || (!u_dut.one_q.more && sum < LeastBytes);
    mistakes[StopChain] = u_dut.one_q.more && at_t'(up_q - first_q) + 1'b1 == at_t'(Links);
  end

  at_t given_q, sized_q;  // the place of the next part that comes out; of the next chain whose sizes come out
  logic pop;
  assign pop = part_valid && part_ready_i;
  always_ff @(posedge clk_i) begin
    if (takes) begin
      if (found_i.forget) pos_q <= start_q;
      else pos_q <= pos_q + entries;
      if (!found_i.forget && !goes_on(found_i)) begin
        start_q <= pos_q + entries;
        if (at_t'(m_i - start_q) < at_t'(pos_q + entries - start_q)) name_q <= found_i.name;
      end
    end
    owed_q <= owed_q + (takes ? flits_of(found_i) : '0) - at_t'(flit_valid_i);
    held_q <= held_q + at_t'(flit_valid_i) - at_t'(flit_pop);
    if (meets) begin
      known_q <= !found_i.indirect;
      more_q <= found_i.indirect ? offset + 1'b1 != entries : found_i.descriptor.flags[PackedNext];
      want_q <= '{writes: found_i.descriptor.flags[1], addr: found_i.descriptor.addr, bytes: found_i.descriptor.bytes};
      left_q <= owed_q - at_t'(flit_valid_i) + flits_to(found_i, offset);
      lane_q <= lane_of(found_i, offset);
    end else if (flit_valid_i && !known_q) begin
      left_q <= left_q - 1'b1;
      if (left_q == '0) begin
        known_q <= 1'b1;
        want_q  <= entry_of(flit_i, lane_q);
      end
    end

    if (forgets) begin
      up_q <= first_q;
      sum_q <= '0;
      wrote_q <= 1'b0;
    end else if (u_dut.accept) begin
      up_q <= up_q + 1'b1;
      sum_q <= u_dut.one_q.more ? sum_q + 40'(u_dut.one_q.descriptor.bytes) : '0;
      wrote_q <= u_dut.one_q.more && u_dut.one_q.descriptor.flags[1];
      judged_q <= mistakes;
      if (mistake_q == '0) mistake_q <= mistakes;
      if (!u_dut.one_q.more) begin
        first_q <= up_q + 1'b1;
        if (at_t'(m_i - first_q) <= at_t'(up_q - first_q)) begin
          whole_q <= mistake_q == '0 && mistakes == '0;
          whole_first_q <= first_q;
          whole_links_q <= up_q + 1'b1 - first_q;
          whole_sum_q <= sum_q + 40'(u_dut.one_q.descriptor.bytes);
        end
      end
    end
    if (meets) whole_q <= 1'b0;
    given_q <= given_q + at_t'(pop);
    if (size_valid && size_ready_i) sized_q <= sized_q + at_t'(size.links);
    if (rst) begin
      pos_q <= '0;
      start_q <= '0;
      owed_q <= '0;
      held_q <= '0;
      up_q <= '0;
      first_q <= '0;
      sum_q <= '0;
      wrote_q <= 1'b0;
      judged_q <= '0;
      mistake_q <= '0;
      given_q <= '0;
      sized_q <= '0;
    end
  end

  // Nothing comes, and nothing is held back.
  logic quiet;
  localparam int unsigned Longest = Waiting * Links + 2;  // cycles until all has been taken up
  logic [4:0] quiet_q;  // cycles
  assign quiet = !found_valid_i && !flit_valid_i && owed_q == '0 && !part_valid && !size_valid && (size_ready_i || !Writes) && !stopped_i && stop == StopNone;
  always_ff @(posedge clk_i) quiet_q <= !quiet || rst ? '0 : quiet_q + 5'(quiet_q != '1);

  // The whole chains in the design, from the one whose parts come out on.
  at_t read, chains, chains_end;  // read: the place of the next part that is read
  logic chains_bad;  // of the picked descriptor
  assign read = given_q + at_t'(part_valid);
  assign chains = at_t'(u_dut.u_chains.write_ptr_q - u_dut.u_chains.read_ptr_q) & at_t'(2 * Chains - 1);
  always_comb begin
    chains_end = read - at_t'(u_dut.give_q);
    chains_bad = 1'b0;
    for (int unsigned i = 0; i < Chains; i++) begin
      logic [$clog2(Chains)-1:0] place;
      at_t links;
      place = $clog2(Chains)'(u_dut.u_chains.read_ptr_q) + $clog2(Chains)'(i);
      links = at_t'(u_dut.u_chains.mem[place].links);
      if (at_t'(i) < chains) begin
        if (links == '0 || u_dut.u_chains.mem[place].links > links_t'(Links)) chains_bad = 1'b1;
        if (at_t'(m_i - chains_end) < links && !(i == 0 && at_t'(m_i - chains_end) < at_t'(u_dut.give_q))) begin
          if (!whole_q || whole_first_q != chains_end || whole_links_q != links || more_q != (at_t'(m_i - chains_end) + 1'b1 != links) || name_q != u_dut.u_chains.mem[place].name) chains_bad = 1'b1;
        end
        chains_end = chains_end + links;
      end
    end
  end

  // From the parts in memory to what has been found last: whether the picked descriptor is there and will not be forgotten, and is as it should be.
  at_t ends_pos, ends_first, ends_flits, remain, found;  // remain: descriptors that are not yet taken up
  logic here, right, found_wrong;
  assign found = at_t'(u_dut.u_found.write_ptr_q - u_dut.u_found.read_ptr_q) & at_t'(2 * Waiting - 1);
  always_comb begin
    found_wrong = 1'b0;
    here = at_t'(m_i - read) < at_t'(up_q - read);
    right = known_q && u_dut.u_parts.mem[m_i[$clog2(Parts)-1:0]] == want_q;
    if (at_t'(m_i - first_q) < at_t'(up_q - first_q) && !more_q) right = 1'b0;
    ends_pos = up_q;
    ends_first = first_q;
    remain = at_t'(u_dut.one_valid_q);
    if (u_dut.one_valid_q) begin
      if (u_dut.one_q.forget) begin
        if (at_t'(m_i - first_q) < at_t'(up_q - first_q)) here = 1'b0;
        ends_pos = first_q;
      end else begin
        if (m_i == up_q) begin
          here = 1'b1;
          right = known_q && more_q == u_dut.one_q.more &&
              want_q == {u_dut.one_q.descriptor.flags[1], u_dut.one_q.descriptor.addr, u_dut.one_q.descriptor.bytes};
        end
        ends_pos = up_q + 1'b1;
        if (!u_dut.one_q.more) begin
          if (at_t'(m_i - first_q) <= at_t'(up_q - first_q) && name_q != u_dut.one_q.name) found_wrong = 1'b1;
          ends_first = ends_pos;
        end
      end
    end
    ends_flits = '0;
    for (int unsigned i = 0; i < Waiting; i++) begin
      packed_found_t of;
      at_t done, number, at_flit;
      of = u_dut.u_found.mem[$clog2(Waiting)'(u_dut.u_found.read_ptr_q)+$clog2(Waiting)'(i)];
      done = i == 0 ? at_t'(u_dut.entry_q) : '0;
      number = entries_of(of) - done;
      if (at_t'(i) < found) begin
        remain = remain + (of.forget ? 1'b1 : number);
        if (of.forget) begin
          if (at_t'(m_i - ends_first) < at_t'(ends_pos - ends_first)) here = 1'b0;
          ends_pos = ends_first;
          if (of.indirect) found_wrong = 1'b1;
        end else begin
          if (of.indirect && (of.descriptor.bytes == '0 || of.descriptor.bytes > 16 * Links || of.descriptor.bytes[3:0] != '0 || of.descriptor.addr[3:0] != '0)) found_wrong = 1'b1;
          if (number == '0 || number > at_t'(Links)) found_wrong = 1'b1;
          if (at_t'(m_i - ends_pos) < number) begin
            here = 1'b1;
            if (of.indirect) begin
              at_flit = ends_flits + flits_to(of, done + m_i - ends_pos) - flits_to(of, done);
              right = more_q == (at_t'(m_i - ends_pos) + 1'b1 != number);
              if (lane_q != lane_of(of, done + m_i - ends_pos)) right = 1'b0;
              if (at_flit < held_q) begin
                if (!known_q || want_q != entry_of(u_dut.u_flits.mem[$clog2(TableFlits)'(u_dut.u_flits.read_ptr_q)+$clog2(TableFlits)'(at_flit)], lane_q)) right = 1'b0;
              end else if (known_q || left_q != at_flit - held_q) right = 1'b0;
            end else begin
              right = known_q && more_q == of.descriptor.flags[PackedNext] && want_q == {of.descriptor.flags[1], of.descriptor.addr, of.descriptor.bytes};
            end
          end
          ends_pos = ends_pos + number;
          if (!goes_on(of)) begin
            if (at_t'(m_i - ends_first) < at_t'(ends_pos - ends_first) && name_q != of.name) found_wrong = 1'b1;
            ends_first = ends_pos;
          end
        end
        if (of.indirect) ends_flits = ends_flits + flits_of(of) - flits_to(of, done);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises.
      if (part_valid) begin
        assert (given_q != pos_q);
        if (Writes) assert (sized_q != given_q);
        if (given_q == m_i) begin
          assert (known_q && whole_q && {part.writes, part.addr, part.bytes} == want_q);
          assert (part.last == !more_q && part.chain == name_q);
        end
      end
      if (stopped_i) assert (!size_valid && !(ended_q && part_valid));
      if (flit_pop) assert (held_q != '0);
      if (!stopped_i) begin
        if (size_valid) begin
          assert (Writes);
          if (sized_q == m_i) assert (whole_q && whole_first_q == m_i && at_t'(size.links) == whole_links_q && 40'(size.bytes) == whole_sum_q && size.slots == name_q.links);
        end
        if (stop != StopNone) assert (mistake_q[stop]);
        if (quiet && 32'(quiet_q) > Longest + 1) assert (given_q == start_q && held_q == '0 && mistake_q == '0);
      end

      // Invariants, also of a queue that is stopped.
      assert (32'(held_q) <= TableFlits && held_q == (at_t'(u_dut.u_flits.write_ptr_q - u_dut.u_flits.read_ptr_q) & at_t'(2 * TableFlits - 1)));
      assert (32'(found) <= Waiting && 32'(chains) <= Chains);
      if (part_valid && given_q == m_i) begin
        assert (known_q && whole_q && u_dut.stored == want_q && u_dut.last_q == !more_q && u_dut.given_q == name_q);
      end
      if (part_valid) assert (given_q != pos_q && (!Writes || sized_q != given_q));
    end
    if (!rst && !stopped_i) begin
      // Places in their order.
      assert (u_dut.write_q == ($clog2(Parts) + 1)'(up_q) && u_dut.read_q == ($clog2(Parts) + 1)'(read) && u_dut.start_q == ($clog2(Parts) + 1)'(first_q));
      assert (32'(at_t'(up_q - read)) <= Parts && at_t'(first_q - read) <= at_t'(up_q - read));
      assert (ends_pos == pos_q && ends_first == start_q && !found_wrong);
      assert (ends_flits == held_q + owed_q && held_q <= ends_flits);
      if (here) assert (right);
      if (u_dut.entry_q != '0) assert (found != '0 && u_dut.found.indirect && !u_dut.found.forget && 32'(u_dut.entry_q) < u_dut.found.descriptor.bytes >> 4);
      assert (!chains_bad && at_t'(chains_end - read) <= at_t'(first_q - read));
      if (u_dut.give_q != '0) assert (chains != '0 && u_dut.give_q < u_dut.chain.links);
      if (Writes) assert (sized_q == chains_end);

      // What has been taken up, and is judged.
      if (mistake_q == '0) begin
        assert (at_t'(u_dut.links_q) == at_t'(up_q - first_q) && 32'(u_dut.links_q) < Links);
        assert (sum_q == 40'(u_dut.total_q) && sum_q <= (long_i ? LongBytes : MostBytes) && judged_q == '0);
        if (up_q == first_q) assert (sum_q == '0 && !wrote_q);
      end
      if (u_dut.stop_q == StopNone) begin
        if (u_dut.checked_valid_q) begin
          assert (mistake_q == judged_q && (u_dut.stop == StopNone ? judged_q == '0 : judged_q[u_dut.stop]));
          assert (u_dut.checked_q.links != '0 && 32'(u_dut.checked_q.links) <= Links);
        end else assert (mistake_q == '0);
        if (u_dut.checked_valid_q && u_dut.checked_q.ends) begin
          assert (first_q == up_q && at_t'(chains_end + at_t'(u_dut.checked_q.links)) == first_q);
          if (at_t'(m_i - chains_end) < at_t'(u_dut.checked_q.links)) begin
            assert (whole_q == (judged_q == '0) && whole_first_q == chains_end && whole_links_q == at_t'(u_dut.checked_q.links));
            assert (name_q == u_dut.checked_q.name && more_q == (at_t'(m_i - chains_end) + 1'b1 != whole_links_q));
            if (judged_q == '0) assert (whole_sum_q == 40'(u_dut.checked_q.total));
          end
        end else assert (chains_end == first_q);
      end else assert (mistake_q[u_dut.stop_q]);

      // Each quiet cycle takes up one.
      if (quiet && quiet_q >= 1) assert (chains <= 1 && (u_dut.one_valid_q || remain == '0));
      if (quiet) assert (remain == '0 || 32'(remain) + 32'(quiet_q) <= Longest);
      if (quiet && 32'(quiet_q) > Longest) assert (!u_dut.checked_valid_q);
      if (quiet && 32'(quiet_q) > Longest + 1) assert (chains == '0);
    end
  end
  if (Answers) begin : gen_answers
    always_ff @(posedge clk_i) begin
      if (!rst && !stopped_i && mistake_q == '0 && up_q != first_q) assert (u_dut.gen_answers.writes_q == wrote_q);
    end
  end
endmodule
