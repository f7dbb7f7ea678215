// SPDX-License-Identifier: Apache-2.0
// The common part of routers and crossbars: a queue per input and class, and the paths from inputs to outputs. The
// instantiating module gives the output of a message beside its first flit. One cycle from the write into a queue to the
// output, one flit per cycle and output.
//
// With two classes a port has a valid and a ready for each, bits of class 1 behind those of class 0, and one flit; its links have the
// rules of class_switch.
module fabric_switch
  import girih_pkg::*;
#(
    parameter int unsigned Ports = 5,
    parameter bit [Ports-1:0][Ports-1:0] Turns = '1,  // [output][input]: there is a path; a port without paths costs nothing
    parameter int unsigned Depth = 16,
    parameter int unsigned Classes = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Classes*Ports-1:0] in_valid_i,
    output logic  [Classes*Ports-1:0] in_ready_o,
    input  flit_t                     in_flit_i [Ports],
    input  logic  [        Ports-1:0] in_way_i  [Ports],  // its output, if it starts a message: one-hot, with a path

    output logic  [Classes*Ports-1:0] out_valid_o,
    input  logic  [Classes*Ports-1:0] out_ready_i,
    output flit_t                     out_flit_o [Ports]
);
  if (Classes < 1 || Classes > 2) begin : gen_bad_classes
    $fatal(1, "fabric_switch: Classes is %0d; it must be 1 or 2", Classes);
  end

  if (Classes == 1) begin : gen_classes
    single_switch #(
        .Ports(Ports),
        .Turns(Turns),
        .Depth(Depth)
    ) u_switch (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_o,
        .in_flit_i,
        .in_way_i,
        .out_valid_o,
        .out_ready_i,
        .out_flit_o
    );
  end else begin : gen_classes
    class_switch #(
        .Ports(Ports),
        .Turns(Turns),
        .Depth(Depth)
    ) u_switch (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_o,
        .in_flit_i,
        .in_way_i,
        .out_valid_o,
        .out_ready_i,
        .out_flit_o
    );
  end
endmodule
