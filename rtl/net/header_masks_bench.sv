// SPDX-License-Identifier: Apache-2.0
// The masks of header_pkg, for their test.
module header_masks_bench
  import girih_pkg::*, header_pkg::*;
(
    input logic [EmptyWidth-1:0] value_i,
    input length_t bytes_i,

    output logic [FlitBytes-1:0] first_o,
    output logic [FlitBytes-1:0] valid_o
);
  assign first_o = first_bytes(bytes_i);
  assign valid_o = valid_bytes(value_i);
endmodule
