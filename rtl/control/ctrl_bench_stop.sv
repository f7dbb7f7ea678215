// SPDX-License-Identifier: Apache-2.0
// For the tests of the control network: a node with 16 words. Each answers after a number of cycles that depends on the
// word; the words from 8 on refuse writes. A request beyond the words ends with an error, and so does one from
// a tenant that is neither the operator nor the node's number modulo 4. At 0x4000 it has a window of one word, which does not answer
// while hold_i is 1.
module ctrl_bench_stop
  import girih_pkg::*;
#(
    parameter int unsigned Number = 0,
    parameter bit Shared = 1'b0,
    parameter int unsigned Limit = 200  // cycles that a window may take
) (
    input logic clk_i,
    input logic rst_i,

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    input logic hold_i
);
  logic valid, write, done, error;
  tenant_t tenant;
  logic [15:0] offset;
  logic [31:0] wdata;
  logic [31:0] words[16];
  logic [3:0] index, wait_q;
  logic in_window, foreign, word_error, word_done;
  assign index = offset[5:2];
  assign in_window = offset == 16'h4000;
  assign foreign = tenant != '0 && tenant != tenant_t'(Number % 4);
  assign word_error = offset >= 16'h40 || (write && index >= 4'd8) || foreign;
  assign word_done = valid && !in_window && wait_q == index;

  logic guard_done, guard_error, guard_late, window_valid, window_write;
  logic [13:0] unused_addr;
  tenant_t unused_tenant;
  ctrl_master_t unused_master;
  logic [31:0] guard_data, window_wdata, window_word;
  window_guard #(
      .Limit(Limit)
  ) u_guard (
      .clk_i,
      .rst_i,
      .valid_i(valid && in_window),
      .write_i(write),
      .addr_i(offset[13:0]),
      .data_i(wdata),
      .tenant_i(tenant),
      .done_o(guard_done),
      .error_o(guard_error),
      .late_o(guard_late),
      .data_o(guard_data),
      .window_valid_o(window_valid),
      .window_write_o(window_write),
      .window_addr_o(unused_addr),
      .window_data_o(window_wdata),
      .window_tenant_o(unused_tenant),
      .window_done_i(window_valid && !hold_i),
      .window_error_i(1'b0),
      .window_data_i(window_word)
  );
  assign done = in_window ? guard_done : word_done;
  assign error = in_window ? guard_error : word_error;

  ctrl_node #(
      .Node(node_t'(Number)),
      .Shared(Shared)
  ) u_node (
      .clk_i,
      .rst_i,
      .ctrl_i  (ctrl_i),
      .ctrl_o  (ctrl_o),
      .valid_o (valid),
      .write_o (write),
      .master_o(unused_master),
      .tenant_o(tenant),
      .offset_o(offset),
      .data_o  (wdata),
      .done_i  (done),
      .error_i (error),
      .data_i  (!in_window ? words[index] : guard_error ? 32'(guard_late) : guard_data)
  );

  always_ff @(posedge clk_i) begin
    wait_q <= valid && !in_window && !done ? wait_q + 1'b1 : '0;
    if (window_valid && !hold_i && window_write) window_word <= window_wdata;
    if (word_done && write && !error) words[index] <= wdata;
    if (rst_i) begin
      wait_q <= '0;
      for (int unsigned word = 0; word < 16; word++) words[word] <= 32'(word) << 8 | 32'(Number);
    end
  end
endmodule
