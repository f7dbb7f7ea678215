// SPDX-License-Identifier: Apache-2.0
// Third stage of an event: derives from the connection's new state, whatever has changed it, its timer, its end, and
// whether it needs a turn to transmit or to tell the application. Combinational.
module tcp_settle
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*;
#(
    parameter int unsigned Ring = 8192
) (
    input  record_t record_i,
    input  tick_t   now_i,
    output record_t record_o,
    output logic    transmits_o,  // it has just got a turn to transmit
    output logic    notifies_o
);
  localparam int unsigned ShareBits = 11;  // the highest bits of alpha
  record_t r;
  logic all_acked, ends, held, sendable, wants, tells;
  seq_t unsent, gain;
  logic [ShareBits-1:0] share;
  logic [$bits(span_t)+ShareBits-1:0] given_up;
  logic [20:0] over;  // negative if more bytes await an acknowledgement than the congestion window has
  logic [Sacked-1:0] past;  // the range begins no higher than resent_to
  logic fin_acked;  // all bytes are acknowledged, and the FIN behind them
  tcp_follows u_fin_acked (
      .a_i      (record_i.snd_una),
      .b_i      (record_i.snd_end),
      .follows_o(fin_acked)
  );

  // Whether a segment is worth sending (RFC 9293, 3.8.6.2.1) if this many bytes may be in flight.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic worth(record_t state, seq_t bytes, span_t most);
    // verilator lint_on UNUSEDSIGNAL
    seq_t left;
    left = state.snd_una + seq_t'(most) - state.snd_nxt;
    return !left[31] && left != '0 && (state.snd_nxt == state.snd_una || (bytes <= left && bytes <= seq_t'(state.mss))
        || (bytes >= seq_t'(state.mss) && left >= seq_t'(state.mss)));
  endfunction

  always_comb begin
    r = record_i;
    all_acked = record_i.closing && fin_acked;
    ends = record_i.phase == Open && all_acked && !record_i.half && record_i.fin_received;
    if (ends) r.phase = record_i.active ? TimeWait : Free;

    // The timer, and whether it waits for the peer's FIN or for an acknowledgement.
    r.lingers = record_i.phase == TimeWait || (record_i.phase == Open && all_acked && !record_i.half);
    // With nothing left to acknowledge, it is the keep-alive timer: before the application closes or, after a half-close, until the peer's FIN.
    r.idles = record_i.phase == Open && (record_i.closing ? all_acked && record_i.half && !record_i.fin_received : record_i.snd_una == record_i.snd_end);
    unique case (record_i.phase)
      SynReceived, SynSent, TimeWait: r.timer_on = 1'b1;
      Open: r.timer_on = !(record_i.closing && all_acked && record_i.fin_received && (record_i.half || !record_i.active));
      default: r.timer_on = 1'b0;
    endcase
    if (!record_i.timer_on || ends) r.started = now_i;  // irrelevant if the timer stays off

    // What is to be sent again next.
    r.hole = record_i.resent_to;
    r.hole_ends = 1'b0;
    r.hole_end = record_i.sacked[0].first;
    for (int unsigned i = 0; i < Sacked; i++) begin
      past[i] = record_i.sacked[i].valid && !precedes_near(record_i.resent_to, record_i.sacked[i].first);
      if (past[i] && precedes_near(record_i.resent_to, record_i.sacked[i].behind)) r.hole = record_i.sacked[i].behind;
      if (record_i.sacked[i].valid && !past[i]) r.hole_ends = 1'b1;
      if (i > 0 && past[i-1]) r.hole_end = record_i.sacked[i].first;
    end

    over = 21'(record_i.snd_una) + 21'(record_i.cwnd) - 21'(record_i.snd_end);
    if (over[20] && record_i.cwnd < record_i.snd_wnd) r.pressed = 1'b1;
    // NewReno keeps half of its window after a mark (RFC 3168, 6.1.2), CUBIC what it keeps after a loss (RFC 9438, 4.6).
    r.ecn.left = record_i.congestion == NewReno ? record_i.cwnd >> 1
        : (record_i.cwnd >> 1) + (record_i.cwnd >> 3) + (record_i.cwnd >> 4) + (record_i.cwnd >> 6);
    // DCTCP gives up half of the share that is marked (RFC 8257, 3.3).
    share = record_i.dctcp.alpha[AlphaFraction-:ShareBits];
    given_up = {ShareBits'(0), record_i.cwnd} * {($bits(span_t))'(0), share};
    if (record_i.dctcp.on) r.ecn.left = record_i.cwnd - span_t'(given_up >> ShareBits);
    unsent = record_i.snd_end - record_i.snd_nxt;
    r.limit = record_i.usable < record_i.snd_wnd ? record_i.usable : record_i.snd_wnd;
    gain = record_i.rcv_read + seq_t'(Ring) - record_i.rcv_edge;
    held = record_i.pacing.waits && record_i.snd_nxt == record_i.snd_max;  // new bytes, before their time
    sendable = 1'b0;
    if (!unsent[31] && unsent == '0) sendable = record_i.closing;
    else if (!unsent[31]) begin
      sendable = record_i.force_send || (!held && worth(record_i, unsent, record_i.snd_wnd) && worth(record_i, unsent, record_i.usable));
    end
    unique case (record_i.phase)
      SynReceived, SynSent: wants = record_i.snd_nxt == record_i.snd_una;
      Open: begin
        wants = record_i.acks_due != '0 || record_i.resend || record_i.tail.due || sendable || (gain >= update_bytes(Ring) && !record_i.fin_received);
        if (ends) wants = record_i.active && record_i.acks_due != '0;
      end
      TimeWait: wants = record_i.acks_due != '0;
      default: wants = 1'b0;
    endcase
    // A connection that ends here has reported everything, and waits for no read.
    tells = (record_i.phase == Open && !record_i.told && !record_i.closing) || (record_i.phase == Dead && !record_i.told)
        || (record_i.armed && (record_i.phase == Dead || (record_i.phase == Open && read_is_ready(record_i, Ring))));
    transmits_o = wants && !record_i.transmit_queued;
    notifies_o = tells && !record_i.notify_queued;
    if (wants) r.transmit_queued = 1'b1;
    if (tells) r.notify_queued = 1'b1;
  end
  assign record_o = r;

  logic unused;
  assign unused = &{1'b0, over, given_up};
endmodule
