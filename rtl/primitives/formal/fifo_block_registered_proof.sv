// SPDX-License-Identifier: Apache-2.0
// Proves fifo_block_registered: what goes in comes out, once and in order; valid stays and data holds until ready.
module fifo_block_registered_proof #(
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic in_offer_i,
    input logic in_valid_i,
    input logic [1:0] in_data_i,
    input logic out_ready_i,
    input logic track_i
);
  typedef logic [1:0] data_t;
  localparam int unsigned CountWidth = $clog2(Depth) + 2;
  typedef logic [CountWidth-1:0] count_t;

  logic rst, in_ready, out_valid, tracking;
  data_t out_data, data;
  count_t count, ahead;

  fifo_block_registered #(
      .T(data_t),
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_offer_i(in_offer_i || in_valid_i),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data),
      .replace_i(1'b0),
      .replace_data_i('0)
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
  logic [PtrWidth:0] in_ram;
  assign in_ram = u_dut.u_behind.write_ptr_q - u_dut.u_behind.read_ptr_q;

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (out_valid == (count != '0));
      if (!in_ready) assert (count == count_t'(Depth + 2));
      assert (count <= count_t'(Depth + 2));
      // Where the tracked entry lies: at the head, at the head of the queue behind it, or in its RAM.
      assert (count_t'(in_ram) + count_t'(u_dut.behind_valid) + count_t'(out_valid) == count);
      assert (u_dut.behind_valid || in_ram == '0);
      if (tracking && ahead == '0) assert (out_data == data);
      if (tracking && ahead == count_t'(1)) assert (u_dut.behind == data);
      if (tracking && ahead > count_t'(1)) begin
        assert (u_dut.u_behind.u_ram.mem[PtrWidth'(u_dut.u_behind.read_ptr_q+ahead-2'd2)] == data);
      end
    end
  end
endmodule
