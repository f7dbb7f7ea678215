// SPDX-License-Identifier: Apache-2.0
// Spreads messages over replicas: round robin, or by a hash of the flow, so that a flow stays at the replica with its
// state. The key is the replica's index. A flow is source, destination and protocol, and for unfragmented
// UDP and TCP also the ports. Messages other than IPv4 have no flow and go to replica 0. Works anywhere in
// the stack: if desc does not give the offset of the network header, the Ethernet header is read.
// Cut-through, two cycles (one without CutHeader), one flit per cycle.
module balancer_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, balancer_pkg::*;
#(
    parameter bit CutHeader = TimingMhz >= 250  // between the headers and the choice of a replica, for one cycle
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam logic [7:0] ProtocolTcp = 8'd6;
  localparam int unsigned PortBytes = 4;

  typedef struct packed {
    flit_t flit;
    logic first;
    logic is_ipv4;
    logic [15:0] hash;  // of the flow
  } staged_t;

  logic window_valid, window_ready, window_first;
  flit_t window_flit;
  header_t header;
  offset_t available, need;

  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o (window_flit),
      .out_first_o(window_first),
      .header_o   (header),
      .available_o(available),
      .need_i     (need)
  );

  // Until all bytes have arrived, `need` may be wrong, but it always covers the bytes that it depends on.
  logic tag, l3_known, ethertype_ipv4, is_ipv4, has_ports;
  offset_t l3_offset, l4_offset;
  ipv4_t ip;
  logic [31:0] ports;
  assign tag = header[EthernetBytes-2+:2] == EtherTypeVlan;
  assign l3_known = window_flit.desc.l3_offset != '0;
  assign l3_offset = l3_known ? window_flit.desc.l3_offset : tag ? offset_t'(L3Tagged) : offset_t'(L3Untagged);
  assign ip = is_tagged(l3_offset) ? header[L3Tagged+:Ipv4MinBytes] : header[L3Untagged+:Ipv4MinBytes];
  assign ethertype_ipv4 = (tag ? header[L3Tagged-2+:2] : header[L3Untagged-2+:2]) == EtherTypeIpv4;
  assign l4_offset = (is_tagged(l3_offset) ? offset_t'(L3Tagged) : offset_t'(L3Untagged)) + {2'b0, ip.ihl, 2'b0};
  assign has_ports = ip.protocol inside {ProtocolUdp, ProtocolTcp} && !ip.more_fragments
      && ip.fragment_offset == '0 && ip.ihl >= 4'(Ipv4MinBytes / 4);
  assign ports = has_ports ? l4_word(header, l4_offset) : '0;

  always_comb begin
    if (!l3_known && !ethertype_ipv4) need = l3_offset;
    else if (has_ports) need = l4_offset + offset_t'(PortBytes);
    else need = is_tagged(l3_offset) ? offset_t'(L3Tagged + Ipv4MinBytes) : offset_t'(L3Untagged + Ipv4MinBytes);
  end
  assign is_ipv4 = (l3_known || ethertype_ipv4) && ip.version == 4'd4 && available >= need;

  // CRC of the flow. Of the usual 16-bit polynomials, 0x3d65
  // spreads consecutive ports and addresses best.
  function automatic logic [15:0] flow_hash(logic [103:0] flow);
    flow_hash = '1;
    for (int unsigned i = 104; i > 0; i--) begin
      flow_hash = {flow_hash[14:0], 1'b0} ^ (flow_hash[15] != flow[i-1] ? 16'h3d65 : '0);
    end
  endfunction

  // Each of its bits is the parity of some bits of the flow: bit i is among them where a flow of that bit alone changes it.
  function automatic logic [15:0][103:0] hash_taps();
    logic [15:0] changed;
    for (int unsigned i = 0; i < 104; i++) begin
      changed = flow_hash(104'(1) << i) ^ flow_hash('0);
      for (int unsigned b = 0; b < 16; b++) hash_taps[b][i] = changed[b];
    end
  endfunction
  localparam logic [15:0][103:0] Taps = hash_taps();
  localparam logic [15:0] NoFlow = flow_hash('0);

  logic [103:0] flow;
  logic [15:0] hash_in, hash;
  assign flow = {ip.src, ip.dst, ip.protocol, ports};
  for (genvar b = 0; b < 16; b++) begin : gen_hash
    assign hash_in[b] = NoFlow[b] ^ (^(flow & Taps[b]));
  end

  logic first, staged_ipv4;
  stream_register #(
      .T(staged_t),
      .Cut(CutHeader)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_data_i({window_flit, window_first, is_ipv4, hash_in}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o({out_flit_o, first, staged_ipv4, hash})
  );

  // The hash, scaled to the number of replicas.
  logic [3:0] turn_q, of_flow;
  assign of_flow = 4'((20'(hash) * 20'(cfg_i.replicas)) >> 16);

  logic start;
  assign start = out_valid_o && out_ready_i && first;
  always_ff @(posedge clk_i) begin
    if (start && staged_ipv4) turn_q <= turn_q + 4'd1 >= cfg_i.replicas ? '0 : turn_q + 4'd1;
    if (rst_i) turn_q <= '0;
  end

  // Software may lower the number of replicas below the current turn.
  logic [3:0] in_turn;
  assign in_turn = turn_q < cfg_i.replicas ? turn_q : '0;
  assign out_key_o = !staged_ipv4 ? '0 : cfg_i.by_flow ? next_key_t'(of_flow) : next_key_t'(in_turn);
  assign event_o.mark_non_ip = start && !staged_ipv4;

  logic unused;
  assign unused = &{1'b0, header, ip};
endmodule
