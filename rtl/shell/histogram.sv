// SPDX-License-Identifier: Apache-2.0
// Counts latencies, one per cycle, in 32-bit bins in distributed memory. The range of a bin grows with the latency
// (`girih.spec.histogram`). A read takes one cycle. A bin wraps at 2^32.
module histogram
  import girih_pkg::*, histogram_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic       valid_i,
    input timestamp_t latency_i,

    input  logic        read_i,
    input  latency_bin_t bin_i,  // holds until done
    output logic        done_o,
    output logic [31:0] data_o
);
  logic [31:0] count[LatencyBins];
  logic [LatencyBins-1:0] used_q;  // count[] of a bin is not written before its first latency

  logic valid_q;
  latency_bin_t bin_q;
  logic [31:0] base;
  assign base = used_q[bin_q] ? count[bin_q] : '0;

  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (valid_i) bin_q <= latency_bin(latency_i);
    if (valid_q) begin
      count[bin_q] <= base + 1'b1;
      used_q[bin_q] <= 1'b1;
    end
    done_o <= read_i;
    if (rst_i) begin
      valid_q <= 1'b0;
      used_q <= '0;
      done_o <= 1'b0;
    end
  end

  assign data_o = used_q[bin_i] ? count[bin_i] : '0;
endmodule
