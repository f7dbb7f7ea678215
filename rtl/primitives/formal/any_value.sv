// SPDX-License-Identifier: Apache-2.0
// For modules that take another's place in a proof: any value in each cycle.
(* blackbox *)
module any_value #(
    parameter int unsigned Bits = 1
) (
    output logic [Bits-1:0] value_o
);
endmodule
