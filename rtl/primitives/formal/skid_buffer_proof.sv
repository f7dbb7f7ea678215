// SPDX-License-Identifier: Apache-2.0
// Proves skid_buffer: what goes in comes out, once and in order; valid stays and data holds until ready.
module skid_buffer_proof (
    input logic clk_i,
    input logic in_valid_i,
    input logic [1:0] in_data_i,
    input logic out_ready_i,
    input logic track_i
);
  typedef logic [1:0] data_t;
  localparam int unsigned CountWidth = 2;
  typedef logic [CountWidth-1:0] count_t;

  logic rst, in_ready, out_valid, tracking;
  data_t out_data, data;
  count_t count, ahead;

  skid_buffer #(
      .T(data_t)
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

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (out_valid == (count != '0));
      assert (in_ready == (count != count_t'(2)));
      // Where the tracked entry lies.
      assert (count_t'(u_dut.out_valid_q) + count_t'(u_dut.skid_valid_q) == count);
      if (tracking) assert ((ahead == '0 ? u_dut.out_data_q : u_dut.skid_data_q) == data);
    end
  end
endmodule
