// SPDX-License-Identifier: Apache-2.0
// Sums the bytes selected by in_mask_i while a message goes into a store, and asks its user about every
// flit before it is stored:
//
//   in, mask, info -> [flit, partial sums] -> check_* -> [store] -> out
//                                              commit_i, drop_i, token_i
//
// check_sum_o is the sum (not folded) of the message's bytes up to and including this flit's; check_total_o is that sum plus
// check_add_i, which is added in parallel and costs no second adder in a row. The user answers in the same cycle, as
// packet_store requires: commit with the last flit or before, or drop with the last. in_info_i is taken with the first flit
// and kept for the message. in_cut_i with a flit ends the message there: the flit waits, and later flits are discarded, until
// the original end shows whether the message is void.
// Two cycles when committed at once, three without Bypass (packet_store); one flit per cycle. Descriptors are not stored: info and token carry the fields that
// are needed.
module summed_store
  import girih_pkg::*;
  import checksum_pkg::*;
#(
    parameter type info_t  = logic,
    parameter type token_t = logic,
    parameter int unsigned GroupHalfwords = 8,  // added up in the first cycle; fewer for a user whose mask comes late
    parameter bit Bypass = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  flit_t                 in_flit_i,
    input  logic                  in_cut_i,
    input  logic  [FlitBytes-1:0] in_mask_i,
    input  info_t                 in_info_i,

    output logic   check_take_o,  // a flit goes into the store in this cycle
    output logic   check_last_o,
    output logic   check_bad_o,
    input  wide_t  check_add_i,
    output wide_t  check_sum_o,
    output wide_t  check_total_o,
    output info_t  check_info_o,
    input  logic   commit_i,
    input  logic   drop_i,
    input  token_t token_i,

    output logic   out_valid_o,
    input  logic   out_ready_i,
    output flit_t  out_flit_o,    // without its descriptor
    output token_t out_token_o
);
  flit_t flit;
  logic valid, store_ready;
  message_sum #(
      .info_t        (info_t),
      .GroupHalfwords(GroupHalfwords)
  ) u_sum (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_cut_i,
      .in_mask_i,
      .in_info_i,
      .out_valid_o(valid),
      .out_ready_i(store_ready),
      .out_flit_o (flit),
      .info_o     (check_info_o),
      .add_i      (check_add_i),
      .sum_o      (check_sum_o),
      .total_o    (check_total_o)
  );
  assign check_take_o = valid && store_ready;
  assign check_last_o = flit.last;
  assign check_bad_o = flit.last && flit.bad;

  logic unused_fits;
  packet_store #(
      .token_t(token_t),
      .Bypass (Bypass)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(valid),
      .in_ready_o(store_ready),
      .in_flit_i (flit),
      .commit_i,
      .drop_i,
      .token_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_token_o,
      .fits_o    (unused_fits)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      store_is_full : cover (valid && !store_ready);
      dropped_while_held_back : cover (check_take_o && drop_i && out_valid_o && !out_ready_i);
    end
  end
endmodule
