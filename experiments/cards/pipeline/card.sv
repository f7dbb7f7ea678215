// SPDX-License-Identifier: Apache-2.0
// The engines of UDP echo joined directly: no fabric, no shells, no registers, constant settings.
// It shows the cost of the fabric. Its addresses are those of designs/udp_echo.yaml.
module card
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [W-1:0] s_axis_tdata,
    input logic [FlitBytes-1:0] s_axis_tkeep,
    input logic s_axis_tvalid,
    output logic s_axis_tready,
    input logic s_axis_tlast,
    input logic s_axis_tuser,

    output logic [W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic m_axis_tvalid,
    input logic m_axis_tready,
    output logic m_axis_tlast,
    output logic m_axis_tuser,

    input logic [31:0] s_axil_awaddr,
    input logic [2:0] s_axil_awprot,
    input logic s_axil_awvalid,
    output logic s_axil_awready,
    input logic [31:0] s_axil_wdata,
    input logic [3:0] s_axil_wstrb,
    input logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input logic s_axil_bready,
    input logic [31:0] s_axil_araddr,
    input logic [2:0] s_axil_arprot,
    input logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input logic s_axil_rready
);
  localparam logic [47:0] Mac = 48'h02_67_69_72_69_68;
  localparam logic [31:0] Ip = {8'd10, 8'd77, 8'd0, 8'd2};
  localparam int unsigned Stages = 6;

  // link[i] leads from stage i to stage i + 1.
  logic [Stages-1:0] valid, ready;
  flit_t link[Stages];
  next_key_t unused_key[Stages];

  timestamp_t now_q;
  always_ff @(posedge clk_i) now_q <= rst_i ? '0 : now_q + 1'b1;

  eth_rx_pkg::event_t unused_eth_rx;
  eth_rx_engine u_eth_rx (
      .clk_i,
      .rst_i,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tlast,
      .s_axis_tuser,
      .out_valid_o(valid[0]),
      .out_ready_i(ready[0]),
      .out_flit_o(link[0]),
      .out_key_o(unused_key[0]),
      .now_i(now_q),
      .cfg_i(eth_rx_pkg::cfg_t'{mac: Mac, promiscuous: 1'b0, tenant: '0}),
      .event_o(unused_eth_rx)
  );

  ipv4_rx_pkg::event_t unused_ipv4_rx;
  ipv4_rx_engine u_ipv4_rx (
      .clk_i,
      .rst_i,
      .in_valid_i(valid[0]),
      .in_ready_o(ready[0]),
      .in_flit_i(link[0]),
      .out_valid_o(valid[1]),
      .out_ready_i(ready[1]),
      .out_flit_o(link[1]),
      .out_key_o(unused_key[1]),
      .cfg_i(ipv4_rx_pkg::cfg_t'{ip: Ip, netmask: 32'hffff_ff00}),
      .event_o(unused_ipv4_rx)
  );

  udp_rx_pkg::event_t unused_udp_rx;
  udp_rx_engine u_udp_rx (
      .clk_i,
      .rst_i,
      .in_valid_i(valid[1]),
      .in_ready_o(ready[1]),
      .in_flit_i(link[1]),
      .out_valid_o(valid[2]),
      .out_ready_i(ready[2]),
      .out_flit_o(link[2]),
      .out_key_o(unused_key[2]),
      .event_o(unused_udp_rx)
  );

  echo_pkg::event_t unused_echo;
  echo_engine u_echo (
      .clk_i,
      .rst_i,
      .in_valid_i(valid[2]),
      .in_ready_o(ready[2]),
      .in_flit_i(link[2]),
      .out_valid_o(valid[3]),
      .out_ready_i(ready[3]),
      .out_flit_o(link[3]),
      .out_key_o(unused_key[3]),
      .event_o(unused_echo)
  );

  udp_tx_pkg::event_t unused_udp_tx;
  udp_tx_engine u_udp_tx (
      .clk_i,
      .rst_i,
      .in_valid_i(valid[3]),
      .in_ready_o(ready[3]),
      .in_flit_i(link[3]),
      .out_valid_o(valid[4]),
      .out_ready_i(ready[4]),
      .out_flit_o(link[4]),
      .out_key_o(unused_key[4]),
      .event_o(unused_udp_tx)
  );

  ipv4_tx_pkg::event_t unused_ipv4_tx;
  ipv4_tx_engine u_ipv4_tx (
      .clk_i,
      .rst_i,
      .in_valid_i(valid[4]),
      .in_ready_o(ready[4]),
      .in_flit_i(link[4]),
      .out_valid_o(valid[5]),
      .out_ready_i(ready[5]),
      .out_flit_o(link[5]),
      .out_key_o(unused_key[5]),
      .cfg_i(ipv4_tx_pkg::cfg_t'{ip: Ip, ttl: 8'd64}),
      .event_o(unused_ipv4_tx)
  );

  eth_tx_pkg::event_t unused_eth_tx;
  logic unused_latency_valid;
  timestamp_t unused_latency;
  eth_tx_engine u_eth_tx (
      .clk_i,
      .rst_i,
      .in_valid_i(valid[5]),
      .in_ready_o(ready[5]),
      .in_flit_i(link[5]),
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tlast,
      .m_axis_tuser,
      .now_i(now_q),
      .latency_valid_o(unused_latency_valid),
      .latency_o(unused_latency),
      .cfg_i(eth_tx_pkg::cfg_t'{mac: Mac, reflect: 1'b1}),
      .event_o(unused_eth_tx)
  );

  // There are no registers.
  assign s_axil_awready = 1'b0;
  assign s_axil_wready = 1'b0;
  assign s_axil_bresp = '0;
  assign s_axil_bvalid = 1'b0;
  assign s_axil_arready = 1'b0;
  assign s_axil_rdata = '0;
  assign s_axil_rresp = '0;
  assign s_axil_rvalid = 1'b0;
  logic unused;
  assign unused = &{
      s_axil_awprot, s_axil_arprot, s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid,
      s_axil_bready, s_axil_araddr, s_axil_arvalid, s_axil_rready
  };
endmodule
