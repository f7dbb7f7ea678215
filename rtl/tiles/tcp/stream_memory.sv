// SPDX-License-Identifier: Apache-2.0
// A ring of Ring bytes for each of Streams byte streams, in block RAM. One write and one read of up to a flit per
// cycle, from any byte on: byte i of the flit is at address + i, modulo the ring.
//
//   write: [data, mask, address] -> rotate -> register -> two banks of words, even and odd
//   read:  banks -> register -> rotate -> data, two cycles after the address
//
// A write is seen by reads that start two cycles after it; those of the same bytes in between give undefined values.
module stream_memory
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Streams = 1024,
    parameter int unsigned Ring = 8192
) (
    input logic clk_i,

    input logic   write_valid_i,
    input write_t write_i,

    input  logic                read_valid_i,   // holds the output while it is low
    input  connection_t         read_stream_i,
    input  seq_t                read_addr_i,
    output logic        [W-1:0] read_data_o
);
  if (Ring < 4 * FlitBytes || (Ring & (Ring - 1)) != 0) begin : gen_bad_ring
    $fatal(1, "stream_memory: Ring is %0d; it must be a power of two, at least %0d", Ring, 4 * FlitBytes);
  end
  if (Streams < 2 || (Streams & (Streams - 1)) != 0) begin : gen_bad_streams
    $fatal(1, "stream_memory: Streams is %0d; it must be a power of two, at least 2", Streams);
  end

  localparam int unsigned RowBits = $clog2(Ring / FlitBytes / 2);
  localparam int unsigned StreamBits = $clog2(Streams);
  localparam int unsigned Rows = Streams * Ring / FlitBytes / 2;
  localparam int unsigned BlockRows = Rows > 4096 ? 4096 : Rows;  // of a block of UltraRAM
  localparam int unsigned BlockBits = $clog2(BlockRows);
  localparam int unsigned Blocks = Rows / BlockRows;
  typedef logic [StreamBits-1:0] stream_t;
  typedef logic [RowBits-1:0] row_t;
  typedef logic [StreamBits+RowBits-1:0] address_t;  // of a row in a bank

  // The even bank has a byte's word or, if that is odd, the one behind it.
  typedef struct packed {
    row_t even;
    row_t odd;
    logic starts_odd;
    logic [EmptyWidth-1:0] place;
  } where_t;
  function automatic where_t where(seq_t addr);
    where.place = addr[EmptyWidth-1:0];
    where.starts_odd = addr[EmptyWidth];
    where.odd = addr[EmptyWidth+1+:RowBits];
    where.even = where.odd + row_t'(where.starts_odd);
  endfunction

  where_t write_where, read_where, read_where_q;
  assign write_where = where(write_i.addr);
  assign read_where  = where(read_addr_i);

  logic [W-1:0] rotated, write_data_q;
  header_pkg::placed_t placed;
  byte_rotator #(
      .Width(W),
      .Radix(4),
      .Up(1)
  ) u_write_rotator (
      .data_i  (write_i.data),
      .places_i(write_where.place),
      .data_o  (rotated)
  );
  assign placed = header_pkg::placed_bytes(write_where.place, write_i.first, write_i.behind);
  always_ff @(posedge clk_i) write_data_q <= rotated;

  // A word is an OR of those of the blocks, six of them in a table, and so on. Nets of their own, since mapping takes a third more tables otherwise, to save
  // levels; so is the choice between the words, by byte.
  (* keep *) logic [1:0][W-1:0] words;
  (* keep *) logic [FlitBytes-1:0] of_odd;
  for (genvar b = 0; b < 2; b++) begin : gen_bank
    logic [FlitBytes-1:0] enable;
    address_t write_row, read_row;
    logic [BlockBits-1:0] write_row_q;
    logic [Blocks-1:0][W-1:0] word;  // 0 of a block that is not read: an OR of them takes half of the tables of a multiplexer
    assign enable = write_where.starts_odd == (b == 1) ? placed.here : placed.next;
    assign write_row = {stream_t'(write_i.connection), b == 0 ? write_where.even : write_where.odd};
    assign read_row = {stream_t'(read_stream_i), b == 0 ? read_where.even : read_where.odd};
    always_ff @(posedge clk_i) write_row_q <= write_row[BlockBits-1:0];
    for (genvar k = 0; k < int'(Blocks); k++) begin : gen_block
      (* ram_style = "ultra" *) logic [W-1:0] mem[BlockRows];
      logic written, read;
      logic [FlitBytes-1:0] enable_q;  // cleared by the registers' reset, which takes no tables
      assign written = write_valid_i && (Blocks == 1 || write_row >> BlockBits == address_t'(k));
      assign read = Blocks == 1 || read_row >> BlockBits == address_t'(k);
      always_ff @(posedge clk_i) begin
        if (written) enable_q <= enable;
        else enable_q <= '0;
        for (int unsigned i = 0; i < FlitBytes; i++) begin
          if (enable_q[i]) mem[write_row_q][8*i+:8] <= write_data_q[8*i+:8];
        end
        if (read_valid_i) begin
          if (read) word[k] <= mem[read_row[BlockBits-1:0]];
          else word[k] <= '0;
        end
      end
    end
    (* keep *) logic [Blocks/6:0][W-1:0] group;
    always_comb begin
      for (int g = 0; g <= int'(Blocks / 6); g++) group[g] = '0;
      for (int k = 0; k < int'(Blocks / 6 * 6); k++) group[k/6] |= word[k];
      words[b] = '0;
      for (int g = 0; g < int'(Blocks / 6); g++) words[b] |= group[g];
      for (int k = int'(Blocks / 6 * 6); k < int'(Blocks); k++) words[b] |= word[k];
    end
  end

  logic [W-1:0] merged;
  logic [FlitBytes-1:0] read_behind_q;
  always_ff @(posedge clk_i) begin
    if (read_valid_i) begin
      read_where_q <= read_where;
      read_behind_q <= header_pkg::lower_bits(read_where.place);
    end
  end
  assign of_odd = {FlitBytes{read_where_q.starts_odd}} ^ read_behind_q;
  for (genvar i = 0; i < int'(FlitBytes); i++) begin : gen_byte
    assign merged[8*i+:8] = words[of_odd[i]][8*i+:8];
  end
  byte_rotator #(
      .Width(W),
      .Radix(4)
  ) u_read_rotator (
      .data_i  (merged),
      .places_i(read_where_q.place),
      .data_o  (read_data_o)
  );

  logic unused;
  assign unused = &{1'b0, write_i, read_stream_i, read_addr_i, read_where_q, write_where};
endmodule
