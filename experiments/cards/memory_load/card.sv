// SPDX-License-Identifier: Apache-2.0
// A requester at node (0, 0) of a mesh of two classes, a memory tile at (3, 0) and a responder at (2, 1): both three hops away. The
// responder answers a request in the next cycle, so what it takes is the fabric's.
//
// Write 0x0, {write[18], responder[17], run[16], window[15:0]}: from now on the requester asks for a flit whenever less than `window` requests
// are in flight, of the memory or of the responder, and the counts restart. Read 0x0: cycles counted. 0x4: replies. 0x8: the sum of the
// cycles from the offer of a request to its reply. 0xC: requests in flight.
module card
  import girih_pkg::*, memory_access_pkg::*;
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
    input logic s_axil_rready,

    output logic [memory_access_pkg::IdBits-1:0] m_axi_awid,
    output logic [memory_access_pkg::AddrBits-1:0] m_axi_awaddr,
    output logic [7:0] m_axi_awlen,
    output logic [2:0] m_axi_awsize,
    output logic [1:0] m_axi_awburst,
    output logic m_axi_awlock,
    output logic [3:0] m_axi_awcache,
    output logic [2:0] m_axi_awprot,
    output logic m_axi_awvalid,
    input logic m_axi_awready,
    output logic [W-1:0] m_axi_wdata,
    output logic [FlitBytes-1:0] m_axi_wstrb,
    output logic m_axi_wlast,
    output logic m_axi_wvalid,
    input logic m_axi_wready,
    input logic [memory_access_pkg::IdBits-1:0] m_axi_bid,
    input logic [1:0] m_axi_bresp,
    input logic m_axi_bvalid,
    output logic m_axi_bready,
    output logic [memory_access_pkg::IdBits-1:0] m_axi_arid,
    output logic [memory_access_pkg::AddrBits-1:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen,
    output logic [2:0] m_axi_arsize,
    output logic [1:0] m_axi_arburst,
    output logic m_axi_arlock,
    output logic [3:0] m_axi_arcache,
    output logic [2:0] m_axi_arprot,
    output logic m_axi_arvalid,
    input logic m_axi_arready,
    input logic [memory_access_pkg::IdBits-1:0] m_axi_rid,
    input logic [W-1:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_rvalid,
    output logic m_axi_rready
);
  localparam int unsigned Nodes = 8;
  localparam node_t MemoryNode = 8'h03, ResponderNode = 8'h12;
  localparam int unsigned MemoryPort = 3, ResponderPort = 6;

  // Class 0, requests, then class 1, replies.
  logic [2*Nodes-1:0] in_valid, in_ready, out_valid, out_ready;
  flit_t in_flit[2*Nodes];
  flit_t out_flit[2*Nodes];
  logic [19:0] unused_stall;
  mesh #(
      .X(4),
      .Y(2),
      .Classes(2)
  ) u_mesh (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid),
      .in_ready_o(in_ready),
      .in_flit_i(in_flit),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_flit_o(out_flit),
      .stall_o(unused_stall)
  );

  // The requester.
  logic write, run_q, responder_q, writes_q;
  logic [15:0] window_q, flying_q;
  logic [31:0] cycles_q, replies_q, latency_q;
  memory_tag_t tag_q;
  timestamp_t now_q, offered[2**$bits(memory_tag_t)];
  logic ask, asked, replied, offers_q;
  assign ask = run_q && flying_q < window_q;
  assign asked = ask && in_ready[0];
  assign replied = out_valid[Nodes];
  flit_t request;
  always_comb begin
    request = '0;
    request.desc.dst = responder_q ? ResponderNode : MemoryNode;
    request.desc.memory_op = writes_q ? OpWrite : OpRead;
    request.desc.memory_tag = tag_q;
    request.desc.memory_addr[17:0] = {tag_q[11-EmptyWidth:0], (EmptyWidth + 6)'(0)};
    request.desc.memory_bytes = $bits(request.desc.memory_bytes)'(FlitBytes);
    request.first = 1'b1;
    request.last = 1'b1;
  end

  // The responder.
  logic response_valid_q;
  flit_t response_q;
  always_ff @(posedge clk_i) begin
    if (out_ready[ResponderPort]) begin
      response_valid_q <= out_valid[ResponderPort];
      response_q <= out_flit[ResponderPort];
      response_q.desc.dst <= out_flit[ResponderPort].desc.src;
      response_q.desc.src <= ResponderNode;
    end
    if (rst_i) response_valid_q <= 1'b0;
  end

  logic memory_ready, reply_valid;
  flit_t reply;
  ctrl_t unused_ctrl;
  memory #(
      .Config('{grant_last: {8{28'hfffffff}}, grant_rights: {8{4'hf}}, default: '0}),
      .Node(MemoryNode)
  ) u_memory (
      .clk_i,
      .rst_i,
      .in_valid_i(out_valid[MemoryPort]),
      .in_ready_o(memory_ready),
      .in_flit_i(out_flit[MemoryPort]),
      .reply_out_valid_o(reply_valid),
      .reply_out_ready_i(in_ready[Nodes+MemoryPort]),
      .reply_out_flit_o(reply),
      .m_axi_awid,
      .m_axi_awaddr,
      .m_axi_awlen,
      .m_axi_awsize,
      .m_axi_awburst,
      .m_axi_awlock,
      .m_axi_awcache,
      .m_axi_awprot,
      .m_axi_awvalid,
      .m_axi_awready,
      .m_axi_wdata,
      .m_axi_wstrb,
      .m_axi_wlast,
      .m_axi_wvalid,
      .m_axi_wready,
      .m_axi_bid,
      .m_axi_bresp,
      .m_axi_bvalid,
      .m_axi_bready,
      .m_axi_arid,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arlock,
      .m_axi_arcache,
      .m_axi_arprot,
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_rid,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready,
      .ctrl_i('0),
      .ctrl_o(unused_ctrl)
  );

  always_comb begin
    in_valid = '0;
    in_flit = '{default: '0};
    out_ready = '1;
    in_valid[0] = ask;
    in_flit[0] = request;
    in_valid[Nodes+MemoryPort] = reply_valid;
    in_flit[Nodes+MemoryPort] = reply;
    in_valid[Nodes+ResponderPort] = response_valid_q;
    in_flit[Nodes+ResponderPort] = response_q;
    out_ready[MemoryPort] = memory_ready;
    out_ready[ResponderPort] = in_ready[Nodes+ResponderPort] || !response_valid_q;
  end

  // The registers.
  assign write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_bresp = '0;
  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_rresp = '0;
  timestamp_t took;
  assign took = now_q - offered[out_flit[Nodes].desc.memory_tag];
  always_ff @(posedge clk_i) begin
    now_q <= now_q + 1'b1;
    offers_q <= ask && !asked;
    if (ask && !offers_q) offered[tag_q] <= now_q;
    if (asked) tag_q <= tag_q + 1'b1;
    flying_q <= flying_q + 16'(asked) - 16'(replied);
    cycles_q <= cycles_q + 1;
    if (replied) begin
      replies_q <= replies_q + 1;
      latency_q <= latency_q + 32'(took);
    end
    if (write) begin
      s_axil_bvalid <= 1'b1;
      {writes_q, responder_q, run_q, window_q} <= s_axil_wdata[18:0];
      {cycles_q, replies_q, latency_q} <= '0;
    end else if (s_axil_bready) begin
      s_axil_bvalid <= 1'b0;
    end
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rvalid <= 1'b1;
      unique case (s_axil_araddr[3:2])
        2'd0: s_axil_rdata <= cycles_q;
        2'd1: s_axil_rdata <= replies_q;
        2'd2: s_axil_rdata <= latency_q;
        2'd3: s_axil_rdata <= 32'(flying_q);
      endcase
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
    if (rst_i) begin
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
      run_q <= 1'b0;
      responder_q <= 1'b0;
      flying_q <= '0;
      tag_q <= '0;
      now_q <= '0;
      offers_q <= 1'b0;
    end
  end

  // There are no Ethernet ports.
  assign s_axis_tready = 1'b0;
  assign m_axis_tdata = '0;
  assign m_axis_tkeep = '0;
  assign m_axis_tvalid = 1'b0;
  assign m_axis_tlast = 1'b0;
  assign m_axis_tuser = 1'b0;
  logic unused;
  always_comb begin
    unused = &{
        s_axil_awprot, s_axil_arprot, s_axis_tdata, s_axis_tkeep, s_axis_tvalid, s_axis_tlast, s_axis_tuser, m_axis_tready,
        s_axil_awaddr, s_axil_araddr, s_axil_wdata, s_axil_wstrb, unused_stall, unused_ctrl
    };
    for (int unsigned n = 0; n < 2 * Nodes; n++) unused &= ^{out_valid[n], in_ready[n], out_flit[n]};
  end
endmodule
