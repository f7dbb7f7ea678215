// SPDX-License-Identifier: Apache-2.0
// The memory of a core: block RAM of Words words of 32 bits. One port fetches, and holds its answer while it is not used. The other one
// reads or writes bytes in every cycle. Both answer in the next cycle.
module core_memory #(
    parameter int unsigned Words = 8192,
    localparam int unsigned AddrWidth = $clog2(Words)
) (
    input logic clk_i,

    input  logic                 fetch_enable_i,
    input  logic [AddrWidth-1:0] fetch_addr_i,
    output logic [         31:0] fetch_data_o,

    input  logic [          3:0] write_i,  // by byte; 0: a read
    input  logic [AddrWidth-1:0] addr_i,
    input  logic [         31:0] data_i,
    output logic [         31:0] data_o
);
  if (Words < 1024 || (Words & (Words - 1)) != 0) begin : gen_bad_words
    $fatal(1, "core_memory: Words is %0d; it must be a power of two, at least 1024", Words);
  end

  (* ram_style = "block" *) logic [31:0] mem[Words];

  always_ff @(posedge clk_i) begin
    if (fetch_enable_i) fetch_data_o <= mem[fetch_addr_i];
    for (int unsigned i = 0; i < 4; i++) if (write_i[i]) mem[addr_i][8*i+:8] <= data_i[8*i+:8];
    if (write_i == '0) data_o <= mem[addr_i];
  end
endmodule
