// SPDX-License-Identifier: Apache-2.0
// For proofs of queues with a valid/ready link on both sides: what goes in comes out, once and in
// order; valid stays and data holds until ready. It also makes the reset. The outputs are for the
// harness of one queue, as those of order_track.
module queue_track #(
    parameter type T = logic [1:0],
    parameter int unsigned CountWidth = 4  // enough to count the entries inside
) (
    input logic clk_i,
    output logic rst_o,
    input logic in_valid_i,
    input logic in_ready_i,
    input T in_data_i,
    input logic out_valid_i,
    input logic out_ready_i,
    input T out_data_i,
    input logic track_i,

    output logic [CountWidth-1:0] count_o,
    output logic tracking_o,
    output logic [CountWidth-1:0] ahead_o,
    output T data_o
);
  proof_reset u_reset (
      .clk_i,
      .rst_o
  );

  stream_check #(
      .T(T)
  ) u_out_check (
      .clk_i,
      .rst_i(rst_o),
      .valid_i(out_valid_i),
      .ready_i(out_ready_i),
      .data_i(out_data_i)
  );

  order_track #(
      .T(T),
      .CountWidth(CountWidth)
  ) u_track (
      .clk_i,
      .rst_i(rst_o),
      .push_i(in_valid_i && in_ready_i),
      .push_data_i(in_data_i),
      .pop_i(out_valid_i && out_ready_i),
      .pop_data_i(out_data_i),
      .track_i,
      .count_o,
      .tracking_o,
      .ahead_o,
      .data_o
  );
endmodule
