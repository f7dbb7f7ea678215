// SPDX-License-Identifier: Apache-2.0
// Crossbar with the fabric's port contract: a queue per input, round robin per output, one cycle
// from the write into a queue to the output. desc.dst is the index of the output; the index of none leads to the last
// output. As on a mesh, a port has no path to itself: senders must not ask for one.
//
// With two classes the links of class 1 follow those of class 0, and a request takes two cycles.
module crossbar
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned Ports = 8,
    parameter bit [Ports-1:0] Outputs = '1,  // ports that have an output; one without costs nothing
    parameter int unsigned Depth = 16,
    parameter int unsigned Classes = 1,
    localparam int unsigned N = Classes * Ports
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [N-1:0] in_valid_i,
    output logic  [N-1:0] in_ready_o,
    input  flit_t         in_flit_i[N],

    output logic  [N-1:0] out_valid_o,
    input  logic  [N-1:0] out_ready_i,
    output flit_t         out_flit_o[N]
);
  if (Outputs == '0) begin : gen_no_output
    $fatal(1, "crossbar: Outputs is 0; there must be at least one output");
  end
  if (Ports < 2 || Ports > 256) begin : gen_bad_ports
    $fatal(1, "crossbar: Ports is %0d; it must be from 2 to 256", Ports);
  end
  if (Classes < 1 || Classes > 2) begin : gen_bad_classes
    $fatal(1, "crossbar: Classes is %0d; it must be 1 or 2", Classes);
  end

  function automatic int unsigned last_output();
    last_output = Ports - 1;
    for (int unsigned port = 0; port < Ports; port++) if (Outputs[port]) last_output = port;
  endfunction
  localparam int unsigned Last = last_output();

  // The destinations that lead to the last output.
  function automatic bit [255:0] to_last();
    for (int unsigned node = 0; node < 256; node++) to_last[node] = node == Last || node >= Ports || !Outputs[node%Ports];
  endfunction
  localparam bit [255:0] ToLast = to_last();

  // Every input but its own leads to each output that exists.
  function automatic bit [Ports-1:0][Ports-1:0] all_turns();
    for (int unsigned port = 0; port < Ports; port++) begin
      all_turns[port] = Outputs[port] ? '1 : '0;
      all_turns[port][port] = 1'b0;
    end
  endfunction

  flit_t arriving[Ports];
  logic [Ports-1:0] way[Ports];  // the output of the arriving flit, if it starts a message

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_way
    for (genvar o = 0; o < int'(Ports); o++) begin : gen_output
      assign way[i][o] = o == int'(Last) ? ToLast[node_t'(arriving[i].desc.dst)] : Outputs[o] && node_t'(arriving[i].desc.dst) == node_t'(o);
    end
  end

  if (Classes == 1) begin : gen_switch
    assign arriving = in_flit_i;
    fabric_switch #(
        .Ports(Ports),
        .Turns(all_turns()),
        .Depth(Depth)
    ) u_switch (
        .clk_i,
        .rst_i,
        .in_valid_i,
        .in_ready_o,
        .in_flit_i(arriving),
        .in_way_i(way),
        .out_valid_o,
        .out_ready_i,
        .out_flit_o
    );
  end else begin : gen_switch
    logic [1:0][Ports-1:0] in_valid, in_ready, out_valid, out_ready;
    flit_t leaving[Ports];

    for (genvar i = 0; i < int'(Ports); i++) begin : gen_port
      flit_t in_flits[2], out_flits[2];
      assign in_flits = '{in_flit_i[i], in_flit_i[Ports+i]};
      assign {out_flit_o[i], out_flit_o[Ports+i]} = {out_flits[0], out_flits[1]};
      class_port u_port (
          .clk_i,
          .rst_i,
          .in_valid_i({in_valid_i[Ports+i], in_valid_i[i]}),
          .in_ready_o({in_ready_o[Ports+i], in_ready_o[i]}),
          .in_flit_i(in_flits),
          .to_valid_o({in_valid[1][i], in_valid[0][i]}),
          .to_ready_i({in_ready[1][i], in_ready[0][i]}),
          .to_flit_o(arriving[i]),
          .from_valid_i({out_valid[1][i], out_valid[0][i]}),
          .from_ready_o({out_ready[1][i], out_ready[0][i]}),
          .from_flit_i(leaving[i]),
          .out_valid_o({out_valid_o[Ports+i], out_valid_o[i]}),
          .out_ready_i({out_ready_i[Ports+i], out_ready_i[i]}),
          .out_flit_o(out_flits)
      );
    end

    class_switch #(
        .Ports(Ports),
        .Turns(all_turns()),
        .Depth(Depth)
    ) u_switch (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid),
        .in_ready_o(in_ready),
        .in_flit_i(arriving),
        .in_way_i(way),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_flit_o(leaving)
    );
  end
endmodule
