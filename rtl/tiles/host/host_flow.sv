// SPDX-License-Identifier: Apache-2.0
// Gives two hashes of each received frame's flow beside its first flit: the card's, and that of receive-side scaling with a driver's key. A flow is source,
// destination and protocol, and for TCP and UDP also the ports.
//
//   IPv4, with options or without    the ports, unless it is a fragment
//   IPv6                             the protocol is the next header; the ports, if they directly follow the IPv6 header, which they never do in a fragment
//
// The Ethernet header is with or without a tag. Other frames have no flow, nor have those that end before all that makes it.
//
//   header_window -> flow -> hashes
//
// A frame waits until all bytes that headers can have are there, or it has ended, so that what these say is not in the way of its flits. One cycle
// (none without Cut), and those in which these bytes come; one flit per cycle.
module host_flow
  import girih_pkg::*, net_pkg::*, header_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter bit Cut = TimingMhz >= 250,  // between the flow and its hashes, for one cycle
    localparam int unsigned EntryBits = $clog2(SteerEntries)
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
    output logic [15:0] hash_o,
    input  rss_t                 rss_i,
    output logic                 scaled_o,  // valid with the first flit, like its hash: the frame is of a type that is hashed
    output logic [EntryBits-1:0] rss_hash_o
);
  localparam int unsigned PortBytes = 4;
  typedef struct packed {
    ipv4_addr_t src, dst;
    logic [7:0] protocol;
    logic [31:0] ports;
  } flow4_t;
  typedef struct packed {
    logic [127:0] src, dst;
    logic [7:0] protocol;
    logic [31:0] ports;
  } flow6_t;
  localparam int unsigned FlowBits = $bits(flow6_t);

  typedef struct packed {
    flit_t flit;
    logic known;  // it has a flow if it has all of it
    logic is_six, has_ports;
    offset_t available, need;
    logic [FlowBits-1:0] flow;  // with what stands where ports would be
  } staged_t;

  logic window_valid, window_ready;
  flit_t window_flit;
  header_t header;
  offset_t available;
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
      .need_i     (offset_t'(HeaderBytes))
  );

  logic tag, is_six;
  logic [15:0] kind;
  offset_t l3_offset;
  assign tag = header[EthernetBytes-2+:2] == EtherTypeVlan;
  assign kind = tag ? header[L3Tagged-2+:2] : header[L3Untagged-2+:2];
  assign l3_offset = tag ? offset_t'(L3Tagged) : offset_t'(L3Untagged);
  assign is_six = kind == EtherTypeIpv6;

  ipv4_t four;
  flow4_t flow4;
  logic ports4;
  offset_t l4_offset;
  assign four = tag ? header[L3Tagged+:Ipv4MinBytes] : header[L3Untagged+:Ipv4MinBytes];
  assign l4_offset = l3_offset + {2'b0, four.ihl, 2'b0};
  assign ports4 = four.protocol inside {ProtocolUdp, ProtocolTcp} && !four.more_fragments && four.fragment_offset == '0 && four.ihl >= 4'(Ipv4MinBytes / 4);
  assign flow4 = '{src: four.src, dst: four.dst, protocol: four.protocol, ports: l4_word(header, l4_offset)};

  ipv6_t six;
  flow6_t flow6;
  logic ports6;
  assign six = tag ? header[L3Tagged+:Ipv6Bytes] : header[L3Untagged+:Ipv6Bytes];
  assign ports6 = six.next_header inside {ProtocolUdp, ProtocolTcp};
  assign flow6 = '{
          src: six.src,
          dst: six.dst,
          protocol: six.next_header,
          ports: tag ? header[L3Tagged+Ipv6Bytes+:PortBytes] : header[L3Untagged+Ipv6Bytes+:PortBytes]
      };

  staged_t stage, staged;
  always_comb begin
    stage.flit = window_flit;
    stage.available = available;
    stage.is_six = is_six;
    stage.has_ports = is_six ? ports6 : ports4;
    // The first 16 bits are inverted for the hash.
    if (is_six) begin
      stage.known = six.version == 4'd6;
      stage.need = l3_offset + offset_t'(Ipv6Bytes) + (ports6 ? offset_t'(PortBytes) : '0);
      stage.flow = flow6 ^ {16'hffff, ($bits(flow6_t) - 16)'(0)};
    end else begin
      stage.known = kind == EtherTypeIpv4 && four.version == 4'd4;
      stage.need = ports4 ? l4_offset + offset_t'(PortBytes) : l3_offset + offset_t'(Ipv4MinBytes);
      stage.flow = FlowBits'(flow4 ^ {16'hffff, ($bits(flow4_t) - 16)'(0)});
    end
  end
  stream_register #(
      .T(staged_t),
      .Cut(Cut)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_data_i(stage),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(staged)
  );
  assign out_flit_o = staged.flit;
  assign has_flow_o = staged.known && staged.available >= staged.need;
  flow_hash #(
      .Bits(FlowBits)
  ) u_hash (
      .flow_i({staged.flow[FlowBits-1:32], staged.has_ports ? staged.flow[31:0] : 32'd0}),
      .hash_o
  );

  // The flow of receive-side scaling: without the protocol, and with the ports only if they are hashed for it.
  localparam int unsigned ScaledBits = $bits(flow6_t) - 8;
  flow4_t of4;
  flow6_t of6;
  logic is_tcp, with_ports, by_address;
  logic [31:0] ports;
  logic [ScaledBits-1:0] scaled;
  assign of4 = staged.flow[$bits(flow4_t)-1:0] ^ {16'hffff, ($bits(flow4_t) - 16)'(0)};
  assign of6 = staged.flow ^ {16'hffff, ($bits(flow6_t) - 16)'(0)};
  assign is_tcp = (staged.is_six ? of6.protocol : of4.protocol) == ProtocolTcp;
  assign with_ports = staged.has_ports && (staged.is_six ? (is_tcp ? rss_i.types.tcp6 : rss_i.types.udp6) : (is_tcp ? rss_i.types.tcp4 : rss_i.types.udp4));
  assign by_address = staged.is_six ? rss_i.types.ip6 : rss_i.types.ip4;
  assign ports = with_ports ? (staged.is_six ? of6.ports : of4.ports) : '0;
  assign scaled = staged.is_six ? {of6.src, of6.dst, ports} : {of4.src, of4.dst, ports, (ScaledBits - 96)'(0)};
  assign scaled_o = has_flow_o && (with_ports || by_address);
  host_toeplitz #(
      .FlowBits(ScaledBits),
      .Bits(EntryBits)
  ) u_toeplitz (
      .flow_i(scaled),
      .key_i(rss_i.key),
      .hash_o(rss_hash_o)
  );

  logic unused;
  assign unused = &{1'b0, header, four, six, rss_i.on, rss_i.unclassified};

  always_ff @(posedge clk_i) begin
    if (!rst_i && out_valid_o && out_ready_i && staged.flit.first) begin
      ends_before_its_addresses : cover (staged.known && !has_flow_o);
      ends_with_its_ports : cover (staged.known && staged.available == staged.need);
    end
  end
endmodule
