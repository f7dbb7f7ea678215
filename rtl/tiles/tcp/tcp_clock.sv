// SPDX-License-Identifier: Apache-2.0
// The clock of time stamps (RFC 7323, 5.4), which goes up by one every 2^unit_i ticks, and the epochs by which the age of a connection's TS.Recent
// is known: 32 of them, each at least one unit, are the life of a time stamp.
module tcp_clock
  import tcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic        tick_i,
    input logic [ 3:0] unit_i,
    input logic [30:0] life_i,  // in units of the clock

    output seq_t   clock_o,
    output epoch_t epoch_o
);
  localparam int unsigned Epochs = 32;
  logic [15:0] part_q, most_q;  // ticks of this unit, and of a whole one
  logic unit_ends;
  seq_t clock_q;
  logic [30-$clog2(Epochs):0] age_q, length_q;  // of this epoch so far, and of a whole one, in units less one
  epoch_t epoch_q;
  assign unit_ends = tick_i && part_q >= most_q;
  always_ff @(posedge clk_i) begin
    most_q <= (16'd1 << unit_i) - 1'b1;
    length_q <= life_i < 31'(Epochs) ? '0 : life_i[30:$clog2(Epochs)] - 1'b1;
    if (tick_i) part_q <= unit_ends ? '0 : part_q + 1'b1;
    if (unit_ends) begin
      clock_q <= clock_q + 1'b1;
      age_q   <= age_q >= length_q ? '0 : age_q + 1'b1;
      if (age_q >= length_q) epoch_q <= epoch_q + 1'b1;
    end
    if (rst_i) begin
      part_q  <= '0;
      clock_q <= '0;
      age_q   <= '0;
      epoch_q <= '0;
    end
  end
  assign clock_o = clock_q;
  assign epoch_o = epoch_q;

  logic unused;
  assign unused = &{1'b0, life_i};
endmodule
