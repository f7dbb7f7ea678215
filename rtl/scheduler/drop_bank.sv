// SPDX-License-Identifier: Apache-2.0
// Counters in block RAM: one pulse per cycle, to any of them, and a second copy to read from. A pulse is
// visible to reads three cycles later.
//
//   cycle 0: read    1: add, write both copies
module drop_bank #(
    parameter int unsigned Depth = 512,
    parameter int unsigned Width = 64,
    localparam int unsigned IndexWidth = $clog2(Depth)
) (
    input logic clk_i,
    input logic rst_i,

    input logic clear_i,
    input logic [IndexWidth-1:0] clear_index_i,

    input logic                  count_i,
    input logic [IndexWidth-1:0] index_i,

    input  logic                  read_i,
    input  logic [IndexWidth-1:0] read_index_i,
    output logic [     Width-1:0] read_value_o
);
  if (Depth < 2) begin : gen_bad_depth
    $fatal(1, "drop_bank: Depth is %0d; it must be at least 2", Depth);
  end

  logic count_q, hit_q, read_hit_q;
  logic [IndexWidth-1:0] index_q;
  logic [Width-1:0] held, copy, sum, sum_q, write_value;
  logic write;
  logic [IndexWidth-1:0] write_index;
  // Forwards the sum that is written in the cycle of a read.
  assign sum = (hit_q ? sum_q : held) + 1'b1;
  assign write = clear_i || count_q;
  assign write_index = clear_i ? clear_index_i : index_q;
  assign write_value = clear_i ? '0 : sum;

  ram_simple_dual #(
      .T(logic [Width-1:0]),
      .Depth(Depth)
  ) u_counts (
      .clk_i,
      .write_enable_i(write),
      .write_addr_i(write_index),
      .write_data_i(write_value),
      .read_enable_i(count_i),
      .read_addr_i(index_i),
      .read_data_o(held)
  );

  ram_simple_dual #(
      .T(logic [Width-1:0]),
      .Depth(Depth)
  ) u_copy (
      .clk_i,
      .write_enable_i(write),
      .write_addr_i(write_index),
      .write_data_i(write_value),
      .read_enable_i(read_i),
      .read_addr_i(read_index_i),
      .read_data_o(copy)
  );
  assign read_value_o = read_hit_q ? sum_q : copy;

  always_ff @(posedge clk_i) begin
    count_q <= count_i && !clear_i;
    hit_q   <= count_q && index_q == index_i;
    if (count_i) index_q <= index_i;
    if (write) sum_q <= write_value;
    if (read_i) read_hit_q <= write && write_index == read_index_i;
    if (rst_i) count_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      twice_in_a_row : cover (count_q && hit_q);
      read_while_written : cover (read_i && !clear_i && write && write_index == read_index_i);
    end
  end
endmodule
