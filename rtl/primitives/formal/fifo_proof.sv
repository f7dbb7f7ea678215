// SPDX-License-Identifier: Apache-2.0
// Proves fifo: what goes in comes out, once and in order; valid stays and data holds until ready.
module fifo_proof #(
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic in_valid_i,
    input logic [1:0] in_data_i,
    input logic out_ready_i,
    input logic track_i
);
  typedef logic [1:0] data_t;
  localparam int unsigned CountWidth = $clog2(Depth) + 1;
  typedef logic [CountWidth-1:0] count_t;

  logic rst, in_ready, out_valid, tracking;
  data_t out_data, data;
  count_t count, ahead;

  fifo #(
      .T(data_t),
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data)
  );

  queue_track #(
      .T(data_t),
      .CountWidth(CountWidth)
  ) u_track (
      .clk_i,
      .rst_o(rst),
      .in_valid_i,
      .in_ready_i(in_ready),
      .in_data_i,
      .out_valid_i(out_valid),
      .out_ready_i,
      .out_data_i(out_data),
      .track_i,
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(data)
  );

  localparam int unsigned PtrWidth = $clog2(Depth);

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (out_valid == (count != '0));
      assert (in_ready == (count != count_t'(Depth)));
      assert (count <= count_t'(Depth));
      // Where the tracked entry lies.
      assert (count_t'(u_dut.write_ptr_q - u_dut.read_ptr_q) == count);
      if (tracking) assert (u_dut.mem[PtrWidth'(u_dut.read_ptr_q+ahead)] == data);
    end
  end
endmodule
