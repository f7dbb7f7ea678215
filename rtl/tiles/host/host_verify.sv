// SPDX-License-Identifier: Apache-2.0
// Sums the transport segment of each frame and tells, beside its last flit, whether its checksum is right. It judges TCP and UDP over IPv4 without
// options or fragments, and over IPv6 without extension headers, after an Ethernet header with or without a tag. For all other frames, UDP without a
// checksum or with a length other than its packet's, TCP with less than a header, and frames that end before their segment does, the answer is 0 (not
// known to be right).
//
//   header_window -> fields of headers -> where the segment is -> mask of its bytes -> sums -> sum of all -> right
//
// Seven cycles, one flit per cycle.
module host_verify
  import girih_pkg::*, net_pkg::*, checksum_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  out_right_o  // with the last flit
);
  localparam int unsigned TcpBytes = 20;
  localparam int unsigned Addresses4 = 12, Addresses6 = 8;  // where they begin in a header; they are part of the sum
  localparam int unsigned L3Most = EthernetBytes + VlanBytes;
  localparam int unsigned HeaderBytes = L3Most + Ipv6Bytes + 6;  // up to the length of UDP: a flit of 64 bytes
  // verilator lint_off ASCRANGE
  typedef logic [0:HeaderBytes-1][7:0] header_t;
  typedef logic [0:HeaderBytes-L3Most-1][7:0] packet_t;
  // verilator lint_on ASCRANGE
  typedef logic [16:0] place_t;  // in a frame
  localparam int unsigned NumberBits = $bits(place_t) - EmptyWidth;
  typedef logic [NumberBits-1:0] number_t;  // of a flit in its frame

  logic window_valid, move;
  flit_t window_flit;
  header_t header;
  offset_t available;
  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_header (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(window_valid),
      .out_ready_i(move),
      .out_flit_o(window_flit),
      .header_o(header),
      .available_o(available),
      .need_i(offset_t'(HeaderBytes))
  );

  // Each step is a register; all of them advance together.
  localparam int unsigned Steps = 5;
  logic [Steps-1:0] valid_q;
  flit_t [Steps-1:0] flit_q;
  always_ff @(posedge clk_i) begin
    if (move) begin
      valid_q <= {valid_q[Steps-2:0], window_valid};
      flit_q  <= {flit_q[Steps-2:0], window_flit};
    end
    if (rst_i) valid_q <= '0;
  end

  // 1: the fields of the headers, if they are at these places.
  typedef struct packed {
    logic has_tag, ipv4, ipv6;
    logic [7:0] version, protocol4, protocol6;
    logic [15:0] fragment, bytes4, bytes6, udp4, udp6, sum4;
  } fields_t;
  fields_t fields_q;
  logic tag;
  logic [15:0] kind;
  packet_t packet;
  assign tag = {header[EthernetBytes-2], header[EthernetBytes-1]} == EtherTypeVlan;
  assign kind = tag ? {header[L3Most-2], header[L3Most-1]} : {header[EthernetBytes-2], header[EthernetBytes-1]};
  assign packet = tag ? header[L3Most+:HeaderBytes-L3Most] : header[EthernetBytes+:HeaderBytes-L3Most];
  always_ff @(posedge clk_i) begin
    if (move && window_valid && window_flit.first) begin
      fields_q <= '{
          has_tag: tag,
          ipv4: kind == EtherTypeIpv4,
          ipv6: kind == EtherTypeIpv6,
          version: packet[0],
          protocol4: packet[9],
          protocol6: packet[6],
          fragment: packet[6+:2],
          bytes4: packet[2+:2],
          bytes6: packet[4+:2],
          udp4: packet[Ipv4MinBytes+4+:2],
          udp6: packet[Ipv6Bytes+4+:2],
          sum4: packet[Ipv4MinBytes+6+:2]
      };
    end
  end

  // 2: where the segment is, with the addresses before it; what is added to its sum, and whether it can be judged at
  // all.
  typedef struct packed {
    logic known, has_tag, udp6;
    place_t start, ends;
    logic [16:0] more;
  } segment_t;
  segment_t segment, segment_q;
  logic [7:0] protocol;
  logic [15:0] bytes4, bytes;  // of the segment
  logic good4, good6;
  assign bytes4 = fields_q.bytes4 - 16'(Ipv4MinBytes);
  assign bytes = fields_q.ipv4 ? bytes4 : fields_q.bytes6;
  assign protocol = fields_q.ipv4 ? fields_q.protocol4 : fields_q.protocol6;
  assign good4 = fields_q.ipv4 && fields_q.version == 8'h45 && fields_q.fragment[13:0] == '0 && fields_q.bytes4 >= 16'(Ipv4MinBytes + UdpBytes) &&
      ((fields_q.protocol4 == ProtocolTcp && bytes4 >= 16'(TcpBytes)) || (fields_q.protocol4 == ProtocolUdp && fields_q.udp4 == bytes4 && fields_q.sum4 != '0));
  assign good6 = fields_q.ipv6 && fields_q.version[7:4] == 4'd6 && fields_q.bytes6 >= 16'(UdpBytes) &&
      ((fields_q.protocol6 == ProtocolTcp && fields_q.bytes6 >= 16'(TcpBytes)) || (fields_q.protocol6 == ProtocolUdp && fields_q.udp6 == fields_q.bytes6));
  always_comb begin
    segment.known = good4 || good6;
    segment.has_tag = fields_q.has_tag;
    segment.udp6 = good6 && fields_q.protocol6 == ProtocolUdp;
    segment.start = place_t'(fields_q.has_tag ? L3Most : EthernetBytes) + place_t'(fields_q.ipv4 ? Addresses4 : Addresses6);
    segment.ends = (fields_q.ipv4 ? place_t'(fields_q.bytes4) : place_t'(fields_q.bytes6)) +
        place_t'(fields_q.has_tag ? (fields_q.ipv4 ? L3Most : L3Most + Ipv6Bytes) : (fields_q.ipv4 ? EthernetBytes : EthernetBytes + Ipv6Bytes));
    segment.more = 17'(bytes) + 17'(protocol);
  end
  number_t number_q;  // of the flit at 2
  always_ff @(posedge clk_i) begin
    if (move) begin
      if (valid_q[0] && flit_q[0].first) segment_q <= segment;
      if (valid_q[0]) number_q <= flit_q[0].first ? '0 : number_q + 1'b1;
    end
  end

  // 3: the bytes of this flit to sum, and how many bytes came up to its end.
  logic [FlitBytes-1:0] behind, until_end, mask_q;
  place_t come_q;
  // UDP over IPv6 must have a checksum (RFC 8200, 8.1), which lies beyond what the window shows: 0 means none, whatever the sum.
  localparam int unsigned PlainAt = EthernetBytes + Ipv6Bytes + UdpBytes - 2, TaggedAt = L3Most + Ipv6Bytes + UdpBytes - 2;
  logic lacks, lacks_q, unsummed_q, unsummed_at_end_q;
  assign lacks = segment_q.udp6 && (segment_q.has_tag ?
      number_q == number_t'(TaggedAt / FlitBytes) && flit_q[1].data[8*(TaggedAt%FlitBytes)+:16] == '0 :
      number_q == number_t'(PlainAt / FlitBytes) && flit_q[1].data[8*(PlainAt%FlitBytes)+:16] == '0);
  segment_t at_mask_q, at_sum_q, at_end_q;
  always_comb begin
    behind = '1;
    if (number_q == number_t'(segment_q.start >> EmptyWidth)) behind = '1 << segment_q.start[EmptyWidth-1:0];
    else if (number_q < number_t'(segment_q.start >> EmptyWidth)) behind = '0;
    until_end = '1;
    if (number_q == number_t'(segment_q.ends >> EmptyWidth)) until_end = ~({FlitBytes{1'b1}} << segment_q.ends[EmptyWidth-1:0]);
    else if (number_q > number_t'(segment_q.ends >> EmptyWidth)) until_end = '0;
  end
  always_ff @(posedge clk_i) begin
    if (move) begin
      mask_q <= behind & until_end;
      lacks_q <= lacks;
      if (valid_q[2]) unsummed_q <= lacks_q || (unsummed_q && !flit_q[2].first);
      unsummed_at_end_q <= unsummed_q;
      come_q <= place_t'({number_q, EmptyWidth'(0)}) + place_t'(FlitBytes) - (flit_q[1].last ? place_t'(flit_q[1].empty) : '0);
      at_mask_q <= segment_q;
      at_sum_q <= at_mask_q;
      at_end_q <= at_sum_q;
    end
  end

  // 4 and 5: the sum of the flit, and that of all up to it.
  wide_t flit_sum, carried, sum, sum_q;
  place_t come_at_sum_q, come_at_end_q;
  checksum_sum u_sum (
      .clk_i,
      .enable_i(move),
      .data_i  (flit_q[2].data),
      .mask_i  (mask_q),
      .total_o (flit_sum)
  );
  assign carried = flit_q[3].first ? wide_t'(at_sum_q.more) : sum_q;
  assign sum = flit_sum + carried;
  always_ff @(posedge clk_i) begin
    if (move) begin
      if (valid_q[3]) sum_q <= sum;
      come_at_sum_q <= come_q;
      come_at_end_q <= come_at_sum_q;
    end
  end

  typedef struct packed {
    logic  right;
    flit_t flit;
  } verified_t;
  verified_t verified;
  skid_buffer #(
      .T(verified_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i(valid_q[Steps-1]),
      .in_ready_o(move),
      .in_data_i('{right: at_end_q.known && !unsummed_at_end_q && is_right(sum_q) && at_end_q.ends <= come_at_end_q, flit: flit_q[Steps-1]}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(verified)
  );
  assign out_flit_o = verified.flit;
  assign out_right_o = verified.right && verified.flit.last;

  logic unused;
  assign unused = &{1'b0, available, header, packet, at_mask_q, at_end_q, fields_q};
endmodule
