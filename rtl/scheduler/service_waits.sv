// SPDX-License-Identifier: Apache-2.0
// Waiting times of packets, by service: count, sum, maximum, and a histogram by powers of two
// (bin b counts waits from 2^(b-1) to 2^b - 1 cycles, bin 0 those of 0 cycles). All but the maximum wrap.
module service_waits #(
    parameter int unsigned Services = 8,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic                    valid_i,
    input logic [ServiceWidth-1:0] service_i,
    input logic [            23:0] wait_i,

    // Combinational read.
    input  logic [ServiceWidth-1:0] read_service_i,
    input  logic [             4:0] read_word_i,     // 0: count, 1: sum, low word, 2: high word, 3: largest, 4..28: bins
    output logic [            31:0] read_data_o
);
  localparam int unsigned Bins = 25;
  localparam int unsigned FirstBin = 4;

  typedef struct packed {
    logic [31:0] count;
    logic [63:0] sum;
    logic [23:0] largest;
  } total_t;

  // The bin is found in a cycle of its own. Written in the cycle after they are read, so the value being written is forwarded.
  total_t totals[1 << ServiceWidth];
  logic [31:0] histogram[32 << ServiceWidth];
  total_t total_d, total_q;
  logic [31:0] bin_q;
  logic [ServiceWidth-1:0] found_service_q, service_q;
  logic [4:0] bin, found_bin_q, bin_index_q;
  logic [23:0] found_wait_q, wait_q;
  logic found_q, valid_q;
  logic [(1 << ServiceWidth)-1:0] total_used_q;
  logic [(32 << ServiceWidth)-1:0] bin_used_q;

  always_comb begin
    bin = '0;
    for (int unsigned b = 0; b < 24; b++) if (wait_i[b]) bin = 5'(b + 1);
  end

  always_comb begin
    total_d.count = total_q.count + 1'b1;
    total_d.sum = total_q.sum + 64'(wait_q);
    total_d.largest = wait_q > total_q.largest ? wait_q : total_q.largest;
  end

  always_ff @(posedge clk_i) begin
    found_q <= valid_i;
    if (valid_i) begin
      found_service_q <= service_i;
      found_bin_q <= bin;
      found_wait_q <= wait_i;
    end
    valid_q <= found_q;
    if (found_q) begin
      service_q <= found_service_q;
      bin_index_q <= found_bin_q;
      wait_q <= found_wait_q;
      if (valid_q && service_q == found_service_q) total_q <= total_d;
      else total_q <= total_used_q[found_service_q] ? totals[found_service_q] : '0;
      if (valid_q && service_q == found_service_q && bin_index_q == found_bin_q) bin_q <= bin_q + 1'b1;
      else bin_q <= bin_used_q[{found_service_q, found_bin_q}] ? histogram[{found_service_q, found_bin_q}] : '0;
    end
    if (valid_q) begin
      totals[service_q] <= total_d;
      histogram[{service_q, bin_index_q}] <= bin_q + 1'b1;
      total_used_q[service_q] <= 1'b1;
      bin_used_q[{service_q, bin_index_q}] <= 1'b1;
    end
    if (rst_i) begin
      found_q <= 1'b0;
      valid_q <= 1'b0;
      total_used_q <= '0;
      bin_used_q <= '0;
    end
  end

  total_t read_total;
  logic [4:0] read_bin;
  assign read_total = total_used_q[read_service_i] ? totals[read_service_i] : '0;
  assign read_bin = read_word_i - 5'(FirstBin);
  always_comb begin
    unique case (read_word_i)
      5'd0: read_data_o = read_total.count;
      5'd1: read_data_o = read_total.sum[31:0];
      5'd2: read_data_o = read_total.sum[63:32];
      5'd3: read_data_o = 32'(read_total.largest);
      default: read_data_o = read_bin < 5'(Bins) && bin_used_q[{read_service_i, read_bin}]
          ? histogram[{read_service_i, read_bin}] : '0;
    endcase
  end
endmodule
