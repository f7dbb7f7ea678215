// SPDX-License-Identifier: Apache-2.0
// Adds up the halfwords of one flit, counting only the bytes selected by mask_i; byte i of the wire is
// data_i[8*i+:8] and mask_i[i]. The other bytes count as zero, so an odd number of bytes is padded correctly.
// One register stage, loaded when enable_i is set, splits the adders; total_o is a plain binary sum,
// not yet folded, so that adding to it costs no second fold. There is no valid bit: the user delays
// its own.
module checksum_sum
  import girih_pkg::*;
  import checksum_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 enable_i,
    input  logic [        W-1:0] data_i,
    input  logic [FlitBytes-1:0] mask_i,
    output wide_t                total_o
);
  localparam int unsigned GroupHalfwords = 8;
  localparam int unsigned Groups = W / 16 / GroupHalfwords;

  logic [W/16-1:0][15:0] halfword;
  logic [Groups-1:0][18:0] group_d, group_q;

  for (genvar i = 0; i < int'(W) / 16; i++) begin : gen_halfword
    assign halfword[i][15:8] = mask_i[2*i] ? data_i[16*i+:8] : 8'h0;
    assign halfword[i][7:0]  = mask_i[2*i+1] ? data_i[16*i+8+:8] : 8'h0;
  end

  // Sums are added in pairs; (* keep *) makes each pair an adder of its own, which on carry chains takes half
  // the area of a tree of carry-save adders.
  for (genvar g = 0; g < int'(Groups); g++) begin : gen_group
    (* keep *) logic [3:0][16:0] pairs;
    (* keep *) logic [1:0][17:0] fours;
    for (genvar i = 0; i < 4; i++) begin : gen_pair
      assign pairs[i] = 17'(halfword[8*g+2*i]) + 17'(halfword[8*g+2*i+1]);
    end
    for (genvar i = 0; i < 2; i++) begin : gen_four
      assign fours[i] = 18'(pairs[2*i]) + 18'(pairs[2*i+1]);
    end
    assign group_d[g] = 19'(fours[0]) + 19'(fours[1]);
  end

  // The groups, then sums of pairs, up to the sum of all.
  localparam int unsigned Levels = $clog2(Groups);
  for (genvar l = 0; l <= int'(Levels); l++) begin : gen_level
    (* keep *) wide_t [(Groups>>l)-1:0] sums;
    for (genvar i = 0; i < int'(Groups) >> l; i++) begin : gen_sum
      if (l == 0) begin : gen_leaf
        assign sums[i] = wide_t'(group_q[i]);
      end else begin : gen_pair
        assign sums[i] = gen_level[l-(l>0)].sums[2*i] + gen_level[l-(l>0)].sums[2*i+1];
      end
    end
  end
  assign total_o = gen_level[Levels].sums[0];

  always_ff @(posedge clk_i) begin
    if (enable_i) group_q <= group_d;
  end
endmodule
