// SPDX-License-Identifier: Apache-2.0
// Crossbar behind the fabric's port contract: a queue per input, round robin per output, one cycle
// from an input's write to the output. desc.dst is the index of the output; one that does not exist
// leads to the last output. As on a mesh, a port has no way to itself: senders must not ask for it.
module crossbar
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned Ports = 8,
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Ports-1:0] in_valid_i,
    output logic  [Ports-1:0] in_ready_o,
    input  flit_t             in_flit_i[Ports],

    output logic  [Ports-1:0] out_valid_o,
    input  logic  [Ports-1:0] out_ready_i,
    output flit_t             out_flit_o[Ports]
);
  if (Ports < 2 || Ports > 256) begin : gen_bad_ports
    $fatal(1, "crossbar: Ports is %0d; it must be in 2 to 256", Ports);
  end

  localparam int unsigned Others = Ports - 1;

  flit_t head[Ports];
  logic [Ports-1:0] valid, last, pop;
  logic [Ports-1:0] request_d[Ports];  // [output][input]
  logic [Ports-1:0] take[Ports];  // [output][input]

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_input
    logic [Ports-1:0] way, wanted_d;  // where the flit that comes leaves; where the next head does

    for (genvar o = 0; o < int'(Ports) - 1; o++) begin : gen_way
      assign way[o] = in_flit_i[i].desc.dst == node_t'(o);
    end
    assign way[Ports-1] = 32'(in_flit_i[i].desc.dst) >= Ports - 1;

    fabric_input #(
        .Ways(Ports),
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

    for (genvar o = 0; o < int'(Ports); o++) begin : gen_request
      assign request_d[o][i] = wanted_d[o];
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!wanted_d[i])
        else $error("crossbar: port %0d sends to itself", i);
      end
    end
  end

  always_comb begin
    pop = '0;
    for (int unsigned o = 0; o < Ports; o++) pop |= take[o];
  end

  for (genvar o = 0; o < int'(Ports); o++) begin : gen_output
    // All inputs but its own.
    logic [Others-1:0] request, valid_here, last_here, take_here;
    logic [mux_stages(Others)-1:0][1:0] way;
    flit_t from[Others];

    for (genvar j = 0; j < int'(Others); j++) begin : gen_other
      localparam int unsigned Input = j < o ? j : j + 1;
      assign request[j] = request_d[o][Input];
      assign valid_here[j] = valid[Input];
      assign last_here[j] = last[Input];
      assign take[o][Input] = take_here[j];
      assign from[j] = head[Input];
    end
    assign take[o][o] = 1'b0;

    fabric_output #(
        .Inputs(Others)
    ) u_output (
        .clk_i,
        .rst_i,
        .request_d_i(request),
        .valid_i(valid_here),
        .last_i(last_here),
        .take_o(take_here),
        .way_o(way),
        .out_valid_o(out_valid_o[o]),
        .out_ready_i(out_ready_i[o])
    );

    flit_mux #(
        .N(Others)
    ) u_mux (
        .from_i(from),
        .way_i(way),
        .flit_o(out_flit_o[o])
    );
  end

  // Flits are neither lost nor doubled: each that leaves a queue leaves by exactly one output.
  always_ff @(posedge clk_i) begin
    if (!rst_i) assert ($countones(pop) == $countones(out_valid_o & out_ready_i));
  end
endmodule
