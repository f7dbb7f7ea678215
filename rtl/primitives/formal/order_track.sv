// SPDX-License-Identifier: Apache-2.0
// For proofs: asserts that a queue gives back what it took, once and in order.
//
// The solver picks any one entry on its way in (track_i). This module remembers its data and how
// many entries were inside before it; after exactly that many others have left, it must leave. As
// the entry is any entry, none is lost, repeated, changed or overtaken. The outputs are for the
// harness, which ties them to the registers of the design to make the proof inductive.
module order_track #(
    parameter type T = logic [1:0],
    parameter int unsigned CountWidth = 4  // enough to count the entries inside
) (
    input logic clk_i,
    input logic rst_i,
    input logic push_i,
    input T push_data_i,
    input logic pop_i,
    input T pop_data_i,
    input logic track_i,

    output logic [CountWidth-1:0] count_o,  // entries inside
    output logic tracking_o,  // the chosen entry is inside
    output logic [CountWidth-1:0] ahead_o,  // entries that must leave before it
    output T data_o  // its data
);
  typedef logic [CountWidth-1:0] count_t;

  logic tracking_q;
  count_t count_q, ahead_q;
  T data_q;

  assign count_o = count_q;
  assign tracking_o = tracking_q;
  assign ahead_o = ahead_q;
  assign data_o = data_q;

  always_ff @(posedge clk_i) begin
    count_q <= count_q + count_t'(push_i) - count_t'(pop_i);
    if (tracking_q) begin
      if (pop_i) begin
        ahead_q <= ahead_q - 1'b1;
        tracking_q <= ahead_q != '0;
      end
    end else if (push_i && track_i) begin
      tracking_q <= 1'b1;
      data_q <= push_data_i;
      ahead_q <= count_q - count_t'(pop_i);
    end
    if (rst_i) begin
      count_q <= '0;
      tracking_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      if (pop_i) assert (count_q != '0);
      if (push_i) assert (count_q != '1);  // CountWidth is enough
      if (tracking_q) assert (ahead_q < count_q);
      if (tracking_q && ahead_q == '0 && pop_i) assert (pop_data_i == data_q);
    end
  end
endmodule
