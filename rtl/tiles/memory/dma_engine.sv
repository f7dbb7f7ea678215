// SPDX-License-Identifier: Apache-2.0
// Memory of the host for other tiles, by the messages of external memory: a memory_engine whose bus is the card's port to the host.
//
//   in --> memory_engine --> AR, AW, W --> host_slots --> m_axi_host
//   reply_out <--        <-- R, B      <-- host_slots <--
//
// Only what the table of grants allows leaves the card. Addresses have 40 bits; the upper 24 come from the configuration.
// Times and rates are those of memory_engine: host_slots adds no cycle.
module dma_engine
  import girih_pkg::*, dma_pkg::*, host_access_pkg::*;
#(
    parameter int unsigned Slots = 256,
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter bit Lists = 0  // gather and scatter
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  reply_out_valid_o,
    input  logic  reply_out_ready_i,
    output flit_t reply_out_flit_o,

    output logic [   HostIdBits-1:0] m_axi_host_awid,
    output logic [ HostAddrBits-1:0] m_axi_host_awaddr,
    output logic [              7:0] m_axi_host_awlen,
    output logic [              2:0] m_axi_host_awsize,
    output logic [              1:0] m_axi_host_awburst,
    output logic                     m_axi_host_awlock,
    output logic [              3:0] m_axi_host_awcache,
    output logic [              2:0] m_axi_host_awprot,
    output logic                     m_axi_host_awvalid,
    input  logic                     m_axi_host_awready,
    output logic [            W-1:0] m_axi_host_wdata,
    output logic [    FlitBytes-1:0] m_axi_host_wstrb,
    output logic                     m_axi_host_wlast,
    output logic                     m_axi_host_wvalid,
    input  logic                     m_axi_host_wready,
    input  logic [   HostIdBits-1:0] m_axi_host_bid,
    input  logic [              1:0] m_axi_host_bresp,
    input  logic                     m_axi_host_bvalid,
    output logic                     m_axi_host_bready,
    output logic [   HostIdBits-1:0] m_axi_host_arid,
    output logic [ HostAddrBits-1:0] m_axi_host_araddr,
    output logic [              7:0] m_axi_host_arlen,
    output logic [              2:0] m_axi_host_arsize,
    output logic [              1:0] m_axi_host_arburst,
    output logic                     m_axi_host_arlock,
    output logic [              3:0] m_axi_host_arcache,
    output logic [              2:0] m_axi_host_arprot,
    output logic                     m_axi_host_arvalid,
    input  logic                     m_axi_host_arready,
    input  logic [   HostIdBits-1:0] m_axi_host_rid,
    input  logic [            W-1:0] m_axi_host_rdata,
    input  logic [              1:0] m_axi_host_rresp,
    input  logic                     m_axi_host_rlast,
    input  logic                     m_axi_host_rvalid,
    output logic                     m_axi_host_rready,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned SlotBits = memory_access_pkg::IdBits, LowBits = memory_access_pkg::AddrBits;
  typedef logic [SlotBits-1:0] slot_t;

  memory_pkg::cfg_t grants;
  assign grants = '{
          grant_first: cfg_i.grant_first,
          grant_last: cfg_i.grant_last,
          grant_node: cfg_i.grant_node,
          grant_tenant: cfg_i.grant_tenant,
          grant_rights: cfg_i.grant_rights
      };
  memory_pkg::event_t counted;
  always_comb begin
    event_o = '0;
    event_o.drop_aborted = counted.drop_aborted;
    event_o.mark_refused = counted.mark_refused;
    event_o.mark_malformed = counted.mark_malformed;
    event_o.mark_slave_errors = counted.mark_slave_errors;
    event_o.mark_decode_errors = counted.mark_decode_errors;
  end

  slot_t ar_slot, r_slot, aw_slot, b_slot;
  logic [LowBits-1:0] ar_addr, aw_addr;
  memory_engine #(
      .Slots(Slots),
      .Flits(Flits),
      .Lists(Lists)
  ) u_memory (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .reply_out_valid_o,
      .reply_out_ready_i,
      .reply_out_flit_o,
      .m_axi_awid(aw_slot),
      .m_axi_awaddr(aw_addr),
      .m_axi_awlen(m_axi_host_awlen),
      .m_axi_awsize(m_axi_host_awsize),
      .m_axi_awburst(m_axi_host_awburst),
      .m_axi_awlock(m_axi_host_awlock),
      .m_axi_awcache(m_axi_host_awcache),
      .m_axi_awprot(m_axi_host_awprot),
      .m_axi_awvalid(m_axi_host_awvalid),
      .m_axi_awready(m_axi_host_awready),
      .m_axi_wdata(m_axi_host_wdata),
      .m_axi_wstrb(m_axi_host_wstrb),
      .m_axi_wlast(m_axi_host_wlast),
      .m_axi_wvalid(m_axi_host_wvalid),
      .m_axi_wready(m_axi_host_wready),
      .m_axi_bid(b_slot),
      .m_axi_bresp(m_axi_host_bresp),
      .m_axi_bvalid(m_axi_host_bvalid),
      .m_axi_bready(m_axi_host_bready),
      .m_axi_arid(ar_slot),
      .m_axi_araddr(ar_addr),
      .m_axi_arlen(m_axi_host_arlen),
      .m_axi_arsize(m_axi_host_arsize),
      .m_axi_arburst(m_axi_host_arburst),
      .m_axi_arlock(m_axi_host_arlock),
      .m_axi_arcache(m_axi_host_arcache),
      .m_axi_arprot(m_axi_host_arprot),
      .m_axi_arvalid(m_axi_host_arvalid),
      .m_axi_arready(m_axi_host_arready),
      .m_axi_rid(r_slot),
      .m_axi_rdata(m_axi_host_rdata),
      .m_axi_rresp(m_axi_host_rresp),
      .m_axi_rlast(m_axi_host_rlast),
      .m_axi_rvalid(m_axi_host_rvalid),
      .m_axi_rready(m_axi_host_rready),
      .cfg_i(grants),
      .event_o(counted)
  );

  // The host answers in order, and has fewer IDs than there are slots: all accesses have one.
  assign m_axi_host_arid = '0;
  assign m_axi_host_awid = '0;
  host_slots #(
      .Slots(Slots)
  ) u_read_slots (
      .clk_i,
      .rst_i,
      .asked_i(m_axi_host_arvalid && m_axi_host_arready),
      .slot_i(ar_slot),
      .answered_i(m_axi_host_rvalid && m_axi_host_rlast),
      .slot_o(r_slot)
  );
  host_slots #(
      .Slots(Slots)
  ) u_write_slots (
      .clk_i,
      .rst_i,
      .asked_i(m_axi_host_awvalid && m_axi_host_awready),
      .slot_i(aw_slot),
      .answered_i(m_axi_host_bvalid),
      .slot_o(b_slot)
  );

  // An address that waits holds, whatever happens to the configuration.
  logic [HostAddrBits-LowBits-1:0] ar_upper_q, aw_upper_q, ar_upper, aw_upper;
  logic ar_waits_q, aw_waits_q;
  always_ff @(posedge clk_i) begin
    ar_upper_q <= ar_upper;
    aw_upper_q <= aw_upper;
    ar_waits_q <= m_axi_host_arvalid && !m_axi_host_arready;
    aw_waits_q <= m_axi_host_awvalid && !m_axi_host_awready;
    if (rst_i) begin
      ar_waits_q <= 1'b0;
      aw_waits_q <= 1'b0;
    end
  end
  assign ar_upper = ar_waits_q ? ar_upper_q : cfg_i.upper;
  assign aw_upper = aw_waits_q ? aw_upper_q : cfg_i.upper;
  assign m_axi_host_araddr = {ar_upper, ar_addr};
  assign m_axi_host_awaddr = {aw_upper, aw_addr};

  logic unused;
  assign unused = &{1'b0, m_axi_host_rid, m_axi_host_bid};
endmodule
