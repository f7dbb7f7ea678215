// SPDX-License-Identifier: Apache-2.0
// Gives a hash of each message's flow beside its first flit. A flow is source, destination and protocol, and for unfragmented
// UDP and TCP also the ports. Messages other than IPv4, and those that end before their ports, have no flow. Works anywhere in
// the stack: if desc does not give the offset of the network header, the Ethernet header is read; without FromDescriptor it always is.
// Cut-through, two cycles (one without CutHeader), one flit per cycle. With AllHeaders a message waits until all bytes that headers can have are
// there, or it has ended, so that what these say is not in the way of its flits.
module flow_window
  import girih_pkg::*, net_pkg::*, header_pkg::*;
#(
    parameter bit FromDescriptor = 1'b1,
    parameter bit AllHeaders = 1'b0,
    parameter bit CutHeader = TimingMhz >= 250  // behind the headers, for one cycle
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic        out_valid_o,
    input  logic        out_ready_i,
    output flit_t       out_flit_o,
    output logic        out_first_o,
    output logic        has_flow_o,   // valid with out_first_o, like the hash
    output logic [15:0] hash_o
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
  offset_t available, need, awaited;

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
      .need_i     (AllHeaders ? offset_t'(HeaderBytes) : awaited)
  );

  // A message waits as if it had ports, which is known earlier in the cycle than what it needs. Until all bytes have arrived, `awaited`
  // may be wrong, but it always covers the bytes that it depends on.
  logic tag, l3_known, ethertype_ipv4, is_ipv4, has_ports;
  offset_t l3_offset, l4_offset;
  ipv4_t ip;
  logic [31:0] ports;
  assign tag = header[EthernetBytes-2+:2] == EtherTypeVlan;
  offset_t given;
  if (FromDescriptor) begin : gen_given
    assign given = window_flit.desc.l3_offset;
  end else begin : gen_not_given
    assign given = '0;
  end
  assign l3_known = given != '0;
  assign l3_offset = l3_known ? given : tag ? offset_t'(L3Tagged) : offset_t'(L3Untagged);
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
  logic [3:0] words;  // of the IPv4 header
  assign words = ip.ihl < 4'(Ipv4MinBytes / 4) ? 4'(Ipv4MinBytes / 4) : ip.ihl;
  assign awaited = (is_tagged(l3_offset) ? offset_t'(L3Tagged) : offset_t'(L3Untagged)) + {2'b0, words, 2'b0} + offset_t'(PortBytes);
  assign is_ipv4 = (l3_known || ethertype_ipv4) && ip.version == 4'd4 && available >= need;

  // CRC of the flow. Of the usual 16-bit polynomials, 0x3d65
  // spreads consecutive ports and addresses best.
  function automatic logic [15:0] flow_hash(logic [103:0] flow);
    flow_hash = '1;
    for (int unsigned i = 104; i > 0; i--) begin
      flow_hash = {flow_hash[14:0], 1'b0} ^ (flow_hash[15] != flow[i-1] ? 16'h3d65 : '0);
    end
  endfunction

  // Each bit of the CRC is the parity of some bits of the flow; a flow with only bit i set tells the CRC bits to which bit i belongs.
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
  logic [15:0] hash_in;
  assign flow = {ip.src, ip.dst, ip.protocol, ports};
  for (genvar b = 0; b < 16; b++) begin : gen_hash
    assign hash_in[b] = NoFlow[b] ^ (^(flow & Taps[b]));
  end

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
      .out_data_o({out_flit_o, out_first_o, has_flow_o, hash_o})
  );

  logic unused;
  assign unused = &{1'b0, header, ip};
endmodule
