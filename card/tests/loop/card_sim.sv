// SPDX-License-Identifier: Apache-2.0
// The loop card with a probe on each direction of its port 0, which the watchdog sees as well, as the compiler makes
// it of a design.
module card_sim
  import girih_pkg::*;
#(
    localparam int unsigned Ports = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] probe_enable_i,
    input logic watch_i,

    input  logic [Ports*W-1:0] s_axis_tdata,
    input  logic [Ports*W/8-1:0] s_axis_tkeep,
    input  logic [Ports-1:0] s_axis_tvalid,
    output logic [Ports-1:0] s_axis_tready,
    input  logic [Ports-1:0] s_axis_tlast,
    input  logic [Ports-1:0] s_axis_tuser,

    output logic [Ports*W-1:0] m_axis_tdata,
    output logic [Ports*W/8-1:0] m_axis_tkeep,
    output logic [Ports-1:0] m_axis_tvalid,
    input  logic [Ports-1:0] m_axis_tready,
    output logic [Ports-1:0] m_axis_tlast,
    output logic [Ports-1:0] m_axis_tuser,

    input  logic [31:0] s_axil_awaddr,
    input  logic s_axil_awvalid,
    output logic s_axil_awready,
    input  logic [31:0] s_axil_wdata,
    input  logic [3:0] s_axil_wstrb,
    input  logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input  logic s_axil_bready,
    input  logic [31:0] s_axil_araddr,
    input  logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input  logic s_axil_rready
);
  card u_card (.*);

  flit_t in_flit, out_flit;
  always_comb begin
    in_flit = '0;
    in_flit.desc.src = 8'h12;
    in_flit.desc.length = 14'd99;
    in_flit.last = s_axis_tlast[0];
    in_flit.empty = EmptyWidth'(FlitBytes - $countones(s_axis_tkeep[W/8-1:0]));
    in_flit.data = s_axis_tdata[W-1:0];
    out_flit = '0;
    out_flit.last = m_axis_tlast[0];
    out_flit.empty = EmptyWidth'(FlitBytes - $countones(m_axis_tkeep[W/8-1:0]));
    out_flit.data = m_axis_tdata[W-1:0];
  end

  import "DPI-C" function void girih_watch(
    input int unsigned link,
    input bit moves,
    input byte unsigned src,
    input byte unsigned dst
  );

  always_ff @(posedge clk_i) begin
    if (watch_i) begin
      if (s_axis_tvalid[0]) girih_watch(0, s_axis_tready[0], 8'h01, 8'h01);
      if (m_axis_tvalid[0]) girih_watch(1, m_axis_tready[0], 8'h01, 8'h01);
    end
  end

  link_probe #(
      .Index(0)
  ) u_probe_in (
      .clk_i,
      .enable_i(probe_enable_i[0]),
      .valid_i(s_axis_tvalid[0]),
      .ready_i(s_axis_tready[0]),
      .flit_i(in_flit)
  );
  link_probe #(
      .Index(1)
  ) u_probe_out (
      .clk_i,
      .enable_i(probe_enable_i[1]),
      .valid_i(m_axis_tvalid[0]),
      .ready_i(m_axis_tready[0]),
      .flit_i(out_flit)
  );
endmodule
