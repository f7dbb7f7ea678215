// SPDX-License-Identifier: Apache-2.0
// Whether two values differ, by chains of carries behind look-up tables of three bits each: one level, for values that are late in the
// cycle. Combinational.
module unequal #(
    parameter int unsigned Width = 8
) (
    input  logic [Width-1:0] left_i,
    input  logic [Width-1:0] right_i,
    output logic             unequal_o
);
  if (Width < 1) begin : gen_bad_width
    $fatal(1, "unequal: Width is %0d; it must be at least 1", Width);
  end

  localparam int unsigned Threes = (Width + 2) / 3;
  logic [3*Threes-1:0] uneven;
  logic [Threes-1:0] differ;
  assign uneven = (3 * Threes)'(left_i ^ right_i);
  for (genvar t = 0; t < int'(Threes); t++) begin : gen_three
    assign differ[t] = uneven[3*t+:3] != '0;
  end
  any_set #(
      .Width(Threes)
  ) u_any (
      .bits_i(differ),
      .any_o (unequal_o)
  );
endmodule
