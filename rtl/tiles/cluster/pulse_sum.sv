// SPDX-License-Identifier: Apache-2.0
// Serializes the pulses of N sources, several of which may come in one cycle, into one pulse per cycle. Pulses that come faster
// wait for cycles without new ones; none is lost.
module pulse_sum #(
    parameter int unsigned N = 4,
    parameter int unsigned Bits = 64  // width of the count of pulses left; 64 bits never overflow
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [N-1:0] pulse_i,
    output logic         pulse_o
);
  if (N < 1 || Bits < $clog2(N + 1)) begin : gen_bad_bits
    $fatal(1, "pulse_sum: N is %0d and Bits %0d; N must be at least 1, and Bits must hold N", N, Bits);
  end
  logic [Bits-1:0] left_q, left;
  logic [$clog2(N+1)-1:0] count;
  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < N; i++) count += $bits(count)'(pulse_i[i]);
  end
  assign pulse_o = left_q != '0;
  assign left = left_q - Bits'(pulse_o);

  always_ff @(posedge clk_i) begin
    left_q <= left + Bits'(count);
    if (rst_i) left_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (left <= ~Bits'(count))
      else $error("pulse_sum: more pulses are left than %0d bits count", Bits);
    end
  end
endmodule
