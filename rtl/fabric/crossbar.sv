// SPDX-License-Identifier: Apache-2.0
// Crossbar with the fabric's port contract: a queue per input, round robin per output, one cycle
// from the write into a queue to the output. desc.dst is the index of the output; an index out of range leads to the last
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
    parameter bit [Ports-1:0] RepliesWait = '0,  // as in fabric_ports
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

  logic [N-1:0] to_valid, to_ready, from_valid, from_ready;
  flit_t to_flit[Ports], from_flit[Ports];
  fabric_ports #(
      .Ports(Ports),
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

  logic [Ports-1:0] way[Ports];  // the output of the arriving flit, if it starts a message

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_way
    for (genvar o = 0; o < int'(Ports); o++) begin : gen_output
      assign way[i][o] = o == int'(Last) ? ToLast[node_t'(to_flit[i].desc.dst)] : Outputs[o] && node_t'(to_flit[i].desc.dst) == node_t'(o);
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
      .in_valid_i(to_valid),
      .in_ready_o(to_ready),
      .in_flit_i(to_flit),
      .in_way_i(way),
      .out_valid_o(from_valid),
      .out_ready_i(from_ready),
      .out_flit_o(from_flit)
  );
endmodule
