// SPDX-License-Identifier: Apache-2.0
// The masks of header_pkg, for their test.
module header_masks_bench
  import girih_pkg::*, header_pkg::*;
(
    input logic [EmptyWidth-1:0] value_i,
    input length_t bytes_i,
    input logic [EmptyWidth:0] begin_i,
    input logic [EmptyWidth:0] end_i,

    output logic [FlitBytes-1:0] first_o,
    output logic [FlitBytes-1:0] valid_o,
    output placed_t placed_o  // with its byte 0 at value_i
);
  assign first_o = first_bytes(bytes_i);
  assign valid_o = valid_bytes(value_i);
  assign placed_o = placed_bytes(value_i, begin_i, end_i);
endmodule
