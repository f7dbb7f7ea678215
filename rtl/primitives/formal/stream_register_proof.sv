// SPDX-License-Identifier: Apache-2.0
// Proves stream_register: what goes in comes out, once and in order; valid stays and data holds until ready. Without
// its cut: everything passes in the same cycle, in both directions.
module stream_register_proof #(
    parameter bit Cut = 1'b1
) (
    input logic clk_i,
    input logic in_valid_i,
    input logic [1:0] in_data_i,
    input logic out_ready_i,
    input logic track_i
);
  typedef logic [1:0] data_t;
  localparam int unsigned CountWidth = 2;
  typedef logic [CountWidth-1:0] count_t;

  logic rst, in_ready, out_valid;
  data_t out_data;

  stream_register #(
      .T(data_t),
      .Cut(Cut)
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

  if (Cut) begin : gen_cut
    logic tracking;
    data_t data;
    count_t count, ahead;
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
        assert (in_ready == (count == '0 || out_ready_i));
        // Where the tracked entry lies.
        assert (count <= count_t'(1) && u_dut.gen_cut.valid_q == count[0]);
        if (tracking) assert (ahead == '0 && u_dut.gen_cut.data_q == data);
      end
    end
  end else begin : gen_wire
    logic unused;
    assign unused = &{1'b0, track_i};
    assign rst = 1'b0;
    always_ff @(posedge clk_i) assert ({out_valid, out_data, in_ready} == {in_valid_i, in_data_i, out_ready_i});
  end
endmodule
