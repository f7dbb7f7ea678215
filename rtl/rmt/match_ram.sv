// SPDX-License-Identifier: Apache-2.0
// Block RAM for one way of a table: one port for packets, which reads, and one for software, which
// reads or writes. Outputs are registered. A packet's read of the entry that is written in the same
// cycle gives an undefined value: match_exact takes the new entry from elsewhere then.
module match_ram #(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 64,
    localparam int unsigned AddrWidth = $clog2(Depth)
) (
    input logic clk_i,

    input  logic                 read_enable_i,
    input  logic [AddrWidth-1:0] read_addr_i,
    output T                     read_data_o,

    input  logic                 port_enable_i,
    input  logic                 port_write_i,
    input  logic [AddrWidth-1:0] port_addr_i,
    input  T                     port_write_data_i,
    output T                     port_read_data_o
);
  if (Depth < 2) begin : gen_bad_depth
    $fatal(1, "match_ram: Depth is %0d; it must be at least 2", Depth);
  end

  (* ram_style = "block" *) T mem[Depth];

  always_ff @(posedge clk_i) begin
    if (read_enable_i) read_data_o <= mem[read_addr_i];
  end

  always_ff @(posedge clk_i) begin
    if (port_enable_i) begin
      if (port_write_i) mem[port_addr_i] <= port_write_data_i;
      else port_read_data_o <= mem[port_addr_i];
    end
  end
endmodule
