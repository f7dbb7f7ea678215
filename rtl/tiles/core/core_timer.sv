// SPDX-License-Identifier: Apache-2.0
// The timer of a core, like mtime and mtimecmp of the RISC-V privileged architecture (3.2.1): the cycles since the card was reset, and an interrupt
// from two cycles after they reach the alarm until the alarm is moved. mtime is read-only. A write of the alarm's high half moves the whole alarm at
// once: the value last written to its low half, which can be read back, takes effect then.
module core_timer (
    input logic clk_i,
    input logic rst_i,
    input logic running_i,  // 0: the core is in reset, and its alarm is off

    input logic [ 1:0] write_i,  // the high half, the low half of the alarm
    input logic [31:0] data_i,

    output logic [63:0] time_o,
    output logic [31:0] low_o,
    output logic        alarm_o
);
  logic [63:0] time_q, alarm_q;
  logic [31:0] next_q;  // the low half of the next alarm
  logic above_q, equal_q, low_q, interrupt_q;
  assign time_o  = time_q;
  assign low_o   = next_q;
  assign alarm_o = interrupt_q;

  always_ff @(posedge clk_i) begin
    time_q <= time_q + 1'b1;
    above_q <= time_q[63:32] > alarm_q[63:32];
    equal_q <= time_q[63:32] == alarm_q[63:32];
    low_q <= time_q[31:0] >= alarm_q[31:0];
    interrupt_q <= running_i && (above_q || (equal_q && low_q));
    if (write_i[0]) next_q <= data_i;
    if (write_i[1]) alarm_q <= {data_i, next_q};
    if (!running_i) alarm_q <= '1;
    if (rst_i) begin
      time_q <= '0;
      alarm_q <= '1;
      above_q <= 1'b0;
      equal_q <= 1'b0;
      interrupt_q <= 1'b0;
    end
  end
endmodule
