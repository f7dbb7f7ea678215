// SPDX-License-Identifier: Apache-2.0
// Third stage of an event: what follows from the connection as it is now, whatever has changed it: its timer, its end, and
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
  record_t r;
  logic all_acked, pending, sendable, wants, tells;
  seq_t unsent, gain;

  // Whether a segment is worth sending (RFC 9293, 3.8.6.2.1) if so many bytes may be under way.
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
    all_acked = record_i.closing && record_i.snd_una == record_i.snd_end + 1'b1;
    if (record_i.phase == Open && all_acked && record_i.fin_received) begin
      r.phase = record_i.active ? TimeWait : Free;
      r.timer_on = 1'b0;
    end

    pending = record_i.snd_una != record_i.snd_end + seq_t'(record_i.closing);
    if (r.phase == TimeWait || (r.phase == Open && all_acked)) begin
      if (!r.timer_on) r.started = now_i;
      r.timer_on = 1'b1;
      r.lingers = 1'b1;
    end else if ((r.phase == Open && pending) || r.phase == SynReceived) begin
      if (!r.timer_on) r.started = now_i;
      r.timer_on = 1'b1;
      r.lingers = 1'b0;
    end else begin
      r.timer_on = 1'b0;
    end

    unsent = record_i.snd_end - record_i.snd_nxt;
    r.limit = record_i.cwnd < record_i.snd_wnd ? record_i.cwnd : record_i.snd_wnd;
    gain = record_i.rcv_read + seq_t'(Ring) - record_i.rcv_edge;
    sendable = 1'b0;
    if (!unsent[31] && unsent == '0) sendable = record_i.closing;
    else if (!unsent[31]) begin
      sendable = record_i.force_send || (worth(record_i, unsent, record_i.snd_wnd) && worth(record_i, unsent, record_i.cwnd));
    end
    unique case (r.phase)
      SynReceived: wants = record_i.snd_nxt == record_i.snd_una;
      Open: wants = record_i.acks_due != '0 || record_i.resend || sendable || gain >= update_bytes(Ring);
      TimeWait: wants = record_i.acks_due != '0;
      default: wants = 1'b0;
    endcase
    tells = (r.phase == Open && !record_i.told && !record_i.closing)
        || (record_i.armed && (r.phase == Dead || (r.phase == Open && read_is_ready(record_i, Ring))));
    transmits_o = wants && !record_i.transmit_queued;
    notifies_o = tells && !record_i.notify_queued;
    if (wants) r.transmit_queued = 1'b1;
    if (tells) r.notify_queued = 1'b1;
  end
  assign record_o = r;
endmodule
