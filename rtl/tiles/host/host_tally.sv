// SPDX-License-Identifier: Apache-2.0
// Joins N pulses, of which several can come in one cycle, into one output: waiting pulses follow one per cycle. A pulse that does not wait leaves a
// cycle later; with N of 1, in the same cycle.
module host_tally #(
    parameter int unsigned N = 2,
    parameter int unsigned Bits = 16  // width of the count of waiting pulses
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [N-1:0] pulse_i,
    output logic         pulse_o
);
  if (N == 1) begin : gen_one
    assign pulse_o = pulse_i[0];
    logic unused;
    assign unused = &{clk_i, rst_i};
  end else begin : gen_many
    logic [Bits-1:0] waiting_q, sum;
    always_comb begin
      sum = waiting_q - Bits'(pulse_o);
      for (int unsigned i = 0; i < N; i++) sum += Bits'(pulse_i[i]);
    end
    assign pulse_o = waiting_q != '0;
    always_ff @(posedge clk_i) begin
      waiting_q <= sum;
      if (rst_i) waiting_q <= '0;
      if (!rst_i) begin
        assert (sum + Bits'(1) >= waiting_q)
        else $error("host_tally: more pulses wait than can be counted");
      end
    end
  end
endmodule
