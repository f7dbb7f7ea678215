// SPDX-License-Identifier: Apache-2.0
// Turns pulses of N sources, of which several may come in one cycle, into as many pulses one after the other. Of pulses that come
// faster than one per cycle, up to Most are kept for later; more are lost.
module pulse_sum #(
    parameter int unsigned N = 4,
    parameter int unsigned Most = 1023
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [N-1:0] pulse_i,
    output logic         pulse_o
);
  if (N < 1 || Most < N) begin : gen_bad_most
    $fatal(1, "pulse_sum: Most is %0d; it must be at least N, which is %0d and at least 1", Most, N);
  end
  localparam int unsigned Bits = $clog2(Most + N + 1);
  logic [Bits-1:0] left_q, count, sum;
  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < N; i++) count += Bits'(pulse_i[i]);
  end
  assign pulse_o = left_q != '0;
  assign sum = left_q - Bits'(pulse_o) + count;

  always_ff @(posedge clk_i) begin
    left_q <= 32'(sum) > Most ? Bits'(Most) : sum;
    if (rst_i) left_q <= '0;
  end
endmodule
