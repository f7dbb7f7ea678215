// SPDX-License-Identifier: Apache-2.0
// For tests: the tile tcp_duplex in the place of a tile tcp. Its ports are those of tcp_engine: messages go to the fabric port for their sort, unless
// astray_i is up, and those of both leave one after the other. While ordered_i is up, a message waits for the events of those before it
// that came by the other port.
module tcp_duplex_bench
  import girih_pkg::*, tcp_types_pkg::*, tcp_duplex_pkg::*;
#(
    parameter int unsigned Connections = 16,
    parameter int unsigned Window = 2048,
    parameter int unsigned Longest = 64  // cycles from the last flit of a message to its event, at most
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input logic astray_i,   // messages go to the other port
    input logic ordered_i,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  logic [1:0] in_valid, in_ready, out_valid, out_ready;
  flit_t in_flit[2], out_flit[2];
  next_key_t out_key[2];
  logic port_q, port, waits;
  logic [$clog2(Longest+1)-1:0] since_q;
  assign port = in_flit_i.first ? (op_e'(in_flit_i.desc.stream_op) != OpPacket) ^ astray_i : port_q;
  assign in_flit[0] = in_flit_i;
  assign in_flit[1] = in_flit_i;
  assign waits = ordered_i && in_flit_i.first && port != port_q && since_q != '0;
  assign in_valid = {in_valid_i && port && !waits, in_valid_i && !port && !waits};
  assign in_ready_o = in_ready[port] && !waits;
  tcp_duplex_engine #(
      .Connections(Connections),
      .Window     (Window)
  ) u_engine (
      .clk_i,
      .rst_i,
      .in_valid_i (in_valid),
      .in_ready_o (in_ready),
      .in_flit_i  (in_flit),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_flit_o (out_flit),
      .out_key_o  (out_key),
      .cfg_i,
      .event_o
  );

  logic held_q, second_q, second;
  assign second = held_q ? second_q : out_valid[1] && (!out_valid[0] || !second_q);
  assign out_valid_o = out_valid[second];
  assign out_flit_o = out_flit[second];
  assign out_key_o = out_key[second];
  assign out_ready = {out_ready_i && second, out_ready_i && !second};
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) port_q <= port;
    if (in_valid_i && in_ready_o) since_q <= ($bits(since_q))'(Longest);
    else if (since_q != '0) since_q <= since_q - 1'b1;
    if (out_valid_o) begin
      held_q   <= !(out_ready_i && out_flit_o.last);
      second_q <= second;
    end
    if (rst_i) begin
      since_q  <= '0;
      held_q   <= 1'b0;
      second_q <= 1'b0;
    end
  end
endmodule
