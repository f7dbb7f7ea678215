// SPDX-License-Identifier: Apache-2.0
// Gives a hash of each message's flow beside its first flit. A flow is source, destination and protocol, and for unfragmented
// UDP and TCP also the ports. Messages other than IPv4, and those that end before their ports, have no flow. Works anywhere in
// the stack: if desc does not give the offset of the network header, the Ethernet header is read.
// Cut-through, two cycles (one without CutHeader), one flit per cycle.
module flow_window
  import girih_pkg::*, net_pkg::*, header_pkg::*;
#(
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
    output logic        has_flow_o,   // valid with the first flit, like the hash
    output logic [15:0] hash_o
);
  localparam int unsigned PortBytes = 4;

  // The bytes up to the end of the ports, by the words of the IPv4 header; tables, because an addition is late.
  function automatic offset_t [15:0] ends_of_ports(int unsigned l3_offset);
    for (int unsigned words = 0; words < 16; words++) begin
      ends_of_ports[words] = offset_t'(l3_offset + (4 * words < Ipv4MinBytes ? Ipv4MinBytes : 4 * words) + PortBytes);
    end
  endfunction
  localparam offset_t [15:0] AwaitedUntagged = ends_of_ports(L3Untagged);
  localparam offset_t [15:0] AwaitedTagged = ends_of_ports(L3Tagged);

  typedef struct packed {
    flit_t flit;
    logic is_ipv4;
    logic [15:0] hash;  // of the flow without its ports
    logic [31:0] ports;
  } staged_t;

  logic window_valid, window_ready;
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
      .header_o   (header),
      .available_o(available),
      .need_i     (awaited)
  );

  // A message waits as if it had ports, which is known earlier in the cycle than what it needs. Until all bytes have arrived, `awaited`
  // may be wrong, but it always covers the bytes that it depends on.
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
  assign awaited = is_tagged(l3_offset) ? AwaitedTagged[ip.ihl] : AwaitedUntagged[ip.ihl];
  assign is_ipv4 = (l3_known || ethertype_ipv4) && ip.version == 4'd4 && available >= need;

  // A CRC is the sum of those of its parts. The ports come late, and theirs is added behind the register.
  logic [15:0] hash_in, hash_q, hash_of_ports;
  logic [31:0] ports_q;
  flow_hash u_hash (
      .flow_i({~ip.src[31-:16], ip.src[15:0], ip.dst, ip.protocol, 32'b0}),
      .hash_o(hash_in)
  );
  flow_hash #(
      .Bits(32)
  ) u_hash_of_ports (
      .flow_i(ports_q),
      .hash_o(hash_of_ports)
  );
  assign hash_o = hash_q ^ hash_of_ports;

  stream_register #(
      .T(staged_t),
      .Cut(CutHeader)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_data_i({window_flit, is_ipv4, hash_in, ports}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o({out_flit_o, has_flow_o, hash_q, ports_q})
  );

  logic unused;
  assign unused = &{1'b0, header, ip};
endmodule
