// SPDX-License-Identifier: Apache-2.0
// Sends messages to applications: that a connection is open, or the bytes of its stream. These are read from the buffer without a pause, so that
// the space can be given back to the peer at once. notice_ready_o is up while there is room for the longest message. Bytes are written into the buffer at
// a flit per cycle, the rate at which they are read, so reading starts at least two cycles after the first write that is still in progress.
//
//   notice -> read the buffer -> register -> packet_store
module tcp_notifier
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter bit Cut = TimingMhz >= 250  // behind the buffer's bytes
) (
    input logic clk_i,
    input logic rst_i,

    input  logic    notice_valid_i,
    output logic    notice_ready_o,
    input  notice_t notice_i,

    input logic        write_later_i,      // a message of this connection is moving whose bytes are not yet in the buffer
    input connection_t write_connection_i,

    output logic                read_valid_o,
    output connection_t         read_connection_o,
    output seq_t                read_addr_o,
    input  logic        [W-1:0] read_data_i,
    output logic                reading_o,          // read_addr_o is the first byte of a stream that is still to be read

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o
);
  // For an open connection: the peer's address (IPv4 within IPv6), its port, and the local port.
  localparam int unsigned Flits = (OpenedBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned Depth = 1 << $clog2(2 * MaxFrameFlits);  // of the store, in flits
  localparam int unsigned Tokens = 32;
  typedef logic [$clog2(Depth):0] room_t;
  typedef logic [$clog2(Tokens):0] count_t;
  typedef struct packed {
    flit_t flit;
    logic [15:0] port;
  } piece_t;
  logic [OpenedBytes*8-1:0] opened;
  assign opened = {80'h0, 16'hffff, notice_i.tuple.remote_addr, notice_i.tuple.remote_port, notice_i.tuple.local_port};

  logic busy_q, reads, waits_q, later_q, held_q, last, flit_valid_q, flit_last_q, opened_q, flit_opened_q;
  logic [Flits*FlitBytes-1:0][7:0] text_q;
  logic [FlitBytes-1:0][7:0] flit_text_q;
  length_t left_q, flit_left_q;
  seq_t addr_q;
  connection_t connection_q, later_connection_q;
  descriptor_t desc_q, flit_desc_q;
  logic [15:0] port_q, flit_port_q;
  logic take, store_valid, store_ready, fits_q, sent_q, sent_last_q;
  room_t room_q;
  count_t messages_q;
  assign last = left_q <= length_t'(FlitBytes);
  assign take = notice_valid_i && notice_ready_o;
  assign notice_ready_o = !busy_q && !flit_valid_q && fits_q;
  assign reads = busy_q && !(waits_q && held_q);
  assign reading_o = busy_q && !opened_q;
  assign read_valid_o = reads;
  assign read_connection_o = connection_q;
  assign read_addr_o = addr_q;

  always_ff @(posedge clk_i) begin
    later_q <= write_later_i;
    later_connection_q <= write_connection_i;
    held_q <= later_q && later_connection_q == (busy_q ? connection_q : notice_i.connection);
    flit_valid_q <= reads;
    flit_last_q <= last;
    flit_left_q <= left_q;
    flit_desc_q <= desc_q;
    flit_port_q <= port_q;
    flit_text_q <= text_q[FlitBytes-1:0];
    flit_opened_q <= opened_q;
    if (reads) begin
      waits_q <= 1'b0;
      left_q <= left_q - length_t'(FlitBytes);
      addr_q <= addr_q + seq_t'(FlitBytes);
      text_q <= text_q >> W;
      if (last) busy_q <= 1'b0;
    end
    if (take) begin
      busy_q <= 1'b1;
      waits_q <= !notice_i.opened;
      opened_q <= notice_i.opened;
      addr_q <= notice_i.seq;
      port_q <= notice_i.application;
      for (int unsigned i = 0; i < OpenedBytes; i++) text_q[i] <= opened[8*(OpenedBytes-1-i)+:8];
      desc_q <= '0;
      desc_q.port <= notice_i.port;
      desc_q.tenant <= notice_i.tenant;
      desc_q.stream_op <= 3'(notice_i.opened ? OpOpened : OpData);
      desc_q.stream_connection <= notice_i.name;
      connection_q <= notice_i.connection;
      desc_q.stream_bytes <= notice_i.bytes;
      desc_q.stream_room <= notice_i.room;
      desc_q.stream_end <= notice_i.at_end;
      desc_q.stream_reset <= notice_i.is_reset;
      if (notice_i.opened) left_q <= length_t'(OpenedBytes);
      else left_q <= notice_i.bytes == '0 ? length_t'(1) : notice_i.bytes;
    end
    if (rst_i) begin
      busy_q <= 1'b0;
      flit_valid_q <= 1'b0;
    end
  end

  flit_t flit;
  always_comb begin
    flit = '0;
    flit.desc = flit_desc_q;
    flit.last = flit_last_q;
    flit.empty = flit_last_q ? EmptyWidth'(FlitBytes - 32'(flit_left_q)) : '0;
    flit.data = flit_opened_q ? flit_text_q : read_data_i;
    // The one byte of a message without bytes must not be one of an earlier connection.
    if (!flit_opened_q && flit_desc_q.stream_bytes == '0) flit.data = '0;
  end

  piece_t piece;
  logic unused_ready, unused_fits;
  stream_register #(
      .T(piece_t),
      .Cut(Cut)
  ) u_register (
      .clk_i,
      .rst_i,
      .in_valid_i (flit_valid_q),
      .in_ready_o (unused_ready),
      .in_data_i  ({flit, flit_port_q}),
      .out_valid_o(store_valid),
      .out_ready_i(1'b1),
      .out_data_o (piece)
  );
  logic [15:0] token;
  packet_store #(
      .token_t(logic [15:0]),
      .Depth(Depth),
      .Tokens(Tokens),
      .Bypass(0)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i (store_valid),
      .in_ready_o (store_ready),
      .in_flit_i  (piece.flit),
      .commit_i   (piece.flit.last),
      .drop_i     (1'b0),
      .token_i    (piece.port),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_token_o(token),
      .fits_o     (unused_fits)
  );
  assign out_key_o = next_key_t'(token);

  // Free space in the store, less the flits on their way there.
  always_ff @(posedge clk_i) begin
    sent_q <= out_valid_o && out_ready_i;
    sent_last_q <= out_valid_o && out_ready_i && out_flit_o.last;
    room_q <= room_q + room_t'(sent_q) - room_t'(reads);
    messages_q <= messages_q + count_t'(take) - count_t'(sent_last_q);
    fits_q <= room_q >= room_t'(MaxFrameFlits) && messages_q < count_t'(Tokens);
    if (rst_i) begin
      sent_q <= 1'b0;
      sent_last_q <= 1'b0;
      room_q <= room_t'(Depth);
      messages_q <= '0;
      fits_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!store_valid || store_ready)
      else $error("tcp_notifier: bytes that have been read find no room");
    end
  end
endmodule
