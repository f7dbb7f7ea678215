// SPDX-License-Identifier: Apache-2.0
// NewReno (RFC 5681, 6582): the congestion window, which limits the bytes in flight in addition to the peer's window. Combinational.
module tcp_congestion
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input record_t record_i,
    input facts_t  facts_i,

    input logic news_i,       // an acknowledgement of new bytes
    input logic duplicate_i,  // a duplicate acknowledgement
    input logic fast_i,       // the duplicate that triggers a fast retransmission
    input logic timeout_i,

    output span_t cwnd_o,
    output span_t threshold_o,
    output span_t credit_o      // bytes acknowledged since the last step of congestion avoidance
);
  localparam span_t Most = {1'b0, {($bits(span_t) - 1) {1'b1}}};
  span_t mss, credit, cwnd;
  always_comb begin
    mss = span_t'(record_i.mss);
    credit = record_i.credit + facts_i.acked;
    cwnd = record_i.cwnd;
    threshold_o = record_i.threshold;
    credit_o = record_i.credit;
    if (timeout_i) begin
      cwnd = mss;
      credit_o = '0;
      if (record_i.tries == '0) threshold_o = facts_i.half;  // only at the first time-out of a segment
    end else if (fast_i) begin
      cwnd = facts_i.half + (mss << 1) + mss;
      credit_o = '0;
      threshold_o = facts_i.half;
    end else if (news_i && record_i.recovering) begin
      if (facts_i.ack_recovers) cwnd = record_i.threshold;
      else cwnd = (facts_i.acked < record_i.cwnd ? record_i.cwnd - facts_i.acked : '0) + facts_i.grow;
    end else if (news_i && record_i.cwnd < record_i.threshold) begin
      cwnd = record_i.cwnd + facts_i.grow;
    end else if (news_i) begin
      credit_o = credit;
      if (credit >= record_i.cwnd) begin
        credit_o = '0;
        cwnd = record_i.cwnd + mss;
      end
    end else if (duplicate_i && record_i.recovering) begin
      cwnd = record_i.cwnd + mss;
    end
    cwnd_o = cwnd > Most ? Most : cwnd;
  end

  logic unused;
  assign unused = &{1'b0, record_i, facts_i};
endmodule
