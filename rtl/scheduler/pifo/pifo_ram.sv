// SPDX-License-Identifier: Apache-2.0
// Block RAM with one write port and Readers read ports of one cycle. A read sees a write of the same cycle
// (write first): one to seen_addr_i, which is read_addr_i unless a user knows better only after it has given the address.
module pifo_ram #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Readers = 1,
    localparam int unsigned AddrWidth = $clog2(Depth)
) (
    input logic clk_i,

    input logic                 write_enable_i,
    input logic [AddrWidth-1:0] write_addr_i,
    input logic [    Width-1:0] write_data_i,

    input  logic [AddrWidth-1:0] read_addr_i[Readers],
    input  logic [AddrWidth-1:0] seen_addr_i[Readers],
    output logic [    Width-1:0] read_data_o[Readers]
);
  typedef logic [Width-1:0] data_t;

  data_t written_q;
  always_ff @(posedge clk_i) begin
    if (write_enable_i) written_q <= write_data_i;
  end

  for (genvar i = 0; i < Readers; i++) begin : gen_reader
    data_t read_data;
    logic bypass;

    ram_simple_dual #(
        .T(data_t),
        .Depth(Depth)
    ) u_ram (
        .clk_i,
        .write_enable_i,
        .write_addr_i,
        .write_data_i,
        .read_enable_i(1'b1),
        .read_addr_i(read_addr_i[i]),
        .read_data_o(read_data)
    );

    always_ff @(posedge clk_i) bypass <= write_enable_i && write_addr_i == seen_addr_i[i];
    assign read_data_o[i] = bypass ? written_q : read_data;
  end
endmodule
