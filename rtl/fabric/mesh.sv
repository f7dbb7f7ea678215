// SPDX-License-Identifier: Apache-2.0
// 2D mesh of X by Y routers with the fabric's port contract. Port y * X + x is node {y, x};
// node (0, 0) is in the north-west. stall_o has one bit per link between routers: in the previous cycle the link offered
// a flit that was not taken (with two classes: the queue at its end had no room for one of them). Links are ordered by router; for each router north, east, south, west.
module mesh
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned X = 4,
    parameter int unsigned Y = 2,
    parameter int unsigned Depth = 16,
    parameter bit SelfTurn = 1'b0,
    parameter int unsigned Classes = 1,  // the links of class 1 follow those of class 0
    localparam int unsigned Nodes = X * Y,
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
      if (Classes == 1) begin : gen_port
        assign in_valid[Local] = in_valid_i[Port];
        assign in_flit[Local] = in_flit_i[Port];
        assign in_ready_o[Port] = in_ready[Local];
        assign out_valid_o[Port] = out_valid[Local];
        assign out_flit_o[Port] = out_flit[Local];
        assign out_ready[Local] = out_ready_i[Port];
      end else begin : gen_ports
        localparam int unsigned Reply = N - Nodes + Port;
        localparam int unsigned ReplyLocal = Classes * Directions - Directions + Local;
        flit_t in_flits[2], out_flits[2];
        assign in_flits = '{in_flit_i[Port], in_flit_i[Reply]};
        assign {out_flit_o[Port], out_flit_o[Reply]} = {out_flits[0], out_flits[1]};
        class_port u_port (
            .clk_i,
            .rst_i,
            .in_valid_i({in_valid_i[Reply], in_valid_i[Port]}),
            .in_ready_o({in_ready_o[Reply], in_ready_o[Port]}),
            .in_flit_i(in_flits),
            .to_valid_o({in_valid[ReplyLocal], in_valid[Local]}),
            .to_ready_i({in_ready[ReplyLocal], in_ready[Local]}),
            .to_flit_o(in_flit[Local]),
            .from_valid_i({out_valid[ReplyLocal], out_valid[Local]}),
            .from_ready_o({out_ready[ReplyLocal], out_ready[Local]}),
            .from_flit_i(out_flit[Local]),
            .out_valid_o({out_valid_o[Reply], out_valid_o[Port]}),
            .out_ready_i({out_ready_i[Reply], out_ready_i[Port]}),
            .out_flit_o(out_flits)
        );
      end

      for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
        if (Exists[North]) begin : gen_north
          assign in_valid[c*Directions+North] = gen_y[y-1].gen_x[x].out_valid[c*Directions+South];
          assign out_ready[c*Directions+North] = gen_y[y-1].gen_x[x].in_ready[c*Directions+South];
          if (c == 0) begin : gen_flit
            assign in_flit[North] = gen_y[y-1].gen_x[x].out_flit[South];
          end
        end else begin : gen_no_north
          assign in_valid[c*Directions+North] = 1'b0;
          assign out_ready[c*Directions+North] = 1'b0;
          if (c == 0) begin : gen_flit
            assign in_flit[North] = '0;
          end
        end
        if (Exists[East]) begin : gen_east
          assign in_valid[c*Directions+East] = gen_y[y].gen_x[x+1].out_valid[c*Directions+West];
          assign out_ready[c*Directions+East] = gen_y[y].gen_x[x+1].in_ready[c*Directions+West];
          if (c == 0) begin : gen_flit
            assign in_flit[East] = gen_y[y].gen_x[x+1].out_flit[West];
          end
        end else begin : gen_no_east
          assign in_valid[c*Directions+East] = 1'b0;
          assign out_ready[c*Directions+East] = 1'b0;
          if (c == 0) begin : gen_flit
            assign in_flit[East] = '0;
          end
        end
        if (Exists[South]) begin : gen_south
          assign in_valid[c*Directions+South] = gen_y[y+1].gen_x[x].out_valid[c*Directions+North];
          assign out_ready[c*Directions+South] = gen_y[y+1].gen_x[x].in_ready[c*Directions+North];
          if (c == 0) begin : gen_flit
            assign in_flit[South] = gen_y[y+1].gen_x[x].out_flit[North];
          end
        end else begin : gen_no_south
          assign in_valid[c*Directions+South] = 1'b0;
          assign out_ready[c*Directions+South] = 1'b0;
          if (c == 0) begin : gen_flit
            assign in_flit[South] = '0;
          end
        end
        if (Exists[West]) begin : gen_west
          assign in_valid[c*Directions+West] = gen_y[y].gen_x[x-1].out_valid[c*Directions+East];
          assign out_ready[c*Directions+West] = gen_y[y].gen_x[x-1].in_ready[c*Directions+East];
          if (c == 0) begin : gen_flit
            assign in_flit[West] = gen_y[y].gen_x[x-1].out_flit[East];
          end
        end else begin : gen_no_west
          assign in_valid[c*Directions+West] = 1'b0;
          assign out_ready[c*Directions+West] = 1'b0;
          if (c == 0) begin : gen_flit
            assign in_flit[West] = '0;
          end
        end
      end
    end
  end
endmodule
