// SPDX-License-Identifier: Apache-2.0
// The packet memory of a core: block RAM of Flits flits. One stream writes flits, another reads them, and the core reads and writes words. The core
// goes first, except in the cycle after it has delayed a stream, so no stream waits for more than one cycle. Reads are answered in the next cycle. A
// read of the core is known late in a cycle: a stream whose read was displaced learns this in the next cycle, and repeats it. A flit of a reply from memory
// is written before anything else.
module slot_memory
  import girih_pkg::*;
#(
    parameter int unsigned Flits = 512,
    localparam int unsigned FlitBits = $clog2(Flits),
    localparam int unsigned WordBits = $clog2(W / 32)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                write_valid_i,
    output logic                write_ready_o,
    input  logic [FlitBits-1:0] write_addr_i,
    input  logic [       W-1:0] write_data_i,

    input  logic                read_valid_i,
    output logic                read_again_o,  // the read of the last cycle was displaced; the core reads nothing now
    input  logic [FlitBits-1:0] read_addr_i,
    output logic [       W-1:0] read_data_o,

    input  logic                         core_read_i,
    input  logic [FlitBits+WordBits-1:0] core_read_addr_i,   // of a word
    output logic [                 31:0] core_read_data_o,
    input  logic                         core_writes_i,      // not while core_write_pause_o is up
    input  logic [                  3:0] core_write_i,       // by byte; known later in a cycle than that it writes, and 0 if it must not
    input  logic [FlitBits+WordBits-1:0] core_write_addr_i,
    input  logic [                 31:0] core_write_data_i,
    output logic                         core_write_pause_o,

    input logic                 place_i,
    input logic [ FlitBits-1:0] place_addr_i,
    input logic [FlitBytes-1:0] place_bytes_i,  // which of them
    input logic [        W-1:0] place_data_i
);
  if (Flits < 4 || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "slot_memory: Flits is %0d; it must be a power of two, at least 4", Flits);
  end

  logic core_reads, write_pause_q, read_again_q;
  logic [WordBits-1:0] word_q;
  assign core_reads = core_read_i && !read_again_q;
  assign write_ready_o = !core_writes_i && !place_i;
  assign core_write_pause_o = write_pause_q || place_i;
  assign read_again_o = read_again_q;

  logic [FlitBytes-1:0] enable;
  logic [W-1:0] data;
  logic [FlitBits-1:0] write_addr, read_addr;
  always_comb begin
    enable = '1;
    write_addr = write_addr_i;
    data = write_data_i;
    if (core_writes_i) begin
      enable = FlitBytes'(core_write_i) << {core_write_addr_i[WordBits-1:0], 2'b00};
      write_addr = core_write_addr_i[FlitBits+WordBits-1:WordBits];
      data = {(W / 32) {core_write_data_i}};
    end
    if (place_i) begin
      enable = place_bytes_i;
      write_addr = place_addr_i;
      data = place_data_i;
    end
  end
  assign read_addr = core_reads ? core_read_addr_i[FlitBits+WordBits-1:WordBits] : read_addr_i;
  assign core_read_data_o = read_data_o[32*word_q+:32];

  (* ram_style = "block" *) logic [W-1:0] mem[Flits];
  always_ff @(posedge clk_i) begin
    if (write_valid_i || core_writes_i || place_i) for (int unsigned i = 0; i < FlitBytes; i++) if (enable[i]) mem[write_addr][8*i+:8] <= data[8*i+:8];
    if (core_reads || read_valid_i) read_data_o <= mem[read_addr];
    word_q <= core_read_addr_i[WordBits-1:0];
    write_pause_q <= (core_writes_i && write_valid_i) || (write_pause_q && place_i);
    read_again_q <= core_reads && read_valid_i;
    if (rst_i) begin
      write_pause_q <= 1'b0;
      read_again_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(core_writes_i && core_write_pause_o))
      else $error("slot_memory: the core writes while the stream must go first");
    end
  end
endmodule
