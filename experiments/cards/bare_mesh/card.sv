// SPDX-License-Identifier: Apache-2.0
// A bare 4 x 4 mesh under saturating traffic: every node sends messages of Flits flits to random other nodes
// without a pause, and takes everything at once. It is the yardstick of simulation speed. Its ports are not
// used.
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
  localparam int unsigned X = 4;
  localparam int unsigned Y = 4;
  localparam int unsigned Nodes = X * Y;
  localparam int unsigned Flits = 4;

  logic [Nodes-1:0] in_ready, out_valid;
  flit_t in_flit[Nodes];
  flit_t out_flit[Nodes];
  logic [2*(2*Nodes-X-Y)-1:0] stall;

  mesh #(
      .X(X),
      .Y(Y)
  ) u_mesh (
      .clk_i,
      .rst_i,
      .in_valid_i('1),
      .in_ready_o(in_ready),
      .in_flit_i(in_flit),
      .out_valid_o(out_valid),
      .out_ready_i('1),
      .out_flit_o(out_flit),
      .stall_o(stall)
  );

  for (genvar n = 0; n < Nodes; n++) begin : gen_source
    logic [31:0] random_q;  // xorshift, never 0
    logic [31:0] shifted_13, shifted_17, random_d;
    logic [$clog2(Flits)-1:0] beat_q;
    logic [3:0] other;
    assign shifted_13 = random_q ^ random_q << 13;
    assign shifted_17 = shifted_13 ^ shifted_13 >> 17;
    assign random_d = shifted_17 ^ shifted_17 << 5;
    assign other = random_q[3:0] == 4'(n) ? ~random_q[3:0] : random_q[3:0];

    always_comb begin
      in_flit[n] = '0;
      in_flit[n].desc.dst = {2'b0, other[3:2], 2'b0, other[1:0]};
      in_flit[n].desc.timestamp = random_q[23:0];
      in_flit[n].first = beat_q == '0;
      in_flit[n].last = beat_q == '1;
      in_flit[n].data = {W / 32{random_q}};
    end

    always_ff @(posedge clk_i) begin
      if (in_ready[n]) begin
        random_q <= random_d;
        beat_q <= beat_q + 1'b1;
      end
      if (rst_i) begin
        random_q <= 32'h9e37_79b9 * 32'(n + 1);
        beat_q <= '0;
      end
    end
  end

  // The output is folded into the port, so that no simulator optimizes it away.
  logic [W-1:0] fold;
  always_comb begin
    fold = '0;
    for (int unsigned n = 0; n < Nodes; n++) if (out_valid[n]) fold ^= out_flit[n].data;
  end
  logic [W-1:0] fold_q;
  always_ff @(posedge clk_i) fold_q <= fold;

  assign s_axis_tready = 1'b0;
  assign m_axis_tdata = fold_q;
  assign m_axis_tkeep = '0;
  assign m_axis_tvalid = 1'b0;
  assign m_axis_tlast = 1'b0;
  assign m_axis_tuser = 1'b0;

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
  always_comb begin
    unused = &{
        s_axil_awprot, s_axil_arprot, s_axis_tdata, s_axis_tkeep, s_axis_tvalid, s_axis_tlast, s_axis_tuser, m_axis_tready,
        s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid, s_axil_bready,
        s_axil_araddr, s_axil_arvalid, s_axil_rready, stall
    };
    for (int unsigned n = 0; n < Nodes; n++) unused &= ^out_flit[n];
  end
endmodule
