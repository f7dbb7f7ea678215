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
// Two cycles when committed at once, one flit per cycle. Descriptors are not stored: info and token carry the fields that
// are needed.
module summed_store
  import girih_pkg::*;
  import checksum_pkg::*;
#(
    parameter type info_t  = logic,
    parameter type token_t = logic,
    parameter int unsigned GroupHalfwords = 8  // added up in the first cycle; fewer for a user whose mask comes late
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  flit_t                 in_flit_i,
    input  logic                  in_first_i,
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
    output logic   out_first_o,
    output token_t out_token_o
);
  flit_t flit_q;
  logic valid_q, swallow_q, load, store_ready;  // a flit that waits behind its cut is not valid
  info_t info_q;
  assign in_ready_o = !valid_q || store_ready;
  assign load = in_valid_i && in_ready_o && !swallow_q;

  always_ff @(posedge clk_i) begin
    if (in_ready_o && !swallow_q) valid_q <= in_valid_i && (in_flit_i.last || !in_cut_i);
    if (load) begin
      flit_q <= in_flit_i;
      flit_q.desc <= '0;
      flit_q.last <= in_flit_i.last || in_cut_i;
      swallow_q <= in_cut_i && !in_flit_i.last;
      if (in_first_i) info_q <= in_info_i;
    end
    if (swallow_q && in_valid_i && in_flit_i.last) begin
      flit_q.bad <= in_flit_i.bad;
      valid_q <= 1'b1;
      swallow_q <= 1'b0;
    end
    if (rst_i) begin
      valid_q   <= 1'b0;
      swallow_q <= 1'b0;
    end
  end

  // The sum of earlier flits, in two parts: folding it here would put an adder in the loop.
  wide_t flit_sum;
  logic [15:0] sum_low_q;
  logic [7:0] sum_high_q;
  checksum_sum #(
      .GroupHalfwords(GroupHalfwords)
  ) u_sum (
      .clk_i,
      .enable_i(load),
      .data_i  (in_flit_i.data),
      .mask_i  (in_mask_i),
      .total_o (flit_sum)
  );
  (* keep *) wide_t carried, beside;
  assign carried = wide_t'(sum_low_q) + wide_t'(sum_high_q);
  assign beside = carried + check_add_i;
  assign check_sum_o = flit_sum + carried;
  assign check_total_o = flit_sum + beside;

  assign check_take_o = valid_q && store_ready;
  assign check_last_o = flit_q.last;
  assign check_bad_o = flit_q.last && flit_q.bad;
  assign check_info_o = info_q;

  always_ff @(posedge clk_i) begin
    if (check_take_o) begin
      sum_low_q  <= flit_q.last ? '0 : check_sum_o[15:0];
      sum_high_q <= flit_q.last ? '0 : check_sum_o[23:16];
    end
    if (rst_i) begin
      sum_low_q  <= '0;
      sum_high_q <= '0;
    end
  end

  logic unused_fits;
  packet_store #(
      .token_t(token_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(valid_q),
      .in_ready_o(store_ready),
      .in_flit_i (flit_q),
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
    if (out_valid_o && out_ready_i) out_first_o <= out_flit_o.last;
    if (rst_i) out_first_o <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      store_is_full : cover (valid_q && !store_ready);
      swallows_while_the_store_is_full : cover (swallow_q && in_valid_i && !store_ready);
      cut_at_the_end : cover (load && in_cut_i && in_flit_i.last);
      void_behind_the_cut : cover (swallow_q && in_valid_i && in_flit_i.last && in_flit_i.bad);
      dropped_while_held_back : cover (check_take_o && drop_i && out_valid_o && !out_ready_i);
    end
  end
endmodule
