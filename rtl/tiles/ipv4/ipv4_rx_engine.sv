// SPDX-License-Identifier: Apache-2.0
// Checks IPv4 headers, including options, and takes packets addressed to this card. Trims each message
// to the packet (removes Ethernet's padding) and writes desc.length and desc.l4_offset. Cut-through,
// two cycles, one flit per cycle:
//
//   header_window -> [flit, partial sums, faults] -> message_trim -> drop or pass
//
// A packet with options waits until ipv4_options has read them. A packet longer than its
// frame is passed on void. Only the first fault of a packet, in the order of the fields of faults_t, is
// counted. The time to live is for routers: a host must not discard a packet because of it
// (RFC 1122, 3.2.1.7).
module ipv4_rx_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, ipv4_rx_pkg::*;
#(
    parameter int unsigned Forward = 0  // 1: packets to other hosts are taken, too
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
  localparam int unsigned FixedWords = Ipv4MinBytes / 4;
  localparam int unsigned MostWords = Ipv4MaxBytes / 4;
  localparam int unsigned Groups = 5;
  localparam length_t Longest = '1;

  typedef struct packed {
    logic short_fixed;  // the message ends within the header's fixed part
    logic version;
    logic header_length;
    logic short_options;
    logic length;
    logic fragment;
    logic not_ours;
    logic bad_source;
    logic group_frame;
    logic options;
    logic source_route;
  } faults_t;

  logic window_valid, window_ready;
  flit_t window_flit, checked_flit;
  header_t header;
  offset_t available, need, fixed_end, header_end;

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
      .need_i     (need)
  );

  // The header, aligned, and its faults. Until the byte that holds ihl has arrived, need is
  // at least the fixed part, which holds it.
  logic is_l3_tagged;
  logic [MostWords-1:0][31:0] words;  // word 0 of the header is the highest
  ipv4_t ip;
  faults_t faults;
  offset_t l3_offset;
  assign l3_offset = window_flit.desc.l3_offset;
  assign is_l3_tagged = is_tagged(l3_offset);
  // The two offsets differ in three bits. A single bit would have a fan-out of 600, so two of them select the words, and the third
  // selects the values that are needed early: the first word, with the header's length, and the header's place.
  logic [1:0] word_tagged;
  assign word_tagged = ~l3_offset[3:2];
  always_comb begin
    for (int unsigned i = 0; i < MostWords; i++) begin
      words[MostWords-1-i] = (i == 0 ? is_l3_tagged : word_tagged[i%2]) ? header[L3Tagged+4*i+:4] : header[L3Untagged+4*i+:4];
    end
  end
  assign ip = words[MostWords-1-:FixedWords];
  assign header_end = (is_l3_tagged ? offset_t'(L3Tagged) : offset_t'(L3Untagged)) + {2'b0, ip.ihl, 2'b0};
  assign need = ip.ihl < 4'(FixedWords) ? fixed_end : header_end;
  assign fixed_end = is_l3_tagged ? offset_t'(L3Tagged + Ipv4MinBytes) : offset_t'(L3Untagged + Ipv4MinBytes);

  logic short_fixed, short_options;
  assign short_fixed = available < fixed_end;
  assign faults.short_fixed = short_fixed;
  assign faults.version = ip.version != 4'd4;
  assign faults.header_length = ip.ihl < 4'(FixedWords);
  assign short_options = available < header_end;
  assign faults.short_options = short_options;
  assign faults.length = ip.total_length < {10'b0, ip.ihl, 2'b0};
  assign faults.fragment = ip.more_fragments || ip.fragment_offset != '0;
  // A forwarded packet must be for a host (RFC 1812, 5.3.7).
  logic to_host, to_subnet;
  assign to_subnet = ((ip.dst ^ cfg_i.ip) & cfg_i.netmask) == '0;
  assign to_host = !(ip.dst[31:24] inside {8'd0, 8'd127} || ip.dst[31:29] == '1)
      && (!to_subnet || cfg_i.netmask[1] || ((ip.dst & ~cfg_i.netmask) != '0 && !(&(ip.dst | cfg_i.netmask))));
  if (Forward != 0) begin : gen_forward
    assign faults.not_ours = !to_host;
  end else begin : gen_host
    logic unused;
    assign unused = to_host;
    assign faults.not_ours = ip.dst != cfg_i.ip;
  end
  // A host must discard packets whose source cannot be a host: 0/8, 127/8, 224/3 (group, reserved, broadcast), the
  // subnet's number or its broadcast address, or the host itself (RFC 1122, 3.2.1.3). A subnet of one or two
  // addresses has only hosts.
  logic from_subnet, from_host;
  assign from_subnet = ((ip.src ^ cfg_i.ip) & cfg_i.netmask) == '0;
  assign from_host = cfg_i.netmask[1] || ((ip.src & ~cfg_i.netmask) != '0 && !(&(ip.src | cfg_i.netmask)));
  assign faults.bad_source = ip.src[31:24] inside {8'd0, 8'd127} || ip.src[31:29] == '1 || ip.src == cfg_i.ip
      || (from_subnet && !from_host);
  // Only unicast packets to this card are taken; they must not arrive in a frame to a group (RFC 1122, 3.3.6).
  assign faults.group_frame = header[0][0];

  logic has_options, options_done, options_malformed, options_source_route;
  // A header that is cut short is known a cycle late: it waits one cycle for its options, and is then judged short,
  // whatever was read meanwhile. If the header's length may be in a missing flit, that flit must have arrived.
  localparam bit LengthInFirst = L3Tagged < FlitBytes;
  logic short_q;
  // For both places of the header, because the window's hand-shake waits for it; kept, so that the choice comes last.
  (* keep *) logic tagged_options, untagged_options;
  assign tagged_options = header[L3Tagged][3:0] > 4'(FixedWords);
  assign untagged_options = header[L3Untagged][3:0] > 4'(FixedWords);
  assign has_options = (is_l3_tagged ? tagged_options : untagged_options) && (LengthInFirst || !short_fixed);
  always_ff @(posedge clk_i) short_q <= window_valid && !window_ready && window_flit.first && short_options;
  ipv4_options u_options (
      .clk_i,
      .rst_i,
      .valid_i(window_valid && window_flit.first && has_options),
      .options_i(words[MostWords-FixedWords-1:0]),
      .words_i(4'(ip.ihl - 4'(FixedWords))),
      .next_i(window_valid && window_ready && window_flit.first),
      .done_o(options_done),
      .malformed_o(options_malformed),
      .source_route_o(options_source_route)
  );
  assign faults.options = has_options && options_malformed;
  assign faults.source_route = has_options && options_source_route;

  logic [Groups-1:0][18:0] group_d, group_q;
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      group_d[g] = '0;
      for (int unsigned i = g * MostWords / Groups; i < (g + 1) * MostWords / Groups; i++) begin
        if (i < FixedWords || i < 32'(ip.ihl)) begin
          group_d[g] = group_d[g] + 19'(words[MostWords-1-i][31:16]) + 19'(words[MostWords-1-i][15:0]);
        end
      end
    end
  end

  // A packet too long for any message is cut at the largest length.
  logic [16:0] packet_end;
  assign packet_end = 17'(ip.total_length) + 17'(l3_offset);
  always_comb begin
    checked_flit = window_flit;
    checked_flit.desc.length = (packet_end >> $bits(length_t)) != '0 ? Longest : length_t'(packet_end);
    checked_flit.desc = with_transport(checked_flit.desc, header_end);
  end

  // The first flit waits until its options have been read.
  logic valid_q, stage_ready, options_q;
  logic ends_q;  // the packet, in its first flit
  flit_t flit_q;
  logic [7:0] protocol_q;
  faults_t faults_q;
  assign window_ready = stage_ready && (!window_flit.first || !has_options || options_done || short_q);

  always_ff @(posedge clk_i) begin
    if (stage_ready) valid_q <= window_valid && window_ready;
    if (window_valid && window_ready) begin
      flit_q <= checked_flit;
      if (window_flit.first) begin
        group_q <= group_d;
        faults_q <= faults;
        protocol_q <= ip.protocol;
        options_q <= has_options;
        ends_q <= ends_at_once(checked_flit.desc.length);
      end
    end
    if (rst_i) valid_q <= 1'b0;
  end

  logic trim_valid, trim_in_ready, trim_short;
  logic [FlitBytes-1:0] unused_keep;
  assign stage_ready = !valid_q || trim_in_ready;
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i (valid_q),
      .in_ready_o (trim_in_ready),
      .in_flit_i  (flit_q),
      .in_ends_i  (ends_q),
      .out_valid_o(trim_valid),
      .out_ready_i,
      .out_flit_o,
      .keep_o     (unused_keep),
      .short_o    (trim_short)
  );

  // The verdict, the same for all flits of a message.
  logic sum_right, wrong_sum, fault, move;
  wide_t sum;
  always_comb begin
    sum = '0;
    for (int unsigned g = 0; g < Groups; g++) sum = sum + wide_t'(group_q[g]);
  end
  checksum_check u_check (
      .total_i(sum),
      .right_o(sum_right)
  );
  assign wrong_sum = !sum_right;
  assign fault = |faults_q || wrong_sum;
  assign move = trim_valid && out_ready_i;

  always_comb begin
    event_o = '0;
    if (move && out_flit_o.first) begin
      if (faults_q.short_fixed) event_o.drop_short = 1'b1;
      else if (faults_q.version) event_o.drop_version = 1'b1;
      else if (faults_q.header_length) event_o.drop_header_length = 1'b1;
      else if (faults_q.short_options) event_o.drop_short = 1'b1;
      else if (wrong_sum) event_o.drop_checksum = 1'b1;
      else if (faults_q.length) event_o.drop_length = 1'b1;
      else if (faults_q.fragment) event_o.drop_fragment = 1'b1;
      else if (faults_q.not_ours) event_o.drop_not_ours = 1'b1;
      else if (faults_q.bad_source) event_o.drop_bad_source = 1'b1;
      else if (faults_q.group_frame) event_o.drop_group_frame = 1'b1;
      else if (faults_q.options) event_o.drop_options = 1'b1;
      else if (faults_q.source_route) event_o.drop_source_route = 1'b1;
      else event_o.mark_options = options_q;
    end
    event_o.mark_truncated = trim_short && !fault;
  end

  assign out_valid_o = trim_valid && !fault;
  assign out_key_o = next_key_t'(protocol_q);

  logic unused;
  assign unused = &{1'b0, header, ip};
endmodule
