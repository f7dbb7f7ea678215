// SPDX-License-Identifier: Apache-2.0
// Wormhole router of a 2D mesh: a queue per input, dimension-ordered routing (X, then Y), round
// robin per output. A flit is written into an input queue at one clock edge and into the next
// router's at the next: one cycle per router, one flit per cycle and output, no bubbles.
//
// Every first flit has an output to go to: one whose desc.dst lies outside of the mesh goes as far
// as the mesh reaches, so it ends at the nearest node. Without SelfTurn a message of the local tile
// to itself ends at a neighbour; SelfTurn = 1 brings it back, for one LUT per bit in routers that
// have four neighbours.
module router
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter logic [3:0] X = 1,
    parameter logic [3:0] Y = 1,
    parameter directions_t Exists = '1,  // ports that lead somewhere; the others cost nothing
    parameter bit SelfTurn = 1'b0,
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  directions_t in_valid_i,
    output directions_t in_ready_o,
    input  flit_t       in_flit_i[Directions],

    output directions_t out_valid_o,
    input  directions_t out_ready_i,
    output flit_t       out_flit_o [Directions]
);
  if (!Exists[Local] || Exists == directions_t'(1 << Local)) begin : gen_bad_exists
    $fatal(1, "router: Exists is %b; it needs the local port and at least one neighbour", Exists);
  end

  // turns(o): the inputs that output o has a path from, in this router.
  function automatic directions_t turns(int unsigned to);
    turns = Exists[to] ? turns_into(to) & Exists : '0;
    if (to == Local && SelfTurn) turns[Local] = 1'b1;
  endfunction

  logic [3:0] here_x, here_y;
  assign {here_y, here_x} = {Y, X};

  flit_t head[Directions];
  directions_t valid, last, pop;
  directions_t request_d[Directions];  // [output][input]
  directions_t take[Directions];  // [output][input]

  for (genvar i = 0; i < Directions; i++) begin : gen_input
    if (Exists[i]) begin : gen_port
      logic [3:0] to_x, to_y;
      directions_t way;  // where the flit that comes leaves if it starts a message
      directions_t wanted_d;  // where the one at the head does, in the next cycle

      assign {to_y, to_x} = in_flit_i[i].desc.dst;
      always_comb begin
        way = '0;
        if (turns(East)[i] && to_x > here_x) way[East] = 1'b1;
        else if (turns(West)[i] && to_x < here_x) way[West] = 1'b1;
        else if (turns(South)[i] && to_y > here_y) way[South] = 1'b1;
        else if (turns(North)[i] && to_y < here_y) way[North] = 1'b1;
        else if (turns(Local)[i]) way[Local] = 1'b1;
        else way[member(Exists, 0)] = 1'b1;
      end

      fabric_input #(
          .Ways(Directions),
          .Depth(Depth)
      ) u_input (
          .clk_i,
          .rst_i,
          .in_valid_i(in_valid_i[i]),
          .in_ready_o(in_ready_o[i]),
          .in_flit_i(in_flit_i[i]),
          .in_way_i(way),
          .request_d_o(wanted_d),
          .valid_o(valid[i]),
          .last_o(last[i]),
          .flit_o(head[i]),
          .take_i(pop[i])
      );

      for (genvar o = 0; o < Directions; o++) begin : gen_request
        assign request_d[o][i] = wanted_d[o];
      end
    end else begin : gen_none
      assign in_ready_o[i] = 1'b0;
      assign head[i] = '0;
      assign valid[i] = 1'b0;
      assign last[i] = 1'b0;
      logic unused;
      assign unused = &{in_valid_i[i], out_ready_i[i], in_flit_i[i], pop[i]};
      for (genvar o = 0; o < Directions; o++) begin : gen_request
        assign request_d[o][i] = 1'b0;
      end
    end
  end

  always_comb begin
    pop = '0;
    for (int unsigned o = 0; o < Directions; o++) pop |= take[o];
  end

  for (genvar o = 0; o < Directions; o++) begin : gen_output
    localparam directions_t From = turns(o);
    localparam int unsigned Inputs = $countones(From);

    if (Inputs > 0) begin : gen_port
      logic [Inputs-1:0] requests_d, valids, lasts, takes;
      logic [mux_stages(Inputs)-1:0][1:0] way;
      flit_t from[Inputs];

      for (genvar k = 0; k < Inputs; k++) begin : gen_from
        assign requests_d[k] = request_d[o][member(From, k)];
        assign valids[k] = valid[member(From, k)];
        assign lasts[k] = last[member(From, k)];
        assign take[o][member(From, k)] = takes[k];
        assign from[k] = head[member(From, k)];
      end
      for (genvar i = 0; i < Directions; i++) begin : gen_not_from
        if (!From[i]) begin : gen_none
          assign take[o][i] = 1'b0;
        end
      end

      fabric_output #(
          .Inputs(Inputs)
      ) u_output (
          .clk_i,
          .rst_i,
          .request_d_i(requests_d),
          .valid_i(valids),
          .last_i(lasts),
          .take_o(takes),
          .way_o(way),
          .out_valid_o(out_valid_o[o]),
          .out_ready_i(out_ready_i[o])
      );

      flit_mux #(
          .N(Inputs)
      ) u_mux (
          .from_i(from),
          .way_i(way),
          .flit_o(out_flit_o[o])
      );
    end else begin : gen_none
      assign take[o] = '0;
      assign out_valid_o[o] = 1'b0;
      assign out_flit_o[o] = '0;
    end
  end

  // Flits are neither lost nor doubled: each that leaves a queue leaves by exactly one output.
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($countones(pop) == $countones(out_valid_o & out_ready_i));
      for (int unsigned o = 0; o < Directions; o++) assert ($onehot0(take[o]));
    end
  end
endmodule
