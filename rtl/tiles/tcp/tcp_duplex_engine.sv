// SPDX-License-Identifier: Apache-2.0
// tcp_engine with two fabric ports: segments come and go by the first one, and messages from and to applications by the second. So bytes of a
// connection go both ways at once, each at the speed of a link.
module tcp_duplex_engine
  import girih_pkg::*, tcp_duplex_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Window = 8192
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [1:0] in_valid_i,
    output logic  [1:0] in_ready_o,
    input  flit_t in_flit_i [2],

    output logic      [1:0] out_valid_o,
    input  logic      [1:0] out_ready_i,
    output flit_t     out_flit_o[2],
    output next_key_t out_key_o [2],

    input  cfg_t   cfg_i,
    output event_t event_o
);
  flit_t [1:0] out_flit;
  next_key_t [1:0] out_key;
  tcp_pkg::event_t counted;
  assign event_o = event_t'(counted);  // settings and counters are those of the kind tcp, in the same order
  for (genvar p = 0; p < 2; p++) begin : gen_port
    assign out_flit_o[p] = out_flit[p];
    assign out_key_o[p]  = out_key[p];
  end
  tcp_engine #(
      .Connections(Connections),
      .Window     (Window),
      .Ports      (2)
  ) u_engine (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i  ({in_flit_i[1], in_flit_i[0]}),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o (out_flit),
      .out_key_o  (out_key),
      .cfg_i      (tcp_pkg::cfg_t'(cfg_i)),
      .event_o    (counted)
  );
endmodule
