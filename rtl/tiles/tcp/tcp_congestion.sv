// SPDX-License-Identifier: Apache-2.0
// The congestion window, which limits the bytes in flight in addition to the peer's window: NewReno (RFC 5681, 6582) or CUBIC (RFC 9438), which differ
// in congestion avoidance and in what is left after a loss. CUBIC's window follows the function of time that tcp_cubic computes, by at most half of what
// is acknowledged, and is no less than an estimate of what NewReno would have. It grows only while it limits the connection. A mark by ECN (RFC 3168)
// reduces it without a retransmission, and a window of data reduces it once, whatever is marked or lost of it. Combinational.
module tcp_congestion
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input record_t record_i,
    input facts_t  facts_i,

    input logic news_i,       // an acknowledgement of new bytes
    input logic duplicate_i,  // a duplicate acknowledgement
    input logic limited_i,    // the first duplicate, the second, or the one of fast_i
    input logic fast_i,       // a fast retransmission begins
    input logic timeout_i,
    input logic told_i,       // the acknowledgement tells of marks,
    input logic reduces_i,    // and reduces the window, for the first time in this window of data
    input logic repaired_i,   // the acknowledgement tells that a tail loss probe has repaired a loss

    output span_t cwnd_o,      // of an acknowledgement
    output span_t usable_o,    // of an acknowledgement
    output span_t threshold_o,
    output span_t credit_o,    // of CUBIC: bytes acknowledged since the last step of its estimate
    output congestion_e congestion_o,
    output span_t estimate_o
);
  localparam span_t Most = {1'b0, {($bits(span_t) - 1) {1'b1}}};
  span_t mss, credit, cwnd, half_acked, least, after_mark, after_loss, left;
  logic cubic;
  logic signed [$bits(span_t)+1:0] over;  // what is acknowledged beyond the next step of the estimate
  always_comb begin
    mss = span_t'(record_i.mss);
    cubic = record_i.congestion != NewReno;
    credit = record_i.credit + facts_i.acked;
    over = 22'(record_i.credit) + 22'(facts_i.acked) - 22'(facts_i.estimate_step);
    half_acked = facts_i.grow >> 1;
    // At least two segments, but not more than before. DCTCP answers a loss as NewReno does (RFC 8257, 3.5).
    least = record_i.cwnd < mss << 1 ? record_i.cwnd : mss << 1;
    after_mark = record_i.cwnd < record_i.ecn.left ? record_i.cwnd : record_i.ecn.left;
    if (record_i.ecn.left < mss << 1) after_mark = least;
    after_loss = record_i.cwnd >> 1 < mss << 1 ? least : record_i.cwnd >> 1;
    left = repaired_i && record_i.dctcp.on ? after_loss : after_mark;
    cwnd = record_i.cwnd;
    threshold_o = record_i.threshold;
    credit_o = record_i.credit;
    congestion_o = record_i.congestion;
    estimate_o = record_i.estimate;
    if (fast_i) begin
      cwnd = facts_i.half + facts_i.left_network;
      credit_o = '0;
      threshold_o = facts_i.half;
      if (!facts_i.ecn_spares) begin
        if (cubic) congestion_o = CubicLoss;
        estimate_o = record_i.cwnd;
      end
    end else if (reduces_i || repaired_i) begin
      cwnd = left;
      credit_o = '0;
      threshold_o = left;
      if (cubic) congestion_o = CubicLoss;
      estimate_o = record_i.cwnd;
    end else if (news_i && record_i.recovering) begin
      if (facts_i.ack_recovers) cwnd = record_i.threshold;
      else cwnd = (facts_i.acked < record_i.cwnd ? record_i.cwnd - facts_i.acked : '0) + facts_i.grow;
    end else if (told_i && !record_i.recovering) begin
      // It does not grow (RFC 3168, 6.1.2).
    end else if (news_i && cubic) begin
      if (record_i.pressed && record_i.cwnd < record_i.threshold) begin
        cwnd = record_i.cwnd + facts_i.grow;
      end else if (record_i.pressed && record_i.congestion == CubicRun) begin
        cwnd = facts_i.estimate_leads ? record_i.estimate : record_i.cwnd + (facts_i.gap < half_acked ? facts_i.gap : half_acked);
        credit_o = over < 0 ? credit : span_t'(over);
        if (over >= 0) estimate_o = record_i.estimate + mss;
      end
    end else if (news_i && record_i.cwnd < record_i.threshold) begin
      cwnd = record_i.cwnd + facts_i.grow;
    end else if (news_i) begin
      // A segment is timed in each round trip. To count acknowledged bytes instead takes longer if the window is not a number of whole segments.
      if (facts_i.stamps.timed && record_i.pressed) cwnd = record_i.cwnd + mss;
    end else if (duplicate_i && record_i.recovering) begin
      cwnd = record_i.cwnd + mss;
    end
    // Nothing else comes with a time-out, after which the window is a segment.
    if (timeout_i && !facts_i.late) begin
      credit_o = '0;
      if (record_i.tries == '0) threshold_o = facts_i.half;  // only at the first time-out of a segment
      if (cubic) congestion_o = CubicStart;
      if (record_i.tries == '0) estimate_o = record_i.cwnd;
    end
    cwnd_o = cwnd > Most ? Most : cwnd;
    usable_o = record_i.usable;
    if (news_i || fast_i || reduces_i || record_i.recovering) usable_o = cwnd;
    else if (limited_i) usable_o = record_i.cwnd + (record_i.dup_acks[0] ? mss << 1 : mss);
  end

  logic unused;
  assign unused = &{1'b0, record_i, facts_i};
endmodule
