// SPDX-License-Identifier: Apache-2.0
// message_trim with what it is told of a message's length, for its test.
module message_trim_bench
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic [FlitBytes-1:0] keep_o,

    output logic short_o
);
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_ends_i(header_pkg::ends_at_once(in_flit_i.desc.length)),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .keep_o,
      .short_o
  );
endmodule
