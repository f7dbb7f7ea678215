// SPDX-License-Identifier: Apache-2.0
// Proves tcp_ranges and what it takes from tcp_facts, for an arbitrary sequence number `number_i`, segment and record: after a segment with data or a FIN
// that is processed, the card has the byte of this number if and only if it had it or it is in the part of the segment within the window, except
//   - if the segment is behind a gap, and touches no range while there are as many as there can be, so that it is not kept;
//   - what a peer has sent behind its own FIN, which is forgotten.
// The bytes that the event stores are those of that part. What is stated of the ranges in tcp_types_pkg, and that they are within the window, holds again.
//
// rcv_nxt is 0 before the segment; tcp_ranges_shift_proof shows that this does not matter. The oracle knows a set by the distances of numbers from rcv_nxt.
module tcp_ranges_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t, record_order_pkg::are_apart;
#(
    parameter int unsigned Part = 0  // of the promise
) (
    input logic clk_i,
    input work_t work_i,
    input record_t any_i,
    input cfg_t cfg_i,
    input seq_t number_i
);
  record_t record_i;
  always_comb begin
    record_i = any_i;
    record_i.rcv_nxt = '0;
  end
  localparam int unsigned Sign = $bits(seq_t) - 1;
  localparam seq_t Half = seq_t'(1) << Sign;
  localparam seq_t MostWindow = seq_t'(1) << ($bits(near_t) - 1);

  facts_t facts;
  segment_facts u_facts (
      .work_i,
      .block_i('0),
      .record_i,
      .cfg_i,
      .facts_o(facts)
  );
  seq_t nxt_o, nxt;
  range_t [Ranges-1:0] ranges_o;
  logic keeps, newer;
  tcp_ranges u_dut (
      .work_i,
      .record_i,
      .facts_i(facts),
      .nxt_o,
      .ranges_o,
      .keeps_o(keeps),
      .newer_o(newer)
  );

  // Distances are from the next number before the segment.
  function automatic logic has(range_t range, seq_t number);
    return range.valid && number - record_i.rcv_nxt >= range.first - record_i.rcv_nxt && number - record_i.rcv_nxt < range.behind - record_i.rcv_nxt;
  endfunction
  // Half of the numbers are before the next one.
  function automatic logic is_held(seq_t next, range_t [Ranges-1:0] ranges, seq_t number);
    return next - number - 1'b1 < Half || has(ranges[0], number) || has(ranges[1], number);
  endfunction
  function automatic logic is_sound(seq_t next, seq_t window_end, range_t [Ranges-1:0] ranges);
    return window_end - next <= MostWindow && are_apart(next, window_end, ranges);
  endfunction

  logic in_segment, in_window, in_part, whole, fin, held_before, held, stored, starts_held, touching;
  seq_t segment_end, window, reach;
  always_comb begin
    segment_end = work_i.seq + seq_t'(work_i.bytes);
    in_segment = number_i - work_i.seq < seq_t'(work_i.bytes);
    window = record_i.rcv_edge - record_i.rcv_nxt;
    in_window = number_i - record_i.rcv_nxt < window;
    in_part = in_segment && in_window;
    reach = segment_end - record_i.rcv_nxt;
    whole = reach[Sign] || reach <= window;
    fin = work_i.flags.fin && whole;  // there is room for all bytes before it
    starts_held = signed'(work_i.seq - record_i.rcv_nxt) <= 0;
    touching = 1'b0;
    for (int unsigned i = 0; i < Ranges; i++) begin
      if (record_i.ranges[i].valid && (work_i.seq - record_i.ranges[i].first <= record_i.ranges[i].behind - record_i.ranges[i].first
          || record_i.ranges[i].first - work_i.seq <= seq_t'(work_i.bytes))) touching = 1'b1;
    end
    nxt = starts_held ? nxt_o : record_i.rcv_nxt;
    held_before = is_held(record_i.rcv_nxt, record_i.ranges, number_i);
    held = is_held(nxt, ranges_o, number_i);
    stored = number_i - work_i.seq - seq_t'(starts_held ? facts.skip : '0) < seq_t'(facts.take);
  end

  // A segment that tcp_update processes, before the peer's FIN; and a number that is not so far away that it may be another byte's next time.
  logic processed;
  assign processed = facts.acceptable && (work_i.bytes != '0 || work_i.flags.fin) && !work_i.flags.syn
      && is_sound(record_i.rcv_nxt, record_i.rcv_edge, record_i.ranges) && number_i - record_i.rcv_nxt + (Half >> 1) < Half;

  always_ff @(posedge clk_i) begin
    if (processed) begin
      case (Part)
        0: begin
          assert (facts.in_order == starts_held && facts.takes_all == whole);
          if (!starts_held && !keeps) assert (work_i.bytes == '0 || (record_i.ranges[0].valid && record_i.ranges[1].valid && !touching));
        end
        1: if (starts_held || keeps) assert (stored == in_part);
        2: if (starts_held && fin) begin
          assert (nxt == segment_end + 1'b1);
          assert (held == (nxt - number_i - 1'b1 < Half));
          assert (!ranges_o[0].valid && !ranges_o[1].valid);
        end
        3: if (starts_held && !fin) assert (held == (held_before || in_part));
        4: if (starts_held && !fin) assert (is_sound(nxt, record_i.rcv_edge, ranges_o));
        5: if (!starts_held && keeps) assert (held == (held_before || in_part));
        6: if (!starts_held && keeps) assert (is_sound(nxt, record_i.rcv_edge, ranges_o));
        7: if (!starts_held && keeps) assert (!in_part || has(ranges_o[newer], number_i));
      endcase
    end
  end
endmodule
