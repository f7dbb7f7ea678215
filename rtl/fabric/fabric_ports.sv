// SPDX-License-Identifier: Apache-2.0
// Joins the links of all tiles, one for each message class, to the ports of a fabric's switches, which have one flit for all
// classes: wires for one class, a class_port per tile for two. The bits and links of class 1 follow those of class 0.
module fabric_ports
  import girih_pkg::*;
#(
    parameter int unsigned Ports = 8,
    parameter int unsigned Classes = 1,
    parameter bit [Ports-1:0] RepliesWait = '0,  // a tile takes replies late, as class_port says
    localparam int unsigned N = Classes * Ports
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [N-1:0] in_valid_i,
    output logic  [N-1:0] in_ready_o,
    input  flit_t         in_flit_i[N],

    output logic  [N-1:0] to_valid_o,  // to the switches
    input  logic  [N-1:0] to_ready_i,
    output flit_t         to_flit_o[Ports],

    input  logic  [N-1:0] from_valid_i,  // from the switches
    output logic  [N-1:0] from_ready_o,
    input  flit_t         from_flit_i[Ports],

    output logic  [N-1:0] out_valid_o,
    input  logic  [N-1:0] out_ready_i,
    output flit_t         out_flit_o[N]
);
  if (Classes < 1 || Classes > 2) begin : gen_bad_classes
    $fatal(1, "fabric_ports: Classes is %0d; it must be 1 or 2", Classes);
  end

  if (Classes == 1) begin : gen_classes
    assign to_valid_o = in_valid_i;
    assign in_ready_o = to_ready_i;
    assign to_flit_o = in_flit_i;
    assign out_valid_o = from_valid_i;
    assign from_ready_o = out_ready_i;
    assign out_flit_o = from_flit_i;
    logic unused;
    assign unused = &{clk_i, rst_i, RepliesWait};
  end else begin : gen_classes
    for (genvar p = 0; p < int'(Ports); p++) begin : gen_port
      localparam int unsigned Reply = N - Ports + p;
      flit_t in_flits[2], out_flits[2];
      assign in_flits = '{in_flit_i[p], in_flit_i[Reply]};
      assign {out_flit_o[p], out_flit_o[Reply]} = {out_flits[0], out_flits[1]};
      class_port #(
          .RepliesWait(RepliesWait[p])
      ) u_port (
          .clk_i,
          .rst_i,
          .in_valid_i({in_valid_i[Reply], in_valid_i[p]}),
          .in_ready_o({in_ready_o[Reply], in_ready_o[p]}),
          .in_flit_i(in_flits),
          .to_valid_o({to_valid_o[Reply], to_valid_o[p]}),
          .to_ready_i({to_ready_i[Reply], to_ready_i[p]}),
          .to_flit_o(to_flit_o[p]),
          .from_valid_i({from_valid_i[Reply], from_valid_i[p]}),
          .from_ready_o({from_ready_o[Reply], from_ready_o[p]}),
          .from_flit_i(from_flit_i[p]),
          .out_valid_o({out_valid_o[Reply], out_valid_o[p]}),
          .out_ready_i({out_ready_i[Reply], out_ready_i[p]}),
          .out_flit_o(out_flits)
      );
    end
  end
endmodule
