// SPDX-License-Identifier: Apache-2.0
// Counters of packets and bytes (48 bits each) that actions count on: one packet per cycle, any
// counter; a read by software gives a value that is exact to the cycle. They start at 0 at reset and
// wrap.
module action_counters
  import girih_pkg::*;
#(
    parameter int unsigned Counters = 64,
    localparam int unsigned IndexWidth = $clog2(Counters)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                  valid_i,
    input logic [IndexWidth-1:0] index_i,
    input length_t               length_i,

    input  logic [IndexWidth-1:0] read_index_i,
    output logic [47:0]           packets_o,     // combinational
    output logic [47:0]           bytes_o
);
  if (Counters < 2 || Counters > 256 || (Counters & (Counters - 1)) != 0) begin : gen_bad_counters
    $fatal(1, "action_counters: Counters is %0d; it must be a power of two from 2 to 256", Counters);
  end

  typedef struct packed {
    logic [47:0] packets;
    logic [47:0] bytes;
  } totals_t;

  totals_t totals[Counters];
  logic [Counters-1:0] started_q;  // the others are 0, whatever is in the memory

  totals_t total, counted, read;
  assign total = started_q[index_i] ? totals[index_i] : '0;
  assign counted.packets = total.packets + 1'b1;
  assign counted.bytes = total.bytes + 48'(length_i);
  assign read = started_q[read_index_i] ? totals[read_index_i] : '0;
  assign packets_o = read.packets;
  assign bytes_o = read.bytes;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      totals[index_i] <= counted;
      started_q[index_i] <= 1'b1;
    end
    if (rst_i) started_q <= '0;
  end
endmodule
