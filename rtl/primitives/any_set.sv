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

  localparam int unsigned Chains = (Width + 31) / 32;
  logic [Chains-1:0] any;
  for (genvar c = 0; c < Chains; c++) begin : gen_chain
    localparam int unsigned Bits = Width - 32 * c < 32 ? Width - 32 * c : 32;
    first_value #(
        .Places(Bits)
    ) u_chain (
        .set_i  (bits_i[32*c+:Bits]),
        .value_i('1),
        .value_o(any[c])
    );
  end
  assign any_o = |any;
endmodule
