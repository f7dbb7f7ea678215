// SPDX-License-Identifier: Apache-2.0
// The ranges of bytes behind a gap after a segment: one that fills the gap absorbs the ranges that it touches; one behind the gap is merged with
// the ranges that it touches, or becomes a range of its own if there is a place for it. Combinational.
module tcp_ranges
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input work_t   work_i,
    input record_t record_i,
    input facts_t  facts_i,

    output seq_t                nxt_o,     // of a segment in order: the next byte that is missing
    output range_t [Ranges-1:0] ranges_o,
    output logic                keeps_o,   // of a segment behind a gap: it is kept
    output logic                newer_o    // the range in which it is kept
);
  if (Ranges != 2) begin : gen_bad_ranges
    $fatal(1, "tcp_ranges: Ranges is %0d; it must be 2", Ranges);
  end

  range_t [Ranges-1:0] kept;
  logic fin, lowest, highest;
  logic [Ranges-1:0] touches;
  always_comb begin
    fin = work_i.flags.fin && facts_i.takes_all;
    touches = facts_i.touches;

    // In order. Nothing can be behind a FIN.
    nxt_o = record_i.rcv_nxt + seq_t'(facts_i.take) + seq_t'(fin);
    for (int unsigned i = 0; i < Ranges; i++) if (touches[i] && !facts_i.ends_behind[i] && !fin) nxt_o = record_i.ranges[i].behind;

    // Behind a gap. A FIN alone has no bytes to keep. The lower and the higher of two that the segment joins:
    keeps_o = work_i.bytes != '0 && (touches != '0 || !record_i.ranges[0].valid || !record_i.ranges[1].valid);
    lowest = &touches ? !facts_i.first_before : touches[1];
    highest = &touches ? facts_i.first_before : touches[1];
    newer_o = touches == '0 ? record_i.ranges[0].valid : touches == 2'b10;
    kept = record_i.ranges;
    kept[newer_o].valid = 1'b1;
    kept[newer_o].first = touches == '0 || facts_i.starts_before[lowest] ? work_i.seq : record_i.ranges[lowest].first;
    kept[newer_o].behind = touches == '0 || facts_i.ends_behind[highest] ? facts_i.behind : record_i.ranges[highest].behind;
    if (&touches) kept[1].valid = 1'b0;

    if (facts_i.in_order) begin
      ranges_o = record_i.ranges;
      for (int unsigned i = 0; i < Ranges; i++) if (touches[i] || fin) ranges_o[i].valid = 1'b0;
    end else begin
      ranges_o = kept;
    end
  end

  logic unused;
  assign unused = &{1'b0, work_i, record_i, facts_i};
endmodule
