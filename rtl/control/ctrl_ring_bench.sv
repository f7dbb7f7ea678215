// SPDX-License-Identifier: Apache-2.0
// For the tests of the control network: the bridge and a ring of Stops nodes, numbered Base, Base + 1,
// and so on. Each node has 16 words that answer after a number of cycles that depends on the word; the
// words from 8 on refuse writes. What lies beyond is an error, and so is a request of a tenant other than the
// node's number modulo 4. At 0x4000 each node has a window of one word, which does not answer while hold_i is up.
module ctrl_ring_bench
  import girih_pkg::*;
#(
    parameter int unsigned Stops = 5,
    parameter int unsigned Base = 3,
    parameter int unsigned Limit = 200  // cycles that a window may take
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    output logic [ 1:0] s_axil_bresp,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    input  logic [31:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,

    input logic [4:0] link_stall_i,
    input logic [Stops-1:0] hold_i,

    output timestamp_t now_o
);
  ctrl_t ring[Stops+1];

  ctrl_bridge #(
      .Digest(64'h0123_4567_89ab_cdef),
      .Ports (2),
      .Tiles (Stops),
      .Links (5)
  ) u_bridge (
      .ctrl_o(ring[0]),
      .ctrl_i(ring[Stops]),
      .*
  );

  for (genvar i = 0; i < Stops; i++) begin : gen_stop
    logic valid, write, done, error;
    tenant_t tenant;
    logic [15:0] offset;
    logic [31:0] wdata;
    logic [31:0] words[16];
    logic [3:0] index, wait_q;
    logic in_window, foreign, word_error, word_done;
    assign index = offset[5:2];
    assign in_window = offset == 16'h4000;
    assign foreign = tenant != '0 && tenant != tenant_t'((Base + i) % 4);
    assign word_error = offset >= 16'h40 || (write && index >= 4'd8) || foreign;
    assign word_done = valid && !in_window && wait_q == index;

    logic guard_done, guard_error, guard_late, window_valid, window_write;
    logic [13:0] unused_addr;
    tenant_t unused_tenant;
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
        .window_done_i(window_valid && !hold_i[i]),
        .window_error_i(1'b0),
        .window_data_i(window_word)
    );
    assign done = in_window ? guard_done : word_done;
    assign error = in_window ? guard_error : word_error;

    ctrl_node #(
        .Node(node_t'(Base + i))
    ) u_node (
        .clk_i,
        .rst_i,
        .ctrl_i  (ring[i]),
        .ctrl_o  (ring[i+1]),
        .valid_o (valid),
        .write_o (write),
        .tenant_o(tenant),
        .offset_o(offset),
        .data_o  (wdata),
        .done_i  (done),
        .error_i (error),
        .data_i  (!in_window ? words[index] : guard_error ? 32'(guard_late) : guard_data)
    );

    always_ff @(posedge clk_i) begin
      wait_q <= valid && !in_window && !done ? wait_q + 1'b1 : '0;
      if (window_valid && !hold_i[i] && window_write) window_word <= window_wdata;
      if (word_done && write && !error) words[index] <= wdata;
      if (rst_i) begin
        wait_q <= '0;
        for (int unsigned word = 0; word < 16; word++) words[word] <= 32'(word) << 8 | 32'(Base + i);
      end
    end
  end
endmodule
