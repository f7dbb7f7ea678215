// SPDX-License-Identifier: Apache-2.0
// The discard service of RFC 863 over TCP: it reads all bytes of a connection that opens, discards them, and closes it at the end of
// the peer's stream. One cycle, one flit per cycle.
module tcp_discard_engine
  import girih_pkg::*, tcp_types_pkg::*, tcp_discard_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  logic known_q, valid_q;
  flit_t flit_q;
  op_e op;
  logic known, asks, take;
  assign op = op_e'(in_flit_i.desc.stream_op);
  assign known = op inside {OpOpened, OpData};
  assign asks = op == OpOpened || (op == OpData && in_flit_i.desc.stream_end);
  assign in_ready_o = !valid_q || out_ready_i;
  assign take = in_valid_i && in_ready_o;

  always_ff @(posedge clk_i) begin
    if (in_ready_o) begin
      valid_q <= take && in_flit_i.first && asks;
      flit_q <= '0;
      flit_q.desc.port <= in_flit_i.desc.port;
      flit_q.desc.tenant <= in_flit_i.desc.tenant;
      flit_q.desc.stream_connection <= in_flit_i.desc.stream_connection;
      flit_q.desc.stream_op <= 3'(op == OpData ? OpClose : OpRead);
      flit_q.desc.stream_end <= op == OpOpened;
      flit_q.desc.stream_bytes <= length_t'(cfg_i.least);
      flit_q.last <= 1'b1;
    end
    if (take && in_flit_i.first) known_q <= known;
    if (rst_i) begin
      valid_q <= 1'b0;
    end
  end
  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
  assign out_key_o = '0;

  assign event_o.drop_unexpected = take && in_flit_i.last && !(in_flit_i.first ? known : known_q);
  assign event_o.used_messages = take && in_flit_i.last && (in_flit_i.first ? known : known_q);
  assign event_o.made_commands = valid_q && out_ready_i;
  assign event_o.mark_opened = take && in_flit_i.first && op == OpOpened;

  logic unused;
  assign unused = &{1'b0, cfg_i, in_flit_i};
endmodule
