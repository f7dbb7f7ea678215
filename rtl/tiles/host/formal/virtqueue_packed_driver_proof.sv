// SPDX-License-Identifier: Apache-2.0
// Proves of virtqueue_packed, by induction and from what virtqueue_packed_walk_proof shows, with a driver that offers chains at any time and a memory
// that carries out each read at any time between its request and its answer, in order: each descriptor that it reports to virtqueue_packed_chains is
// offered, and is as the driver had written it before its chain was available. No chain is forgotten. Once the ring is quiet, all that were offered
// before the last look have been reported.
//
// The driver makes the head of a chain available last, so behind the first descriptor that is not offered memory holds anything. The solver picks any
// place in the sequence of descriptors (m_i): what is shown of it holds for all.
module virtqueue_packed_driver_proof
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
    input logic [3:0] offer_i,  // a chain of so many descriptors
    input packed_descriptor_t value_i,  // of the picked one
    input logic read_i,  // memory carries out a read
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
  localparam int unsigned PerFlit = FlitBytes / DescriptorBytes, AskRing = 1, Longest = 2 * Ahead * PerFlit + Ahead + 2;  // as in the walk's proof
  typedef logic [3:0] at_t;  // a place in the sequence of descriptors, modulo more than can be on the way; or a number
  typedef logic [15:0] lap_t;  // {wrap counter, slot}

  virtqueue_packed_walk_proof #(
      .MostSize(MostSize),
      .Ahead(Ahead),
      .Reads(Reads),
      .Waiting(Waiting)
  ) u_walk (
      .clk_i,
      .place_i,
      .m_i,
      .halt_i,
      .look_i,
      .check_i,
      .told_i,
      .ask_ready_i,
      .came_i,
      .came_error_i,
      .came_data_i,
      .size_ready_i,
      .part_ready_i
  );

  // The driver offers whole chains, no more than its ring has beyond those that have been reported.
  at_t offered_q;
  logic [15:0] follows_q;  // by place: another one of its chain follows
  packed_descriptor_t value_q;
  at_t carried_q;  // reads in flight that memory has carried out
  logic carries;
  at_t [Reads-1:0] reads_q;  // what was offered then
  at_t [Ahead-1:0] flits_q;
  at_t one_q, floor_q;  // for the descriptor that is checked, and for the last one that was reported
  at_t owed_q;  // offered before the last look, and not reported
  logic [$clog2(Reads)-1:0] carry_at;
  assign carry_at = $clog2(Reads)'(u_walk.u_dut.u_asked.read_ptr_q) + $clog2(Reads)'(carried_q);
  assign carries = read_i && carried_q != u_walk.open_q;
  always_comb begin
    assume (16'(at_t'(offered_q - u_walk.head_q)) + 16'(offer_i) <= place_i.size);
    if (came_i) assume (carried_q != '0);
  end

  // What memory holds at a place, if so many are offered.
  function automatic logic holds(packed_descriptor_t one, at_t place, lap_t lap, at_t offered);
    logic available;
    available = one.flags[PackedAvailable] == lap[15] && one.flags[PackedUsed] != lap[15];
    holds = 1'b1;
    if (at_t'(place - u_walk.head_q) < at_t'(offered - u_walk.head_q)) holds = available && one.flags[PackedNext] == follows_q[place] && (place != m_i || one == value_q);
    if (place == offered) holds = !available;
  endfunction
  function automatic logic holds_all(logic [W-1:0] flit, at_t place, lap_t lap, at_t offered);
    holds_all = 1'b1;
    for (int unsigned i = 0; i < PerFlit; i++) begin
      if (at_t'(i) < u_walk.run_from(lap) && !holds(u_walk.in_flit(flit, u_walk.lane_of(lap) + at_t'(i)), place + at_t'(i), u_walk.far_behind(lap, at_t'(i)), offered)) holds_all = 1'b0;
    end
  endfunction
  always_comb begin
    if (u_walk.got_ring && u_walk.oldest.live) assume (holds_all(came_data_i, u_walk.oldest.first, u_walk.oldest.lap, reads_q[$clog2(Reads)'(u_walk.u_dut.u_asked.read_ptr_q)]));
  end
  always_ff @(posedge clk_i) begin
    offered_q <= offered_q + offer_i;
    for (int unsigned i = 0; i < 16; i++) if (at_t'(at_t'(i) - offered_q) < offer_i) follows_q[i] <= at_t'(at_t'(i) - offered_q) + 1'b1 != offer_i;
    if (at_t'(m_i - offered_q) < offer_i) value_q <= value_i;
    carried_q <= carried_q + at_t'(carries) - at_t'(came_i);
    if (carries) reads_q[carry_at] <= offered_q;
    if (u_walk.got_ring) flits_q[$clog2(Ahead)'(u_walk.u_dut.u_flits.write_ptr_q)] <= reads_q[$clog2(Reads)'(u_walk.u_dut.u_asked.read_ptr_q)];
    if (u_walk.u_dut.takes) one_q <= flits_q[$clog2(Ahead)'(u_walk.u_dut.u_flits.read_ptr_q)];
    if (u_walk.u_dut.accept) floor_q <= one_q;
    if (look_i || told_i) owed_q <= offered_q - u_walk.next_q - at_t'(u_walk.u_dut.accept);
    else if (u_walk.u_dut.accept && owed_q != '0) owed_q <= owed_q - 1'b1;
    if (u_walk.rst) begin
      offered_q <= '0;
      follows_q <= '0;
      carried_q <= '0;
      floor_q <= '0;
      owed_q <= '0;
    end
  end

  // What was offered at each read, from that of the descriptor reported last on: it never decreases, and a chain never lies across it.
  logic bad;
  at_t last;
  always_comb begin
    bad  = follows_q[at_t'(floor_q-1)] || at_t'(u_walk.next_q - u_walk.head_q) > at_t'(floor_q - u_walk.head_q);
    last = floor_q;
    if (u_walk.u_dut.one_valid_q) begin
      if (at_t'(one_q - u_walk.head_q) < at_t'(last - u_walk.head_q) || follows_q[at_t'(one_q-1)]) bad = 1'b1;
      if (!u_walk.due_q && at_t'(one_q - u_walk.next_q) < owed_q) bad = 1'b1;
      last = one_q;
    end
    for (int unsigned i = 0; i < Ahead; i++) begin
      logic [$clog2(Ahead)-1:0] at;
      at = $clog2(Ahead)'(u_walk.u_dut.u_flits.read_ptr_q) + $clog2(Ahead)'(i);
      if (at_t'(i) < u_walk.flits) begin
        if (at_t'(flits_q[at] - u_walk.head_q) < at_t'(last - u_walk.head_q) || follows_q[at_t'(flits_q[at]-1)]) bad = 1'b1;
        if (u_walk.flits_q[at].live) begin
          if (!u_walk.due_q && at_t'(flits_q[at] - u_walk.next_q) < owed_q) bad = 1'b1;
        end
        last = flits_q[at];
      end
    end
    for (int unsigned i = 0; i < Reads; i++) begin
      logic [$clog2(Reads)-1:0] at;
      at = $clog2(Reads)'(u_walk.u_dut.u_asked.read_ptr_q) + $clog2(Reads)'(i);
      if (at_t'(i) < carried_q) begin
        if (at_t'(reads_q[at] - u_walk.head_q) < at_t'(last - u_walk.head_q) || follows_q[at_t'(reads_q[at]-1)]) bad = 1'b1;
        if (32'(u_walk.u_dut.u_asked.mem[at]) == AskRing && u_walk.reads_q[at].live && !u_walk.due_q && at_t'(reads_q[at] - u_walk.next_q) < owed_q) bad = 1'b1;
        last = reads_q[at];
      end
    end
    if (at_t'(offered_q - u_walk.head_q) < at_t'(last - u_walk.head_q) || follows_q[at_t'(offered_q-1)]) bad = 1'b1;
  end
  // The u_walk.flits that have come, with what memory held.
  logic bad_flit;
  at_t place;
  lap_t lap;
  always_comb begin
    bad_flit = 1'b0;
    place = u_walk.take;
    lap = u_walk.take_lap;
    for (int unsigned i = 0; i < Ahead; i++) begin
      logic [$clog2(Ahead)-1:0] at;
      at = $clog2(Ahead)'(u_walk.u_dut.u_flits.read_ptr_q) + $clog2(Ahead)'(i);
      if (at_t'(i) < u_walk.flits && u_walk.flits_q[at].live) begin
        if (!holds_all(u_walk.u_dut.u_flits.mem[at], place, lap, flits_q[at])) bad_flit = 1'b1;
        place = place + u_walk.run_from(lap);
        lap = u_walk.far_behind(lap, u_walk.run_from(lap));
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!u_walk.rst && !u_walk.u_dut.stopped_q) begin
      // The promises.
      if (u_walk.u_dut.accept) begin
        assert (at_t'(u_walk.next_q - u_walk.head_q) < at_t'(offered_q - u_walk.head_q));
        if (u_walk.next_q == m_i) assert (u_walk.u_dut.one_q == value_q);
      end
      assert (!u_walk.u_dut.forgets);
      if (u_walk.quiet && 32'(u_walk.quiet_q) > Longest + 1) assert (owed_q == '0);

      // Invariants.
      assert (carried_q <= u_walk.open_q && 16'(at_t'(offered_q - u_walk.head_q)) <= place_i.size && !bad && !bad_flit);
      assert (follows_q[at_t'(u_walk.next_q-1)] == (u_walk.next_q != u_walk.head_q));
      assert (owed_q <= at_t'(offered_q - u_walk.next_q));
      if (u_walk.u_dut.one_valid_q) assert (holds(u_walk.u_dut.one_q, u_walk.next_q, u_walk.lap_q, one_q));
      if (!u_walk.due_q && u_walk.ended_q) assert (owed_q == '0);
    end
  end
endmodule
