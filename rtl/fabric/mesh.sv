// SPDX-License-Identifier: Apache-2.0
// 2D mesh of X by Y routers with the fabric's port contract. Port y * X + x is node {y, x};
// node (0, 0) is in the north-west. stall_o has one bit per link between routers: in the previous cycle the link offered
// a flit that was not taken (with two classes: the queue at its end had no room for one of them). Links are ordered by
// router; for each router north, east, south, west.
module mesh
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned X = 4,
    parameter int unsigned Y = 2,
    parameter int unsigned Depth = 16,
    parameter bit SelfTurn = 1'b0,
    parameter int unsigned Classes = 1,  // the links of class 1 follow those of class 0
    localparam int unsigned Nodes = X * Y,
    parameter bit [Nodes-1:0] RepliesWait = '0,  // as in fabric_ports
    localparam int unsigned N = Classes * Nodes,
    localparam int unsigned Links = 2 * (2 * Nodes - X - Y)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [N-1:0] in_valid_i,
    output logic  [N-1:0] in_ready_o,
    input  flit_t         in_flit_i[N],

    output logic  [N-1:0] out_valid_o,
    input  logic  [N-1:0] out_ready_i,
    output flit_t         out_flit_o[N],

    output logic [Links-1:0] stall_o
);
  if (X < 1 || X > 16 || Y < 1 || Y > 16 || Nodes < 2) begin : gen_bad_size
    $fatal(1, "mesh: X is %0d and Y is %0d; each must be from 1 to 16, and there must be at least two nodes", X, Y);
  end

  // The ports of a router that lead somewhere.
  function automatic directions_t ports_of(int unsigned x, int unsigned y);
    return directions_t'(32'(y != 0) << North | 32'(x + 1 < X) << East | 32'(y + 1 < Y) << South | 32'(x != 0) << West
                         | 1 << Local);
  endfunction

  // The links of the routers before this one.
  function automatic int unsigned links_before(int unsigned x, int unsigned y);
    links_before = 0;
    for (int unsigned n = 0; n < y * X + x; n++) links_before += $countones(ports_of(n % X, n / X)) - 1;
  endfunction

  logic [N-1:0] to_valid, to_ready, from_valid, from_ready;
  flit_t to_flit[Nodes], from_flit[Nodes];
  fabric_ports #(
      .Ports(Nodes),
      .Classes(Classes),
      .RepliesWait(RepliesWait)
  ) u_ports (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .to_valid_o(to_valid),
      .to_ready_i(to_ready),
      .to_flit_o(to_flit),
      .from_valid_i(from_valid),
      .from_ready_o(from_ready),
      .from_flit_i(from_flit),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o
  );

  logic [Links-1:0] stall_d;
  always_ff @(posedge clk_i) begin
    stall_o <= stall_d;
    if (rst_i) stall_o <= '0;
  end

  for (genvar y = 0; y < Y; y++) begin : gen_y
    for (genvar x = 0; x < X; x++) begin : gen_x
      localparam directions_t Exists = ports_of(x, y);

      logic [Classes*Directions-1:0] in_valid, in_ready, out_valid, out_ready;
      flit_t in_flit[Directions];
      flit_t out_flit[Directions];

      router #(
          .X(4'(x)),
          .Y(4'(y)),
          .Exists(Exists),
          .SelfTurn(SelfTurn),
          .Depth(Depth),
          .Classes(Classes)
      ) u_router (
          .clk_i,
          .rst_i,
          .in_valid_i(in_valid),
          .in_ready_o(in_ready),
          .in_flit_i(in_flit),
          .out_valid_o(out_valid),
          .out_ready_i(out_ready),
          .out_flit_o(out_flit)
      );

      for (genvar d = 0; d < Local; d++) begin : gen_stall
        if (Exists[d]) begin : gen_link
          localparam int unsigned Link = links_before(x, y) + $countones(Exists & directions_t'((1 << d) - 1));
          if (Classes == 1) begin : gen_one
            assign stall_d[Link] = out_valid[d] && !out_ready[d];
          end else begin : gen_two
            assign stall_d[Link] = !(out_ready[d] && out_ready[(Classes-1)*Directions+d]);
          end
        end
      end

      localparam int unsigned Port = y * X + x;
      assign in_flit[Local] = to_flit[Port];
      assign from_flit[Port] = out_flit[Local];
      for (genvar c = 0; c < int'(Classes); c++) begin : gen_local
        assign in_valid[c*Directions+Local] = to_valid[c*Nodes+Port];
        assign to_ready[c*Nodes+Port] = in_ready[c*Directions+Local];
        assign from_valid[c*Nodes+Port] = out_valid[c*Directions+Local];
        assign out_ready[c*Directions+Local] = from_ready[c*Nodes+Port];
      end

      for (genvar d = 0; d < int'(Local); d++) begin : gen_direction
        if (Exists[d]) begin : gen_link
          localparam int unsigned Column = d == East ? x + 1 : d == West ? x - 1 : x;  // of the neighbour
          localparam int unsigned Row = d == South ? y + 1 : d == North ? y - 1 : y;
          localparam int unsigned Back = opposite(d);
          assign in_flit[d] = gen_y[Row].gen_x[Column].out_flit[Back];
          for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
            assign in_valid[c*Directions+d] = gen_y[Row].gen_x[Column].out_valid[c*Directions+Back];
            assign out_ready[c*Directions+d] = gen_y[Row].gen_x[Column].in_ready[c*Directions+Back];
          end
        end else begin : gen_none
          assign in_flit[d] = '0;
          for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
            assign in_valid[c*Directions+d] = 1'b0;
            assign out_ready[c*Directions+d] = 1'b0;
          end
        end
      end
    end
  end
endmodule
