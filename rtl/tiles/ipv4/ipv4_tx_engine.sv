// SPDX-License-Identifier: Apache-2.0
// Completes the IPv4 headers of outgoing packets in place. The sender sets version, header length, type of
// service, protocol and addresses (a source of 0 becomes the card's); this engine writes length,
// identification, flags, time to live and checksum, and overwrites options with
// zeros (end of options). The configuration is read with a packet's first flit. Cut-through, two
// cycles, one flit per cycle:
//
//   header_window -> [flit, partial sums] -> header_edit
//
// A message without desc.length cannot be completed: it is passed on void.
module ipv4_tx_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, ipv4_tx_pkg::*;
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

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned FixedWords = Ipv4MinBytes / 4;
  localparam logic [15:0] DontFragment = 16'h4000;

  logic window_valid, window_ready;
  flit_t window_flit;
  header_t header;
  offset_t l3_offset, unused_available;
  localparam int unsigned WindowBytes = L3Tagged + Ipv4MinBytes;

  header_window #(
      .HeaderBytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o (window_flit),
      .header_o   (header[0+:WindowBytes]),
      .available_o(unused_available),
      .need_i     (is_tagged(l3_offset) ? offset_t'(WindowBytes) : offset_t'(L3Untagged + Ipv4MinBytes))
  );
  assign header[WindowBytes+:HeaderBytes-WindowBytes] = '0;

  // First stage: the terms of the checksum, added in two parts.
  ipv4_t ip;
  ipv4_addr_t src;
  logic [15:0] total_length, id_next_q;
  logic length_known, length_known_q;
  assign l3_offset = window_flit.desc.l3_offset;
  assign ip = is_tagged(l3_offset) ? header[L3Tagged+:Ipv4MinBytes] : header[L3Untagged+:Ipv4MinBytes];
  assign src = ip.src == '0 ? cfg_i.ip : ip.src;
  assign total_length = 16'(window_flit.desc.length) - 16'(l3_offset);
  assign length_known = window_flit.first ? window_flit.desc.length != '0 : length_known_q;

  logic valid_q;
  flit_t flit_q;
  logic [3:0] ihl_q;
  logic [7:0] ttl_q;
  ipv4_addr_t src_q;
  logic [15:0] total_length_q, id_q;
  logic [17:0] address_sum_q;
  logic [18:0] field_sum_q;
  assign window_ready = !valid_q || out_ready_i;

  always_ff @(posedge clk_i) begin
    if (window_ready) valid_q <= window_valid;
    if (window_valid && window_ready) begin
      flit_q <= window_flit;
      flit_q.bad <= window_flit.bad || !length_known;
      length_known_q <= length_known;
      if (window_flit.first) begin
        ihl_q <= ip.ihl;
        ttl_q <= cfg_i.ttl;
        src_q <= src;
        total_length_q <= total_length;
        id_q <= id_next_q;
        id_next_q <= id_next_q + 1'b1;
        address_sum_q <= 18'(src[31:16]) + 18'(src[15:0]) + 18'(ip.dst[31:16]) + 18'(ip.dst[15:0]);
        field_sum_q <= 19'({ip.version, ip.ihl, ip.tos}) + 19'(total_length) + 19'(id_next_q) + 19'(DontFragment)
            + 19'({cfg_i.ttl, ip.protocol});
      end
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      id_next_q <= '0;
    end
  end

  // Second stage: the checksum, and the edits of the header.
  ipv4_t written, is_written;
  header_t edit;
  header_mask_t mask;
  logic is_l3_tagged;
  l4_place_t words_to_clear;  // from L4First
  assign is_l3_tagged = is_tagged(flit_q.desc.l3_offset);
  assign words_to_clear = (ihl_q > 4'(FixedWords) ? ihl_q - 4'(FixedWords) : '0) + l4_place_t'(is_l3_tagged);
  always_comb begin
    written = '0;
    written.total_length = total_length_q;
    written.identification = id_q;
    written.dont_fragment = 1'b1;
    written.ttl = ttl_q;
    written.checksum = ~fold(wide_t'(address_sum_q) + wide_t'(field_sum_q));
    written.src = src_q;
    is_written = '1;
    {is_written.version, is_written.ihl, is_written.tos, is_written.protocol, is_written.dst} = '0;

    edit = '0;
    mask = '0;
    for (int unsigned i = 0; i < L4Places; i++) begin
      mask[L4First+4*i+:4] = {4{i < 32'(words_to_clear)}};
    end
    if (is_l3_tagged) begin
      edit[L3Tagged+:Ipv4MinBytes] = written;
      mask[L3Tagged+:Ipv4MinBytes] = byte_mask(is_written);
    end else begin
      edit[L3Untagged+:Ipv4MinBytes] = written;
      mask[L3Untagged+:Ipv4MinBytes] = byte_mask(is_written);
    end
  end

  function automatic logic [Ipv4MinBytes-1:0] byte_mask(ipv4_t bits);
    logic [Ipv4MinBytes-1:0][7:0] bytes;
    bytes = bits;
    for (int unsigned i = 0; i < Ipv4MinBytes; i++) byte_mask[i] = bytes[i][0];
  endfunction

  header_edit #(
      .HeaderBytes(HeaderBytes)
  ) u_edit (
      .clk_i,
      .flit_i (flit_q),
      .pass_i (out_valid_o && out_ready_i),
      .edit_i (edit),
      .mask_i (mask),
      .flit_o (out_flit_o)
  );
  assign out_valid_o = valid_q;
  assign out_key_o = next_key_t'(flit_q.desc.port);
  assign event_o.mark_options_cleared = out_valid_o && out_ready_i && flit_q.first && ihl_q > 4'(FixedWords);

  logic unused;
  assign unused = &{1'b0, header, ip, unused_available};
endmodule
