// SPDX-License-Identifier: Apache-2.0
// Sums the bytes selected by in_mask_i of each message that passes, one cycle after it arrives:
//
//   in, mask, info -> [flit, partial sums] -> out, sum
//
// sum_o is the sum (not folded) of the message's bytes up to and including this flit's; total_o is that sum plus add_i, which is
// added in parallel and costs no second adder in a row. in_info_i is taken with the first flit and kept for the message.
// in_cut_i with a flit ends the message there: the flit waits, and later flits are discarded, until the original end shows
// whether the message is void. Flits leave without their descriptors. in_ready_o depends on out_ready_i.
module message_sum
  import girih_pkg::*;
  import checksum_pkg::*;
#(
    parameter type info_t = logic,
    parameter int unsigned GroupHalfwords = 8  // added up in the first cycle; fewer for a user whose mask comes late
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  flit_t                 in_flit_i,
    input  logic                  in_cut_i,
    input  logic  [FlitBytes-1:0] in_mask_i,
    input  info_t                 in_info_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output info_t info_o,
    input  wide_t add_i,
    output wide_t sum_o,
    output wide_t total_o
);
  flit_t flit_q;
  logic valid_q, swallow_q, load;  // a flit that waits behind its cut is not valid
  info_t info_q;
  assign in_ready_o = !valid_q || out_ready_i;
  assign load = in_valid_i && in_ready_o && !swallow_q;

  always_ff @(posedge clk_i) begin
    if (in_ready_o && !swallow_q) valid_q <= in_valid_i && (in_flit_i.last || !in_cut_i);
    if (load) begin
      flit_q <= in_flit_i;
      flit_q.desc <= '0;
      flit_q.last <= in_flit_i.last || in_cut_i;
      swallow_q <= in_cut_i && !in_flit_i.last;
      if (in_flit_i.first) info_q <= in_info_i;
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

  wide_t flit_sum, sum_q;  // of this flit; of the message's earlier ones
  checksum_sum #(
      .GroupHalfwords(GroupHalfwords)
  ) u_sum (
      .clk_i,
      .enable_i(load),
      .data_i  (in_flit_i.data),
      .mask_i  (in_mask_i),
      .total_o (flit_sum)
  );
  (* keep *) wide_t beside;
  assign beside = sum_q + add_i;
  assign sum_o = flit_sum + sum_q;
  assign total_o = flit_sum + beside;

  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
  assign info_o = info_q;

  always_ff @(posedge clk_i) begin
    if (valid_q && out_ready_i) sum_q <= flit_q.last ? '0 : sum_o;
    if (rst_i) sum_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      swallows_while_held_back : cover (swallow_q && in_valid_i && !out_ready_i);
      cut_at_the_end : cover (load && in_cut_i && in_flit_i.last);
      void_behind_the_cut : cover (swallow_q && in_valid_i && in_flit_i.last && in_flit_i.bad);
    end
  end
endmodule
