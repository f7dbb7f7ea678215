// SPDX-License-Identifier: Apache-2.0
// Proves tcp_scoreboard and what it takes from tcp_facts, for an arbitrary record whose snd_una is 0, and an arbitrary number number_i.
// After a block that fits:
//   - what is stated of the ranges in tcp_types_pkg, and that none is above snd_max, holds again; the block is within the bytes in flight;
//   - news_o says whether the block has a byte that was not known;
//   - the ranges have the number if and only if they had it or the block has it, except that the highest of the ranges and the block is dropped if there is
//     no place for it.
// After an acknowledgement of bytes in flight:
//   - the ranges that begin above it remain, and no other byte;
//   - what is stated of the ranges holds again, from the acknowledgement on.
// tcp_scoreboard_shift_proof shows that it does not matter that snd_una is 0.
//
// The oracle knows a set by the distances of numbers from snd_una.
module tcp_scoreboard_proof
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t, record_order_pkg::are_in_order;
#(
    parameter int unsigned Part = 0  // of the promise
) (
    input logic clk_i,
    input work_t work_i,
    input block_t block_i,
    input record_t any_i,
    input cfg_t cfg_i,
    input near_t number_i
);
  localparam near_t MostFlight = near_t'(1) << ($bits(near_t) - 1);
  record_t record_i;
  always_comb begin
    record_i = any_i;
    record_i.snd_una = '0;
  end
  facts_t facts;
  segment_facts u_facts (
      .work_i,
      .block_i,
      .record_i,
      .cfg_i,
      .facts_o(facts)
  );
  sacked_t [Sacked-1:0] had, with_block, behind_ack;
  logic news;
  tcp_scoreboard u_dut (
      .record_i,
      .facts_i(facts),
      .block_i,
      .with_block_o(with_block),
      .news_o(news),
      .behind_ack_o(behind_ack)
  );
  assign had = record_i.sacked;

  near_t una;
  assign una = near_t'(record_i.snd_una);
  // Distances are from snd_una before the event.
  function automatic logic has(sacked_t range, near_t number);
    return range.valid && near_t'(number - una) >= near_t'(range.first - una) && near_t'(number - una) < near_t'(range.behind - una);
  endfunction
  function automatic logic is_known(sacked_t [Sacked-1:0] ranges, near_t number);
    is_known = 1'b0;
    for (int unsigned i = 0; i < Sacked; i++) is_known |= has(ranges[i], number);
  endfunction

  near_t flight, block_first, block_behind, uncovered, ack;
  logic sound, fits, in_block, known, full, acks, remains;
  sacked_t added, highest;
  always_comb begin
    flight = near_t'(record_i.snd_max - record_i.snd_una);
    sound = record_i.snd_max - record_i.snd_una <= seq_t'(MostFlight) && are_in_order(una, flight, had);
    block_first = near_t'(block_i.first);
    block_behind = near_t'(block_i.behind);
    added = '{valid: 1'b1, first: block_first, behind: block_behind};
    fits = facts.sack_fits;
    in_block = has(added, number_i);
    known = is_known(had, number_i);
    uncovered = block_first;
    for (int unsigned i = 0; i < Sacked; i++) if (has(had[i], block_first)) uncovered = had[i].behind;
    // If all places are taken, and no range gives the block its place, the highest of them all has none.
    full = 1'b1;
    for (int unsigned i = 0; i < Sacked; i++) full &= had[i].valid && (had[i].first > block_behind || had[i].behind < block_first);
    highest = had[Sacked-1].first > block_first ? had[Sacked-1] : added;
    ack = near_t'(work_i.ack);
    acks = facts.ack_news && !facts.ack_unsent;
    remains = 1'b0;
    for (int unsigned i = 0; i < Sacked; i++) remains |= has(had[i], number_i) && had[i].first > ack;
  end

  always_ff @(posedge clk_i) begin
    if (sound && fits) begin
      case (Part)
        0: assert (are_in_order(una, flight, with_block));
        1: begin
          if (!news) assert (!in_block || known);
          else assert (has(added, uncovered) && !is_known(had, uncovered));
          // The block itself is in flight.
          assert (near_t'(block_first - una) != '0 && near_t'(block_behind - una) <= flight && near_t'(block_first - una) < near_t'(block_behind - una));
        end
        2: assert (is_known(with_block, number_i) == ((known || in_block) && !(full && has(highest, number_i))));
      endcase
    end
    if (sound && acks) begin
      case (Part)
        3: assert (is_known(behind_ack, number_i) == remains);
        4: assert (are_in_order(ack, near_t'(record_i.snd_max - work_i.ack), behind_ack));
      endcase
    end
  end
endmodule
