// SPDX-License-Identifier: Apache-2.0
// Proves what a connection sends in its turn to transmit, of tcp_transmit with tcp_settle and tcp_facts, for an arbitrary record of an open connection whose
// snd_una is 0, and of which holds what record_order_pkg states of the side that sends, as it does after each event (tcp_update_proof):
//   - no byte that the application has not written, and none that the peer has acknowledged; a FIN only behind all bytes of an application that has closed;
//   - each segment begins at a byte that was sent before or at the next one, so that no byte is left out;
//   - bytes that go out for the first time are within the peer's window and what congestion permits, but for one byte that probes a closed window;
//   - behind the turn, snd_max is behind all that was sent.
module tcp_transmit_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t, record_order_pkg::*;
#(
    parameter int unsigned Part = 0,  // of the promise
    parameter int unsigned Ring = 8192
) (
    input logic clk_i,
    input work_t work_i,
    input record_t any_i,
    input cfg_t cfg_i,
    input tick_t now_i
);
  record_t record_i, record, after;
  always_comb begin
    record_i = any_i;
    record_i.snd_una = '0;
  end
  tcp_settle u_settle (
      .record_i,
      .now_i,
      .record_o(record),
      .transmits_o(),
      .notifies_o()
  );
  facts_t facts;
  segment_facts u_facts (
      .work_i,
      .block_i('0),
      .record_i(record),
      .cfg_i,
      .facts_o(facts)
  );
  segment_t acknowledgement, segment;
  tcp_acknowledge u_acknowledge (
      .connection_i(work_i.connection),
      .record_i(record),
      .edge_i(facts.rcv_edge),
      .clock_i('0),
      .segment_o(acknowledgement)
  );
  deeds_t deeds;
  tcp_transmit u_dut (
      .record_i(record),
      .facts_i(facts),
      .now_i,
      .segment_i(acknowledgement),
      .record_o(after),
      .deeds_o(deeds)
  );
  assign segment = deeds.segment;

  // Numbers from snd_una on.
  seq_t first, behind, sent, written, sent_after;
  logic sends, sound, probe, fin;
  assign sound = sends_in_order(record_i, seq_t'(Ring)) && resends_in_order(record_i) && are_in_order(near_t'(record_i.snd_una), near_t'(sent), record_i.sacked) && (record_i.phase == Open || record_i.phase == TimeWait);
  assign fin = segment.flags.fin;
  assign sends = deeds.sends && (segment.bytes != '0 || fin);
  assign first = segment.seq - record_i.snd_una;
  assign behind = first + seq_t'(segment.bytes);
  assign sent = record_i.snd_max - record_i.snd_una;
  assign written = record_i.snd_end - record_i.snd_una;
  assign sent_after = after.snd_max - record_i.snd_una;
  assign probe = record_i.force_send && segment.seq == record_i.snd_nxt && segment.bytes == length_t'(1);

  always_ff @(posedge clk_i) begin
    if (sound) begin
      case (Part)
        0: if (sends) assert (first <= behind && behind <= written && (!fin || (record_i.closing && behind == written)));
        1: if (sends) assert (first <= sent);
        2: if (sends && behind > sent) assert ((behind <= seq_t'(record_i.snd_wnd) && behind <= seq_t'(record_i.usable)) || probe);
        3: assert (sent_after == (sends && behind + seq_t'(fin) > sent ? behind + seq_t'(fin) : sent));
      endcase
    end
  end
endmodule
