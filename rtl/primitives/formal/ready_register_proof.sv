// SPDX-License-Identifier: Apache-2.0
// Proves ready_register: what goes in comes out, once and in order, in the same cycle if nothing holds it back; valid stays and
// data holds until ready; in_ready_o does not depend on this cycle's inputs.
module ready_register_proof (
    input logic clk_i,
    input logic in_valid_i,
    input logic [1:0] in_data_i,
    input logic out_ready_i
);
  logic rst, in_ready, out_valid;
  logic [1:0] out_data;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  ready_register #(
      .T(logic [1:0])
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

  stream_check #(
      .T(logic [1:0]),
      .Assume(1)
  ) u_in_check (
      .clk_i,
      .rst_i  (rst),
      .valid_i(in_valid_i),
      .ready_i(in_ready),
      .data_i (in_data_i)
  );
  stream_check #(
      .T(logic [1:0])
  ) u_out_check (
      .clk_i,
      .rst_i  (rst),
      .valid_i(out_valid),
      .ready_i(out_ready_i),
      .data_i (out_data)
  );

  // The entry that is inside, by what has passed at both ends.
  logic inside_q;
  logic [1:0] data_q;
  always_ff @(posedge clk_i) begin
    inside_q <= out_valid && !out_ready_i;
    if (in_valid_i && in_ready) data_q <= in_data_i;
    if (rst) inside_q <= 1'b0;
    else begin
      assert (in_ready == !inside_q);
      assert (out_valid == (inside_q || in_valid_i));
      if (out_valid) assert (out_data == (inside_q ? data_q : in_data_i));
    end
  end
endmodule
