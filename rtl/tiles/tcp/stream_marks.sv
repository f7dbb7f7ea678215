// SPDX-License-Identifier: Apache-2.0
// Marks on connections, each by its place and the generation in that place. A place has one mark at a time, the latest. Generations are few and are used again, so
// a mark ends when its generation begins anew. Marks can be set in every cycle, and one place can be freed in each; that a place is freed has its effect a
// cycle later.
//
// A mark is valid while the bits of the two memories differ, so that each memory has one writer.
module stream_marks
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Queries = 1
) (
    input logic clk_i,

    input logic        clear_i,  // after reset, of each connection in turn
    input logic [15:0] clear_index_i,

    input logic        set_i,
    input connection_t set_connection_i,
    input generation_t set_generation_i,

    input logic        freed_i,
    input connection_t freed_connection_i,
    input generation_t next_generation_i,   // of that place, from now on

    input  connection_t [Queries-1:0] connections_i,
    input  generation_t [Queries-1:0] generations_i,
    output logic        [Queries-1:0] marked_o
);
  typedef logic [$clog2(Connections)-1:0] id_t;
  typedef struct packed {
    logic side;
    generation_t generation;
  } mark_t;

  mark_t marks[Connections];
  logic ended[Connections];
  id_t set_id, freed_id_q;
  logic freed_q, ends;
  generation_t next_generation_q;
  assign set_id = id_t'(set_connection_i);
  assign ends = freed_q && marks[freed_id_q].generation == next_generation_q && !(set_i && set_id == freed_id_q);
  always_ff @(posedge clk_i) begin
    freed_q <= freed_i && !clear_i;
    freed_id_q <= id_t'(freed_connection_i);
    next_generation_q <= next_generation_i;
    if (clear_i) marks[id_t'(clear_index_i)] <= '0;
    else if (set_i) marks[set_id] <= '{side: !ended[set_id], generation: set_generation_i};
    if (clear_i) ended[id_t'(clear_index_i)] <= 1'b0;
    else if (ends) ended[freed_id_q] <= marks[freed_id_q].side;
  end
  for (genvar i = 0; i < int'(Queries); i++) begin : gen_query
    id_t id;
    assign id = id_t'(connections_i[i]);
    assign marked_o[i] = marks[id].side != ended[id] && marks[id].generation == generations_i[i];
  end

  logic unused;
  assign unused = &{1'b0, clear_index_i, set_connection_i, freed_connection_i, connections_i};
endmodule
