// SPDX-License-Identifier: Apache-2.0
// An AXI4 port between the card's clock and one of the card's edge: an asynchronous FIFO for each of the five channels. s_axi_* is in the card's
// clock, m_axi_* in edge_clk_i.
//
// A channel never waits for another one, so the crossing adds no dependency to those of AXI4. A beat is offered Stages + 1 edges of the reader's
// clock after it was taken. Each channel passes a beat in every cycle of the slower clock.
module axi_crossing
  import girih_pkg::*;
#(
    parameter int unsigned IdBits = 8,
    parameter int unsigned AddrBits = 40,
    parameter int unsigned Depth = 16,  // of each channel
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic edge_clk_i,
    input logic edge_rst_i,

    input  logic [  IdBits-1:0]  s_axi_awid,
    input  logic [AddrBits-1:0]  s_axi_awaddr,
    input  logic [         7:0]  s_axi_awlen,
    input  logic [         2:0]  s_axi_awsize,
    input  logic [         1:0]  s_axi_awburst,
    input  logic                 s_axi_awlock,
    input  logic [         3:0]  s_axi_awcache,
    input  logic [         2:0]  s_axi_awprot,
    input  logic                 s_axi_awvalid,
    output logic                 s_axi_awready,
    input  logic [       W-1:0]  s_axi_wdata,
    input  logic [FlitBytes-1:0] s_axi_wstrb,
    input  logic                 s_axi_wlast,
    input  logic                 s_axi_wvalid,
    output logic                 s_axi_wready,
    output logic [  IdBits-1:0]  s_axi_bid,
    output logic [         1:0]  s_axi_bresp,
    output logic                 s_axi_bvalid,
    input  logic                 s_axi_bready,
    input  logic [  IdBits-1:0]  s_axi_arid,
    input  logic [AddrBits-1:0]  s_axi_araddr,
    input  logic [         7:0]  s_axi_arlen,
    input  logic [         2:0]  s_axi_arsize,
    input  logic [         1:0]  s_axi_arburst,
    input  logic                 s_axi_arlock,
    input  logic [         3:0]  s_axi_arcache,
    input  logic [         2:0]  s_axi_arprot,
    input  logic                 s_axi_arvalid,
    output logic                 s_axi_arready,
    output logic [  IdBits-1:0]  s_axi_rid,
    output logic [       W-1:0]  s_axi_rdata,
    output logic [         1:0]  s_axi_rresp,
    output logic                 s_axi_rlast,
    output logic                 s_axi_rvalid,
    input  logic                 s_axi_rready,

    output logic [  IdBits-1:0]  m_axi_awid,
    output logic [AddrBits-1:0]  m_axi_awaddr,
    output logic [         7:0]  m_axi_awlen,
    output logic [         2:0]  m_axi_awsize,
    output logic [         1:0]  m_axi_awburst,
    output logic                 m_axi_awlock,
    output logic [         3:0]  m_axi_awcache,
    output logic [         2:0]  m_axi_awprot,
    output logic                 m_axi_awvalid,
    input  logic                 m_axi_awready,
    output logic [       W-1:0]  m_axi_wdata,
    output logic [FlitBytes-1:0] m_axi_wstrb,
    output logic                 m_axi_wlast,
    output logic                 m_axi_wvalid,
    input  logic                 m_axi_wready,
    input  logic [  IdBits-1:0]  m_axi_bid,
    input  logic [         1:0]  m_axi_bresp,
    input  logic                 m_axi_bvalid,
    output logic                 m_axi_bready,
    output logic [  IdBits-1:0]  m_axi_arid,
    output logic [AddrBits-1:0]  m_axi_araddr,
    output logic [         7:0]  m_axi_arlen,
    output logic [         2:0]  m_axi_arsize,
    output logic [         1:0]  m_axi_arburst,
    output logic                 m_axi_arlock,
    output logic [         3:0]  m_axi_arcache,
    output logic [         2:0]  m_axi_arprot,
    output logic                 m_axi_arvalid,
    input  logic                 m_axi_arready,
    input  logic [  IdBits-1:0]  m_axi_rid,
    input  logic [       W-1:0]  m_axi_rdata,
    input  logic [         1:0]  m_axi_rresp,
    input  logic                 m_axi_rlast,
    input  logic                 m_axi_rvalid,
    output logic                 m_axi_rready
);
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [AddrBits-1:0] addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
    logic lock;
    logic [3:0] cache;
    logic [2:0] prot;
  } request_t;
  typedef struct packed {
    logic [W-1:0] data;
    logic [FlitBytes-1:0] strb;
    logic last;
  } write_t;
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [1:0] resp;
  } answer_t;
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [W-1:0] data;
    logic [1:0] resp;
    logic last;
  } read_t;

  request_t m_aw, m_ar;
  write_t m_w;
  answer_t s_b;
  read_t s_r;

  async_fifo #(
      .T(request_t),
      .Depth(Depth),
      .Stages(Stages)
  ) u_aw (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_valid_i(s_axi_awvalid),
      .in_ready_o(s_axi_awready),
      .in_data_i('{
              id: s_axi_awid,
              addr: s_axi_awaddr,
              len: s_axi_awlen,
              size: s_axi_awsize,
              burst: s_axi_awburst,
              lock: s_axi_awlock,
              cache: s_axi_awcache,
              prot: s_axi_awprot
          }),
      .out_clk_i(edge_clk_i),
      .out_rst_i(edge_rst_i),
      .out_valid_o(m_axi_awvalid),
      .out_ready_i(m_axi_awready),
      .out_data_o(m_aw)
  );
  assign m_axi_awid = m_aw.id;
  assign m_axi_awaddr = m_aw.addr;
  assign m_axi_awlen = m_aw.len;
  assign m_axi_awsize = m_aw.size;
  assign m_axi_awburst = m_aw.burst;
  assign m_axi_awlock = m_aw.lock;
  assign m_axi_awcache = m_aw.cache;
  assign m_axi_awprot = m_aw.prot;

  async_fifo #(
      .T(write_t),
      .Depth(Depth),
      .Stages(Stages)
  ) u_w (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_valid_i(s_axi_wvalid),
      .in_ready_o(s_axi_wready),
      .in_data_i('{data: s_axi_wdata, strb: s_axi_wstrb, last: s_axi_wlast}),
      .out_clk_i(edge_clk_i),
      .out_rst_i(edge_rst_i),
      .out_valid_o(m_axi_wvalid),
      .out_ready_i(m_axi_wready),
      .out_data_o(m_w)
  );
  assign m_axi_wdata = m_w.data;
  assign m_axi_wstrb = m_w.strb;
  assign m_axi_wlast = m_w.last;

  async_fifo #(
      .T(answer_t),
      .Depth(Depth),
      .Stages(Stages)
  ) u_b (
      .in_clk_i(edge_clk_i),
      .in_rst_i(edge_rst_i),
      .in_valid_i(m_axi_bvalid),
      .in_ready_o(m_axi_bready),
      .in_data_i('{id: m_axi_bid, resp: m_axi_bresp}),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_valid_o(s_axi_bvalid),
      .out_ready_i(s_axi_bready),
      .out_data_o(s_b)
  );
  assign s_axi_bid = s_b.id;
  assign s_axi_bresp = s_b.resp;

  async_fifo #(
      .T(request_t),
      .Depth(Depth),
      .Stages(Stages)
  ) u_ar (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_valid_i(s_axi_arvalid),
      .in_ready_o(s_axi_arready),
      .in_data_i('{
              id: s_axi_arid,
              addr: s_axi_araddr,
              len: s_axi_arlen,
              size: s_axi_arsize,
              burst: s_axi_arburst,
              lock: s_axi_arlock,
              cache: s_axi_arcache,
              prot: s_axi_arprot
          }),
      .out_clk_i(edge_clk_i),
      .out_rst_i(edge_rst_i),
      .out_valid_o(m_axi_arvalid),
      .out_ready_i(m_axi_arready),
      .out_data_o(m_ar)
  );
  assign m_axi_arid = m_ar.id;
  assign m_axi_araddr = m_ar.addr;
  assign m_axi_arlen = m_ar.len;
  assign m_axi_arsize = m_ar.size;
  assign m_axi_arburst = m_ar.burst;
  assign m_axi_arlock = m_ar.lock;
  assign m_axi_arcache = m_ar.cache;
  assign m_axi_arprot = m_ar.prot;

  async_fifo #(
      .T(read_t),
      .Depth(Depth),
      .Stages(Stages)
  ) u_r (
      .in_clk_i(edge_clk_i),
      .in_rst_i(edge_rst_i),
      .in_valid_i(m_axi_rvalid),
      .in_ready_o(m_axi_rready),
      .in_data_i('{id: m_axi_rid, data: m_axi_rdata, resp: m_axi_rresp, last: m_axi_rlast}),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_valid_o(s_axi_rvalid),
      .out_ready_i(s_axi_rready),
      .out_data_o(s_r)
  );
  assign s_axi_rid = s_r.id;
  assign s_axi_rdata = s_r.data;
  assign s_axi_rresp = s_r.resp;
  assign s_axi_rlast = s_r.last;
endmodule
