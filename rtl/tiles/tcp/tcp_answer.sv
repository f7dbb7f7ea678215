// SPDX-License-Identifier: Apache-2.0
// The next state of a connection in SYN-SENT when a segment arrives (RFC 9293, 3.10.7.3): a SYN with an acknowledgement opens it; a SYN without
// one means that both ends open it at once; a reset that acknowledges the card's SYN ends it. Combinational.
module tcp_answer
  import tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Ring = 8192
) (
    input  work_t    work_i,
    input  record_t  record_i,
    input  facts_t   facts_i,
    input  segment_t segment_i,  // an acknowledgement
    input  epoch_t   epoch_i,
    input  cfg_t     cfg_i,
    output record_t  record_o,
    output deeds_t   deeds_o,
    output logic     dies_o
);
  record_t r;
  deeds_t d;
  logic stamps;
  always_comb begin
    stamps = record_i.stamps.on && work_i.stamp.valid;
    r = record_i;
    d = '0;
    d.segment = segment_i;
    dies_o = 1'b0;
    if (work_i.flags.ack && !(facts_i.acks_all && facts_i.ack_news)) begin
      d.refused_ack = 1'b1;
      d.sends = !work_i.flags.rst;
      d.segment.seq = work_i.ack;
      d.segment.ack = '0;
      d.segment.flags = '{rst: 1'b1, default: '0};
    end else if (work_i.flags.rst && work_i.flags.ack) begin
      d.reset_received = 1'b1;
      dies_o = 1'b1;
    end else if (work_i.flags.rst || !work_i.flags.syn) begin
      d.bad_segment = 1'b1;
    end else begin
      r.rcv_nxt = work_i.seq + 1'b1;
      r.rcv_read = work_i.seq + 1'b1;
      r.rcv_edge = work_i.seq + 1'b1 + seq_t'(Ring > 65535 ? 65535 : Ring);
      r.snd_wnd = span_t'(work_i.window);
      r.snd_wl1 = work_i.seq;
      r.snd_wl2 = work_i.flags.ack ? work_i.ack : record_i.snd_una;
      r.scaled = work_i.scaled;
      r.sacks = work_i.sacks;
      r.shift = work_i.scaled ? work_i.shift : '0;
      r.mss = facts_i.stamps.mss;
      r.cwnd = record_i.tries == '0 ? initial_window(r.mss) : span_t'(r.mss);  // one segment if a SYN was lost (RFC 5681, 3.1)
      r.usable = r.cwnd;
      // A SYN without ACK agrees with both flags, a SYN that acknowledges the card's with ECE alone (RFC 3168, 6.1.1).
      r.ecn.on = record_i.ecn.on && work_i.flags.ece && work_i.flags.cwr != work_i.flags.ack;
      r.syn_lost = record_i.tries != '0;
      r.tries = '0;
      r.backoff = '0;
      r.timer_on = 1'b0;  // restarted if something remains to be acknowledged
      r.timing = 1'b0;
      r.stamps.on = stamps;
      r.stamps.untimed = 1'b0;
      r.stamps.fresh = 1'b1;
      r.stamps.recent = work_i.stamp.value;
      r.stamps.at = epoch_i;
      r.stamps.acked = near_t'(work_i.seq + 1'b1);
      if (work_i.flags.ack) begin
        r.phase = Open;
        r.snd_una = work_i.ack;
        r.snd_nxt = work_i.ack;
        r.resent_to = near_t'(work_i.ack);
        r.acks_due = 3'd1;
        d.opened = 1'b1;
        d.samples = facts_i.stamps.samples;
      end else begin
        r.phase = SynReceived;
        r.snd_nxt = record_i.snd_una;  // the SYN again, with an acknowledgement
      end
    end
  end
  assign record_o = r;
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, work_i, facts_i, cfg_i};
endmodule
