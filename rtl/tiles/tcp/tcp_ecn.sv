// SPDX-License-Identifier: Apache-2.0
// What a segment changes of its connection's explicit congestion notification (RFC 3168). As the receiver, the connection tells of marks from the first
// one on until the peer has reduced its window. As the sender, it reduces its window at the first acknowledgement that tells of a mark, and once for each
// window of data: not again before a byte that was sent after the reduction has been acknowledged. With DCTCP (RFC 8257), the connection tells of exactly
// the segments that are marked, and counts the bytes of which the peer tells. Combinational.
module tcp_ecn
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input work_t   work_i,
    input record_t record_i,
    input logic    open_i,    // it is before the segment comes
    input facts_t  facts_i,
    input logic    news_i,    // an acknowledgement of new bytes
    input logic    lost_i,    // it reduces the window because of a loss: the duplicate that triggers a fast retransmission, or the end of a tail loss probe

    output ecn_t ecn_o,
    output dctcp_t dctcp_o,
    output logic marked_o,   // a segment with data has been marked
    output logic turns_o,    // what acknowledgements say of marks changes: the peer must hear it at once
    output logic told_o,     // the acknowledgement tells of marks
    output logic reduces_o   // and reduces the window
);
  ecn_t e;
  dctcp_t c;
  logic data;
  always_comb begin
    e = record_i.ecn;
    data = record_i.ecn.on && work_i.bytes != '0 && !record_i.fin_received;

    // An acknowledgement that is older than another one says nothing new. During fast recovery, the window has been reduced.
    told_o = record_i.ecn.on && open_i && work_i.flags.ece && (news_i || facts_i.ack_same);
    reduces_o = told_o && facts_i.ecn_anew && !record_i.recovering && !lost_i;
    if (news_i && facts_i.ecn_anew) e.reduced = 1'b0;
    if (record_i.ecn.on && (reduces_o || lost_i)) begin
      e.tells = 1'b1;
      e.reduced = 1'b1;
      e.reduced_to = near_t'(record_i.snd_max);
    end

    // Of a segment with both, the mark is newer than what the peer has heard.
    marked_o = data && work_i.marked;
    if (data && work_i.flags.cwr) e.echoes = 1'b0;
    if (marked_o) e.echoes = 1'b1;
    if (data && record_i.dctcp.on) e.echoes = work_i.marked;
    turns_o = e.echoes != record_i.ecn.echoes;

    // When both ends open at once, the peer's answer must agree, too.
    if (facts_i.crosses && (!work_i.flags.ece || work_i.flags.cwr)) e.on = 1'b0;
    // DCTCP counts until the timer's visit to the connection after the observation window (RFC 8257, 3.3).
    c = record_i.dctcp;
    if (record_i.ecn.on && open_i && news_i) begin
      if (!record_i.dctcp.acked[$bits(span_t)-1]) begin
        c.acked = record_i.dctcp.acked + facts_i.acked;
        if (work_i.flags.ece) c.marked = record_i.dctcp.marked + facts_i.acked;
      end
      if (facts_i.dctcp_over) begin
        c.over = 1'b1;
        c.window_to = near_t'(record_i.snd_max);  // the next one
      end
    end
  end
  assign ecn_o = e;
  assign dctcp_o = c;

  logic unused;
  assign unused = &{1'b0, work_i, record_i, facts_i};
endmodule
