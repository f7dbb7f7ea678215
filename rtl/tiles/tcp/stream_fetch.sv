// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of messages ahead from stream buffers in a tile of memory. Each message takes a slot, with room for its bytes, before they are
// requested, so replies are always taken. Messages leave in their order, each when all of its bytes are here, with the number of its slot, from which they are read as from a
// stream's buffer.
//
//   in -> slot -> requests, behind the writes before it -> replies into stream_memory -> out
//
// The bytes of a message are not handed out if they are void_i when they are requested, or if a reply has failed: out_failed_o.
module stream_fetch
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter type item_t = logic [7:0],
    parameter int unsigned Slots = 8,
    parameter int unsigned Most = 4096  // bytes of a message
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   in_valid_i,
    output logic   in_ready_o,
    input  item_t  in_item_i,
    input  stretch_t in_range_i,  // with no bytes, there is nothing to read
    input  count_t begun_i,     // writes that have begun; what comes now waits for these
    input  count_t done_i,      // and those that are done

    output logic     ask_valid_o,
    input  logic     ask_ready_i,
    output request_t ask_o,
    output stretch_t   checks_o,    // what is requested next: it must not be, if
    input  logic     void_i,        // was up in the cycle before

    input logic         reply_valid_i,   // a flit of a reply, in the order of the requests
    input request_t     reply_i,
    input place_t       reply_place_i,
    input logic [W-1:0] reply_data_i,
    input logic         reply_last_i,
    input logic         reply_failed_i,

    output logic   [Slots-1:0] waits_o,  // from the oldest message on: it waits for bytes
    output stretch_t [Slots-1:0] waits_range_o,

    output logic                       out_valid_o,
    input  logic                       out_ready_i,
    output item_t                      out_item_o,
    output stretch_t                     out_range_o,
    output logic   [$clog2(Slots)-1:0] out_slot_o,
    output logic                       out_failed_o,
    input  logic                       released_i,   // the bytes of the last message that left have been read

    input  logic                       read_valid_i,
    input  logic   [$clog2(Slots)-1:0] read_slot_i,
    input  seq_t                       read_addr_i,
    output logic   [            W-1:0] read_data_o
);
  localparam int unsigned Ring = 1 << $clog2(Most + 2 * FlitBytes);
  if (Slots < 2 || Slots > 16 || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $fatal(1, "stream_fetch: Slots is %0d; it must be a power of two from 2 to 16", Slots);
  end
  typedef logic [$clog2(Slots)-1:0] slot_t;
  typedef logic [$clog2(Slots):0] ptr_t;

  // From the oldest message on: those that have left but whose bytes are still to be read (at most one), those that are here, those
  // that are being requested, and those that wait for that.
  ptr_t head_q, out_q, ask_q, tail_q;
  item_t items[Slots];
  stretch_t ranges[Slots];
  count_t after[Slots];
  logic [Slots-1:0] here_q, failed_q;
  logic take;
  assign in_ready_o = ptr_t'(tail_q - head_q) != ptr_t'(Slots);
  assign take = in_valid_i && in_ready_o;

  // Requests.
  logic asking_q, opened_q, reached_q, void_q, asks, ends, skips;  // opened_q: a request of this message has been made
  stretch_t range_q;
  slot_t ask_slot;
  assign ask_slot = slot_t'(ask_q);
  assign checks_o = range_q;
  assign asks = asking_q && reached_q && range_q.bytes != '0 && (opened_q || !void_q);
  assign skips = asking_q && reached_q && !opened_q && (range_q.bytes == '0 || void_q);
  assign ends = piece_of(range_q) == range_q.bytes;
  assign ask_valid_o = asks;
  always_comb begin
    ask_o = '0;
    ask_o.piece = range_q;
    ask_o.piece.bytes = piece_of(range_q);
    ask_o.ends = ends;
    ask_o.slot = 4'(ask_slot);
  end

  count_t owed;
  assign owed = after[ask_slot] - done_i;  // writes that are to be done first
  always_ff @(posedge clk_i) begin
    if (take) begin
      items[slot_t'(tail_q)] <= in_item_i;
      ranges[slot_t'(tail_q)] <= in_range_i;
      after[slot_t'(tail_q)] <= begun_i;
      here_q[slot_t'(tail_q)] <= 1'b0;
      failed_q[slot_t'(tail_q)] <= 1'b0;
      tail_q <= tail_q + 1'b1;
    end
    // A write that is done has left its mark before this sees it, and void_i with it.
    void_q <= void_i;
    reached_q <= asking_q && (reached_q || owed == '0 || owed[$bits(owed)-1]);
    if (!asking_q && ask_q != tail_q) begin
      asking_q <= 1'b1;
      opened_q <= 1'b0;
      range_q  <= ranges[ask_slot];
    end
    if (asks && ask_ready_i) begin
      opened_q <= 1'b1;
      range_q.addr <= range_q.addr + seq_t'(piece_of(range_q));
      range_q.bytes <= range_q.bytes - piece_of(range_q);
      if (void_q) failed_q[ask_slot] <= 1'b1;
    end
    if (skips) here_q[ask_slot] <= 1'b1;
    if (skips && range_q.bytes != '0) failed_q[ask_slot] <= 1'b1;
    if (skips || (asks && ask_ready_i && ends)) begin
      asking_q <= 1'b0;
      reached_q <= 1'b0;
      ask_q <= ask_q + 1'b1;
    end
    if (reply_valid_i && reply_failed_i) failed_q[slot_t'(reply_i.slot)] <= 1'b1;
    if (reply_valid_i && reply_last_i && reply_i.ends) here_q[slot_t'(reply_i.slot)] <= 1'b1;
    if (rst_i) begin
      tail_q <= '0;
      ask_q <= '0;
      asking_q <= 1'b0;
      reached_q <= 1'b0;
    end
  end

  // Out.
  logic using_q;
  assign out_valid_o = out_q != ask_q && here_q[slot_t'(out_q)] && (!using_q || released_i);
  assign out_item_o = items[slot_t'(out_q)];
  assign out_range_o = ranges[slot_t'(out_q)];
  assign out_slot_o = slot_t'(out_q);
  assign out_failed_o = failed_q[slot_t'(out_q)];
  always_ff @(posedge clk_i) begin
    if (using_q && released_i) begin
      head_q  <= head_q + 1'b1;
      using_q <= 1'b0;
    end
    if (out_valid_o && out_ready_i) begin
      out_q   <= out_q + 1'b1;
      using_q <= 1'b1;
    end
    if (rst_i) begin
      head_q <= '0;
      out_q <= '0;
      using_q <= 1'b0;
    end
  end

  for (genvar i = 0; i < int'(Slots); i++) begin : gen_wait
    slot_t slot;
    assign slot = slot_t'(head_q) + slot_t'(i);
    assign waits_o[i] = ptr_t'(i) < ptr_t'(tail_q - head_q) && !here_q[slot] && ranges[slot].bytes != '0;
    assign waits_range_o[i] = ranges[slot];
  end

  stream_memory #(
      .Streams(Slots),
      .Ring   (Ring)
  ) u_bytes (
      .clk_i,
      .write_valid_i (reply_valid_i && !reply_failed_i),
      .write_i       ('{
          connection: connection_t'(reply_i.slot),
          addr: seq_t'({reply_place_i, EmptyWidth'(0)}),
          data: reply_data_i,
          first: '0,
          behind: (EmptyWidth + 1)'(FlitBytes)
      }),
      .read_valid_i,
      .read_stream_i (connection_t'(read_slot_i)),
      .read_addr_i,
      .read_data_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!reply_valid_i || !here_q[slot_t'(reply_i.slot)])
      else $error("stream_fetch: a reply for a message that has all of its bytes");
    end
  end

  logic unused;
  assign unused = &{1'b0, reply_i};
endmodule
