// SPDX-License-Identifier: Apache-2.0
// Flattened butterfly with the fabric's port contract: X by Y routers with Tiles tiles each, and a link between every
// two routers of a row or of a column. Port (y * X + x) * Tiles + tile is node {y[2:0], x[2:0], tile[1:0]}.
// stall_o has one bit per link between routers: in the previous cycle the link offered a flit that was not taken (with two
// classes: the queue at its end had no room for one of them). Links are ordered by router; for each router, those of its
// row by rising x, then those of its column by rising y.
module butterfly
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned X = 2,
    parameter int unsigned Y = 2,
    parameter int unsigned Tiles = 2,
    parameter int unsigned Depth = 16,
    parameter int unsigned Classes = 1,  // the links of class 1 follow those of class 0
    localparam int unsigned Places = X * Y * Tiles,
    parameter bit [Places-1:0] RepliesWait = '0,  // as in fabric_ports
    localparam int unsigned N = Classes * Places,
    localparam int unsigned LinksEach = X + Y - 2,
    localparam int unsigned Links = X * Y * LinksEach
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
  if (X < 1 || X > 8 || Y < 1 || Y > 8 || X * Y < 2) begin : gen_bad_size
    $fatal(1, "butterfly: X is %0d and Y is %0d; each must be from 1 to 8, and there must be at least two routers", X, Y);
  end
  if (Tiles < 1 || Tiles > 4) begin : gen_bad_tiles
    $fatal(1, "butterfly: Tiles is %0d; it must be from 1 to 4", Tiles);
  end

  localparam int unsigned ColumnPort = Tiles + X - 1;  // as in butterfly_router
  localparam int unsigned Ports = ColumnPort + Y - 1;

  logic [N-1:0] to_valid, to_ready, from_valid, from_ready;
  flit_t to_flit[Places], from_flit[Places];
  fabric_ports #(
      .Ports(Places),
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

  for (genvar y = 0; y < int'(Y); y++) begin : gen_y
    for (genvar x = 0; x < int'(X); x++) begin : gen_x
      localparam int unsigned Router = y * X + x;
      logic [Classes*Ports-1:0] in_valid, in_ready, out_valid, out_ready;
      flit_t in_flit[Ports];
      flit_t out_flit[Ports];

      butterfly_router #(
          .X(x),
          .Y(y),
          .Columns(X),
          .Rows(Y),
          .Tiles(Tiles),
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

      for (genvar t = 0; t < int'(Tiles); t++) begin : gen_tile
        localparam int unsigned Tile = Router * Tiles + t;
        assign in_flit[t] = to_flit[Tile];
        assign from_flit[Tile] = out_flit[t];
        for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
          assign in_valid[c*Ports+t] = to_valid[c*Places+Tile];
          assign to_ready[c*Places+Tile] = in_ready[c*Ports+t];
          assign from_valid[c*Places+Tile] = out_valid[c*Ports+t];
          assign out_ready[c*Ports+t] = from_ready[c*Places+Tile];
        end
      end

      for (genvar from = 0; from < int'(X); from++) begin : gen_row
        if (from != x) begin : gen_link
          localparam int unsigned Here = Tiles + place_among_others(from, x);
          localparam int unsigned There = Tiles + place_among_others(x, from);
          assign in_flit[Here] = gen_y[y].gen_x[from].out_flit[There];
          for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
            assign in_valid[c*Ports+Here] = gen_y[y].gen_x[from].out_valid[c*Ports+There];
            assign out_ready[c*Ports+Here] = gen_y[y].gen_x[from].in_ready[c*Ports+There];
          end
        end
      end
      for (genvar from = 0; from < int'(Y); from++) begin : gen_column
        if (from != y) begin : gen_link
          localparam int unsigned Here = ColumnPort + place_among_others(from, y);
          localparam int unsigned There = ColumnPort + place_among_others(y, from);
          assign in_flit[Here] = gen_y[from].gen_x[x].out_flit[There];
          for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
            assign in_valid[c*Ports+Here] = gen_y[from].gen_x[x].out_valid[c*Ports+There];
            assign out_ready[c*Ports+Here] = gen_y[from].gen_x[x].in_ready[c*Ports+There];
          end
        end
      end

      if (Classes == 1) begin : gen_stall
        assign stall_d[Router*LinksEach+:LinksEach] = out_valid[Ports-1:Tiles] & ~out_ready[Ports-1:Tiles];
      end else begin : gen_stalls
        assign stall_d[Router*LinksEach+:LinksEach] = ~(out_ready[Ports-1:Tiles] & out_ready[Classes*Ports-1-:LinksEach]);
      end
    end
  end
endmodule
