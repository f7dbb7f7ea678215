// SPDX-License-Identifier: Apache-2.0
// Proves tcp_events, by induction, for an arbitrary connection: each event that keeps the connection's record updates exactly the record that the event
// before it has left, also what its facts are computed from, and what it leaves is in the RAM once no event is on its way; two events are never closer than
// the pipeline permits; no turn to tell begins before the one before is over, nor does a notice come that is not taken; each event of front_ has one result.
//
// tcp_update, tcp_settle and tcp_rtt may yield any record. Of its fields, the proof follows one for each way that a field can go: snd_una, which tcp_settle
// keeps, limit, which it makes, srtt, which tcp_rtt makes, and phase. What else begins events does so for any connection at any time.
module tcp_events_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 16,
    parameter bit Far = 0,
    parameter int unsigned Notices = 1
) (
    input logic clk_i,
    input connection_t follow_i,
    input logic front_valid_i,
    input work_t front_work_i,
    input logic segment_room_i,
    input logic unopened_valid_i,
    input work_t unopened_i,
    input logic accept_valid_i,
    input logic notice_ready_i,
    input logic [Notices-1:0] reading_i,
    input connection_t [Notices-1:0] reading_connection_i,
    input logic lost_i,
    input logic breaks_i,
    input connection_t breaks_connection_i,
    input cfg_t cfg_i
);
  localparam int unsigned Stages = 5;
  typedef logic [$clog2(Connections)-1:0] id_t;

  logic rst, front_ready, result_valid, unopened_ready, accept_ready, notice_valid;
  event_e result_kind;
  seq_t [Notices-1:0] reading_seq;
  assign reading_seq = '0;

  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // verilator lint_off PINMISSING
  tcp_events #(
      .Connections(Connections),
      .Far(Far),
      .Notices(Notices)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .front_valid_i,
      .front_ready_o(front_ready),
      .front_work_i,
      .front_block_i('0),
      .initial_i('0),
      .result_valid_o(result_valid),
      .result_kind_o(result_kind),
      .segment_room_i,
      .unopened_valid_i,
      .unopened_ready_o(unopened_ready),
      .unopened_i,
      .accept_valid_i,
      .accept_ready_o(accept_ready),
      .notice_valid_o(notice_valid),
      .notice_ready_i,
      .reading_i,
      .reading_connection_i,
      .reading_seq_i(reading_seq),
      .lost_i,
      .breaks_i,
      .breaks_connection_i,
      .cfg_i
  );
  // verilator lint_on PINMISSING

  // Events of a connection at stage 2 have facts from turn_i, which needs no bypass, if they are of these kinds.
  function automatic logic is_late(event_e kind);
    return kind inside {EventTransmit, EventNotify, EventWindow, EventAlpha, EventPace, EventTick};
  endfunction
  function automatic logic is_turn_to_tell(event_e kind);
    return kind inside {EventNotify, EventUnopened};
  endfunction

  // What the user does.
  logic notice_was_ready_q;
  always_ff @(posedge clk_i) begin
    notice_was_ready_q <= notice_ready_i && !notice_valid && !rst;
    assume (!notice_was_ready_q || notice_ready_i);
    assume (!(is_late(front_work_i.kind) || front_work_i.kind inside {EventClear, EventAccept, EventUnopened}));
    assume (!(is_late(unopened_i.kind) || unopened_i.kind inside {EventClear, EventUnopened}));
  end

  // The connection that is followed, and its events: `at` those on their way, `left` the record that the last event has left that has been settled.
  typedef struct packed {
    logic [1:0] una, limit, srtt;
    phase_e phase;
  } followed_t;
  function automatic followed_t followed(record_t record);
    return '{una: record.snd_una[1:0], limit: record.limit[1:0], srtt: record.srtt[1:0], phase: record.phase};
  endfunction

  id_t id_q;
  logic [Stages:1] at, valid, late, clears, tells;
  followed_t left_q, facts_of_q, turn_of_q;
  logic had_q;  // an event
  always_comb begin
    for (int unsigned i = 1; i <= Stages; i++) begin
      valid[i] = u_dut.stage_q[i].valid;
      at[i] = valid[i] && u_dut.stage_q[i].keeps && id_t'(u_dut.stage_q[i].work.connection) == id_q;
      late[i] = at[i] && is_late(u_dut.stage_q[i].work.kind);
      clears[i] = valid[i] && u_dut.stage_q[i].work.kind == EventClear;
      tells[i] = valid[i] && is_turn_to_tell(u_dut.stage_q[i].work.kind);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst) id_q <= id_t'(follow_i);
    facts_of_q <= followed(u_dut.u_facts.record_i);
    turn_of_q <= followed(u_dut.u_facts.turn_i);
    if (at[4]) left_q <= followed(u_dut.settled);
    if (at[4]) had_q <= 1'b1;
    if (rst) had_q <= 1'b0;
  end

  // The events of front_.
  logic [Stages:1] front_q;
  event_e kind_q[Stages+1];
  always_ff @(posedge clk_i) begin
    front_q <= {front_q[Stages-1:1], front_valid_i && front_ready && front_work_i.kind != EventSack};
    kind_q[1] <= front_work_i.kind;
    for (int unsigned i = 2; i <= Stages; i++) kind_q[i] <= kind_q[i-1];
    if (rst) front_q <= '0;
  end

  logic passed;  // the connection's turn to be cleared has come
  assign passed = !u_dut.clearing_q || u_dut.clear_q > id_q;

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises: the record that an event gets,
      if (at[3]) begin
        assert (had_q || clears[3]);
        if (had_q) begin
          assert (followed(u_dut.record_3_q) == left_q);
          assert (facts_of_q.una == left_q.una);
          if (late[3]) assert (turn_of_q == left_q);
        end
      end
      // as stages 3 and 4 have it,
      if (valid[3]) begin
        assert (u_dut.phases_3_q == (SynSent + 1)'(1) << u_dut.record_3_q.phase);
        assert (u_dut.kinds_3_q == (EventTick + 1)'(1) << u_dut.stage_q[3].work.kind);
      end
      // and that it leaves;
      if (had_q && !at[5]) assert (followed(u_dut.u_records.mem[id_q]) == left_q);
      if (at[5]) assert (had_q && followed(u_dut.record_5_q) == left_q);
      // how close two events are,
      for (int unsigned i = 1; i < Stages; i++) assert (!at[i] || !at[i+1]);
      for (int unsigned i = 1; i < Stages - 1; i++) assert (!late[i] || !at[i+2]);
      // and turns to tell;
      for (int unsigned i = 1; i <= Stages; i++) begin
        for (int unsigned j = i + 1; j <= Stages; j++) assert (!tells[i] || !tells[j]);
      end
      // results.
      assert (result_valid == front_q[5]);
      if (front_q[5]) assert (result_kind == kind_q[5]);

      // Invariants for the induction.
      for (int unsigned i = 1; i <= Stages; i++) begin
        assert ((valid[i] && u_dut.stage_q[i].front) == front_q[i]);
        if (front_q[i]) assert (u_dut.stage_q[i].work.kind == kind_q[i]);
        if (u_dut.clearing_q && valid[i]) assert (clears[i] && id_t'(u_dut.stage_q[i].work.connection) == u_dut.clear_q - id_t'(i));
        if (valid[i] && is_late(u_dut.stage_q[i].work.kind)) assert (u_dut.stage_q[i].keeps);
        if (clears[i]) assert (u_dut.stage_q[i].keeps);
        if (u_dut.clearing_q) assert (valid[i] == (id_t'(i) <= u_dut.clear_q));
      end
      // The connection's first event, which clears it.
      if (passed) assert (had_q || at[Stages-1:1] != '0);
      else assert (!had_q && at == '0);
      if (!had_q) begin
        if (at[4]) assert (clears[4]);
        else if (at[3]) assert (clears[3]);
        else if (at[2]) assert (clears[2]);
        else if (at[1]) assert (clears[1]);
      end
      // What stages 1 and 2 have.
      if (u_dut.written_6_q && u_dut.id_6_q == id_q) assert (followed(u_dut.record_6_q) == followed(u_dut.u_records.mem[id_q]));
      else if (at[1]) assert (followed(u_dut.read) == followed(u_dut.u_records.mem[id_q]));
      if (at[2]) begin
        assert (u_dut.near_2_q == at[4]);
        if (had_q && !at[4]) assert (followed(u_dut.record_2_q) == left_q);
      end
      // What waits a cycle to be chosen.
      if (u_dut.tick_free && u_dut.visit_id == id_q) assert (!at[1] && !at[2]);
      if (u_dut.window_free && u_dut.window_id == id_q) assert (!at[1] && !at[2]);
      if (u_dut.finding_free && u_dut.finding_q.id == id_q) assert (!at[1] && !at[2]);
      // Turns to tell.
      assert (u_dut.told_q == tells[1] && u_dut.notifying_q == |tells[Stages:2]);
      assert (tells == '0 || notice_was_ready_q);
      if (valid[4] && u_dut.deeds_4_q.tells) assert (tells[4]);
      if (valid[5] && u_dut.deeds_5_q.tells) assert (tells[5]);
    end
  end
endmodule
