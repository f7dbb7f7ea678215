// SPDX-License-Identifier: Apache-2.0
// Counts the frames that passed each virtqueue and those that were dropped at it, in 64 bits, read in halves. Reading a low half holds the high half,
// which the next read of a high half returns.
module host_counts
  import host_access_pkg::*;
#(
    parameter int unsigned Queues = 2,
    localparam int unsigned QueueBits = $clog2(HostQueues)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Queues-1:0]      frame_i,
    input logic [Queues-1:0][2:0] drops_i,

    input  logic                 read_i,
    input  logic [QueueBits-1:0] queue_i,
    input  logic                 drop_i,   // otherwise frames
    input  logic                 high_i,
    output logic [31:0]          data_o
);
  logic [Queues-1:0][63:0] frames_q, drops_q;
  logic [31:0] high_q;
  logic [63:0] sum;
  always_comb begin
    sum = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      if (32'(queue_i) == q) sum = drop_i ? drops_q[q] : frames_q[q];
    end
  end
  assign data_o = high_i ? high_q : sum[31:0];
  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < Queues; q++) begin
      frames_q[q] <= frames_q[q] + 64'(frame_i[q]);
      drops_q[q]  <= drops_q[q] + 64'(drops_i[q]);
    end
    if (read_i && !high_i) high_q <= sum[63:32];
    if (rst_i) begin
      frames_q <= '0;
      drops_q  <= '0;
      high_q   <= '0;  // readable before any low half
    end
  end
endmodule
