// SPDX-License-Identifier: Apache-2.0
// 2D mesh of X by Y routers with the fabric's port contract. Port y * X + x is node {y, x};
// node (0, 0) is in the north-west. stall_o has one bit per link between routers: in the previous cycle the link offered
// a flit that was not taken. Links are ordered by router; for each router north, east, south, west.
module mesh
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned X = 4,
    parameter int unsigned Y = 2,
    parameter int unsigned Depth = 16,
    parameter bit SelfTurn = 1'b0,
    localparam int unsigned N = X * Y,
    localparam int unsigned Links = 2 * (2 * N - X - Y)
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
  if (X < 1 || X > 16 || Y < 1 || Y > 16 || N < 2) begin : gen_bad_size
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

      directions_t in_valid, in_ready, out_valid, out_ready;
      flit_t in_flit[Directions];
      flit_t out_flit[Directions];

      router #(
          .X(4'(x)),
          .Y(4'(y)),
          .Exists(Exists),
          .SelfTurn(SelfTurn),
          .Depth(Depth)
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
          assign stall_d[Link] = out_valid[d] && !out_ready[d];
        end
      end

      assign in_valid[Local] = in_valid_i[y*X+x];
      assign in_flit[Local] = in_flit_i[y*X+x];
      assign in_ready_o[y*X+x] = in_ready[Local];
      assign out_valid_o[y*X+x] = out_valid[Local];
      assign out_flit_o[y*X+x] = out_flit[Local];
      assign out_ready[Local] = out_ready_i[y*X+x];

      if (Exists[North]) begin : gen_north
        assign in_valid[North] = gen_y[y-1].gen_x[x].out_valid[South];
        assign in_flit[North] = gen_y[y-1].gen_x[x].out_flit[South];
        assign out_ready[North] = gen_y[y-1].gen_x[x].in_ready[South];
      end else begin : gen_no_north
        assign in_valid[North] = 1'b0;
        assign in_flit[North] = '0;
        assign out_ready[North] = 1'b0;
      end
      if (Exists[East]) begin : gen_east
        assign in_valid[East] = gen_y[y].gen_x[x+1].out_valid[West];
        assign in_flit[East] = gen_y[y].gen_x[x+1].out_flit[West];
        assign out_ready[East] = gen_y[y].gen_x[x+1].in_ready[West];
      end else begin : gen_no_east
        assign in_valid[East] = 1'b0;
        assign in_flit[East] = '0;
        assign out_ready[East] = 1'b0;
      end
      if (Exists[South]) begin : gen_south
        assign in_valid[South] = gen_y[y+1].gen_x[x].out_valid[North];
        assign in_flit[South] = gen_y[y+1].gen_x[x].out_flit[North];
        assign out_ready[South] = gen_y[y+1].gen_x[x].in_ready[North];
      end else begin : gen_no_south
        assign in_valid[South] = 1'b0;
        assign in_flit[South] = '0;
        assign out_ready[South] = 1'b0;
      end
      if (Exists[West]) begin : gen_west
        assign in_valid[West] = gen_y[y].gen_x[x-1].out_valid[East];
        assign in_flit[West] = gen_y[y].gen_x[x-1].out_flit[East];
        assign out_ready[West] = gen_y[y].gen_x[x-1].in_ready[East];
      end else begin : gen_no_west
        assign in_valid[West] = 1'b0;
        assign in_flit[West] = '0;
        assign out_ready[West] = 1'b0;
      end
    end
  end
endmodule
