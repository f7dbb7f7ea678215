// SPDX-License-Identifier: Apache-2.0
// The stack's input, in order: segments, and the commands and bytes of applications. Each message is stored and checked, and looked up if it is a
// segment. It becomes an event, and its bytes are written where the event's result says, while the next message is looked up. Nothing here
// waits for the stack's output, so the input is always taken.
//
//   in -> tcp_intake --+-> tcp_lookup -> blocks of SACK, event -> result --+
//                      +-> flits ----------------------------------------> bytes into the buffer
//
// An event's bytes move from the cycle after its result on, without a pause: an event is offered no sooner than the flits of the one
// before it have moved by the time of its result.
module tcp_front
  import girih_pkg::*, header_pkg::*, tcp_types_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter bit Far = 0  // at least one cycle in which no bytes move is between two messages, and no application has the name of the memory
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    input logic        clear_i,
    input logic [15:0] clear_index_i,
    input tick_t       now_i,

    output logic    work_valid_o,
    input  logic    work_ready_i,
    output work_t   work_o,
    output block_t  block_o,  // of EventSack
    output initial_t initial_o,  // of EventOpen and EventConnect; see tcp_lookup
    input  logic     initial_taken_i,
    input  logic    result_valid_i,
    input  result_t result_i,

    output logic                        receive_write_o,
    output logic                        send_write_o,
    output connection_t                 write_connection_o,
    output seq_t                        write_addr_o,
    output logic        [        W-1:0] write_data_o,
    output logic        [ EmptyWidth:0] write_begin_o,  // these bytes of the flit, up to the one before the end
    output logic        [ EmptyWidth:0] write_end_o,
    output logic                        write_later_o,       // the received bytes of the present message are in later flits, or start in this one

    // For buffers that take time to be written. No event is offered while room_i is down.
    input  logic                        room_i,
    output logic                        offers_o,            // an event with a message of this many flits, each of which will move
    output length_t                     offers_flits_o,
    output logic                        moves_o,             // a flit moves, whether or not bytes of it are written
    output logic                        moves_last_o,        // it is the last of its message
    output logic                        write_begins_o,      // it is the first one of a message of which bytes are written:
    output seq_t                        write_first_o,       // the first byte,
    output length_t                     write_bytes_o,       // their number,
    output tenant_t                     write_tenant_o,      // and whose they are

    input logic        half_ended_i,  // a hand-shake of a peer is over, of freed_tenant_i
    input logic        freed_i,
    input connection_t freed_connection_i,
    input slot_t       freed_slot_i,
    input tenant_t     freed_tenant_i,

    output logic  unopened_valid_o,  // connections that could not be opened, to be reported to their applications
    input  logic  unopened_ready_i,
    output work_t unopened_o,        // of unopened_, and of accept_ if that is valid
    output logic  accept_valid_o,    // the fate of a possible answer to a SYN cookie
    input  logic  accept_ready_i,

    output logic drop_aborted_o,
    output logic drop_length_o,
    output logic drop_checksum_o,
    output logic drop_unsupported_o,
    output logic drop_command_o,
    output logic drop_backlog_o,
    output logic drop_header_o,
    output logic drop_refused_o,
    input  cfg_t cfg_i
);
  localparam int unsigned Waiting = 32;  // flits between the headers and the result
  localparam int unsigned UnderWay = 16;  // events

  logic come_valid, come_ready, come_first, arrival_ready, flits_ready;
  flit_t come_flit;
  arrival_t arrival;
  logic guess;
  tuple_t guess_tuple;
  tenant_t guess_tenant;
  tcp_intake u_intake (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(come_valid),
      .out_ready_i(come_ready),
      .out_flit_o (come_flit),
      .out_first_o(come_first),
      .arrival_o  (arrival),
      .guess_o       (guess),
      .guess_tuple_o (guess_tuple),
      .guess_tenant_o(guess_tenant),
      .drop_aborted_o,
      .drop_length_o,
      .drop_checksum_o,
      .drop_unsupported_o,
      .drop_command_o,
      .drop_backlog_o
  );
  assign come_ready = flits_ready && (!come_first || arrival_ready);

  logic todo_valid, todo_ready, next_valid, next_ready, is_block, under_way;
  todo_t todo;
  tcp_lookup #(
      .Connections(Connections),
      .Far(Far)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .clear_i,
      .clear_index_i,
      .now_i,
      .arrival_valid_i(come_valid && come_first && flits_ready),
      .arrival_ready_o(arrival_ready),
      .arrival_i      (arrival),
      .guess_i        (guess),
      .guess_tuple_i  (guess_tuple),
      .guess_tenant_i (guess_tenant),
      .initial_o,
      .initial_taken_i,
      .work_valid_o   (todo_valid),
      .work_ready_i   (todo_ready),
      .work_o         (todo),
      .idle_i         (!under_way),
      .half_ended_i,
      .freed_i,
      .freed_connection_i,
      .freed_slot_i,
      .freed_tenant_i,
      .unopened_valid_o,
      .unopened_ready_i,
      .unopened_o,
      .accept_valid_o,
      .accept_ready_i,
      .drop_header_o,
      .drop_refused_o,
      .cfg_i
  );

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
      .in_valid_i (come_valid && (!come_first || arrival_ready)),
      .in_ready_o (flits_ready),
      .in_data_i  ({come_flit.last, come_flit.data}),
      .out_valid_o(piece_valid),
      .out_ready_i(move),
      .out_data_o (piece)
  );

  stamp_t walked;
  tcp_sack_blocks u_blocks (
      .clk_i,
      .rst_i,
      .in_valid_i     (todo_valid),
      .in_ready_o     (todo_ready),
      .looks_i        (todo.looks),
      .options_i      (todo.options),
      .options_bytes_i(todo.options_bytes),
      .out_valid_o    (next_valid),
      .out_ready_i    (next_ready),
      .out_is_block_o (is_block),
      .out_block_o    (block_o),
      .out_stamp_o    (walked)
  );

  // Events, and for those in flight, where the bytes are in their messages.
  typedef struct packed {
    offset_t headers;
    connection_t connection;
    tenant_t tenant;
    logic to_receive;
    logic to_send;
  } place_t;
  length_t left_q;  // flits of the last event that have not moved by the time of its result
  place_t place_in, place;
  logic places_ready;
  assign work_valid_o = next_valid && left_q == '0 && places_ready && room_i;
  always_comb begin
    work_o = todo.work;
    if (is_block) work_o.kind = EventSack;
    if (walked.valid) work_o.stamp = walked;
  end
  assign next_ready = work_ready_i && left_q == '0 && places_ready && room_i;
  assign offers_o = work_valid_o && work_ready_i && !is_block;
  assign offers_flits_o = todo.flits;
  assign place_in.headers = todo.headers;
  assign place_in.connection = todo.work.connection;
  assign place_in.tenant = Far ? todo.work.tenant : '0;
  assign place_in.to_receive = todo.work.kind == EventSegment;
  assign place_in.to_send = todo.work.kind == EventWrite;
  fifo #(
      .T(place_t),
      .Depth(UnderWay)
  ) u_places (
      .clk_i,
      .rst_i,
      .in_valid_i (offers_o),
      .in_ready_o (places_ready),
      .in_data_i  (place_in),
      .out_valid_o(under_way),
      .out_ready_i(result_valid_i),
      .out_data_o (place)
  );
  always_ff @(posedge clk_i) begin
    if (left_q != '0) left_q <= left_q - 1'b1;
    if (offers_o) left_q <= todo.flits - length_t'(!Far);
    if (rst_i) left_q <= '0;
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
  assign write_connection_o = connection_q;
  assign write_later_o = moving_q && receive_q && start_q != '0;
  assign write_addr_o = addr_q;
  assign write_data_o = piece.data;
  assign write_begin_o = begin_q;
  assign write_end_o = end_q;
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
      else $error("tcp_front: a flit comes later than its event");
      assert (!result_valid_i || !moving_q || piece.last)
      else $error("tcp_front: an event comes sooner than the flits of the one before it have moved");
    end
  end

  logic unused;
  assign unused = &{1'b0, cfg_i, come_flit};
endmodule
