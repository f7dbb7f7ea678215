// SPDX-License-Identifier: Apache-2.0
// Sends every message on as a request (key 0), and each reply on as a message (key 1). A request leaves only when there
// is room for a reply of the largest size. Only for tests.
//
//   in_ -----------------------------------+--> out_
//   reply_in_ --> store of replies --------+
module requester_engine
  import girih_pkg::*, requester_pkg::*;
#(
    localparam int unsigned Requests = 3,  // under way, with replies of the largest size
    localparam int unsigned Flits = 2 ** $clog2(Requests * MaxFrameFlits)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  logic  reply_in_valid_i,
    output logic  reply_in_ready_o,
    input  flit_t reply_in_flit_i,

    output event_t event_o
);
  typedef logic [$clog2(Flits + 1) : 0] count_t;

  logic busy_q, replying_q, replying, last_q;  // busy: a message has been offered; last: the one before was a reply
  flit_t stored;
  logic stored_valid, store_ready;
  fifo_block #(
      .T(flit_t),
      .Depth(Flits)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_offer_i(reply_in_valid_i),
      .in_valid_i(reply_in_valid_i),
      .in_ready_o(store_ready),
      .in_data_i(reply_in_flit_i),
      .out_valid_o(stored_valid),
      .out_ready_i(out_ready_i && replying),
      .out_data_o(stored)
  );
  assign reply_in_ready_o = 1'b1;

  // Flits that are stored or can still come.
  count_t reserved_q, reserved_d;
  logic room_q;

  logic offer, taken, begins;
  assign replying = busy_q ? replying_q : stored_valid && !(in_valid_i && room_q && last_q);
  assign offer = in_valid_i && (busy_q || room_q);
  assign out_valid_o = replying ? stored_valid : offer;
  assign out_flit_o = replying ? stored : in_flit_i;
  assign out_key_o = next_key_t'(replying);
  assign in_ready_o = out_ready_i && !replying && (busy_q || room_q);
  assign taken = out_valid_o && out_ready_i;
  assign begins = out_valid_o && !busy_q;

  always_comb begin
    reserved_d = reserved_q;
    if (begins && !replying) reserved_d += count_t'(MaxFrameFlits);
    if (reply_in_valid_i) reserved_d += 1'b1;
    if (reply_in_valid_i && reply_in_flit_i.last) reserved_d -= count_t'(MaxFrameFlits);
    if (taken && replying) reserved_d -= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    // What is offered stays, so a choice is kept until it has been taken.
    if (out_valid_o) busy_q <= !(taken && out_flit_o.last);
    if (out_valid_o) replying_q <= replying;
    if (begins) last_q <= replying;
    reserved_q <= reserved_d;
    room_q <= reserved_d + count_t'(MaxFrameFlits) <= count_t'(Flits);
    if (rst_i) begin
      busy_q <= 1'b0;
      last_q <= 1'b0;
      reserved_q <= '0;
      room_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && reply_in_valid_i) assert (store_ready);
  end

  assign event_o.mark_waits = in_valid_i && !busy_q && !room_q;
endmodule
