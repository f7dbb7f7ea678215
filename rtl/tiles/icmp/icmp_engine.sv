// SPDX-License-Identifier: Apache-2.0
// Answers echo requests: checks the checksum over the whole ICMP message, which it stores for this,
// and sends the same message back with the addresses swapped, the type changed and a new
// checksum. If path_mtu is set, an error that a packet was too big is passed on to TCP unchanged, with the offsets of the
// headers that it quotes, unless a header before these has options or a VLAN tag. Everything else is dropped and
// counted. Three cycles after the last flit, one flit per cycle.
//
// The message is summed from its second word on. Apart from the checksum, the first word of a reply is
// zero, so the reply's checksum is the complement of that sum. (Updating the request's checksum by
// RFC 1624 would give 0x0000 instead of 0xffff for a reply of zeros.)
//
//   header_window -> summed_store -> header_edit
module icmp_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, icmp_pkg::*;
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
  localparam logic [7:0] EchoReply = 8'd0;
  localparam logic [7:0] EchoRequest = 8'd8;
  localparam int unsigned EchoBytes = 8;
  localparam logic [7:0] Unreachable = 8'd3;
  localparam logic [7:0] TooBig = 8'd4;
  localparam int unsigned QuoteAt = L3Untagged + Ipv4MinBytes + EchoBytes;  // of an error: the packet that it is about
  localparam int unsigned QuotedL4 = QuoteAt + Ipv4MinBytes;
  localparam int unsigned QuotedL4Bytes = 8;
  localparam next_key_t ToTcp = 16'd6;

  typedef struct packed {
    descriptor_t desc;
    logic is_echo;
    logic is_too_big;
    logic bad_code;
    logic [16:0] head_sum;  // of ICMP's first word
    ipv4_addr_t src, dst;
    logic is_short;
    logic is_short_quote;  // for an error that quotes a packet
  } info_t;

  typedef struct packed {
    descriptor_t desc;
    logic is_too_big;
    wide_t sum;  // folded after the store, where there is time for it
    ipv4_addr_t src, dst;
  } token_t;

  logic window_valid, window_ready;
  flit_t window_flit;
  header_t header;
  offset_t l4_offset, unused_available;
  assign l4_offset = window_flit.desc.l4_offset;

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
      .available_o(unused_available),
      .need_i     (l4_offset <= offset_t'(L4Last) ? l4_offset + 8'd4 : '0)
  );

  info_t info_in, info;
  assign info_in.desc = window_flit.desc;
  icmp_t head;
  assign head = l4_word(header, l4_offset);
  assign info_in.is_echo = head.kind == EchoRequest;
  assign info_in.bad_code = head.code != '0;
  assign info_in.is_too_big = cfg_i.path_mtu && head.kind == Unreachable && head.code == TooBig && window_flit.desc.l3_offset == offset_t'(L3Untagged)
      && l4_offset == offset_t'(L3Untagged + Ipv4MinBytes);
  assign info_in.head_sum = 17'(head.checksum) + 17'({head.kind, head.code});
  assign {info_in.src, info_in.dst} = is_tagged(
      window_flit.desc.l3_offset
  ) ? header[L3Tagged+Ipv4Addresses+:8] : header[L3Untagged+Ipv4Addresses+:8];
  assign info_in.is_short = window_flit.desc.length < length_t'(l4_offset) + length_t'(EchoBytes);
  assign info_in.is_short_quote = window_flit.desc.length < length_t'(QuotedL4 + QuotedL4Bytes);

  // The bytes after ICMP's first word; later flits use their part of the mask.
  flits_mask_t behind, behind_q;
  assign behind = window_flit.first ? behind_l4_word(l4_place(l4_offset)) : behind_q;
  always_ff @(posedge clk_i) begin
    if (window_valid && window_ready) behind_q <= flits_mask_t'({{FlitBytes{1'b1}}, behind} >> FlitBytes);
  end

  logic [FlitBytes-1:0] valid;
  valid_mask u_valid (
      .empty_i(window_flit.empty),
      .valid_o(valid)
  );
  logic check_take, check_last, check_bad, sum_right, commit;
  wide_t sum, total;
  token_t token_in, token;
  flit_t store_flit, flit;
  summed_store #(
      .info_t (info_t),
      .token_t(token_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i  (window_valid),
      .in_ready_o  (window_ready),
      .in_flit_i   (window_flit),
      .in_cut_i    (1'b0),
      .in_mask_i   (valid & behind[FlitBytes-1:0]),
      .in_info_i   (info_in),
      .check_take_o(check_take),
      .check_last_o(check_last),
      .check_bad_o (check_bad),
      .check_add_i (wide_t'(info.head_sum)),
      .check_sum_o (sum),
      .check_total_o(total),
      .check_info_o(info),
      .commit_i    (commit),
      .drop_i      (check_last && !commit),
      .token_i     (token_in),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o  (store_flit),
      .out_token_o (token)
  );

  checksum_check u_check (
      .total_i(total),
      .right_o(sum_right)
  );
  logic bad_length;
  assign bad_length = info.is_short || (info.is_too_big && info.is_short_quote);
  (* keep *) logic good_but_sum;  // kept, because the sum is known late and should pass few look-up tables
  assign good_but_sum = check_last && !check_bad && !bad_length && ((info.is_echo && !info.bad_code) || info.is_too_big);
  assign commit = good_but_sum && sum_right;
  always_comb begin
    token_in.desc = info.desc;
    if (info.is_too_big) token_in.desc = with_transport(with_network(info.desc, offset_t'(QuoteAt)), offset_t'(QuotedL4));
  end
  assign token_in.is_too_big = info.is_too_big;
  assign token_in.sum = sum;
  assign token_in.src = info.src;
  assign token_in.dst = info.dst;

  always_comb begin
    event_o = '0;
    if (check_take && check_last) begin
      if (check_bad) event_o.drop_aborted = 1'b1;
      else if (bad_length) event_o.drop_length = 1'b1;
      else if (!sum_right) event_o.drop_checksum = 1'b1;
      else if (info.is_too_big) event_o.mark_too_big = 1'b1;
      else if (!info.is_echo) event_o.drop_not_echo = 1'b1;
      else if (info.bad_code) event_o.drop_code = 1'b1;
    end
  end

  header_t edit;
  header_mask_t mask;
  always_comb begin
    edit = '0;
    mask = '0;
    for (int unsigned i = 0; i < L4Places; i++) begin
      edit[L4First+4*i+:4] = {EchoReply, 8'h0, ~fold(token.sum)};
      mask[L4First+4*i+:4] = {4{token.desc.l4_offset == offset_t'(L4First + 4 * i)}};
    end
    if (is_tagged(token.desc.l3_offset)) begin
      edit[L3Tagged+Ipv4Addresses+:8] = {token.dst, token.src};
      mask[L3Tagged+Ipv4Addresses+:8] = '1;
    end else begin
      edit[L3Untagged+Ipv4Addresses+:8] = {token.dst, token.src};
      mask[L3Untagged+Ipv4Addresses+:8] = '1;
    end
  end

  always_comb begin
    flit = store_flit;
    flit.desc = token.desc;
  end
  header_edit #(
      .HeaderBytes(HeaderBytes)
  ) u_edit (
      .clk_i,
      .flit_i (flit),
      .pass_i (out_valid_o && out_ready_i),
      .edit_i (edit),
      .mask_i (token.is_too_big ? '0 : mask),
      .flit_o (out_flit_o)
  );
  assign out_key_o = token.is_too_big ? ToTcp : '0;

  logic unused;
  assign unused = &{1'b0, header, unused_available, store_flit.desc};
endmodule
