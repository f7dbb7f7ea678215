// SPDX-License-Identifier: Apache-2.0
// Whether cell_writer takes a flit, and whether with a cell. Combinational, and mapped by itself: the allocator waits for it, and what is said of a
// packet's first flit comes late in the cycle. in_which_i comes last of all, so what is kept is for both of its values.
(* keep_hierarchy *)
module cell_admission
  import girih_pkg::*;
(
    // In the middle of a packet, of which the next three say what in_* say of a first flit.
    input logic open_i,
    input logic lost_i,
    input logic waits_i,
    input logic reserved_i,
    input logic in_which_i,  // these as of packet_buffer
    input logic [1:0] in_hold_i,
    input logic [1:0] in_refuse_i,
    input logic [1:0] in_waits_i,
    input logic [1:0] in_reserved_i,

    input logic last_i,
    input logic bad_i,
    input logic [EmptyWidth-1:0] empty_i,
    input logic may_need_i,  // it needs a cell, unless the packet is void, or too long
    input logic most_i,  // with this flit whole, the packet would be too long
    input logic cell_valid_i,
    input logic spare_i,  // there are more free cells than the reserve
    input logic reports_ready_i,

    output logic too_long_o,
    output logic ready_o,
    output logic takes_cell_o,  // if it is offered; then it is ready, too
    output logic starved_o,  // it needs a cell, and there is none
    output logic abandons_o  // if it is offered: the cells of the packet, of which it is not the first flit, are given back
);
  logic void_end, needs_cell;
  assign void_end = last_i && bad_i;
  assign too_long_o = most_i && !(last_i && empty_i != '0);
  assign needs_cell = may_need_i && !void_end && !too_long_o;

  (* keep *) logic [1:0] ready, takes, starved;
  for (genvar i = 0; i < 2; i++) begin : gen_which
    logic needs, has, admitted;
    assign needs = needs_cell && !(in_waits_i[i] && in_refuse_i[i]);
    assign has = cell_valid_i && ((in_waits_i[i] && in_reserved_i[i]) || spare_i);
    assign admitted = reports_ready_i && !(in_waits_i[i] && in_hold_i[i]);
    assign starved[i] = needs && !has;
    assign takes[i] = admitted && needs && has;
    assign ready[i] = admitted && !(in_waits_i[i] && starved[i]);
  end

  logic open_needs, open_has, open_starved, open_ready;
  assign open_needs = needs_cell && !lost_i;
  assign open_has = cell_valid_i && (reserved_i || spare_i);
  assign open_starved = open_needs && !open_has;
  assign open_ready = !(waits_i && open_starved);
  assign starved_o = open_i ? open_starved : starved[in_which_i];
  assign takes_cell_o = open_i ? open_needs && open_has : takes[in_which_i];
  assign ready_o = open_i ? open_ready : ready[in_which_i];
  // One that is void or too long needs no cell, so it waits for none.
  assign abandons_o = open_i && !lost_i && (void_end || too_long_o || (may_need_i && !open_has && !waits_i));
endmodule
