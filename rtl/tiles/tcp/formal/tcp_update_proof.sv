// SPDX-License-Identifier: Apache-2.0
// Proves what an event makes of a connection's record, of tcp_update and its parts with tcp_settle and tcp_facts, for an arbitrary event, and an arbitrary record
// whose snd_una and rcv_nxt are 0 and of which holds what record_order_pkg states:
//   - it holds again after the event;
//   - bytes leave the buffer of the side that sends only by an acknowledgement of bytes that were sent, and come only by a write, behind the others and where
//     the buffer is free;
//   - bytes of a segment are stored only within the window, and where the buffer is free: not over bytes that the application has yet to be told of, or that
//     are being read for it;
//   - the application is told of bytes in order, from where the last notice ended, and of none that have not come; nothing else moves that place, unless it
//     has closed the connection for both sides;
//   - a connection opens only by an acknowledgement of its own SYN, and of a connection that has begun, a reset is obeyed only at exactly the next number
//     (RFC 5961, 3.2);
//   - a step between states is one that RFC 9293 has, for the reason that it has (tcp_states);
//   - an event of another tenant, or a command to a former connection of the place, changes nothing.
//
// That ranges stay in order is shown from what tcp_scoreboard_proof and tcp_ranges_proof show of them.
module tcp_update_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t, record_order_pkg::*;
#(
    parameter logic [11:0] Parts = '1,  // of the promise: those that are asserted
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096
) (
    input logic clk_i,
    input work_t work_i,
    input block_t block_i,
    input record_t any_i,
    input cfg_t cfg_i,
    input logic room_i,
    input logic delays_i,
    input logic measures_i,
    input logic reading_i,
    input seq_t reading_seq_i,
    input tick_t now_i,
    input seq_t clock_i,
    input epoch_t epoch_i,
    input pace_at_t cycle_i,
    input seq_t age_i,
    input logic [26:0] rto_lost_i,
    input logic [13:0] mss_i,
    input logic [13:0] mss_less_i
);
  // The record that is stored, and the next one.
  record_t given, record, updated, after;
  always_comb begin
    given = any_i;
    given.snd_una = '0;
    given.rcv_nxt = '0;
  end
  tcp_settle #(
      .Ring(Ring)
  ) u_settle_before (
      .record_i(given),
      .now_i,
      .record_o(record),
      .transmits_o(),
      .notifies_o()
  );
  facts_t facts;
  tcp_facts #(
      .Ring(Ring),
      .MostData(MostData)
  ) u_facts (
      .work_i,
      .block_i,
      .record_i(record),
      .turn_i(record),
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
      .facts_o(facts)
  );
  deeds_t deeds;
  tcp_update #(
      .Ring(Ring),
      .MostData(MostData),
      .Far(1)
  ) u_dut (
      .work_i,
      .block_i,
      .kinds_i((EventTick + 1)'(1) << work_i.kind),
      .room_i,
      .delays_i,
      .record_i(record),
      .phases_i((SynSent + 1)'(1) << record.phase),
      .facts_i(facts),
      .measures_i,
      .now_i,
      .clock_i,
      .epoch_i,
      .cfg_i,
      .record_o(updated),
      .deeds_o(deeds)
  );
  tcp_settle #(
      .Ring(Ring)
  ) u_settle_after (
      .record_i(updated),
      .now_i,
      .record_o(after),
      .transmits_o(),
      .notifies_o()
  );

  // Events that change the record, but for the first one after reset. A connection begins in a place without one.
  logic changes, begins, segment;
  assign begins = work_i.kind inside {EventOpen, EventConnect, EventAccept};
  assign segment = work_i.kind == EventSegment;
  assign changes = !(work_i.kind inside {EventClear, EventRefuse, EventNone, EventCookie, EventUnopened}) && work_i.kind <= EventTick && (!begins || record.phase == Free);

  function automatic logic has_peer(phase_e phase);
    return phase inside {SynReceived, Open, TimeWait};
  endfunction
  function automatic logic is_alive(phase_e phase);
    return has_peer(phase) || phase == SynSent;
  endfunction
  // What holds of a record. If bytes are being read for a notice, those from reading_seq_i on have yet to be.
  function automatic logic is_sound(record_t r);
    near_t una;
    una = near_t'(r.snd_una);
    is_sound = r.phase <= SynSent;
    if (is_alive(r.phase)) is_sound &= sends_in_order(r, seq_t'(Ring)) && resends_in_order(r) && are_in_order(una, near_t'(r.snd_max) - una, r.sacked) && closes_in_order(r);
    if (r.phase inside {SynSent, SynReceived}) is_sound &= has_only_syn(r);
    if (has_peer(r.phase)) is_sound &= receives_in_order(r, seq_t'(Ring)) && has_ranges_in_order(r) && (!reading_i || keeps_what_is_read(r, reading_seq_i, seq_t'(Ring)));
  endfunction
  logic sound, stays, had_peer, has_peer_still;
  assign sound = is_sound(given) && changes;
  assign stays = is_alive(record.phase) && is_alive(updated.phase) && !begins;  // the same connection
  assign had_peer = has_peer(record.phase);
  assign has_peer_still = stays && had_peer && has_peer(updated.phase);

  // Distances from snd_una, or from rcv_read before the event.
  seq_t acked, sent, written, stored, stored_behind, have;
  logic is_write, tells, reset, other;
  assign sent = record.snd_max - record.snd_una;
  assign acked = updated.snd_una - record.snd_una;
  assign is_write = work_i.kind == EventWrite;
  assign written = deeds.result.seq - record.snd_una;
  assign stored = deeds.result.seq + seq_t'(deeds.result.skip) - record.rcv_read;
  assign stored_behind = stored + seq_t'(deeds.result.bytes);
  assign have = record.rcv_nxt - seq_t'(record.fin_received) - record.rcv_read;
  assign tells = deeds.tells && !deeds.notice.opened && !deeds.notice.is_reset;  // of bytes
  assign reset = segment && work_i.flags.rst && had_peer && !has_peer(after.phase);
  always_comb begin
    other = work_i.tenant != record.tenant;
    if (work_i.kind inside {EventRead, EventWrite, EventClose, EventAbort}) other |= work_i.name != record.name;
    else if (work_i.kind inside {EventSegment, EventSack, EventTooBig}) other |= work_i.tuple.local_addr != record.tuple.local_addr;
    else other = 1'b0;  // the tile's own
  end

  // The states that tcp_states compares are a cycle apart.
  record_t after_q;
  work_t work_q;
  logic sound_q;
  always_ff @(posedge clk_i) begin
    after_q <= after;
    work_q  <= work_i;
    sound_q <= sound;
  end
  if (Parts[10]) begin : gen_states
    logic begun_q = 1'b0;
    always_ff @(posedge clk_i) begun_q <= 1'b1;
    tcp_states u_states (
        .clk_i,
        .rst_i(!begun_q),
        .valid_i(sound_q && begun_q),
        .work_i(work_q),
        .before_i(record),
        .record_i(after_q)
    );
  end

  // What becomes of ranges: there are none; or they remain, and there are no fewer bytes in flight, or no smaller window, than before; or they are what
  // tcp_scoreboard_proof and tcp_ranges_proof show to be in order, for an event of which these show it.
  logic [Sacked-1:0] sacked;
  logic [Ranges-1:0] ranges;
  logic same_una, same_max, same_sacked, with_block, behind_ack, same_nxt, same_edge, same_ranges, takes, in_order, behind_gap;
  always_comb begin
    for (int unsigned i = 0; i < Sacked; i++) sacked[i] = updated.sacked[i].valid;
    for (int unsigned i = 0; i < Ranges; i++) ranges[i] = updated.ranges[i].valid;
    same_una = updated.snd_una == record.snd_una;
    same_max = updated.snd_max == record.snd_max;
    same_sacked = updated.sacked == record.sacked && same_una && sent <= updated.snd_max - updated.snd_una;
    with_block = updated.sacked == u_dut.with_block && facts.sack_fits && same_una && same_max;
    behind_ack = updated.sacked == u_dut.behind_ack && facts.ack_news && !facts.ack_unsent && updated.snd_una == work_i.ack && same_max;
    same_nxt = updated.rcv_nxt == record.rcv_nxt;
    same_edge = updated.rcv_edge == record.rcv_edge;
    same_ranges = updated.ranges == record.ranges && same_nxt && record.rcv_edge - record.rcv_nxt <= updated.rcv_edge - updated.rcv_nxt;
    takes = updated.ranges == u_dut.ranges && same_edge && facts.acceptable && (work_i.bytes != '0 || work_i.flags.fin) && !work_i.flags.syn && !record.fin_received;
    in_order = takes && facts.in_order && updated.rcv_nxt == u_dut.ranges_nxt && !(work_i.flags.fin && facts.takes_all);
    behind_gap = takes && !facts.in_order && same_nxt && u_dut.keeps;
  end

  always_ff @(posedge clk_i) begin
    if (sound) begin
      if (Parts[0] && is_alive(updated.phase)) assert (sends_in_order(updated, seq_t'(Ring)));
      if (Parts[1] && is_alive(updated.phase)) assert (resends_in_order(updated));
      if (Parts[2] && is_alive(updated.phase)) assert (sacked == '0 || (stays && (same_sacked || with_block || behind_ack)));
      if (Parts[3]) begin
        if (has_peer(updated.phase)) assert (receives_in_order(updated, seq_t'(Ring)));
        if (has_peer_still && reading_i) assert (keeps_what_is_read(updated, reading_seq_i, seq_t'(Ring)));
      end
      if (Parts[4] && has_peer(updated.phase) && ranges != '0) begin
        assert (has_peer_still && (same_ranges || in_order || behind_gap));
        assert (!updated.fin_received && !(updated.closing && !updated.half));
      end
      if (Parts[5]) begin
        if (is_alive(after.phase)) assert (closes_in_order(after));
        if (updated.phase inside {SynSent, SynReceived}) assert (has_only_syn(updated));
        assert (updated.phase <= SynSent);
      end
      if (Parts[6] && stays) begin
        if (!same_una) assert (segment && work_i.flags.ack && !work_i.flags.rst && !other && updated.snd_una == work_i.ack && acked <= sent);
        assert (updated.snd_end == record.snd_end + (is_write ? seq_t'(deeds.result.bytes) : '0));
        if (is_write && deeds.result.bytes != '0) begin
          assert (deeds.result.seq == record.snd_end && written + seq_t'(deeds.result.bytes) <= seq_t'(Ring) && record.phase == Open && !record.closing);
        end
      end
      if (Parts[7] && segment && deeds.result.bytes != '0) begin
        assert (had_peer && have <= stored && stored <= stored_behind && stored_behind <= record.rcv_edge - record.rcv_read && stored_behind <= seq_t'(Ring));
        if (reading_i) assert (stored_behind + (record.rcv_read - reading_seq_i) <= seq_t'(Ring));
      end
      if (Parts[8]) begin
        if (tells) assert (work_i.kind == EventNotify && deeds.notice.seq == record.rcv_read && seq_t'(deeds.notice.bytes) <= have);
        if (has_peer_still && !(updated.closing && !updated.half)) assert (updated.rcv_read == record.rcv_read + (tells ? seq_t'(deeds.notice.bytes) : '0));
      end
      if (Parts[9]) begin
        if (stays && record.phase inside {SynSent, SynReceived} && updated.phase == Open) begin
          assert (segment && !other && work_i.flags.ack && !work_i.flags.rst && work_i.ack == record.snd_una + 1'b1 && record.snd_max == work_i.ack);
        end
        if (reset) assert (!other && work_i.seq == record.rcv_nxt);
      end
    end
    if (Parts[11] && changes && other) assert (updated == record && deeds.result.bytes == '0 && !deeds.opened);
  end
endmodule
