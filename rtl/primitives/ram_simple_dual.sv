// SPDX-License-Identifier: Apache-2.0
// Block RAM of Depth entries of type T: one write port, one read port with a registered output that
// holds while read_enable_i is low. A read of the entry that is written in the same cycle gives an
// undefined value: callers do not use it.
module ram_simple_dual #(
    parameter type T = logic [7:0],
    parameter int unsigned Depth = 512,
    localparam int unsigned AddrWidth = $clog2(Depth)
) (
    input logic clk_i,

    input logic                 write_enable_i,
    input logic [AddrWidth-1:0] write_addr_i,
    input T                     write_data_i,

    input  logic                 read_enable_i,
    input  logic [AddrWidth-1:0] read_addr_i,
    output T                     read_data_o
);
  if (Depth < 2) begin : gen_bad_depth
    $fatal(1, "ram_simple_dual: Depth is %0d; it must be at least 2", Depth);
  end

  (* ram_style = "block" *) T mem[Depth];

  always_ff @(posedge clk_i) begin
    if (write_enable_i) mem[write_addr_i] <= write_data_i;
    if (read_enable_i) read_data_o <= mem[read_addr_i];
  end
endmodule
