// SPDX-License-Identifier: Apache-2.0
// Puts Bytes blank bytes before each message; its descriptor and its mark `bad` go with it. One cycle; a flit leaves in every cycle.
// in_ready_o depends on out_ready_i.
module flit_insert
  import girih_pkg::*;
#(
    parameter int unsigned Bytes = 20
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                in_valid_i,
    output logic                in_ready_o,
    input  flit_t               in_flit_i,
    input  logic  [Bytes*8-1:0] in_bytes_i,  // beside the first flit; the first byte of the message is the lowest

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o
);
  logic [W-1:0] data;
  logic [EmptyWidth-1:0] empty;
  logic last, unused_none;
  realign_insert #(
      .Width(W),
      .HeaderBytes(Bytes)
  ) u_insert (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i  (in_flit_i.data),
      .in_empty_i (in_flit_i.empty),
      .in_none_i  (1'b0),
      .in_last_i  (in_flit_i.last),
      .bytes_i    (8'(Bytes)),
      .header_i   (in_bytes_i),
      .out_valid_o,
      .out_ready_i,
      .out_data_o (data),
      .out_empty_o(empty),
      .out_none_o (unused_none),
      .out_last_o (last)
  );

  // The output's next flit begins a message if its last one ended one.
  logic fresh, begun_q, first_q, bad_q;
  descriptor_t desc_q;
  assign fresh = !begun_q || last;
  always_ff @(posedge clk_i) begin
    if (in_valid_i && (out_ready_i || !out_valid_o)) begin
      if (fresh) desc_q <= in_flit_i.desc;
      begun_q <= 1'b1;
    end
    if (out_ready_i || !out_valid_o) first_q <= fresh;
    if (in_valid_i && in_ready_o && in_flit_i.last) bad_q <= in_flit_i.bad;
    if (rst_i) begun_q <= 1'b0;
  end
  assign out_flit_o = '{desc: desc_q, first: first_q, bad: bad_q, last: last, empty: empty, data: data};

  logic unused;
  assign unused = &{1'b0, unused_none, in_flit_i.first};
endmodule
