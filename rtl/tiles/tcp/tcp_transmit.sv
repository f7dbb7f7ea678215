// SPDX-License-Identifier: Apache-2.0
// The next state of a connection in its turn to transmit: one segment is sent, or none if nothing is due any more. Combinational.
module tcp_transmit
  import girih_pkg::length_t, tcp_types_pkg::*, tcp_stage_pkg::*;
#(
    parameter int unsigned Ring = 8192
) (
    input  record_t  record_i,
    input  facts_t   facts_i,
    input  tick_t    now_i,
    input  segment_t segment_i,  // an acknowledgement
    output record_t  record_o,
    output deeds_t   deeds_o
);
  record_t r;
  deeds_t  d;
  logic carried, fresh;
  span_t sent;  // of this burst
  always_comb begin
    r = record_i;
    d = '0;
    carried = 1'b0;
    fresh = 1'b0;
    sent = record_i.pacing.sent + span_t'(facts_i.send);
    d.segment = segment_i;
    r.transmit_queued = 1'b0;
    if (record_i.phase inside {SynReceived, SynSent}) begin
      if (facts_i.none_under_way) begin
        d.sends = 1'b1;
        d.segment.flags.syn = 1'b1;
        d.segment.flags.ece = record_i.ecn.on;
        d.segment.flags.cwr = record_i.ecn.on && record_i.phase == SynSent;
        if (record_i.phase == SynSent) begin
          d.segment.flags.ack = 1'b0;
          d.segment.ack = '0;
        end
        d.segment.window = Ring > 65535 ? 16'hffff : 16'(Ring);
        d.segment.scaled = record_i.scaled;
        d.segment.sacks = record_i.sacks;
        r.snd_nxt = record_i.snd_una + 1'b1;
        r.snd_max = record_i.snd_una + 1'b1;
        r.acks_due = '0;
        if (!facts_i.outstanding) begin
          r.timing = 1'b1;
          r.timed_seq = record_i.snd_una;
          r.timed_at = now_i;
        end else begin
          r.timing = 1'b0;
          d.resent = 1'b1;
        end
      end
    end else if (record_i.phase == Open || record_i.phase == TimeWait) begin
      r.rcv_edge = facts_i.rcv_edge;
      r.probes = 1'b0;
      if (record_i.acks_due != '0) r.acks_due = record_i.acks_due - 1'b1;
      r.resend = 1'b0;
      r.tail.due = 1'b0;
      if (record_i.resend && facts_i.fills) begin
        d.sends = 1'b1;
        d.segment.seq = facts_i.hole_seq;
        d.segment.bytes = facts_i.again;
        d.segment.flags.psh = facts_i.resends_rest && !record_i.hole_ends;
        d.segment.flags.fin = record_i.closing && facts_i.resends_rest && facts_i.fin_was_sent && !record_i.hole_ends;
        d.resent = 1'b1;
        r.resent_to = record_i.hole + near_t'(facts_i.again);
        r.timing = 1'b0;
      end else if (record_i.tail.due && facts_i.tail_fits) begin
        d.sends = 1'b1;
        d.segment.seq = facts_i.tail_seq;
        d.segment.bytes = length_t'(record_i.mss);
        d.segment.flags.psh = 1'b1;
        d.segment.flags.fin = facts_i.fin_was_sent;
        d.resent = 1'b1;
        d.tail_probed = 1'b1;
        r.tail.out = 1'b1;
        r.tail.to = near_t'(record_i.snd_max);
        r.timing = 1'b0;
      end else if (sends_now(record_i, facts_i)) begin
        d.sends = 1'b1;
        d.segment.bytes = facts_i.send;
        d.segment.flags.psh = facts_i.sends_rest;
        d.segment.flags.fin = record_i.closing && facts_i.sends_rest;
        d.resent = facts_i.resends;
        d.probed = record_i.force_send && facts_i.wnd_shut;
        r.force_send = 1'b0;
        // Only data that goes out for the first time can be marked (RFC 3168, 6.1.5, 6.1.6).
        fresh = record_i.ecn.on && facts_i.send != '0 && !d.resent && !d.probed;
        d.segment.markable = fresh;
        d.segment.flags.cwr = fresh && record_i.ecn.tells;
        if (fresh) r.ecn.tells = 1'b0;
        if (facts_i.paced && facts_i.send != '0 && !d.resent && !d.probed) begin
          r.pacing.sent = sent;
          if (rest_t'(facts_i.send) >= facts_i.burst_left) begin
            if (!record_i.pacing.queued) begin
              r.pacing.waits = 1'b1;
              r.pacing.queued = 1'b1;
              r.pacing.at = facts_i.pace_from;
              d.paced = 1'b1;
            end else begin  // by force_send, or while tcp_pacer still has the former connection of this place
              r.pacing.sent = '0;
            end
          end
        end
        {r.snd_nxt, carried} = {record_i.snd_nxt, 1'b1} + {seq_t'(facts_i.send), d.segment.flags.fin};
        if (precedes(record_i.snd_max, r.snd_nxt)) r.snd_max = r.snd_nxt;
        if (!record_i.timing && !d.resent) begin
          r.timing = 1'b1;
          r.timed_seq = record_i.snd_nxt;
          r.timed_at = now_i;
        end
        r.tail.sent_at = sample_t'(now_i);
        if (d.resent) r.timing = 1'b0;
        if (d.probed) r.snd_nxt = record_i.snd_nxt;  // the peer may not take it
      end else begin
        // A turn only for a window update is repeated until everything has been read, and sends one update.
        d.sends = record_i.acks_due != '0 || (facts_i.updates && !facts_i.reading);
        if (record_i.acks_due == '0 && facts_i.reading) r.rcv_edge = record_i.rcv_edge;
        // A keep-alive is a byte that the peer has acknowledged, without that byte: it is not in the window, and so is answered (RFC 9293, 3.8.4).
        d.kept_alive = record_i.probes && record_i.idles;
        d.segment.seq = d.kept_alive ? record_i.snd_una - 1'b1 : facts_i.idle_seq;
        // The range that changed last comes first (RFC 2018, 4), and what is valid comes before what is not.
        if (record_i.sacks) begin
          d.segment.ranges = record_i.ranges;
          if (!record_i.ranges[0].valid || (record_i.newer && record_i.ranges[1].valid)) d.segment.ranges = {record_i.ranges[0], record_i.ranges[1]};
        end
      end
    end
  end
  always_comb begin
    record_o = r;
    if (d.sends) record_o.delays = 1'b0;  // each segment acknowledges all received bytes
    if (d.sends) record_o.stamps.acked = near_t'(record_i.rcv_nxt);
    if (d.resent) record_o.stamps.untimed = 1'b1;
  end
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, facts_i, carried, fresh};
endmodule
