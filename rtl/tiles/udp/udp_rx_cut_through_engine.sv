// SPDX-License-Identifier: Apache-2.0
// Checks UDP datagrams as udp_rx does, but does not store them: a datagram leaves three cycles after the flit that completes its
// headers, one flit per cycle, and its last flit says whether it is void. So it is for users that store messages anyway, or
// that pass the verdict on.
//
//   header_window -> [flit, header fields] -> masks -> message_sum -> verdict
//
// A length that contradicts the packet is known from the headers, and drops the datagram here. The payload's sum, which the last
// flit would show too late, follows from the checksum: it is what makes the sum of the whole datagram right. If the checksum is wrong,
// so is this sum, and the datagram is void.
module udp_rx_cut_through_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, udp_rx_cut_through_pkg::*;
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
    logic [15:0] src_port;
    logic [15:0] dst_port;
    logic [15:0] length;
    logic [15:0] checksum;
  } udp_t;

  typedef struct packed {
    descriptor_t desc;
    logic [15:0] port;
    logic [19:0] header_sum;  // UDP header and pseudo header
    logic no_checksum;
    logic bad_length;
    logic cut_off;  // the message ends within its headers, although it should be longer
  } info_t;

  localparam length_t FullFlit = length_t'(FlitBytes);

  logic window_valid, window_ready;
  flit_t window_flit;
  header_t header;
  offset_t available, need, l4_offset, headers_end;
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
  assign l4_offset = window_flit.desc.l4_offset;
  assign headers_end = l4_offset + offset_t'(UdpBytes);
  assign need = exceeds(l4_offset, L4Last) ? offset_t'(HeaderBytes) : headers_end;

  // An offset at which no header can start reads as zeros, which is a length that is too small.
  udp_t udp;
  assign udp = {l4_word(header, l4_offset), l4_word(header_t'(header << 32), l4_offset)};

  // First stage: the flit, the header fields, and the ends of the headers and of the datagram, counted from the start of this flit.
  logic valid_q, sum_ready, cut_off_q;
  flit_t flit_q;
  udp_t udp_q;
  logic [3:0][15:0] addresses;
  logic [1:0][16:0] address_sums_q;  // of each address's halves
  length_t rest_q, left_q;
  offset_t headers_left_q, headers;
  logic [FlitBytes-1:0] behind_headers_q;  // bytes of the flit that are not headers
  assign window_ready = !valid_q || sum_ready;
  assign headers = window_flit.first ? headers_end : headers_left_q;
  assign addresses = is_tagged(window_flit.desc.l3_offset) ? header[L3Tagged+Ipv4Addresses+:8] : header[L3Untagged+Ipv4Addresses+:8];
  always_ff @(posedge clk_i) begin
    if (window_ready) valid_q <= window_valid;
    if (window_valid && window_ready) begin
      flit_q <= window_flit;
      behind_headers_q <= ~first_bytes(length_t'(headers));
      headers_left_q <= headers > offset_t'(FlitBytes) ? headers - offset_t'(FlitBytes) : '0;
      left_q <= left_q > FullFlit ? left_q - FullFlit : '0;
      if (window_flit.first) begin
        flit_q.desc <= with_payload(window_flit.desc, headers_end);
        udp_q <= udp;
        address_sums_q[0] <= 17'(addresses[1]) + 17'(addresses[0]);
        address_sums_q[1] <= 17'(addresses[3]) + 17'(addresses[2]);
        cut_off_q <= available < need && window_flit.desc.length >= length_t'(need);
        rest_q <= window_flit.desc.length < length_t'(l4_offset) ? '0 : window_flit.desc.length - length_t'(l4_offset);
        left_q <= length_t'(l4_offset) + length_t'(udp.length);
      end
    end
    if (rst_i) valid_q <= 1'b0;
  end

  // Second stage: cut the datagram off its packet, and sum the payload.
  info_t info, info_q;
  always_comb begin
    info.desc = flit_q.desc;
    info.desc.length = left_q;
    info.port = udp_q.dst_port;
    info.header_sum = 20'(address_sums_q[1]) + 20'(address_sums_q[0]) + 20'(ProtocolUdp) + 20'(udp_q.src_port)
        + 20'(udp_q.dst_port) + 20'(udp_q.checksum) + 20'({udp_q.length, 1'b0});
    info.no_checksum = udp_q.checksum == '0;
    info.bad_length = udp_q.length < 16'(UdpBytes) || 32'(udp_q.length) > 32'(rest_q);
    info.cut_off = cut_off_q;
  end
  logic ends_here;
  flit_t cut_flit;
  localparam int unsigned FlitsBits = $bits(length_t) - EmptyWidth;
  logic [FlitsBits-1:0] flits_left;
  (* keep *) logic [1:0] goes_on;  // in two parts, a look-up table each: the datagram goes on after this flit
  assign flits_left = left_q[$bits(length_t)-1:EmptyWidth];
  assign goes_on[0] = flits_left[FlitsBits/2-1:0] != '0;
  assign goes_on[1] = flits_left[FlitsBits-1:FlitsBits/2] != '0;
  logic [FlitBytes-1:0] up_to_end, ends_in;  // the first bytes of the flit, one more than left_q says; those of the datagram, unless it goes on
  valid_mask u_ends (
      .empty_i(~left_q[EmptyWidth-1:0]),
      .valid_o(up_to_end)
  );
  assign ends_in = up_to_end >> 1;
  assign ends_here = left_q <= FullFlit;
  always_comb begin
    cut_flit = flit_q;
    if (ends_here) cut_flit.empty = EmptyWidth'(FullFlit - left_q);
    // Shorter than desc.length: earlier tiles mark such a message bad, but this engine does not rely on it.
    if (flit_q.last && left_q > FullFlit - length_t'(flit_q.empty)) cut_flit.bad = 1'b1;
  end

  logic sum_valid, drop, take;
  flit_t sum_flit;
  wide_t unused_sum, total;
  message_sum #(
      .info_t(info_t)
  ) u_sum (
      .clk_i,
      .rst_i,
      .in_valid_i (valid_q),
      .in_ready_o (sum_ready),
      .in_flit_i  (cut_flit),
      .in_cut_i   (ends_here),
      .in_mask_i  (({FlitBytes{goes_on != '0}} | ends_in) & behind_headers_q),
      .in_info_i  (info),
      .out_valid_o(sum_valid),
      .out_ready_i(drop || out_ready_i),
      .out_flit_o (sum_flit),
      .info_o     (info_q),
      .add_i      (wide_t'(info_q.header_sum)),
      .sum_o      (unused_sum),
      .total_o    (total)
  );

  // The verdict.
  logic total_right, wrong;
  checksum_check u_check (
      .total_i(total),
      .right_o(total_right)
  );
  assign wrong = !info_q.no_checksum && !total_right;
  assign drop = info_q.bad_length || info_q.cut_off;
  assign take = sum_valid && (drop || out_ready_i);

  always_comb begin
    event_o = '0;
    if (take && sum_flit.last) begin
      if (info_q.cut_off) event_o.drop_aborted = 1'b1;
      else if (info_q.bad_length) event_o.drop_length = 1'b1;
      else if (sum_flit.bad) event_o.mark_aborted = 1'b1;
      else if (wrong) event_o.mark_checksum = 1'b1;
      else event_o.mark_no_checksum = info_q.no_checksum;
    end
  end

  assign out_valid_o = sum_valid && !drop;
  assign out_key_o = next_key_t'(info_q.port);
  always_comb begin
    out_flit_o = sum_flit;
    out_flit_o.bad = sum_flit.last && (sum_flit.bad || wrong);
    out_flit_o.desc = info_q.no_checksum ? info_q.desc : with_payload_sum(info_q.desc, ~fold(wide_t'(info_q.header_sum)));
  end

  logic unused;
  assign unused = &{1'b0, header, sum_flit.desc};
endmodule
