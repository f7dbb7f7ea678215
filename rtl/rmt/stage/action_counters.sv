// SPDX-License-Identifier: Apache-2.0
// Counters of packets and bytes (48 bits each) for actions: one packet per cycle, any counter; a read by
// software is exact to the cycle. After reset they are cleared, one per cycle; no packet may come before
// ready_o. They wrap.
module action_counters
  import girih_pkg::*;
#(
    parameter int unsigned Counters = 64,
    localparam int unsigned IndexWidth = $clog2(Counters)
) (
    input logic clk_i,
    input logic rst_i,

    output logic                  ready_o,
    input  logic                  valid_i,
    input  logic [IndexWidth-1:0] index_i,
    input  length_t               length_i,

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
  logic [IndexWidth-1:0] clear_q;
  logic ready_q;
  assign ready_o = ready_q;

  totals_t total, counted, read;
  assign total = totals[index_i];
  assign counted.packets = total.packets + 1'b1;
  assign counted.bytes = total.bytes + 48'(length_i);
  assign read = totals[read_index_i];
  assign packets_o = read.packets;
  assign bytes_o = read.bytes;

  always_ff @(posedge clk_i) begin
    if (valid_i || !ready_q) totals[ready_q ? index_i : clear_q] <= ready_q ? counted : '0;
    if (!ready_q) clear_q <= clear_q + 1'b1;
    if (clear_q == '1) ready_q <= 1'b1;
    if (rst_i) begin
      clear_q <= '0;
      ready_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (ready_q || !valid_i)
      else $error("action_counters: a packet arrived before the counters were cleared");
    end
  end
endmodule
