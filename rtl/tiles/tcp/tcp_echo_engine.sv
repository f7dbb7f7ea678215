// SPDX-License-Identifier: Apache-2.0
// The echo service of RFC 862 over TCP. It keeps no state of connections: when one opens, it issues a standing read for as many bytes as there is room
// to send, and sends what the stack delivers back as a write; at the end of the peer's stream a close follows. Cut-through, one cycle of latency,
// one flit per cycle and one more cycle for each command.
module tcp_echo_engine
  import girih_pkg::*, tcp_types_pkg::*, tcp_echo_pkg::*;
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

    output event_t event_o
);
  logic passing_q, command_q, valid_q, close_q, known_q, asks_q;
  flit_t flit_q;
  descriptor_t desc_q;
  op_e op;
  logic known, passes, asks, move, take;
  assign op = op_e'(in_flit_i.desc.stream_op);
  assign known = op inside {OpOpened, OpData};
  assign passes = in_flit_i.first ? op == OpData && in_flit_i.desc.stream_bytes != '0 : passing_q;
  assign asks = op == OpOpened || (op == OpData && in_flit_i.desc.stream_end);
  assign move = !valid_q || out_ready_i;
  assign in_ready_o = move && !command_q;
  assign take = in_valid_i && in_ready_o;

  always_ff @(posedge clk_i) begin
    if (move) begin
      valid_q <= command_q || (take && passes);
      if (command_q) begin
        flit_q <= '0;
        flit_q.desc.port <= desc_q.port;
        flit_q.desc.tenant <= desc_q.tenant;
        flit_q.desc.stream_connection <= desc_q.stream_connection;
        flit_q.desc.stream_op <= 3'(close_q ? OpClose : OpRead);
        flit_q.desc.stream_bytes <= length_t'(1);
        flit_q.desc.stream_room <= length_t'(1);
        flit_q.desc.stream_end <= !close_q;
        flit_q.last <= 1'b1;
        command_q <= 1'b0;
      end else begin
        flit_q <= in_flit_i;
        if (in_flit_i.first) flit_q.desc.stream_op <= 3'(OpWrite);
      end
    end
    if (take) begin
      passing_q <= passes;
      if (in_flit_i.first) begin
        desc_q  <= in_flit_i.desc;
        close_q <= in_flit_i.desc.stream_end;
        known_q <= known;
        asks_q  <= asks;
      end
      if (in_flit_i.last) command_q <= in_flit_i.first ? asks : asks_q;
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      command_q <= 1'b0;
    end
  end
  assign out_valid_o = valid_q;
  assign out_flit_o = flit_q;
  assign out_key_o = '0;

  assign event_o.drop_unexpected = take && in_flit_i.last && !(in_flit_i.first ? known : known_q);
  assign event_o.used_messages = take && in_flit_i.last && (in_flit_i.first ? known : known_q) && !passes;
  assign event_o.made_commands = command_q && move;
  assign event_o.mark_opened = take && in_flit_i.first && op == OpOpened;

  logic unused;
  assign unused = &{1'b0, desc_q};
endmodule
