// SPDX-License-Identifier: Apache-2.0
// Whether a bit is set, by chains of carries of up to 32 bits: each takes about as long as two levels of look-up tables, together with
// logic of up to six inputs in front of each bit. Combinational.
module any_set #(
    parameter int unsigned Width = 8
) (
    input  logic [Width-1:0] bits_i,
    output logic             any_o
);
  if (Width < 1) begin : gen_bad_width
    $fatal(1, "any_set: Width is %0d; it must be at least 1", Width);
  end

  // A set bit makes a carry, any other one passes it on.
  localparam int unsigned Chains = (Width + 31) / 32;
  logic [Chains-1:0] any;
  for (genvar c = 0; c < Chains; c++) begin : gen_chain
    localparam int unsigned Bits = Width - 32 * c < 32 ? Width - 32 * c : 32;
    logic [Bits:0] sum;
    assign sum = {1'b0, bits_i[32*c+:Bits]} + {1'b0, {Bits{1'b1}}};
    assign any[c] = sum[Bits];
    logic unused;
    assign unused = &{1'b0, sum[Bits-1:0]};
  end
  assign any_o = |any;
endmodule
