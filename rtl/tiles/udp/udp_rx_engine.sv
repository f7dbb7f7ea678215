// SPDX-License-Identifier: Apache-2.0
// Checks UDP datagrams: the length against the IPv4 packet's (bytes after the datagram are removed), and the
// checksum over pseudo header and datagram. Store and forward, so that no tile downstream sees a
// bad one; three cycles after the last flit, one flit per cycle. Writes the payload's sum to the
// descriptor, also for datagrams without a checksum (0, legal by RFC 768).
//
//   [flit, header fields] -> masks -> summed_store
//
// The first stage extracts the header fields as they pass: they may be in several flits, and
// nothing before the payload needs them, so no flit waits for another. desc.length is required: if it
// is 0, every datagram is longer than its packet and is dropped.
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
    logic [15:0] length;
    logic [19:0] header_sum;  // UDP header and pseudo header
    logic no_checksum;
    logic bad_length;
  } fields_t;

  typedef struct packed {
    descriptor_t desc;
    logic [15:0] port;
    wide_t payload_sum;  // folded after the store, where there is time for it
  } token_t;

  localparam int unsigned Halfwords = FlitBytes / 2;
  localparam int unsigned AddressFlits = (L3Tagged + Ipv4MinBytes + FlitBytes - 1) / FlitBytes;
  localparam length_t FullFlit = length_t'(FlitBytes);

  // Input: where the UDP header begins, counted from the start of this flit: less than 0 if in an earlier one, and -8 once
  // all of it has passed.
  typedef logic signed [$bits(offset_t):0] start_t;
  localparam start_t Passed = -start_t'(UdpBytes);
  logic stage_ready, take, tagged_q;
  start_t start, start_next_q;
  offset_t headers;  // the end of the UDP header, 0 once it has passed
  assign take = in_valid_i && in_ready_o;
  assign start = in_flit_i.first ? start_t'({1'b0, in_flit_i.desc.l4_offset}) : start_next_q;
  assign headers = offset_t'(start - Passed);

  // UDP's four halfwords: the header starts at an odd halfword, so each of them can only be in every other
  // halfword of the flit.
  logic [1:0][Halfwords/2-1:0][15:0] halfwords;  // [1]: the odd ones
  for (genvar i = 0; i < int'(Halfwords); i++) begin : gen_halfword
    assign halfwords[i%2][i/2] = {in_flit_i.data[16*i+:8], in_flit_i.data[16*i+8+:8]};
  end
  // The word in which the header begins, modulo those of a flit, chooses among halfwords that are rotated: so no sum
  // precedes this choice, and none follows it for the end of the datagram, which is computed for each word.
  localparam int unsigned Words = FlitBytes / 4;
  logic [$clog2(Words)-1:0] word;
  logic starts_here, started;  // the header, in this flit or in an earlier one
  logic second_here;  // the header's second word, with the fields 1 and 2, is in this flit
  logic [3:0] here;  // the field is
  logic [3:0][15:0] udp, udp_q;  // source port, destination port, length, checksum
  logic [Words-1:0][15:0] lengths;  // choices of the length
  assign word = start[2+:$clog2(Words)];
  assign starts_here = start[$bits(start_t)-1:EmptyWidth] == '0;
  assign started = start < 0;
  assign second_here = &word ? started : starts_here;
  assign here = {&word[$clog2(Words)-1:1] ? started && start != Passed : starts_here, second_here, second_here, starts_here};
  for (genvar h = 0; h < 4; h++) begin : gen_field
    logic [Words-1:0][15:0] choices;
    for (genvar w = 0; w < int'(Words); w++) begin : gen_word
      assign choices[w] = halfwords[(h+1)%2][(w+(h+1)/2)%Words];
    end
    assign udp[h] = here[h] ? choices[word] : udp_q[h];
    if (h == 2) begin : gen_length
      assign lengths = choices;
    end
  end

  // IPv4 addresses, of messages with and without a tag, are in fixed flits.
  logic [AddressFlits-1:0] flit_number_q;  // one-hot; 0 after those flits
  logic [5:0][15:0] addresses_q;
  for (genvar i = 0; i < 6; i++) begin : gen_address
    localparam int unsigned At = L3Untagged / 2 + Ipv4Addresses / 2 + i;
    always_ff @(posedge clk_i) begin
      if (take && flit_number_q[At/Halfwords]) addresses_q[i] <= halfwords[At%2][At%Halfwords/2];
    end
  end

  // First stage: the flit, the fields that it completes, and the end of the datagram.
  logic valid_q;
  flit_t flit_q;
  offset_t headers_q;
  logic [FlitBytes-1:0] behind_headers_q;  // bytes of the flit that are not headers
  length_t left, left_q, rest_q;
  localparam int unsigned FlitsBits = $bits(length_t) - EmptyWidth;
  logic [FlitsBits-1:0] flits_left;
  logic [1:0] goes_on_q;  // in two parts: the datagram goes on after this flit
  length_t [Words-1:0] ends;  // of the datagram, from the start of this flit; the last is for a header that begins 2 bytes before it
  logic free;
  assign free = !valid_q || stage_ready;
  assign in_ready_o = free;
  assign flits_left = left[$bits(length_t)-1:EmptyWidth];
  always_comb begin
    if (start == Passed) begin
      ends = '0;  // unused
      left = left_q > FullFlit ? left_q - FullFlit : '0;
    end else begin
      for (int w = 0; w < int'(Words); w++) begin
        ends[w] = length_t'(lengths[w]) + length_t'(w == int'(Words) - 1 ? -2 : 4 * w + 2);
      end
      if (second_here) left = ends[word];
      else left = started ? length_t'(udp_q[2]) - length_t'(6) : '1;  // begun 6 bytes before; not yet
    end
  end
  always_ff @(posedge clk_i) begin
    if (in_ready_o) valid_q <= in_valid_i;
    if (take) begin
      flit_q <= in_flit_i;
      if (in_flit_i.first) begin
        flit_q.desc <= with_payload(in_flit_i.desc, headers);
        tagged_q <= is_tagged(in_flit_i.desc.l3_offset);
        rest_q <= in_flit_i.desc.length < length_t'(in_flit_i.desc.l4_offset)
            ? '0 : in_flit_i.desc.length - length_t'(in_flit_i.desc.l4_offset);
      end
      flit_number_q <= in_flit_i.last ? AddressFlits'(1) : flit_number_q << 1;
      udp_q <= udp;
      headers_q <= headers;
      // Bytes from headers on, without the sum that headers is.
      if (started) behind_headers_q <= ~first_bytes(length_t'(start[2:0]));
      else behind_headers_q <= ~{first_bytes(length_t'(start))[FlitBytes-UdpBytes-1:0], {UdpBytes{1'b1}}};
      start_next_q <= headers > offset_t'(FlitBytes) ? start - start_t'(FlitBytes) : Passed;
      left_q <= left;
      goes_on_q[0] <= flits_left[FlitsBits/2-1:0] != '0;
      goes_on_q[1] <= flits_left[FlitsBits-1:FlitsBits/2] != '0;
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      flit_number_q <= AddressFlits'(1);
    end
  end

  // Second stage: cut the datagram off its packet, and sum the payload.
  logic ends_here, bad_length;
  flit_t cut_flit;
  length_t present;
  logic [FlitBytes-1:0] up_to_end, ends_in;  // the first bytes of the flit, one more than left_q says; those of the datagram, unless it goes on
  valid_mask u_ends (
      .empty_i(~left_q[EmptyWidth-1:0]),
      .valid_o(up_to_end)
  );
  assign ends_in = up_to_end >> 1;
  assign bad_length = udp_q[2] < 16'(UdpBytes) || 32'(udp_q[2]) > 32'(rest_q);
  assign ends_here = headers_q <= offset_t'(FlitBytes) && left_q <= FullFlit && !bad_length;
  assign present = FullFlit - length_t'(flit_q.empty);
  always_comb begin
    cut_flit = flit_q;
    if (ends_here) cut_flit.empty = EmptyWidth'(FullFlit - left_q);
    // Shorter than desc.length: earlier tiles mark such a message bad, but this engine does not rely on it.
    if (flit_q.last && !bad_length && left_q > present) cut_flit.bad = 1'b1;
  end

  // The header fields for the verdict, aligned with the flit that is checked.
  fields_t fields_q;
  logic [3:0][15:0] addresses;
  assign addresses = tagged_q ? addresses_q[5:2] : addresses_q[3:0];
  always_ff @(posedge clk_i) begin
    if (valid_q && stage_ready) begin
      fields_q.port <= udp_q[1];
      fields_q.length <= udp_q[2];
      fields_q.header_sum <= 20'(addresses[3]) + 20'(addresses[2]) + 20'(addresses[1]) + 20'(addresses[0])
          + 20'(ProtocolUdp) + 20'(udp_q[0]) + 20'(udp_q[1]) + 20'(udp_q[3]) + 20'({udp_q[2], 1'b0});
      fields_q.no_checksum <= udp_q[3] == '0;
      fields_q.bad_length <= bad_length;
    end
  end

  logic check_take, check_last, check_bad, sum_right, commit, drop;
  wide_t payload_sum, total;
  descriptor_t desc;
  token_t token, out_token;
  flit_t store_flit;
  summed_store #(
      .info_t (descriptor_t),
      .token_t(token_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i  (valid_q),
      .in_ready_o  (stage_ready),
      .in_flit_i   (cut_flit),
      .in_cut_i    (ends_here),
      .in_mask_i   (({FlitBytes{goes_on_q != '0}} | ends_in) & behind_headers_q),
      .in_info_i   (flit_q.desc),
      .check_take_o(check_take),
      .check_last_o(check_last),
      .check_bad_o (check_bad),
      .check_add_i (wide_t'(fields_q.header_sum)),
      .check_sum_o (payload_sum),
      .check_total_o(total),
      .check_info_o(desc),
      .commit_i    (commit),
      .drop_i      (drop),
      .token_i     (token),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o  (store_flit),
      .out_token_o (out_token)
  );

  logic total_right;
  checksum_check u_check (
      .total_i(total),
      .right_o(total_right)
  );
  assign sum_right = fields_q.no_checksum || total_right;
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
    token.payload_sum = payload_sum;
    token.desc = with_payload_sum(desc, '0);
    token.desc.length = length_t'(desc.l4_offset) + length_t'(fields_q.length);
  end

  always_comb begin
    out_flit_o = store_flit;
    out_flit_o.desc = with_payload_sum(out_token.desc, fold(out_token.payload_sum));
  end
  assign out_key_o = next_key_t'(out_token.port);

  logic unused;
  assign unused = &{1'b0, store_flit.desc};
endmodule
