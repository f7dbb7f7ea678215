// SPDX-License-Identifier: Apache-2.0
// The value beside the highest set bit of set_i, or 0 if none is set, by a chain of carries, which passes a place faster than a look-up table.
// Combinational.
module first_value #(
    parameter int unsigned Places = 8
) (
    input  logic [Places-1:0] set_i,
    input  logic [Places-1:0] value_i,
    output logic              value_o
);
  if (Places < 1) begin : gen_bad_places
    $fatal(1, "first_value: Places is %0d; it must be at least 1", Places);
  end

  // A place whose addends are equal makes the carry what they are, any other one passes it on.
  logic [Places:0] sum;
  assign sum = {1'b0, value_i} + {1'b0, value_i ^ ~set_i};
  assign value_o = sum[Places];

  logic unused;
  assign unused = &{1'b0, sum[Places-1:0]};
endmodule
