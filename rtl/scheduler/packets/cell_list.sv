// SPDX-License-Identifier: Apache-2.0
// A first-in first-out list of free chains of cells. A block RAM holds, at the address of a chain's last cell,
// the next chain, so the list needs no memory for the cells themselves.
// One chain in and one out per cycle; a chain pushed in one cycle can be popped in the next.
// All outputs come from registers (one of them the RAM's output register).
module cell_list #(
    parameter int unsigned Cells = 1024,
    parameter type chain_t = logic [$clog2(Cells)-1:0],
    localparam int unsigned CellWidth = $clog2(Cells)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                 push_i,
    input chain_t               push_chain_i,
    input logic [CellWidth-1:0] push_last_i,   // the chain's last cell

    output logic                 valid_o,
    output chain_t               chain_o,
    input  logic                 pop_i,  // only while valid_o
    input  logic [CellWidth-1:0] last_i  // the last cell of chain_o
);
  logic valid_q, ram_q;
  chain_t head_q, ram_chain;
  logic [CellWidth-1:0] tail_q;

  assign valid_o = valid_q;
  assign chain_o = ram_q ? ram_chain : head_q;

  logic only, straight;  // only: chain_o is the only one; straight: the pushed chain is the next cycle's head
  assign only = last_i == tail_q;
  assign straight = push_i && (!valid_q || (pop_i && only));

  ram_simple_dual #(
      .T(chain_t),
      .Depth(Cells)
  ) u_next (
      .clk_i,
      .write_enable_i(push_i && !straight),
      .write_addr_i(tail_q),
      .write_data_i(push_chain_i),
      .read_enable_i(pop_i && !only),
      .read_addr_i(last_i),
      .read_data_o(ram_chain)
  );

  always_ff @(posedge clk_i) begin
    if (push_i) tail_q <= push_last_i;
    if (straight) head_q <= push_chain_i;
    if (straight) ram_q <= 1'b0;
    else if (pop_i) ram_q <= 1'b1;
    valid_q <= push_i || (valid_q && !(pop_i && only));
    if (rst_i) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (valid_q || !pop_i)
      else $error("cell_list: pop of an empty list");
    end
  end
endmodule
