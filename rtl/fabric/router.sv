// SPDX-License-Identifier: Apache-2.0
// Wormhole router of a 2D mesh: a queue per input, dimension-ordered routing (X, then Y), round
// robin per output. A flit is written into an input queue at one clock edge and into the next
// router's at the next: one cycle per router, one flit per cycle and output, no bubbles.
//
// Every first flit has an output: a desc.dst outside the mesh is clamped to the nearest node. Without
// SelfTurn a message from the local tile to itself ends at a neighbour; SelfTurn = 1 brings it back, for one
// LUT per bit in routers that have four neighbours.
//
// With two classes (class_switch) a port has a valid and a ready for each, bits of class 1 behind those of class 0, and one flit.
module router
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter logic [3:0] X = 1,
    parameter logic [3:0] Y = 1,
    parameter directions_t Exists = '1,  // ports that lead somewhere; the others cost nothing
    parameter bit SelfTurn = 1'b0,
    parameter int unsigned Depth = 16,
    parameter int unsigned Classes = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Classes*Directions-1:0] in_valid_i,
    output logic  [Classes*Directions-1:0] in_ready_o,
    input  flit_t                          in_flit_i[Directions],

    output logic  [Classes*Directions-1:0] out_valid_o,
    input  logic  [Classes*Directions-1:0] out_ready_i,
    output flit_t                          out_flit_o[Directions]
);
  if (!Exists[Local] || Exists == directions_t'(1 << Local)) begin : gen_bad_exists
    $fatal(1, "router: Exists is %b; it needs the local port and at least one neighbour", Exists);
  end

  // The inputs that have a path to each output, in this router.
  function automatic bit [Directions-1:0][Directions-1:0] all_turns();
    for (int unsigned o = 0; o < Directions; o++) all_turns[o] = Exists[o] ? turns_into(o) & Exists : '0;
    if (SelfTurn) all_turns[Local][Local] = 1'b1;
  endfunction
  localparam bit [Directions-1:0][Directions-1:0] Turns = all_turns();

  logic [3:0] here_x, here_y;
  assign {here_y, here_x} = {Y, X};

  directions_t way[Directions];  // the output of the arriving flit, if it starts a message

  for (genvar i = 0; i < Directions; i++) begin : gen_way
    logic [3:0] to_x, to_y;
    assign {to_y, to_x} = node_t'(in_flit_i[i].desc.dst);
    always_comb begin
      way[i] = '0;
      if (Turns[East][i] && to_x > here_x) way[i][East] = 1'b1;
      else if (Turns[West][i] && to_x < here_x) way[i][West] = 1'b1;
      else if (Turns[South][i] && to_y > here_y) way[i][South] = 1'b1;
      else if (Turns[North][i] && to_y < here_y) way[i][North] = 1'b1;
      else if (Turns[Local][i]) way[i][Local] = 1'b1;
      else way[i] = Exists & ~(Exists - 1'b1);  // the first
    end
  end

  fabric_switch #(
      .Ports(Directions),
      .Turns(Turns),
      .Depth(Depth),
      .Classes(Classes)
  ) u_switch (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_way_i(way),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o
  );
endmodule
