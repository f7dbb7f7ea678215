// SPDX-License-Identifier: Apache-2.0
// fabric_switch for one message class: a queue per input, and per output a round-robin arbiter and a multiplexer of
// the inputs that have a path to it. One cycle from the write into a queue to the output, one flit per cycle and output.
module single_switch
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned Ports = 5,
    parameter bit [Ports-1:0][Ports-1:0] Turns = '1,  // [output][input]: there is a path; a port without paths costs nothing
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [Ports-1:0] in_valid_i,
    output logic [Ports-1:0] in_ready_o,
    input  flit_t            in_flit_i[Ports],
    input  logic [Ports-1:0] in_way_i [Ports], // its output, if it starts a message: one-hot, with a path

    output logic [Ports-1:0] out_valid_o,
    input  logic [Ports-1:0] out_ready_i,
    output flit_t            out_flit_o [Ports]
);
  typedef bit [Ports-1:0] ports_t;  // a set of ports
  typedef bit [Ports-1:0][Ports-1:0] turns_t;

  function automatic turns_t by_input();
    for (int unsigned i = 0; i < Ports; i++) begin
      for (int unsigned o = 0; o < Ports; o++) by_input[i][o] = Turns[o][i];
    end
  endfunction
  localparam turns_t Ways = by_input();  // [input][output]

  flit_t head[Ports];
  logic [Ports-1:0] valid, last, pop;
  logic [Ports-1:0] request_d[Ports];  // [output][input]
  logic [Ports-1:0] grant[Ports];  // [output][input]

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_input
    localparam ports_t To = Ways[i];
    logic [Ports-1:0] wanted_d;  // the output of the message at the head, in the next cycle

    if (To != '0) begin : gen_port
      fabric_input #(
          .Ways(Ports),
          .Depth(Depth)
      ) u_input (
          .clk_i,
          .rst_i,
          .in_valid_i(in_valid_i[i]),
          .in_ready_o(in_ready_o[i]),
          .in_flit_i(in_flit_i[i]),
          .in_way_i(in_way_i[i]),
          .request_d_o(wanted_d),
          .valid_o(valid[i]),
          .last_o(last[i]),
          .flit_o(head[i]),
          .take_i(pop[i])
      );

      always_ff @(posedge clk_i) begin
        if (!rst_i) begin
          assert ($onehot0(wanted_d));
          assert ((wanted_d & ~To) == '0)
          else $error("single_switch: a message at port %0d has no path to its output", i);
        end
      end
    end else begin : gen_none
      assign in_ready_o[i] = 1'b0;
      assign head[i] = '0;
      assign valid[i] = 1'b0;
      assign last[i] = 1'b0;
      assign wanted_d = '0;
      logic unused;
      assign unused = &{in_valid_i[i], in_flit_i[i], in_way_i[i], valid[i], last[i], pop[i]};
    end

    for (genvar o = 0; o < int'(Ports); o++) begin : gen_request
      assign request_d[o][i] = wanted_d[o];
    end
  end

  always_comb begin
    pop = '0;
    for (int unsigned o = 0; o < Ports; o++) pop |= grant[o];
    pop &= valid;
  end

  for (genvar o = 0; o < int'(Ports); o++) begin : gen_output
    localparam ports_t From = Turns[o];
    localparam int unsigned Inputs = $countones(From);

    if (Inputs > 0) begin : gen_port
      logic [Inputs-1:0] requests_d, valids, lasts, grants;
      logic [mux_stages(Inputs)-1:0][1:0] way;
      flit_t from[Inputs];

      for (genvar i = 0; i < int'(Ports); i++) begin : gen_from
        if (From[i]) begin : gen_path
          localparam int unsigned K = $countones(From & ~(ports_t'('1) << i));  // index of i among the inputs with a path
          assign requests_d[K] = request_d[o][i];
          assign valids[K] = valid[i];
          assign lasts[K] = last[i];
          assign grant[o][i] = grants[K];
          assign from[K] = head[i];
        end else begin : gen_none
          assign grant[o][i] = 1'b0;
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
          .grant_o(grants),
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
      assign grant[o] = '0;
      assign out_valid_o[o] = 1'b0;
      assign out_flit_o[o] = '0;
      logic unused;
      assign unused = &{out_ready_i[o], request_d[o]};
    end
  end

  // Flits are neither lost nor duplicated: each flit that leaves a queue leaves by exactly one output.
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($countones(pop) == $countones(out_valid_o & out_ready_i));
      for (int unsigned o = 0; o < Ports; o++) assert ($onehot0(grant[o]));
    end
  end
endmodule
