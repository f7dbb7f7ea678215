// SPDX-License-Identifier: Apache-2.0
// Whether two words were valid and equal in the previous cycle. Their lower Late bits arrive late in that cycle. These bits are
// compared in groups of three before a register, and the results are combined behind it. With After they arrive so late
// that they are registered first and compared in the next cycle.
module pifo_same #(
    parameter int unsigned Width = 11,
    parameter int unsigned Late = 6,
    parameter bit After = 1'b0,
    parameter bit Inverted = 1'b0  // the registers hold the inverse, so that synthesis does not merge them with those of a copy
) (
    input logic clk_i,
    input logic rst_i,

    input  logic             valid_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic             same_o
);
  localparam int unsigned Groups = (Late + 2) / 3;
  localparam logic [Width-1:0] LateBits = Width'((64'd1 << Late) - 1);

  logic valid_q, early_q, late_same;
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i ^ Inverted;
    early_q <= (a_i >> Late == b_i >> Late) ^ Inverted;
    if (rst_i) valid_q <= Inverted;
  end
  assign same_o = (valid_q ^ Inverted) && (early_q ^ Inverted) && late_same;

  if (After) begin : gen_after
    logic [Width-1:0] a_q, b_q;
    always_ff @(posedge clk_i) begin
      a_q <= (a_i & LateBits) ^ {Width{Inverted}};
      b_q <= (b_i & LateBits) ^ {Width{Inverted}};
    end
    assign late_same = a_q == b_q;
  end else begin : gen_groups
    logic [Groups-1:0] groups_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned g = 0; g < Groups; g++) begin
        groups_q[g] <= (((a_i ^ b_i) & LateBits & (Width'(7) << 3 * g)) == '0) ^ Inverted;
      end
    end
    assign late_same = (groups_q ^ {Groups{Inverted}}) == '1;
  end
endmodule
