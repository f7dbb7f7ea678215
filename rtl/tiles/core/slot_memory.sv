// SPDX-License-Identifier: Apache-2.0
// The packet memory of a core: block RAM of Flits flits. A stream writes flits, another one reads them, and the core reads and writes
// words. The core goes first, except in the cycle after one of its own accesses, so no stream waits for more than one cycle.
// Reads answer in the next cycle.
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
    output logic                read_ready_o,
    input  logic [FlitBits-1:0] read_addr_i,
    output logic [       W-1:0] read_data_o,

    input  logic                         core_valid_i,
    output logic                         core_ready_o,
    input  logic [                  3:0] core_write_i,  // by byte; 0: a read
    input  logic [FlitBits+WordBits-1:0] core_addr_i,   // of a word
    input  logic [                 31:0] core_data_i,
    output logic [                 31:0] core_data_o
);
  if (Flits < 4 || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "slot_memory: Flits is %0d; it must be a power of two, at least 4", Flits);
  end

  logic writes, took_q, core_write, core_read;
  logic [WordBits-1:0] word, word_q;
  assign writes = core_write_i != '0;
  assign word = core_addr_i[WordBits-1:0];
  assign core_ready_o = !(took_q && (writes ? write_valid_i : read_valid_i));
  assign core_write = core_valid_i && core_ready_o && writes;
  assign core_read = core_valid_i && core_ready_o && !writes;
  assign write_ready_o = !core_write;
  assign read_ready_o = !core_read;

  logic [FlitBytes-1:0] enable;
  logic [W-1:0] data;
  logic [FlitBits-1:0] write_addr, read_addr;
  always_comb begin
    enable = '1;
    write_addr = write_addr_i;
    data = write_data_i;
    if (core_write) begin
      enable = FlitBytes'(core_write_i) << {word, 2'b00};
      write_addr = core_addr_i[FlitBits+WordBits-1:WordBits];
      data = {(W / 32) {core_data_i}};
    end
  end
  assign read_addr = core_read ? core_addr_i[FlitBits+WordBits-1:WordBits] : read_addr_i;
  assign core_data_o = read_data_o[32*word_q+:32];

  (* ram_style = "block" *) logic [W-1:0] mem[Flits];
  always_ff @(posedge clk_i) begin
    if (write_valid_i || core_write) for (int unsigned i = 0; i < FlitBytes; i++) if (enable[i]) mem[write_addr][8*i+:8] <= data[8*i+:8];
    if (core_read || read_valid_i) read_data_o <= mem[read_addr];
    word_q <= word;
    took_q <= core_write || core_read;
    if (rst_i) took_q <= 1'b0;
  end
endmodule
