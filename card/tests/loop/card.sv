// SPDX-License-Identifier: Apache-2.0
// A card for the tests of the virtual card alone: each port echoes its frames through a small FIFO,
// with Ethernet, IPv4 and UDP addresses swapped in the first beat (which must hold all of them, so
// W is at least 512). Its registers can make it lose frames in silence, and fail an assertion.
module card
  import girih_pkg::*;
#(
    localparam int unsigned Ports = 2
) (
    input logic clk_i,
    input logic rst_i,

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
    input  logic [2:0] s_axil_awprot,
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
    input  logic [2:0] s_axil_arprot,
    input  logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input  logic s_axil_rready
);
  if (W < 512) begin : gen_bad_width
    $fatal(1, "loop card: W is %0d; the headers need at least 512 in one beat", W);
  end

  typedef struct packed {
    logic user;
    logic last;
    logic [W/8-1:0] keep;
    logic [W-1:0] data;
  } beat_t;

  function automatic logic [W-1:0] swapped(logic [W-1:0] data);
    swapped = data;
    swapped[0*8+:48] = data[6*8+:48];
    swapped[6*8+:48] = data[0*8+:48];
    if (data[12*8+:16] == 16'h0008) begin  // IPv4, in wire order
      swapped[26*8+:32] = data[30*8+:32];
      swapped[30*8+:32] = data[26*8+:32];
      if (data[23*8+:8] == 8'd17) begin
        swapped[34*8+:16] = data[36*8+:16];
        swapped[36*8+:16] = data[34*8+:16];
      end
    end
  endfunction

  logic [31:0] scratch_q;
  logic leak_q, fail_q;
  logic [Ports-1:0] in_last, out_last;
  beat_t [Ports-1:0] beat_in, beat_out;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic first_q, fifo_ready;
    assign s_axis_tready[p] = fifo_ready;
    assign beat_in[p].user = s_axis_tuser[p];
    assign beat_in[p].last = s_axis_tlast[p];
    assign beat_in[p].keep = s_axis_tkeep[p*W/8+:W/8];
    assign beat_in[p].data = first_q ? swapped(s_axis_tdata[p*W+:W]) : s_axis_tdata[p*W+:W];
    fifo #(
        .T(beat_t),
        .Depth(16)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .in_valid_i(s_axis_tvalid[p] && !leak_q),
        .in_ready_o(fifo_ready),
        .in_data_i(beat_in[p]),
        .out_valid_o(m_axis_tvalid[p]),
        .out_ready_i(m_axis_tready[p]),
        .out_data_o(beat_out[p])
    );
    assign m_axis_tuser[p] = beat_out[p].user;
    assign m_axis_tlast[p] = beat_out[p].last;
    assign m_axis_tkeep[p*W/8+:W/8] = beat_out[p].keep;
    assign m_axis_tdata[p*W+:W] = beat_out[p].data;
    assign in_last[p] = s_axis_tvalid[p] && s_axis_tready[p] && s_axis_tlast[p];
    assign out_last[p] = m_axis_tvalid[p] && m_axis_tready[p] && m_axis_tlast[p];
    always_ff @(posedge clk_i) begin
      if (s_axis_tvalid[p] && s_axis_tready[p]) first_q <= s_axis_tlast[p];
      if (rst_i) first_q <= 1'b1;
    end
  end

  // What probes and the watchdog see of port 0, as if it were a link of the tile at node 1.
  flit_t in_flit, out_flit, watched_flit;
  logic out_first_q;
  always_ff @(posedge clk_i) begin
    if (m_axis_tvalid[0] && m_axis_tready[0]) out_first_q <= m_axis_tlast[0];
    if (rst_i) out_first_q <= 1'b1;
  end
  always_comb begin
    in_flit = '0;
    in_flit.desc.src = 8'h12;
    in_flit.desc.length = 14'd99;
    in_flit.first = gen_port[0].first_q;
    in_flit.last = s_axis_tlast[0];
    in_flit.empty = EmptyWidth'(FlitBytes - $countones(s_axis_tkeep[W/8-1:0]));
    in_flit.data = s_axis_tdata[W-1:0];
    out_flit = '0;
    out_flit.first = out_first_q;
    out_flit.last = m_axis_tlast[0];
    out_flit.empty = EmptyWidth'(FlitBytes - $countones(m_axis_tkeep[W/8-1:0]));
    out_flit.data = m_axis_tdata[W-1:0];
    watched_flit = '0;
    watched_flit.desc.src = 8'h01;
    watched_flit.desc.dst = 8'h01;
  end
  logic unused;
  assign unused = ^{in_flit, out_flit, watched_flit, s_axil_awprot, s_axil_arprot};

  // Registers of node 1: 0x0000 scratch, 0x0004 bit 0 leak, bit 1 fail; counters from 0x8000 on.
  logic [63:0] in_q, out_q;
  logic write;
  assign write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_arready = s_axil_arvalid && !s_axil_rvalid;

  always_ff @(posedge clk_i) begin
    in_q <= in_q + 64'($countones(in_last));
    out_q <= out_q + 64'($countones(out_last));
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (write) begin
      s_axil_bvalid <= 1'b1;
      s_axil_bresp <= s_axil_awaddr[31:16] == 16'h1 ? 2'b00 : 2'b11;
      if (s_axil_awaddr == 32'h1_0000 && s_axil_wstrb == '1) scratch_q <= s_axil_wdata;
      if (s_axil_awaddr == 32'h1_0004) {fail_q, leak_q} <= s_axil_wdata[1:0];
    end
    if (s_axil_arready) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rresp <= s_axil_araddr[31:16] == 16'h1 ? 2'b00 : 2'b11;
      unique case (s_axil_araddr[15:0])
        16'h0000: s_axil_rdata <= scratch_q;
        16'h8000: s_axil_rdata <= in_q[31:0];
        16'h8004: s_axil_rdata <= in_q[63:32];
        16'h8008: s_axil_rdata <= out_q[31:0];
        16'h800C: s_axil_rdata <= out_q[63:32];
        default: s_axil_rdata <= '0;
      endcase
    end
    if (rst_i) begin
      in_q <= '0;
      out_q <= '0;
      scratch_q <= '0;
      {fail_q, leak_q} <= '0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end else begin
      assert (!fail_q) else $error("loop card: told to fail");
    end
  end
endmodule
