// SPDX-License-Identifier: Apache-2.0
// Proves, for any record and event, what tcp_events relies on when an event follows another of its connection two cycles later, so that its facts are
// computed from what tcp_update has made, before tcp_settle and tcp_rtt: they make nothing of a field on which facts depend, and what facts take from turn_i,
// which is older still, has no effect on such an event. A notice is made by turns to tell only.
module tcp_bypass_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096,
    parameter bit Far = 0,
    parameter bit Updates = 1  // also what depends on tcp_update, which takes longer
) (
    input logic clk_i,
    input work_t work_i,
    input block_t block_i,
    input record_t record_i,
    input record_t turn_i,
    input record_t old_turn_i,  // of long ago
    input record_t settled_i,  // for its fields that tcp_settle makes
    input logic reading_i,
    input seq_t reading_seq_i,
    input tick_t now_i,
    input logic [26:0] rto_lost_i,
    input seq_t age_i,
    input epoch_t epoch_i,
    input pace_at_t cycle_i,
    input logic [13:0] mss_i,
    input logic [13:0] mss_less_i,
    input cfg_t cfg_i,
    input logic room_i,
    input logic delays_i,
    input logic measures_i,
    input seq_t clock_i,
    input logic samples_i,
    input sample_t sample_i
);
  // `record`, with the fields of `settled` that tcp_settle and tcp_rtt make.
  function automatic record_t settle_fields(record_t record, record_t settled);
    settle_fields = record;
    settle_fields.phase = settled.phase;
    settle_fields.lingers = settled.lingers;
    settle_fields.idles = settled.idles;
    settle_fields.timer_on = settled.timer_on;
    settle_fields.started = settled.started;
    settle_fields.hole = settled.hole;
    settle_fields.hole_ends = settled.hole_ends;
    settle_fields.hole_end = settled.hole_end;
    settle_fields.pressed = settled.pressed;
    settle_fields.ecn.left = settled.ecn.left;
    settle_fields.limit = settled.limit;
    settle_fields.transmit_queued = settled.transmit_queued;
    settle_fields.notify_queued = settled.notify_queued;
    settle_fields.rtt_known = settled.rtt_known;
    settle_fields.srtt = settled.srtt;
    settle_fields.rttvar = settled.rttvar;
  endfunction

  // What others see of the deeds: a segment that is sent; the window of a reset says nothing.
  function automatic deeds_t seen(deeds_t deeds);
    seen = deeds;
    if (!deeds.sends) seen.segment = '0;
    if (deeds.segment.flags.rst) seen.segment.window = '0;
  endfunction

  record_t derived, settled;
  logic rtt_known;
  logic [26:0] srtt;
  logic [25:0] rttvar;
  tcp_settle #(
      .Ring(Ring)
  ) u_settle (
      .record_i,
      .now_i,
      .record_o(derived),
      .transmits_o(),
      .notifies_o()
  );
  tcp_rtt u_rtt (
      .record_i,
      .samples_i,
      .sample_i,
      .known_o(rtt_known),
      .srtt_o(srtt),
      .rttvar_o(rttvar)
  );
  always_comb begin
    settled = derived;
    settled.rtt_known = rtt_known;
    settled.srtt = srtt;
    settled.rttvar = rttvar;
  end

  // The same event: with the record as it is after stage 4; with that of before; and, at last, with an old one for turns.
  record_t [2:0] records, turns;
  facts_t [2:0] facts;
  record_t [2:0] updated;
  deeds_t [2:0] deeds;
  assign records[0] = settle_fields(record_i, settled_i);
  assign records[1] = record_i;
  assign records[2] = record_i;
  assign turns[0] = turn_i;
  assign turns[1] = turn_i;
  assign turns[2] = old_turn_i;
  for (genvar i = 0; i < 3; i++) begin : gen_same
    tcp_facts #(
        .Connections(Connections),
        .Ring(Ring),
        .MostData(MostData)
    ) u_facts (
        .work_i,
        .block_i,
        .record_i(records[i]),
        .turn_i  (turns[i]),
        .reading_i,
        .reading_seq_i,
        .now_i,
        .rto_lost_i,
        .age_i,
        .epoch_i,
        .cycle_i,
        .mss_i,
        .mss_less_i,
        .cfg_i,
        .facts_o (facts[i])
    );
    if (Updates && i > 0) begin : gen_update
      tcp_update #(
          .Connections(Connections),
          .Far(Far),
          .Ring(Ring),
          .MostData(MostData)
      ) u_update (
          .work_i,
          .block_i,
          .kinds_i ((EventTick + 1)'(1) << work_i.kind),
          .room_i,
          .delays_i,
          .record_i(records[0]),
          .phases_i((SynSent + 1)'(1) << records[0].phase),
          .facts_i (facts[i]),
          .measures_i,
          .now_i,
          .clock_i,
          .epoch_i,
          .cfg_i,
          .record_o(updated[i]),
          .deeds_o (deeds[i])
      );
    end else begin : gen_no_update
      assign updated[i] = '0;
      assign deeds[i] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    assert (settled == settle_fields(record_i, settled));
    assert (facts[0] == facts[1]);
    if (!(work_i.kind inside {EventTransmit, EventNotify, EventWindow, EventAlpha, EventPace, EventTick})) begin
      if (work_i.kind != EventUnopened) assert (updated[1] == updated[2]);  // that one keeps no record
      assert (seen(deeds[1]) == seen(deeds[2]));
    end
    if (!(work_i.kind inside {EventNotify, EventUnopened})) assert (!deeds[1].tells);
  end
endmodule
