// SPDX-License-Identifier: Apache-2.0
// Adds up the halfwords of one flit, counting only the bytes selected by mask_i; byte i of the wire is
// data_i[8*i+:8] and mask_i[i]. The other bytes count as zero, so an odd number of bytes is padded correctly.
// One register stage, loaded when enable_i is set, splits the adders behind sums of GroupHalfwords; total_o is a plain binary sum,
// not yet folded, so that adding to it costs no second fold. There is no valid bit: the user delays
// its own.
module checksum_sum
  import girih_pkg::*;
  import checksum_pkg::*;
#(
    parameter int unsigned GroupHalfwords = 8  // added up before the register
) (
    input  logic                 clk_i,
    input  logic                 enable_i,
    input  logic [        W-1:0] data_i,
    input  logic [FlitBytes-1:0] mask_i,
    output wide_t                total_o
);
  localparam int unsigned Levels = $clog2(W / 16);  // of adders
  localparam int unsigned Before = $clog2(GroupHalfwords);  // the register
  if (GroupHalfwords < 1 || GroupHalfwords > 8 || (GroupHalfwords & (GroupHalfwords - 1)) != 0) begin : gen_bad_group
    $fatal(1, "checksum_sum: GroupHalfwords is %0d; it must be 1, 2, 4 or 8", GroupHalfwords);
  end

  logic [W/16-1:0][15:0] halfword;
  for (genvar i = 0; i < int'(W) / 16; i++) begin : gen_halfword
    assign halfword[i][15:8] = mask_i[2*i] ? data_i[16*i+:8] : 8'h0;
    assign halfword[i][7:0]  = mask_i[2*i+1] ? data_i[16*i+8+:8] : 8'h0;
  end

  // Sums are added in pairs; (* keep *) makes each pair an adder of its own, which on carry chains takes half
  // the area of a tree of carry-save adders.
  for (genvar l = 0; l <= int'(Levels); l++) begin : gen_level
    (* keep *) logic [(W/16>>l)-1:0][15+l:0] sums;
    logic [(W/16>>l)-1:0][15+l:0] taken;  // by the next level
    for (genvar i = 0; i < int'(W) / 16 >> l; i++) begin : gen_sum
      if (l == 0) begin : gen_leaf
        assign sums[i] = halfword[i];
      end else begin : gen_pair
        assign sums[i] = (16 + l)'(gen_level[l-(l>0)].taken[2*i]) + (16 + l)'(gen_level[l-(l>0)].taken[2*i+1]);
      end
    end
    if (l == int'(Before)) begin : gen_register
      always_ff @(posedge clk_i) begin
        if (enable_i) taken <= sums;
      end
    end else begin : gen_wire
      assign taken = sums;
    end
  end
  assign total_o = wide_t'(gen_level[Levels].taken[0]);
endmodule
