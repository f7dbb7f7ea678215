// SPDX-License-Identifier: Apache-2.0
// Ones' complement sum (RFC 1071) of the bytes of one flit that mask_i names; byte i of the wire is
// data_i[8*i+:8] and mask_i[i]. Masked bytes count as zero, so an odd end of data pads itself.
// Two pipeline stages that move when enable_i is set; the result has network order.
// It keeps no valid: the user delays its own beside it.
module checksum_sum
  import girih_pkg::*;
  import checksum_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 enable_i,
    input  logic [        W-1:0] data_i,
    input  logic [FlitBytes-1:0] mask_i,
    output sum_t                 sum_o
);
  localparam int unsigned GroupHalfwords = 8;
  localparam int unsigned Groups = W / 16 / GroupHalfwords;

  // The sum of byte-swapped halfwords is the byte-swapped sum, so that nothing is swapped on the
  // way in.
  logic [W-1:0] masked;
  logic [Groups-1:0][18:0] group_d, group_q;
  logic [31:0] total;
  sum_t sum_q;

  for (genvar i = 0; i < int'(FlitBytes); i++) begin : gen_mask
    assign masked[8*i+:8] = mask_i[i] ? data_i[8*i+:8] : 8'h0;
  end

  for (genvar g = 0; g < int'(Groups); g++) begin : gen_group
    always_comb begin
      group_d[g] = '0;
      for (int h = 0; h < int'(GroupHalfwords); h++) begin
        group_d[g] = group_d[g] + 19'(masked[16*(int'(GroupHalfwords)*g+h)+:16]);
      end
    end
  end

  always_comb begin
    total = '0;
    for (int g = 0; g < int'(Groups); g++) total = total + 32'(group_q[g]);
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      group_q <= group_d;
      sum_q   <= fold(total);
    end
  end

  assign sum_o = {sum_q[7:0], sum_q[15:8]};
endmodule
