// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of messages into the buffers: the flits of each message wait here until its event has a result, which says where they belong.
// An event's bytes move from the cycle after its result on, without a pause: an event is offered no sooner than the flits of the one
// before it have moved by the time of its result.
module tcp_bytes
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned UnderWay = 16,  // events
    parameter bit Far = 0,  // at least one cycle in which no bytes move is between two messages
    parameter int unsigned Ahead = 0  // cycles by which event_begins_i comes later than event_valid_i, at least
) (
    input logic clk_i,
    input logic rst_i,

    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  logic         in_last_i,
    input  logic [W-1:0] in_data_i,

    // The messages' events, in the same order; and their results.
    output logic    event_ready_o,
    input  logic    event_valid_i,
    input  todo_t   event_i,
    input  logic    event_begins_i,  // its result comes a fixed time after this; it has
    input  length_t event_flits_i,   // this many flits
    output logic    under_way_o,  // an event has no result yet
    input  logic    result_valid_i,
    input  result_t result_i,

    output logic   receive_write_o,
    output logic   send_write_o,
    output write_t write_o,
    output logic   write_later_o,   // the received bytes of the present message are in later flits, or start in this one
    // For buffers that take time to be written; see tcp_front.
    output logic    moves_o,
    output logic    moves_last_o,
    output logic    write_begins_o,
    output seq_t    write_first_o,
    output length_t write_bytes_o,
    output tenant_t write_tenant_o
);
  localparam int unsigned Waiting = 32;  // flits between the headers and the result

  typedef struct packed {
    logic last;
    logic [W-1:0] data;
  } piece_t;
  logic piece_valid, move;
  piece_t piece;
  fifo #(
      .T(piece_t),
      .Depth(Waiting)
  ) u_flits (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i  ({in_last_i, in_data_i}),
      .out_valid_o(piece_valid),
      .out_ready_i(move),
      .out_data_o (piece)
  );

  // Of events in flight, where the bytes are in their messages.
  typedef struct packed {
    offset_t headers;
    connection_t connection;
    tenant_t tenant;
    logic to_receive;
    logic to_send;
  } place_t;
  localparam length_t Spare = length_t'(Ahead + 32'(!Far));
  length_t left_q;  // flits of the last event that have not moved by the time of its result
  place_t place_in, place;
  logic places_ready, moved_q;  // left_q is 0, from a register, since the choice of an event depends on it
  assign event_ready_o = moved_q && places_ready;
  assign place_in.headers = event_i.headers;
  assign place_in.connection = event_i.work.connection;
  assign place_in.tenant = Far ? event_i.work.tenant : '0;
  assign place_in.to_receive = event_i.work.kind == EventSegment;
  assign place_in.to_send = event_i.work.kind == EventWrite;
  fifo #(
      .T(place_t),
      .Depth(UnderWay)
  ) u_places (
      .clk_i,
      .rst_i,
      .in_valid_i (event_valid_i),
      .in_ready_o (places_ready),
      .in_data_i  (place_in),
      .out_valid_o(under_way_o),
      .out_ready_i(result_valid_i),
      .out_data_o (place)
  );
  always_ff @(posedge clk_i) begin
    if (left_q != '0) left_q <= left_q - 1'b1;
    moved_q <= left_q <= length_t'(1);
    if (event_begins_i) begin
      left_q  <= Ahead == 0 || event_flits_i > Spare ? event_flits_i - Spare : '0;
      moved_q <= Ahead == 0 ? event_flits_i == Spare : event_flits_i <= Spare;
    end
    if (rst_i) begin
      left_q  <= '0;
      moved_q <= 1'b1;
    end
  end

  // Bytes to the buffers: those from start to stop, counted from the first byte of the flit that moves; begin and end are of these the ones in this flit.
  typedef logic [EmptyWidth:0] in_flit_t;
  function automatic in_flit_t in_flit(length_t bytes);
    return bytes > length_t'(FlitBytes) ? in_flit_t'(FlitBytes) : in_flit_t'(bytes);
  endfunction
  length_t start, stop, start_q, stop_q;
  in_flit_t begin_q, end_q;
  logic moving_q, receive_q, send_q, first_q;
  seq_t addr_q;
  connection_t connection_q;
  tenant_t tenant_q;
  assign move = moving_q;
  assign receive_write_o = moving_q && receive_q;
  assign send_write_o = moving_q && send_q;
  assign write_later_o = moving_q && receive_q && start_q != '0;
  assign write_o = '{connection: connection_q, addr: addr_q, data: piece.data, first: begin_q, behind: end_q};
  assign moves_o = moving_q;
  assign moves_last_o = piece.last;
  assign write_begins_o = moving_q && first_q && (receive_q || send_q);
  assign write_first_o = addr_q + seq_t'(start_q);
  assign write_bytes_o = stop_q - start_q;
  assign write_tenant_o = tenant_q;
  always_comb begin
    if (result_valid_i) begin
      start = length_t'(place.headers) + result_i.skip;
      stop  = length_t'(place.headers) + result_i.skip + result_i.bytes;
    end else begin
      start = start_q > length_t'(FlitBytes) ? start_q - length_t'(FlitBytes) : '0;
      stop  = stop_q > length_t'(FlitBytes) ? stop_q - length_t'(FlitBytes) : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (moving_q || result_valid_i) begin
      start_q <= start;
      stop_q  <= stop;
      begin_q <= in_flit(start);
      end_q   <= in_flit(stop);
    end
    if (moving_q) begin
      addr_q  <= addr_q + seq_t'(FlitBytes);
      first_q <= 1'b0;
      if (piece.last) moving_q <= 1'b0;
    end
    if (result_valid_i) begin
      moving_q <= 1'b1;
      receive_q <= place.to_receive && result_i.bytes != '0;
      send_q <= place.to_send && result_i.bytes != '0;
      connection_q <= place.connection;
      tenant_q <= place.tenant;
      first_q <= 1'b1;
      addr_q <= result_i.seq - seq_t'(place.headers);
    end
    if (rst_i) moving_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!moving_q || piece_valid)
      else $error("tcp_bytes: a flit comes later than its event");
      assert (!result_valid_i || !moving_q || piece.last)
      else $error("tcp_bytes: an event comes sooner than the flits of the one before it have moved");
    end
  end

  logic unused;
  assign unused = &{1'b0, event_i};
endmodule
