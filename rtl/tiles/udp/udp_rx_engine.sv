// SPDX-License-Identifier: Apache-2.0
// Checks UDP datagrams: the length against the IPv4 packet's (bytes behind the datagram go), and the
// checksum over pseudo header and datagram. Store and forward, so that nobody behind it ever sees a
// bad one; three cycles after the last flit, one flit per cycle. Leaves the payload's sum in the
// descriptor, also of datagrams without a checksum (0, legal by RFC 768).
//
//   header_window -> message_trim -> summed_store
//
// Needs desc.length: without it (0) every datagram is longer than its packet and is dropped.
module udp_rx_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, udp_rx_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output event_t event_o
);
  typedef struct packed {
    logic [15:0] port;
    logic [17:0] pseudo_sum;  // addresses and protocol
    logic [18:0] header_sum;  // UDP header, and the pseudo header's length
    logic no_checksum;
    logic bad_length;
  } fields_t;

  typedef struct packed {
    descriptor_t desc;
    logic [15:0] port;
  } token_t;

  logic window_valid, window_ready, first;
  flit_t window_flit, checked_flit;
  header_t header;
  offset_t l4_offset, unused_available;

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
      .out_first_o(first),
      .header_o   (header),
      .available_o(unused_available),
      .need_i     (l4_offset <= offset_t'(L4Last) ? l4_offset + offset_t'(UdpBytes) : '0)
  );

  // The header, and what is wrong with it.
  l4_words_t words;
  logic [3:0][15:0] addresses;
  udp_t udp;
  length_t rest;
  fields_t fields, fields_q;
  assign l4_offset = window_flit.desc.l4_offset;
  assign words = header[L4First:HeaderBytes-1];
  assign udp = {words[l4_place(l4_offset)], words[l4_place(l4_offset)+4'd1]};
  assign addresses = is_tagged(
      window_flit.desc.l3_offset
  ) ? header[L3Tagged+Ipv4Addresses+:8] : header[L3Untagged+Ipv4Addresses+:8];
  assign rest = window_flit.desc.length - length_t'(l4_offset);

  assign fields.port = udp.dst_port;
  assign fields.pseudo_sum = 18'(addresses[3]) + 18'(addresses[2]) + 18'(addresses[1]) + 18'(addresses[0])
      + 18'(ProtocolUdp);
  assign fields.header_sum = 19'(udp.src_port) + 19'(udp.dst_port) + 19'(udp.checksum) + 19'({udp.length, 1'b0});
  assign fields.no_checksum = udp.checksum == '0;
  assign fields.bad_length = udp.length < 16'(UdpBytes) || udp.length > 16'(rest)
      || window_flit.desc.length < length_t'(l4_offset);

  always_comb begin
    checked_flit = window_flit;
    checked_flit.desc.payload_offset = l4_offset + offset_t'(UdpBytes);
    if (!fields.bad_length) checked_flit.desc.length = length_t'(l4_offset) + length_t'(udp.length);
  end

  // A first flit waits until the stage behind is free for what is known of its header; the trim may
  // then hold the flit itself back.
  logic trim_in_ready, trim_valid, trim_ready, start, unused_short;
  flit_t trim_flit;
  assign start = !first || trim_ready;
  assign window_ready = trim_in_ready && start;
  message_trim u_trim (
      .clk_i,
      .rst_i,
      .in_valid_i (window_valid && start),
      .in_ready_o (trim_in_ready),
      .in_flit_i  (checked_flit),
      .out_valid_o(trim_valid),
      .out_ready_i(trim_ready),
      .out_flit_o (trim_flit),
      .short_o    (unused_short)
  );

  logic trim_first_q;
  offset_t headers, headers_q;  // bytes of this flit that are still headers
  assign headers = trim_first_q ? trim_flit.desc.payload_offset : headers_q;
  always_ff @(posedge clk_i) begin
    if (window_valid && window_ready && first) fields_q <= fields;
    if (trim_valid && trim_ready) begin
      trim_first_q <= trim_flit.last;
      headers_q <= headers > offset_t'(FlitBytes) ? headers - offset_t'(FlitBytes) : '0;
    end
    if (rst_i) trim_first_q <= 1'b1;
  end

  logic check_take, check_last, check_bad, sum_right, commit, drop, out_first;
  wide_t payload_sum;
  descriptor_t desc;
  token_t token, out_token;
  flit_t store_flit;
  summed_store #(
      .info_t (descriptor_t),
      .token_t(token_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i  (trim_valid),
      .in_ready_o  (trim_ready),
      .in_flit_i   (trim_flit),
      .in_first_i  (trim_first_q),
      .in_mask_i   (valid_bytes(trim_flit.last, trim_flit.empty) & ~first_bytes(headers)),
      .in_info_i   (trim_flit.desc),
      .check_take_o(check_take),
      .check_last_o(check_last),
      .check_bad_o (check_bad),
      .check_sum_o (payload_sum),
      .check_info_o(desc),
      .commit_i    (commit),
      .drop_i      (drop),
      .token_i     (token),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o  (store_flit),
      .out_first_o (out_first),
      .out_token_o (out_token)
  );

  assign sum_right = fields_q.no_checksum
      || is_right(payload_sum + wide_t'(fields_q.pseudo_sum) + wide_t'(fields_q.header_sum));
  assign commit = check_last && !drop;
  assign drop = check_last && (check_bad || fields_q.bad_length || !sum_right);

  always_comb begin
    event_o = '0;
    if (check_take && check_last) begin
      if (check_bad) event_o.drop_aborted = 1'b1;
      else if (fields_q.bad_length) event_o.drop_length = 1'b1;
      else if (!sum_right) event_o.drop_checksum = 1'b1;
      else event_o.mark_no_checksum = fields_q.no_checksum;
    end
  end

  always_comb begin
    token.port = fields_q.port;
    token.desc = desc;
    token.desc.payload_sum = fold(payload_sum);
    token.desc.payload_sum_valid = 1'b1;
  end

  always_comb begin
    out_flit_o = store_flit;
    out_flit_o.desc = out_token.desc;
  end
  assign out_key_o = next_key_t'(out_token.port);

  logic unused;
  assign unused = &{1'b0, header, out_first, store_flit.desc, unused_available, unused_short};
endmodule
