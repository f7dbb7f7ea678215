// SPDX-License-Identifier: Apache-2.0
// Bytes of messages on their way to stream buffers in a tile of memory: aligned as they are there, stored, and sent in requests of a piece.
//
//   flits -> rotate -> register -> joined to words -> fifo_block -> requests
//
// Flits are always taken: an event is offered only while room_o is up, which counts those on their way. A range's first request is ordered
// if the place of its connection had another connection at the last write, so that it is behind all accesses for that one.
module stream_writer
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Depth = 1 << $clog2(3 * MaxFrameFlits + 32)  // words that are stored
) (
    input logic clk_i,
    input logic rst_i,

    input logic        clear_i,  // after reset, of each connection in turn
    input logic [15:0] clear_index_i,

    input logic    offers_i,  // an event with a message of so many flits
    input length_t offers_flits_i,
    input logic    moves_i,  // a flit of it comes, perhaps with bytes to be written
    input logic    moves_last_i,
    output logic   room_o,  // for the flits of the longest message

    input logic                   begins_i,  // with the first flit of a message of which bytes are written:
    input stretch_t                 range_i,   // all of them
    input logic                   write_i,   // this flit has bytes of the range, or comes before such flits
    input seq_t                   addr_i,
    input logic   [        W-1:0] data_i,
    input logic   [ EmptyWidth:0] begin_i,  // those from this byte of the flit to the one before the end
    input logic   [ EmptyWidth:0] end_i,

    output logic         ask_valid_o,
    input  logic         ask_ready_i,
    output request_t     ask_o,
    output logic         ask_last_o,
    output logic [W-1:0] ask_data_o
);
  // Rotate: byte i of the flit goes to lane i + place; those that pass the end are of the next word.
  lane_t place;
  logic [W-1:0] rotated, data_q;
  header_pkg::placed_t placed_q;
  logic write_q, last_q, begins_q;
  stretch_t range_q;
  assign place = addr_i[EmptyWidth-1:0];
  byte_rotator #(
      .Width(W),
      .Radix(4),
      .Up(1)
  ) u_rotator (
      .data_i,
      .places_i(place),
      .data_o  (rotated)
  );
  always_ff @(posedge clk_i) begin
    write_q <= write_i;
    last_q <= write_i && moves_last_i;
    begins_q <= begins_i;
    data_q <= rotated;
    placed_q <= header_pkg::placed_bytes(place, begin_i, end_i);
    if (begins_i) range_q <= range_i;
    if (rst_i) begin
      write_q <= 1'b0;
      last_q <= 1'b0;
      begins_q <= 1'b0;
    end
  end

  // Join: what the last flit left for this word, and this flit's bytes of it. The last word of a message follows in a cycle of its own.
  typedef struct packed {
    stretch_t left;  // from the first byte of this word on
    logic begins;  // the range
    logic [W-1:0] data;
  } word_t;
  logic [W-1:0] carry_q;
  logic [FlitBytes-1:0] carried_q;
  logic flush_q, push;
  stretch_t left_q;
  logic starts_q;  // no word of the range has been stored
  word_t word, next, head;
  stretch_t left;
  length_t in_word;
  assign left = begins_q ? range_q : left_q;
  assign in_word = length_t'(FlitBytes) - length_t'(left.addr[EmptyWidth-1:0]);
  always_comb begin
    word.left = left;
    word.begins = begins_q || starts_q;
    for (int unsigned i = 0; i < FlitBytes; i++) word.data[8*i+:8] = carried_q[i] ? carry_q[8*i+:8] : data_q[8*i+:8];
    push = flush_q ? carried_q != '0 : write_q && (carried_q | placed_q.here) != '0;
  end
  always_ff @(posedge clk_i) begin
    flush_q <= last_q;
    if (begins_q) begin
      left_q   <= range_q;
      starts_q <= 1'b1;
    end
    if (push) begin
      starts_q <= 1'b0;
      left_q.addr <= left.addr + seq_t'(in_word);
      left_q.bytes <= left.bytes > in_word ? left.bytes - in_word : '0;
    end
    if (write_q) carry_q <= data_q;
    if (write_q) carried_q <= placed_q.next;
    if (flush_q) carried_q <= '0;
    if (rst_i) begin
      flush_q   <= 1'b0;
      carried_q <= '0;
    end
  end

  logic stored, next_valid, next_ready, head_valid, head_ready;
  fifo_block #(
      .T(word_t),
      .Depth(Depth)
  ) u_words (
      .clk_i,
      .rst_i,
      .in_offer_i(push),
      .in_valid_i(push),
      .in_ready_o(stored),
      .in_data_i(word),
      .out_valid_o(next_valid),
      .out_ready_i(next_ready),
      .out_data_o(next)
  );
  skid_buffer #(  // a word of block RAM takes half of a cycle
      .T(word_t)
  ) u_head (
      .clk_i,
      .rst_i,
      .in_valid_i(next_valid),
      .in_ready_o(next_ready),
      .in_data_i(next),
      .out_valid_o(head_valid),
      .out_ready_i(head_ready),
      .out_data_o(head)
  );

  // Room: for the words stored, those that messages on their way may still bring (a word more than they have flits), and those between here and there.
  localparam int unsigned Longest = MaxFrameFlits + 1;
  localparam int unsigned Between = 8;
  if (Depth < 2 * Longest + Between) begin : gen_bad_depth
    $fatal(1, "stream_writer: Depth is %0d; it must be at least %0d", Depth, 2 * Longest + Between);
  end
  typedef logic [$clog2(2*Depth):0] room_t;
  room_t words_q, coming_q;
  always_ff @(posedge clk_i) begin
    words_q <= words_q + room_t'(push) - room_t'(next_valid && next_ready);
    coming_q <= coming_q + (offers_i ? room_t'(offers_flits_i) + 1'b1 : '0) - (moves_i ? room_t'(1) + room_t'(moves_last_i) : '0);
    room_o <= words_q + coming_q <= room_t'(Depth - Longest - Between);
    if (rst_i) begin
      words_q  <= '0;
      coming_q <= '0;
      room_o   <= 1'b0;
    end
  end

  // Requests: as many words as the piece has.
  typedef logic [$clog2(PieceFlits+1)-1:0] flits_t;
  logic open_q;  // a part of the request has left
  flits_t flits, flits_q;
  length_t bytes;
  generation_t received_by[Connections], sent_by[Connections];  // at the last write into each buffer
  typedef logic [$clog2(Connections)-1:0] id_t;
  id_t id;
  logic begins, noted_q, noted_sent_q, same_place, is_new;  // the first request of a range; its generation is noted a cycle later
  id_t noted_id_q;
  generation_t noted_generation_q;
  assign id = id_t'(head.left.connection);
  assign begins = head_valid && ask_ready_i && head.begins;
  assign same_place = noted_q && noted_id_q == id && noted_sent_q == head.left.sent;
  assign is_new = head.left.generation != (same_place ? noted_generation_q : head.left.sent ? sent_by[id] : received_by[id]);
  assign bytes = piece_of(head.left);
  assign flits = flits_t'((length_t'(head.left.addr[EmptyWidth-1:0]) + bytes + length_t'(FlitBytes - 1)) >> EmptyWidth);
  assign ask_valid_o = head_valid;
  assign head_ready = ask_ready_i;
  assign ask_last_o = (open_q ? flits_q : flits) == flits_t'(1);
  assign ask_data_o = head.data;
  always_comb begin
    ask_o = '0;
    ask_o.piece = head.left;
    ask_o.piece.bytes = bytes;
    ask_o.writes = 1'b1;
    ask_o.ordered = head.begins && is_new;
    ask_o.ends = bytes == head.left.bytes;
  end
  always_ff @(posedge clk_i) begin
    if (head_valid && ask_ready_i) begin
      open_q  <= !ask_last_o;
      flits_q <= (open_q ? flits_q : flits) - 1'b1;
    end
    if (clear_i) begin
      received_by[id_t'(clear_index_i)] <= '0;
      sent_by[id_t'(clear_index_i)] <= '0;
    end else if (noted_q) begin
      if (noted_sent_q) sent_by[noted_id_q] <= noted_generation_q;
      else received_by[noted_id_q] <= noted_generation_q;
    end
    noted_q <= begins;
    noted_id_q <= id;
    noted_sent_q <= head.left.sent;
    noted_generation_q <= head.left.generation;
    if (rst_i) begin
      open_q  <= 1'b0;
      noted_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (stored || !push)
      else $error("stream_writer: no room for bytes that have come");
      assert (!flush_q || !write_q)
      else $error("stream_writer: a message follows the one before without a cycle between");
      assert (!flush_q || left_q.bytes == '0 || push)
      else $error("stream_writer: bytes of a range have not come");
    end
  end

  logic unused;
  assign unused = &{1'b0, offers_flits_i, addr_i, head.left.connection, clear_index_i};
endmodule
