// SPDX-License-Identifier: Apache-2.0
// Wormhole router of a flattened butterfly, with Tiles tiles and a link to every other router of its row
// and of its column. A message crosses at most one row link and then at most one column link; only
// the turns of such routes exist. One cycle per router, one flit per cycle and output, no bubbles.
//
//   ports: 0 ..             Tiles - 1    its tiles
//          RowPort ..    ColumnPort - 1  the other routers of the row, by rising x
//          ColumnPort ..      Ports - 1  the other routers of the column, by rising y
//
// Every first flit has an output: coordinates out of range are clamped to the nearest existing ones, and a
// message from a tile to itself goes to the first other port.
module butterfly_router
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned X = 0,  // of this router
    parameter int unsigned Y = 0,
    parameter int unsigned Columns = 2,  // of the butterfly
    parameter int unsigned Rows = 2,
    parameter int unsigned Tiles = 2,
    parameter int unsigned Depth = 16,
    parameter int unsigned Classes = 1,  // as of a router
    localparam int unsigned RowPort = Tiles,
    localparam int unsigned ColumnPort = RowPort + Columns - 1,
    localparam int unsigned Ports = ColumnPort + Rows - 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Classes*Ports-1:0] in_valid_i,
    output logic  [Classes*Ports-1:0] in_ready_o,
    input  flit_t                     in_flit_i[Ports],

    output logic  [Classes*Ports-1:0] out_valid_o,
    input  logic  [Classes*Ports-1:0] out_ready_i,
    output flit_t                     out_flit_o[Ports]
);
  if (X >= Columns || Y >= Rows || Columns * Rows < 2) begin : gen_bad_place
    $fatal(1, "butterfly_router: there is no router %0d, %0d in a butterfly of %0d x %0d", X, Y, Columns, Rows);
  end

  typedef bit [Ports-1:0] ports_t;

  // The inputs from which each output can be reached: a tile from all other ports, a row link from the tiles, a
  // column link from the tiles and the row links.
  function automatic bit [Ports-1:0][Ports-1:0] all_turns();
    for (int unsigned o = 0; o < Ports; o++) begin
      for (int unsigned i = 0; i < Ports; i++) begin
        all_turns[o][i] = o < RowPort ? i != o : o < ColumnPort ? i < RowPort : i < ColumnPort;
      end
    end
  endfunction

  function automatic logic [2:0] nearest(logic [2:0] coordinate, int unsigned size);
    return 32'(coordinate) < size ? coordinate : 3'(size - 1);
  endfunction

  logic [Ports-1:0] way[Ports];  // the output of the flit that arrives at a port, if it starts a message

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_way
    localparam bit OfTile = i < RowPort;
    localparam bit OfRow = i >= RowPort && i < ColumnPort;
    node_t to;
    logic [2:0] to_x, to_y, to_tile;
    assign to = node_t'(in_flit_i[i].desc.dst);
    assign to_x = nearest(to[4:2], Columns);
    assign to_y = nearest(to[7:5], Rows);
    assign to_tile = nearest({1'b0, to[1:0]}, Tiles);

    always_comb begin
      way[i] = '0;
      if (OfTile && to_x != 3'(X)) begin
        for (int unsigned x = 0; x < Columns; x++) begin
          if (x != X && to_x == 3'(x)) way[i][RowPort+place_among_others(x, X)] = 1'b1;
        end
      end else if ((OfTile || OfRow) && to_y != 3'(Y)) begin
        for (int unsigned y = 0; y < Rows; y++) begin
          if (y != Y && to_y == 3'(y)) way[i][ColumnPort+place_among_others(y, Y)] = 1'b1;
        end
      end else if (OfTile && to_tile == 3'(i)) begin
        way[i] = i == 0 ? ports_t'(2) : ports_t'(1);
      end else begin
        for (int unsigned t = 0; t < Tiles; t++) way[i][t] = to_tile == 3'(t);
      end
    end
  end

  fabric_switch #(
      .Ports(Ports),
      .Turns(all_turns()),
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
