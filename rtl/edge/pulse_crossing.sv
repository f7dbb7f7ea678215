// SPDX-License-Identifier: Apache-2.0
// Pulses of one cycle, such as the interrupts of virtqueues, from the card's clock into one of its edge. No pulse gets lost; pulses of the same bit
// that come while an earlier one waits to cross become one. A pulse takes Stages + 2 edges of edge_clk_i, or a round of both clocks more if others
// are crossing.
module pulse_crossing #(
    parameter int unsigned Width = 16,
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Width-1:0] pulse_i,

    input logic edge_clk_i,
    input logic edge_rst_i,
    output logic [Width-1:0] pulse_o
);
  typedef logic [Width-1:0] pulses_t;
  pulses_t waiting_q, crossed;
  logic ready, valid, give;
  assign give = waiting_q != '0;

  cdc_handshake #(
      .T(pulses_t),
      .Stages(Stages)
  ) u_handshake (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_valid_i(give),
      .in_ready_o(ready),
      .in_data_i(waiting_q),
      .out_clk_i(edge_clk_i),
      .out_rst_i(edge_rst_i),
      .out_valid_o(valid),
      .out_ready_i(1'b1),
      .out_data_o(crossed)
  );
  assign pulse_o = valid ? crossed : '0;

  always_ff @(posedge clk_i) begin
    waiting_q <= (give && ready ? '0 : waiting_q) | pulse_i;
    if (rst_i) waiting_q <= '0;
  end
endmodule
