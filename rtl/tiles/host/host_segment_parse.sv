// SPDX-License-Identifier: Apache-2.0
// Finds the headers of a frame that is to be cut into segments: Ethernet with or without a tag, IPv4 with options or IPv6 with hop-by-hop and
// destination options, TCP with options or UDP. It takes the frame's words in order, and ends_o says in the same cycle that the word is the last one
// with bytes of a header, two: every header ends two bytes behind a multiple of four. wrong_o comes a cycle after a wrong word, and stays; misfits_o and
// headers_o are complete two cycles after the last word, until start_i.
//
// The frame is wrong if its headers are not those that gso_type, csum_start and csum_offset announce, if the driver may not request this, if the
// packet is a fragment, or if a segment would be larger than a frame. The lengths in its headers and hdr_len do not matter.
module host_segment_parse
  import girih_pkg::*, net_pkg::*, checksum_pkg::*, host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic        start_i,   // before the first word
    input net_header_t asked_i,   // until the next start
    input segments_t   allowed_i,

    input logic        word_valid_i,
    input logic [31:0] word_i,  // its first byte is the lowest

    output logic     ends_o,
    output logic     wrong_o,
    output logic     misfits_o,
    output headers_t headers_o
);
  localparam logic [7:0] HopByHop = 8'd0, Destination = 8'd60;
  localparam int unsigned MostWords = SegmentHeaderBytes / 4;
  localparam int unsigned MostPacketBytes = 65535;
  localparam int unsigned MostBytes = MaxFrameBytes < EthernetBytes + MostPacketBytes ? MaxFrameBytes : EthernetBytes + MostPacketBytes;

  typedef enum logic [2:0] {
    Link,
    Tag,
    Four,
    Six,
    Extension,
    Tcp,
    Udp
  } state_e;
  state_e state_q, state_d;
  logic [8:0] count_q, count_d;  // words of this header before
  logic [8:0] end_q, end_d;  // the number of its last word, where it says so
  logic [$clog2(MostWords)-1:0] word_q;  // the number of this word
  logic [7:0] next_q, next_d;  // the header behind this extension

  // The four bytes that end with the first half of this word, in network order, because headers begin behind the first half of a word.
  logic [15:0] half_q;
  logic [31:0] now;
  assign now = {half_q, word_i[7:0], word_i[15:8]};

  logic wanted_tcp, wanted_four, wanted_six, refused, wrong, wrong_q, begins, at_limit;
  logic [6:0] kind;
  assign kind = asked_i.gso_type[6:0];
  assign wanted_tcp = kind != GsoUdp;
  assign wanted_four = kind != GsoTcp6;
  assign wanted_six = kind != GsoTcp4;
  assign refused = !((kind == GsoTcp4 && allowed_i.tcp4) || (kind == GsoTcp6 && allowed_i.tcp6) || (kind == GsoUdp && allowed_i.udp)) ||
      (asked_i.gso_type[GsoEcn] && !(allowed_i.ecn && wanted_tcp)) || !asked_i.needs_csum || asked_i.gso_size == '0;

  logic link, link_four, link_six;
  logic protocol_wrong;
  logic last;  // this word ends a header that another one follows; known before it is known which one
  logic [7:0] wanted_protocol;
  assign link_four = now[15:0] == EtherTypeIpv4 && wanted_four;
  assign link_six = now[15:0] == EtherTypeIpv6 && wanted_six;
  assign wanted_protocol = wanted_tcp ? ProtocolTcp : ProtocolUdp;
  assign protocol_wrong = next_q != wanted_protocol;
  always_comb begin
    state_d = state_q;
    last = 1'b0;
    end_d = end_q;
    next_d = next_q;
    wrong = 1'b0;
    begins = 1'b0;
    ends_o = 1'b0;
    link = 1'b0;
    unique case (state_q)
      Link:
      if (count_q == 9'd3) begin
        last = 1'b1;
        link = now[15:0] != EtherTypeVlan;
        state_d = Tag;
      end
      Tag: begin
        last = 1'b1;
        link = 1'b1;
      end
      Four: begin
        if (count_q == '0) begin
          end_d = 9'(now[27:24] - 4'd1);
          wrong = now[31:28] != 4'd4 || now[27:24] < 4'd5;
        end
        if (count_q == 9'd1) wrong = now[13:0] != '0;
        if (count_q == 9'd2) wrong = now[23:16] != wanted_protocol;
        last = count_q != '0 && count_q == end_q;
        begins = last;
      end
      Six: begin
        if (count_q == '0) wrong = now[31:28] != 4'd6;
        if (count_q == 9'd1) next_d = now[15:8];
        if (count_q == 9'd9) begin
          last = 1'b1;
          if (protocol_wrong) state_d = Extension;
          begins = !protocol_wrong;
          wrong = protocol_wrong && next_q != HopByHop && next_q != Destination;
        end
      end
      Extension: begin
        if (count_q == '0) begin
          next_d = now[31:24];
          end_d  = {now[23:16], 1'b1};
        end
        // It has at least two words.
        if (count_q != '0 && count_q == end_q) begin
          last   = 1'b1;
          begins = !protocol_wrong;
          wrong  = protocol_wrong && next_q != HopByHop && next_q != Destination;
        end
      end
      Tcp: begin
        if (count_q == 9'd3) begin
          end_d = 9'(now[31:28] - 4'd1);
          wrong = now[31:28] < 4'd5;
        end
        ends_o = count_q >= 9'd4 && count_q == end_q;
      end
      default: ends_o = count_q == 9'd1;
    endcase
    if (link) begin
      state_d = link_four ? Four : Six;
      wrong   = !link_four && !link_six;
    end
    if (begins) state_d = wanted_tcp ? Tcp : Udp;
    count_d = last ? '0 : count_q + 1'b1;
    if (at_limit && !ends_o) wrong = 1'b1;
  end
  assign at_limit = 32'(word_q) == MostWords - 1;
  assign wrong_o = wrong_q;

  // Sums are added up a cycle later.
  logic [31:0] now_q;
  logic [1:0] in_network, in_pseudo, in_network_q, in_pseudo_q;  // its halves that are part of a sum
  wide_t network_q, pseudo_q;
  always_comb begin
    in_network = '0;
    in_pseudo  = '0;
    if (state_q == Four) begin
      in_network = count_q == 9'd0 || count_q == 9'd2 ? 2'b10 : count_q == 9'd1 ? 2'b01 : 2'b11;
      in_pseudo  = {2{count_q == 9'd3 || count_q == 9'd4}};
    end
    if (state_q == Six) in_pseudo = {2{count_q >= 9'd2}};
  end

  headers_t headers_q;
  logic too_large_q, elsewhere_q;
  assign misfits_o = too_large_q || elsewhere_q;
  logic [16:0] largest;
  assign largest = 17'({headers_q.ends, 1'b0}) + 17'(asked_i.gso_size);
  always_ff @(posedge clk_i) begin
    in_network_q <= word_valid_i ? in_network : '0;
    in_pseudo_q <= word_valid_i ? in_pseudo : '0;
    now_q <= now;
    network_q <= network_q + (in_network_q[1] ? wide_t'(now_q[31:16]) : '0) + (in_network_q[0] ? wide_t'(now_q[15:0]) : '0);
    pseudo_q <= pseudo_q + (in_pseudo_q[1] ? wide_t'(now_q[31:16]) : '0) + (in_pseudo_q[0] ? wide_t'(now_q[15:0]) : '0);
    headers_q.network <= fold(network_q);
    headers_q.pseudo <= fold(pseudo_q);
    too_large_q <= largest > 17'(MostBytes);
    elsewhere_q <= asked_i.csum_start != 16'({headers_q.l4, 1'b0}) || asked_i.csum_offset != (wanted_tcp ? 16'd16 : 16'd6);
    if (word_valid_i) begin
      half_q <= {word_i[23:16], word_i[31:24]};
      state_q <= state_d;
      count_q <= count_d;
      end_q <= end_d;
      next_q <= next_d;
      word_q <= word_q + 1'b1;
      wrong_q <= wrong_q || wrong;
      headers_q.tcp <= wanted_tcp;
      if (state_q == Tag) headers_q.has_tag <= 1'b1;
      if (state_q == Six) headers_q.ipv6 <= 1'b1;
      if (begins) headers_q.l4 <= half_place_t'({word_q, 1'b1});
      if (ends_o) headers_q.ends <= half_place_t'({word_q, 1'b1});
      if (state_q == Four && count_q == 9'd1) headers_q.identification <= now[31:16];
      if (state_q == Tcp && count_q == 9'd1) headers_q.sequence_number <= now;
      if (state_q == Tcp && count_q == 9'd3) headers_q.flags <= now[31:16];
    end
    if (start_i) begin
      state_q <= Link;
      count_q <= '0;
      word_q <= '0;
      wrong_q <= refused;
      headers_q.has_tag <= 1'b0;
      headers_q.ipv6 <= 1'b0;
      network_q <= '0;
      pseudo_q <= wide_t'(wanted_protocol);
    end
    if (rst_i) state_q <= Link;
  end
  assign headers_o = headers_q;
  logic unused;
  assign unused = &{1'b0, asked_i};
endmodule
