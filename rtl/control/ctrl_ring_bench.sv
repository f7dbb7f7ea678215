// SPDX-License-Identifier: Apache-2.0
// For the tests of the control network: the bridge and a ring of Stops nodes, numbered Base, Base + 1,
// and so on. Shared: as on a ring with several masters, so the host may have several requests in flight.
module ctrl_ring_bench
  import girih_pkg::*;
#(
    parameter int unsigned Stops = 5,
    parameter int unsigned Base = 3,
    parameter bit Shared = 1'b0,
    parameter int unsigned Limit = 200  // cycles that a window may take
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

    input logic [4:0] link_stall_i,
    input logic [Stops-1:0] hold_i,

    output timestamp_t now_o
);
  ctrl_t ring[Stops+1];

  ctrl_bridge #(
      .Digest(64'h0123_4567_89ab_cdef),
      .Ports (2),
      .Tiles (Stops),
      .Links (5),
      .Alone (!Shared),
      .Pad   (Shared ? 3 : 0)
  ) u_bridge (
      .ctrl_o(ring[0]),
      .ctrl_i(ring[Stops]),
      .*
  );

  for (genvar i = 0; i < Stops; i++) begin : gen_stop
    ctrl_bench_stop #(
        .Number(Base + i),
        .Shared(Shared),
        .Limit (Limit)
    ) u_stop (
        .clk_i,
        .rst_i,
        .ctrl_i(ring[i]),
        .ctrl_o(ring[i+1]),
        .hold_i(hold_i[i])
    );
  end
endmodule
