// SPDX-License-Identifier: Apache-2.0
// Proves of virtqueue_packed, by induction, with a memory that answers each read at any time, in order, with anything: it reads the ring slot behind
// slot, never beyond its end, and of each table all flits once, in order, and nothing else. The descriptors that it reports to
// virtqueue_packed_chains are those that memory has answered with for the slots of the ring, each slot behind the one before, available in their lap,
// and under their place in their chain. A descriptor that is not available is not reported; the walk then returns to the head of its chain, and
// reports from there on only what was requested afterwards. There is room for every flit that comes. What virtqueue_packed_chains relies on in its own
// proof is so. Once the ring is quiet, the head of a chain has been requested since the last look, and a descriptor was found that is not available. None
// of this depends on what virtqueue_packed_chains does.
//
// The solver picks any place in the sequence of descriptors (m_i): what is shown of it holds for all. No read is refused.
module virtqueue_packed_walk_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned MostSize = 2,  // of the ring
    // As in the design: flits that are read ahead, reads that have not been answered, descriptors that wait for virtqueue_packed_chains.
    parameter int unsigned Ahead = 2,
    parameter int unsigned Reads = 4,
    parameter int unsigned Waiting = 2
) (
    input logic clk_i,
    input place_t place_i,
    input logic [3:0] m_i,
    input logic halt_i,
    input logic look_i,
    input logic check_i,
    input logic told_i,
    input logic ask_ready_i,
    input logic came_i,
    input logic came_error_i,
    input logic [W-1:0] came_data_i,
    input logic size_ready_i,
    input logic part_ready_i
);
  localparam int unsigned Chains = 2, Links = 2, PerFlit = FlitBytes / DescriptorBytes;
  typedef logic [3:0] at_t;  // a place in the sequence of descriptors, modulo more than can be on the way; or a number
  typedef logic [15:0] lap_t;  // {wrap counter, slot}
  typedef enum logic [1:0] {
    AskFlags,
    AskRing,
    AskTable
  } what_e;  // of the design
  typedef struct packed {
    logic live;  // requested since the walk went back
    at_t  first;  // its first descriptor
    lap_t lap;  // of this one
  } flit_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic busy, checked, tell, ask_valid, size_valid, part_valid;
  logic [31:0] said;
  logic [15:0] tell_index;
  stop_e stop;
  ask_t ask;
  chain_size_t size;
  part_t part;
  virtqueue_packed #(
      .Chains(Chains),
      .Links(Links)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .place_i,
      .halt_i,
      .busy_o(busy),
      .stop_o(stop),
      .look_i,
      .check_i,
      .checked_o(checked),
      .said_o(said),
      .tell_o(tell),
      .tell_index_o(tell_index),
      .told_i,
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .refused_i(1'b0),
      .came_i,
      .came_error_i,
      .came_data_i,
      .size_valid_o(size_valid),
      .size_ready_i,
      .size_o(size),
      .part_valid_o(part_valid),
      .part_ready_i,
      .part_o(part)
  );
  proof_constant #(
      .T(place_t)
  ) u_place (
      .clk_i,
      .value_i(place_i)
  );
  proof_constant #(
      .T(at_t)
  ) u_m (
      .clk_i,
      .value_i(m_i)
  );
  always_comb assume (place_i.size inside {[1 : MostSize]} && place_i.descriptors[3:0] == '0 && place_i.driver[1:0] == '0 && place_i.start[14:0] < 15'(place_i.size));

  // The ring.
  function automatic lap_t behind(lap_t at);
    behind = 16'(at[14:0]) + 1'b1 == place_i.size ? {!at[15], 15'd0} : at + 1'b1;
  endfunction
  function automatic lap_t far_behind(lap_t at, at_t number);  // at most Links, or a flit
    far_behind = at;
    for (int unsigned i = 0; i < (Links > PerFlit ? Links : PerFlit); i++) if (at_t'(i) < number) far_behind = behind(far_behind);
  endfunction
  function automatic at_t lane_of(lap_t at);  // in its flit, in descriptors
    lane_of = at_t'((place_i.descriptors >> 4) + addr_t'(at[14:0])) & at_t'(PerFlit - 1);
  endfunction
  function automatic at_t run_from(lap_t at);  // descriptors from this one to the end of its flit, or of the ring
    run_from = at_t'(PerFlit) - lane_of(at);
    if (place_i.size - 16'(at[14:0]) < 16'(run_from)) run_from = at_t'(place_i.size - 16'(at[14:0]));
  endfunction
  function automatic packed_descriptor_t in_flit(logic [W-1:0] flit, at_t lane);
    in_flit = '0;
    for (int unsigned i = 0; i < PerFlit; i++) if (at_t'(i) == lane) in_flit = packed_descriptor_t'(flit[128*i+:128]);
  endfunction

  // Places: of the next descriptor to request, of the next one to report, and of the head of its chain.
  at_t ask_q, next_q, head_q;
  lap_t ask_lap_q, lap_q, head_lap_q;  // of these
  logic asks, asks_ring, asks_table, asks_flags, known_q;  // known_q: memory has answered with the picked descriptor
  packed_descriptor_t want_q;
  assign asks = ask_valid && ask_ready_i;
  assign asks_ring = asks && what_e'(u_dut.what) == AskRing;
  assign asks_table = asks && what_e'(u_dut.what) == AskTable;
  assign asks_flags = asks && what_e'(u_dut.what) == AskFlags;

  // The reads in flight, and the flits of the ring that have come, each beside its place in the design.
  flit_t [Reads-1:0] reads_q;
  flit_t [Ahead-1:0] flits_q;
  flit_t oldest;  // read in flight
  logic got_ring;
  at_t waits, flits;
  assign waits = at_t'(u_dut.u_asked.write_ptr_q - u_dut.u_asked.read_ptr_q) & at_t'(2 * Reads - 1);
  assign flits = at_t'(u_dut.u_flits.write_ptr_q - u_dut.u_flits.read_ptr_q) & at_t'(2 * Ahead - 1);
  assign oldest = reads_q[$clog2(Reads)'(u_dut.u_asked.read_ptr_q)];
  assign got_ring = u_dut.got && what_e'(u_dut.asked) == AskRing;
  logic [3:0] open_q;  // reads that have not been answered
  logic question_q;  // about interrupts, not answered
  always_comb begin
    if (came_i) assume (open_q != '0);
    if (check_i) assume (!question_q);
  end

  // A look is due until the head of a chain is requested; the walk has ended if a descriptor that is not available was found since the last request.
  logic due_q, ended_q;
  always_ff @(posedge clk_i) begin
    if (asks_ring) begin
      ended_q <= 1'b0;
      if (ask_q == next_q) due_q <= 1'b0;
    end
    if (u_dut.back) ended_q <= 1'b1;
    if (look_i || told_i) due_q <= 1'b1;
    if (rst) begin
      due_q   <= 1'b1;
      ended_q <= 1'b0;
    end
  end

  // The table that was named last: its next descriptor, and how many are left.
  addr_t table_q;
  links_t left_q;
  always_ff @(posedge clk_i) begin
    open_q <= open_q + 4'(asks) - 4'(came_i);
    question_q <= (question_q || check_i) && !checked;
    if (asks_ring) begin
      ask_q <= ask_q + run_from(ask_lap_q);
      ask_lap_q <= far_behind(ask_lap_q, run_from(ask_lap_q));
      if (at_t'(m_i - ask_q) < run_from(ask_lap_q)) known_q <= 1'b0;
    end
    if (asks) reads_q[$clog2(Reads)'(u_dut.u_asked.write_ptr_q)] <= '{live: !u_dut.back, first: ask_q, lap: ask_lap_q};
    if (got_ring) begin
      flits_q[$clog2(Ahead)'(u_dut.u_flits.write_ptr_q)] <= '{live: oldest.live && !u_dut.back, first: oldest.first, lap: oldest.lap};
      if (oldest.live && at_t'(m_i - oldest.first) < run_from(oldest.lap)) begin
        known_q <= 1'b1;
        want_q  <= in_flit(came_data_i, lane_of(oldest.lap) + m_i - oldest.first);
      end
    end
    if (u_dut.accept) begin
      next_q <= next_q + 1'b1;
      lap_q  <= behind(lap_q);
      if (!u_dut.one_q.flags[PackedNext]) begin
        head_q <= next_q + 1'b1;
        head_lap_q <= behind(lap_q);
      end
      if (u_dut.one_q.flags[PackedIndirect]) begin
        table_q <= u_dut.one_q.addr;
        left_q  <= links_t'(u_dut.one_q.bytes >> 4);
      end
    end
    if (u_dut.back) begin
      ask_q  <= head_q;
      ask_lap_q <= head_lap_q;
      next_q <= head_q;
      lap_q  <= head_lap_q;
      for (int unsigned i = 0; i < Reads; i++) reads_q[i].live <= 1'b0;
      for (int unsigned i = 0; i < Ahead; i++) flits_q[i].live <= 1'b0;
    end
    if (asks_table) begin
      table_q <= table_q + addr_t'(ask.bytes);
      left_q  <= left_q - links_t'(ask.bytes >> 4);
    end
    if (rst) begin
      open_q <= '0;
      question_q <= 1'b0;
      ask_q <= '0;
      next_q <= '0;
      head_q <= '0;
      lap_q <= place_i.start;
      ask_lap_q <= place_i.start;
      head_lap_q <= place_i.start;
      left_q <= '0;
    end
  end

  // The flits of the ring, from those that have come to the last one requested: first those to be discarded, then those of this walk without a gap.
  at_t take, ends, ring, live, stale, tables, questions;  // take: the place of the next descriptor to be taken from a flit; ends: behind the live flits
  lap_t take_lap, ends_lap;
  logic wrong;
  always_comb begin
    flit_t of;
    logic ring_flit, first;
    take = next_q + at_t'(u_dut.one_valid_q);
    ends = take;
    take_lap = u_dut.one_valid_q ? behind(lap_q) : lap_q;
    ends_lap = take_lap;
    {ring, live, stale, tables, questions} = '0;
    wrong = 1'b0;
    for (int unsigned i = 0; i < Ahead + Reads; i++) begin
      logic [$clog2(Reads)-1:0] read_at;
      logic [$clog2(Ahead)-1:0] flit_at;
      flit_at = $clog2(Ahead)'(u_dut.u_flits.read_ptr_q) + $clog2(Ahead)'(i);
      read_at = $clog2(Reads)'(u_dut.u_asked.read_ptr_q) + $clog2(Reads)'(i - Ahead);
      if (i < Ahead) begin
        of = flits_q[flit_at];
        ring_flit = at_t'(i) < flits;
      end else begin
        of = reads_q[read_at];
        ring_flit = at_t'(i - Ahead) < waits && what_e'(u_dut.u_asked.mem[read_at]) == AskRing;
        if (at_t'(i - Ahead) < waits && what_e'(u_dut.u_asked.mem[read_at]) == AskTable) tables = tables + 1'b1;
        if (at_t'(i - Ahead) < waits && what_e'(u_dut.u_asked.mem[read_at]) == AskFlags) questions = questions + 1'b1;
      end
      if (ring_flit) begin
        ring  = ring + 1'b1;
        first = live == '0;
        if (!of.live) begin
          stale = stale + 1'b1;
          if (!first) wrong = 1'b1;
        end else begin
          // The first one may have been taken in part.
          if (first && i == 0 && of.first != take) begin
            if (at_t'(take - of.first) >= at_t'(PerFlit) || lane_of(take_lap) != lane_of(of.lap) + at_t'(take - of.first) || far_behind(of.lap, take - of.first) != take_lap) wrong = 1'b1;
            if (at_t'(take - of.first) >= run_from(of.lap)) wrong = 1'b1;
          end else if (of.first != ends || of.lap != ends_lap) wrong = 1'b1;
          if (at_t'(m_i - ends) < run_from(ends_lap)) begin
            if (i < Ahead) begin
              if (!known_q || in_flit(u_dut.u_flits.mem[flit_at], lane_of(ends_lap) + m_i - ends) != want_q) wrong = 1'b1;
            end else if (known_q) wrong = 1'b1;
          end
          live = live + 1'b1;
          ends = ends + run_from(ends_lap);
          ends_lap = far_behind(ends_lap, run_from(ends_lap));
        end
      end
    end
  end
  // Nothing comes, and nothing is held back.
  localparam int unsigned Longest = 2 * Ahead * PerFlit + Ahead + 2;  // cycles until all flits have been taken
  logic quiet;
  logic [4:0] quiet_q, remain;  // cycles; steps until all has been taken
  assign quiet = !ask_valid && waits == '0 && !look_i && !told_i && u_dut.found_ready && left_q == '0 && !halt_i && !u_dut.stopped_q && stop == StopNone;
  assign remain = 5'(stale) + 2 * 5'(at_t'(ask_q - take)) + 5'(u_dut.one_valid_q);
  always_ff @(posedge clk_i) quiet_q <= !quiet || rst ? '0 : quiet_q + 5'(quiet_q != '1);

  at_t chain_flits, found;
  assign chain_flits = at_t'(u_dut.u_chains.u_flits.write_ptr_q - u_dut.u_chains.u_flits.read_ptr_q) & at_t'(2 * Ahead - 1);
  assign found = at_t'(u_dut.u_chains.u_found.write_ptr_q - u_dut.u_chains.u_found.read_ptr_q) & at_t'(2 * Waiting - 1);
  logic [1:0] whole;
  assign whole = 2'(u_dut.u_chains.u_chains.write_ptr_q - u_dut.u_chains.u_chains.read_ptr_q);

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises.
      if (asks) assert (32'(ask.addr[EmptyWidth-1:0]) + 32'(ask.bytes) <= FlitBytes && ask.bytes != '0);
      if (asks_ring) begin
        assert (ask.addr == place_i.descriptors + addr_t'({ask_lap_q[14:0], 4'd0}) && 32'(ask.bytes) == 16 * 32'(run_from(ask_lap_q)));
        assert (16'(ask_lap_q[14:0]) + 16'(ask.bytes >> 4) <= place_i.size);
      end
      if (asks_table) assert (ask.addr == table_q && ask.bytes[3:0] == '0 && 32'(ask.bytes >> 4) <= 32'(left_q) && (32'(ask.bytes >> 4) == 32'(left_q) || addr_t'(table_q + addr_t'(ask.bytes)) % addr_t'(FlitBytes) == '0));
      if (asks_flags) assert (question_q && ask.addr == place_i.driver && ask.bytes == 4);
      if (checked) assert (question_q);
      if (u_dut.accept || u_dut.forgets) assert (u_dut.found_ready);
      if (u_dut.accept) begin
        assert (!u_dut.forgets && u_dut.one_q.flags[PackedAvailable] == lap_q[15] && u_dut.one_q.flags[PackedUsed] != lap_q[15]);
        if (next_q == m_i) assert (known_q && u_dut.one_q == want_q);
        assert (32'(u_dut.u_chains.found_i.name.links) == 32'(at_t'(next_q - head_q)) + 1 && u_dut.u_chains.found_i.name.id == u_dut.one_q.id);
        assert (u_dut.u_chains.found_i.descriptor == u_dut.one_q && u_dut.u_chains.found_i.indirect == u_dut.one_q.flags[PackedIndirect]);
        if (u_dut.one_q.flags[PackedIndirect]) begin
          assert (left_q == '0);
          if (stop == StopNone) assert (!u_dut.one_q.flags[PackedNext] && u_dut.one_q.bytes inside {[16 : 16 * Links]} && u_dut.one_q.bytes[3:0] == '0 && u_dut.one_q.addr[3:0] == '0);
        end
      end
      if (u_dut.back) assert (!u_dut.accept && u_dut.forgets == (next_q != head_q));
      if (u_dut.forgets) assert (!u_dut.u_chains.found_i.indirect);
      if (quiet && 32'(quiet_q) > Longest + 1) assert (ended_q && !due_q && next_q == head_q && ring == '0);

      // Invariants.
      assert (open_q == waits && 32'(waits) <= Reads && u_dut.waiting_q == 5'(open_q));
      assert (32'(flits) <= Ahead && 32'(chain_flits) <= Ahead && 32'(found) <= Waiting && whole <= 2'd2);
    end
    if (!rst && !u_dut.stopped_q) begin
      assert (u_dut.last_slot == 15'(place_i.size - 1'b1) && 32'(u_dut.last_link) + 1 == (32'(place_i.size) < Links ? 32'(place_i.size) : Links));
      assert (u_dut.slot_q == lap_q[14:0] && u_dut.wrap_q == lap_q[15] && 16'(lap_q[14:0]) < place_i.size);
      assert (u_dut.head_slot_q == head_lap_q[14:0] && u_dut.head_wrap_q == head_lap_q[15] && 16'(head_lap_q[14:0]) < place_i.size);
      assert (lap_q == far_behind(head_lap_q, next_q - head_q) && 32'(at_t'(next_q - head_q)) <= 32'(u_dut.last_link) && u_dut.links_q == 6'(at_t'(next_q - head_q)));
      assert (u_dut.take_slot_q == take_lap[14:0] && u_dut.ask_slot_q == ask_lap_q[14:0]);
      assert (!wrong && ends == ask_q && ends_lap == ask_lap_q && 32'(ring) <= Ahead);
      assert (u_dut.out_q == 2'(ring) && u_dut.live_q == 2'(live) + 2'(u_dut.one_valid_q && u_dut.one_ends_q));
      if (u_dut.backed_q) assert (live == '0 && !u_dut.one_valid_q && !u_dut.ring_known_q);
      else assert (u_dut.stale_q == 2'(stale));
      assert (u_dut.stale_q <= u_dut.out_q);
      if (u_dut.one_valid_q) begin
        if (next_q == m_i) assert (known_q && u_dut.one_q == want_q);
        assert (u_dut.one_ends_q == (run_from(lap_q) == 1));
        if (!u_dut.one_ends_q) assert (flits != '0 && stale == '0 && live != '0);
      end
      if (live == '0 || flits == '0 || flits_q[$clog2(Ahead)'(u_dut.u_flits.read_ptr_q)].first == take) begin
        if (u_dut.one_valid_q) assert (u_dut.one_ends_q);
      end
      if (u_dut.ring_known_q) begin
        assert (u_dut.ring_addr_q == place_i.descriptors + addr_t'({ask_lap_q[14:0], 4'd0}) && 32'(u_dut.ring_run_q) == 32'(run_from(ask_lap_q)));
        assert (u_dut.ring_wraps_q == (16'(ask_lap_q[14:0]) + 16'(run_from(ask_lap_q)) == place_i.size));
      end
      assert (u_dut.reads_table_q == (left_q != '0));
      assert (u_dut.table_left_q == left_q && (left_q == '0 || (u_dut.table_addr_q == table_q && table_q[3:0] == '0 && 32'(left_q) <= Links)));
      assert (u_dut.table_flits_q == 2'(tables + chain_flits) && 32'(tables) + 32'(chain_flits) <= Ahead);
      assert (due_q == u_dut.look_q && (u_dut.walk_q ? !ended_q : (ended_q || due_q) && live == '0 && !u_dut.one_valid_q && next_q == head_q));
      if (quiet) assert (remain == '0 || 32'(remain) + 32'(quiet_q) <= Longest);
      if (quiet && quiet_q >= 1 && remain == '0) assert (u_dut.ring_known_q || 32'(quiet_q) <= Longest);
      assert (questions + at_t'(checked) == at_t'(question_q && !u_dut.check_q) && (question_q || !u_dut.check_q));
    end
  end
endmodule
