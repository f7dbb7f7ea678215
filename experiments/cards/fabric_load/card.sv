// SPDX-License-Identifier: Apache-2.0
// A fabric by itself: each of its ports sends messages of four flits and takes all that arrives. card_pkg gives
// the fabric's kind and size. With two message classes each class does so: port Ports + i is that of tile i's replies.
//
// Write 0x0, {pattern[1:0], rate[15:0]}: from now on every port that is not sending starts a message in a
// cycle with probability rate / 2^16, in steps of 4 (0xFFFF: always), and the counts restart. Patterns:
//   0  to any other port, with equal probability
//   1  port i to port Ports - 1 - i
//   2  every fourth message to port 0, the others as in 0
// Read 0x0: cycles counted. 0x4: flits that arrived. 0x8: messages whose first flit arrived. 0xC: the sum of the cycles
// from the offer of a first flit to its arrival.
module card
  import girih_pkg::*, card_pkg::*;
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
  localparam int unsigned Ports = X * Y * Tiles;
  localparam int unsigned N = Classes * Ports;
  localparam int unsigned Flits = 4;
  typedef logic [$clog2(Ports)-1:0] port_t;

  typedef enum logic [1:0] {
    Uniform,
    Opposite,
    Hotspot
  } pattern_e;

  logic write;
  logic [15:0] rate_q;
  pattern_e pattern_q;
  logic [31:0] cycles_q, flits_q, messages_q, latency_q;
  timestamp_t now_q;

  logic [N-1:0] in_valid, in_ready, out_valid, first;
  flit_t in_flit[N];
  flit_t out_flit[N];

  function automatic node_t node(int unsigned port);
    unique case (Topology)
      Mesh: return {4'(port / X), 4'(port % X)};
      Butterfly: return {3'(port / Tiles / X), 3'(port / Tiles % X), 2'(port % Tiles)};
      default: return 8'(port);
    endcase
  endfunction

  if (Topology == Mesh) begin : gen_mesh
    logic [2*(2*Ports-X-Y)-1:0] unused_stall;
    mesh #(
        .X(X),
        .Y(Y),
        .Classes(Classes)
    ) u_fabric (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid),
        .in_ready_o(in_ready),
        .in_flit_i(in_flit),
        .out_valid_o(out_valid),
        .out_ready_i('1),
        .out_flit_o(out_flit),
        .stall_o(unused_stall)
    );
  end else if (Topology == Butterfly) begin : gen_butterfly
    logic [X*Y*(X+Y-2)-1:0] unused_stall;
    butterfly #(
        .X(X),
        .Y(Y),
        .Tiles(Tiles),
        .Classes(Classes)
    ) u_fabric (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid),
        .in_ready_o(in_ready),
        .in_flit_i(in_flit),
        .out_valid_o(out_valid),
        .out_ready_i('1),
        .out_flit_o(out_flit),
        .stall_o(unused_stall)
    );
  end else begin : gen_crossbar
    crossbar #(
        .Ports(Ports),
        .Classes(Classes)
    ) u_fabric (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid),
        .in_ready_o(in_ready),
        .in_flit_i(in_flit),
        .out_valid_o(out_valid),
        .out_ready_i('1),
        .out_flit_o(out_flit)
    );
  end

  for (genvar n = 0; n < int'(N); n++) begin : gen_port
    localparam int unsigned Place = n % Ports;
    logic [31:0] random_q;  // xorshift, never 0
    logic [31:0] shifted_13, shifted_17;
    logic [1:0] beat_q;
    logic valid_q, start, next;
    port_t any, to, to_q;
    timestamp_t offered_q;

    assign shifted_13 = random_q ^ random_q << 13;
    assign shifted_17 = shifted_13 ^ shifted_13 >> 17;
    assign any = port_t'(32'(random_q[31:16]) * (Ports - 1) >> 16);  // of the others
    always_comb begin
      to = any + port_t'(32'(any) + 1 > Place);
      if (pattern_q == Opposite) to = port_t'(Ports - 1 - Place);
      else if (pattern_q == Hotspot && Place != 0 && random_q[1:0] == '0) to = '0;
    end
    assign start = rate_q == '1 || random_q[15:2] < rate_q[15:2];
    assign next = !valid_q || in_ready[n] && beat_q == '1;

    assign in_valid[n] = valid_q;
    always_comb begin
      in_flit[n] = '0;
      in_flit[n].desc.dst = node(32'(to_q));
      in_flit[n].desc.timestamp = offered_q;
      in_flit[n].first = beat_q == '0;
      in_flit[n].last = beat_q == '1;
    end

    always_ff @(posedge clk_i) begin
      random_q <= shifted_17 ^ shifted_17 << 5;
      if (valid_q && in_ready[n]) beat_q <= beat_q + 1'b1;
      if (next) begin
        valid_q <= start;
        to_q <= to;
        offered_q <= now_q + 1'b1;
      end
      if (rst_i) begin
        random_q <= 32'h9e37_79b9 * 32'(n + 1);
        valid_q <= 1'b0;
        beat_q <= '0;
      end
    end

    assign first[n] = out_valid[n] && out_flit[n].first;
    always_ff @(posedge clk_i) begin
      if (!rst_i && first[n]) assert (out_flit[n].desc.dst == node(Place));
    end
  end

  logic [31:0] waited;  // by the messages whose first flit arrives in this cycle
  always_comb begin
    waited = '0;
    for (int unsigned n = 0; n < N; n++) if (first[n]) waited += 32'(timestamp_t'(now_q - out_flit[n].desc.timestamp));
  end

  // The registers.
  assign write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_bresp = '0;
  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_rresp = '0;
  always_ff @(posedge clk_i) begin
    now_q <= now_q + 1'b1;
    cycles_q <= cycles_q + 1;
    flits_q <= flits_q + 32'($countones(out_valid));
    messages_q <= messages_q + 32'($countones(first));
    latency_q <= latency_q + waited;
    if (write) begin
      s_axil_bvalid <= 1'b1;
      rate_q <= s_axil_wdata[15:0];
      pattern_q <= pattern_e'(s_axil_wdata[17:16]);
      {cycles_q, flits_q, messages_q, latency_q} <= '0;
    end else if (s_axil_bready) begin
      s_axil_bvalid <= 1'b0;
    end
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rvalid <= 1'b1;
      unique case (s_axil_araddr[3:2])
        2'd0: s_axil_rdata <= cycles_q;
        2'd1: s_axil_rdata <= flits_q;
        2'd2: s_axil_rdata <= messages_q;
        2'd3: s_axil_rdata <= latency_q;
      endcase
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
    if (rst_i) begin
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
      rate_q <= '0;
      pattern_q <= Uniform;
      now_q <= '0;
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
        s_axil_awaddr, s_axil_araddr, s_axil_wdata, s_axil_wstrb
    };
    for (int unsigned n = 0; n < N; n++) unused &= ^out_flit[n];
  end
endmodule
