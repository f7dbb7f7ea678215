// SPDX-License-Identifier: Apache-2.0
// Directions of a mesh router and the turns that dimension-ordered routing (X, then Y) makes.
// x grows to the east, y to the south. A message that has turned into Y never turns back into X, so no
// cycle of channels can form.
package fabric_pkg;
  localparam int unsigned Directions = 5;
  localparam int unsigned North = 0;
  localparam int unsigned East = 1;
  localparam int unsigned South = 2;
  localparam int unsigned West = 3;
  localparam int unsigned Local = 4;

  typedef logic [Directions-1:0] directions_t;  // a set of directions, bit i for direction i

  // The direction of a link as the router at its other end sees it.
  function automatic int unsigned opposite(int unsigned direction);
    return (direction + 2) % 4;
  endfunction

  // The inputs from which output `to` can be reached.
  function automatic directions_t turns_into(int unsigned to);
    directions_t from;
    from = '0;
    unique case (to)
      North, South: from = '1;
      East, West: from = directions_t'(1 << East | 1 << West | 1 << Local);
      Local: from = '1;
      default: from = '0;
    endcase
    from[to] = 1'b0;
    return from;
  endfunction

  // The index of the link to coordinate `other` among a butterfly router's links of a row or column, which are in rising order.
  function automatic int unsigned place_among_others(int unsigned other, int unsigned here);
    return other < here ? other : other - 1;
  endfunction

  // flit_mux is a tree of 4:1 multiplexers, as few and as flat as possible. The children of node n are nodes 4n + 1 to
  // 4n + 4; the first mux_stages nodes are multiplexers, node 0 drives the output, and the inputs follow.
  function automatic int unsigned mux_stages(int unsigned inputs);
    return inputs > 4 ? (inputs + 1) / 3 : 1;
  endfunction

  // The select of multiplexer `stage` for input `index`; 0 if the input does not pass through it.
  function automatic logic [1:0] mux_way(int unsigned inputs, int unsigned stage, int unsigned index);
    int unsigned node;
    node = mux_stages(inputs) + index;
    mux_way = '0;
    for (int unsigned level = 0; level < 8; level++) begin
      if (node != 0) begin
        if ((node - 1) / 4 == stage) mux_way = 2'(node - 1);
        node = (node - 1) / 4;
      end
    end
  endfunction
endpackage
