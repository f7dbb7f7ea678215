// SPDX-License-Identifier: Apache-2.0
// Block RAM of the card for all its tiles, by the messages of external memory: a memory_engine in front of an axi_ram.
//
//   in --> memory_engine --> AR, AW, W --> axi_ram
//   reply_out <--        <-- R, B      <--
//
// A flit is read and one written in every cycle. A reply leaves eight cycles after its request, or seven if it is a write.
module block_memory_engine
  import girih_pkg::*, block_memory_pkg::*, memory_access_pkg::*, axi_pkg::*;
#(
    parameter int unsigned Pages = 64,
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

    input  cfg_t   cfg_i,
    output event_t event_o
);
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

  logic ar_valid, ar_ready, aw_valid, aw_ready, w_valid, w_ready, r_valid, b_valid;
  request_t ar, aw;
  write_t w;
  read_t r;
  done_t b;
  logic [2:0] ar_size, ar_prot, aw_size, aw_prot;
  logic [1:0] ar_burst, aw_burst;
  logic [3:0] ar_cache, aw_cache;
  logic ar_lock, aw_lock, r_ready, b_ready;
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
      .m_axi_awid(aw.id),
      .m_axi_awaddr(aw.addr),
      .m_axi_awlen(aw.len),
      .m_axi_awsize(aw_size),
      .m_axi_awburst(aw_burst),
      .m_axi_awlock(aw_lock),
      .m_axi_awcache(aw_cache),
      .m_axi_awprot(aw_prot),
      .m_axi_awvalid(aw_valid),
      .m_axi_awready(aw_ready),
      .m_axi_wdata(w.data),
      .m_axi_wstrb(w.strb),
      .m_axi_wlast(w.last),
      .m_axi_wvalid(w_valid),
      .m_axi_wready(w_ready),
      .m_axi_bid(b.id),
      .m_axi_bresp(b.resp),
      .m_axi_bvalid(b_valid),
      .m_axi_bready(b_ready),
      .m_axi_arid(ar.id),
      .m_axi_araddr(ar.addr),
      .m_axi_arlen(ar.len),
      .m_axi_arsize(ar_size),
      .m_axi_arburst(ar_burst),
      .m_axi_arlock(ar_lock),
      .m_axi_arcache(ar_cache),
      .m_axi_arprot(ar_prot),
      .m_axi_arvalid(ar_valid),
      .m_axi_arready(ar_ready),
      .m_axi_rid(r.id),
      .m_axi_rdata(r.data),
      .m_axi_rresp(r.resp),
      .m_axi_rlast(r.last),
      .m_axi_rvalid(r_valid),
      .m_axi_rready(r_ready),
      .cfg_i(grants),
      .event_o(counted)
  );

  axi_ram #(
      .Pages(Pages)
  ) u_ram (
      .clk_i,
      .rst_i,
      .ar_valid_i(ar_valid),
      .ar_ready_o(ar_ready),
      .ar_i(ar),
      .aw_valid_i(aw_valid),
      .aw_ready_o(aw_ready),
      .aw_i(aw),
      .w_valid_i(w_valid),
      .w_ready_o(w_ready),
      .w_i(w),
      .r_valid_o(r_valid),
      .r_o(r),
      .b_valid_o(b_valid),
      .b_o(b)
  );

  // All bursts are the same, and all answers are taken.
  logic unused;
  assign unused = &{1'b0, ar_size, ar_burst, ar_lock, ar_cache, ar_prot, aw_size, aw_burst, aw_lock, aw_cache, aw_prot, r_ready, b_ready};
endmodule
