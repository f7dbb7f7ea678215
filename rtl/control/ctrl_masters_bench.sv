// SPDX-License-Identifier: Apache-2.0
// For the tests of a control ring with three masters: the host and two tiles. Master m acts for tenant m - 1 and sits
// behind stop m - 1; it has rights for the first three nodes and for one that does not exist. The stops are ctrl_bench_stop.
module ctrl_masters_bench
  import girih_pkg::*;
#(
    parameter int unsigned Stops = 4,
    parameter int unsigned Base = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    output logic [ 1:0] s_axil_bresp,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    input  logic [31:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,

    input logic [Stops-1:0] hold_i,

    input  logic [3:0] read_1_i,
    input  logic [3:0] write_1_i,
    input  logic request_valid_1_i,
    output logic request_ready_1_o,
    input  ctrl_request_t request_1_i,
    output logic answer_valid_1_o,
    output ctrl_answer_t answer_1_o,
    output logic refused_1_o,

    input  logic [3:0] read_2_i,
    input  logic [3:0] write_2_i,
    input  logic request_valid_2_i,
    output logic request_ready_2_o,
    input  ctrl_request_t request_2_i,
    output logic answer_valid_2_o,
    output ctrl_answer_t answer_2_o,
    output logic refused_2_o
);
  localparam node_t [3:0] Nodes = {8'h77, node_t'(Base + 2), node_t'(Base + 1), node_t'(Base)};
  localparam int unsigned Requests = 3 * CtrlTags;
  ctrl_t ring[Stops+1], stop_out[Stops];
  timestamp_t unused_now;

  ctrl_bridge #(
      .Tiles(Stops),
      .Alone(1'b0),
      .Pad  (Requests > Stops + 3 ? Requests - Stops - 3 : 0)
  ) u_bridge (
      .ctrl_o(ring[0]),
      .ctrl_i(ring[Stops]),
      .link_stall_i('0),
      .now_o(unused_now),
      .*
  );

  for (genvar i = 0; i < Stops; i++) begin : gen_stop
    ctrl_bench_stop #(
        .Number(Base + i),
        .Shared(1'b1)
    ) u_stop (
        .clk_i,
        .rst_i,
        .ctrl_i(ring[i]),
        .ctrl_o(stop_out[i]),
        .hold_i(hold_i[i])
    );
    if (i >= 2) begin : gen_node_only
      assign ring[i+1] = stop_out[i];
    end
  end

  ctrl_master #(
      .Master(1),
      .Tenant('0),
      .Rights(4),
      .Nodes (Nodes)
  ) u_master_1 (
      .clk_i,
      .rst_i,
      .ctrl_i(stop_out[0]),
      .ctrl_o(ring[1]),
      .may_read_i(read_1_i),
      .may_write_i(write_1_i),
      .request_valid_i(request_valid_1_i),
      .request_ready_o(request_ready_1_o),
      .request_i(request_1_i),
      .answer_valid_o(answer_valid_1_o),
      .answer_o(answer_1_o),
      .refused_o(refused_1_o)
  );

  ctrl_master #(
      .Master(2),
      .Tenant(1),
      .Rights(4),
      .Nodes (Nodes)
  ) u_master_2 (
      .clk_i,
      .rst_i,
      .ctrl_i(stop_out[1]),
      .ctrl_o(ring[2]),
      .may_read_i(read_2_i),
      .may_write_i(write_2_i),
      .request_valid_i(request_valid_2_i),
      .request_ready_o(request_ready_2_o),
      .request_i(request_2_i),
      .answer_valid_o(answer_valid_2_o),
      .answer_o(answer_2_o),
      .refused_o(refused_2_o)
  );
endmodule
