// SPDX-License-Identifier: Apache-2.0
// TCP (RFC 9293) with the bytes of its streams in RAM of the tile: tcp_stack, and a stream_memory for each direction. The input is always
// taken, even while the output is stalled, so this tile closes no circle of waits.
module tcp_engine
  import girih_pkg::*, tcp_types_pkg::*, tcp_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Window = 8192,
    parameter int unsigned Ports = 1  // 2: the second one is for applications
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Ports-1:0] in_valid_i,
    output logic  [Ports-1:0] in_ready_o,
    input  flit_t [Ports-1:0] in_flit_i,

    output logic      [Ports-1:0] out_valid_o,
    input  logic      [Ports-1:0] out_ready_i,
    output flit_t     [Ports-1:0] out_flit_o,
    output next_key_t [Ports-1:0] out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  logic receive_write, send_write, write_later, receive_read, send_read, reading;
  connection_t receive_connection, send_connection;
  seq_t receive_addr, send_addr;
  logic [W-1:0] receive_data, send_data;
  write_t received, sent;
  logic make_valid, make_ready, notice_valid, notice_ready;
  segment_t make;
  notice_t notice;
  // For buffers elsewhere.
  logic offers, moves, moves_last, write_begins, made, clear, freed;
  length_t offers_flits, write_bytes;
  seq_t write_first;
  tenant_t write_tenant;
  connection_t made_connection, freed_connection, visit;
  logic [15:0] clear_index;
  tcp_stack #(
      .Connections(Connections),
      .Window     (Window),
      .Ports      (Ports)
  ) u_stack (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .room_i              (1'b1),
      .offers_o            (offers),
      .offers_flits_o      (offers_flits),
      .moves_o             (moves),
      .moves_last_o        (moves_last),
      .write_begins_o      (write_begins),
      .write_first_o       (write_first),
      .write_bytes_o       (write_bytes),
      .write_tenant_o      (write_tenant),
      .receive_write_o     (receive_write),
      .receive_o           (received),
      .send_write_o        (send_write),
      .send_o              (sent),
      .write_later_o       (write_later),
      .made_o              (made),
      .made_connection_o   (made_connection),
      .make_valid_o        (make_valid),
      .make_ready_i        (make_ready),
      .make_o              (make),
      .build_valid_i       (make_valid),
      .build_ready_o       (make_ready),
      .build_i             (make),
      .notice_valid_o      (notice_valid),
      .notice_ready_i      (notice_ready),
      .notice_o            (notice),
      .tell_valid_i        (notice_valid),
      .tell_ready_o        (notice_ready),
      .tell_i              (notice),
      .tell_later_i        (write_later),
      .tell_connection_i   (received.connection),
      .send_read_o         (send_read),
      .send_connection_o   (send_connection),
      .send_addr_o         (send_addr),
      .send_data_i         (send_data),
      .receive_read_o      (receive_read),
      .receive_connection_o(receive_connection),
      .receive_addr_o      (receive_addr),
      .receive_data_i      (receive_data),
      .telling_o           (reading),
      .reading_i           (reading),
      .reading_connection_i(receive_connection),
      .reading_seq_i       (receive_addr),
      .clear_o             (clear),
      .clear_index_o       (clear_index),
      .freed_o             (freed),
      .freed_connection_o  (freed_connection),
      .visit_o             (visit),
      .lost_i              (1'b0),
      .breaks_i            (1'b0),
      .breaks_connection_i ('0),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .cfg_i,
      .event_o
  );

  stream_memory #(
      .Streams(Connections),
      .Ring   (Window)
  ) u_receive_memory (
      .clk_i,
      .write_valid_i (receive_write),
      .write_i       (received),
      .read_valid_i  (receive_read),
      .read_stream_i (receive_connection),
      .read_addr_i   (receive_addr),
      .read_data_o   (receive_data)
  );
  stream_memory #(
      .Streams(Connections),
      .Ring   (Window)
  ) u_send_memory (
      .clk_i,
      .write_valid_i (send_write),
      .write_i       (sent),
      .read_valid_i  (send_read),
      .read_stream_i (send_connection),
      .read_addr_i   (send_addr),
      .read_data_o   (send_data)
  );

  logic unused;
  assign unused = &{1'b0, offers, offers_flits, moves, moves_last, write_begins, write_first, write_bytes, write_tenant, made, made_connection, clear,
      clear_index, freed, freed_connection, visit};
endmodule
