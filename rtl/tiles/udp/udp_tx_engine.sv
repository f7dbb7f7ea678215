// SPDX-License-Identifier: Apache-2.0
// Completes UDP datagrams in place: protocol in the IPv4 header, length and checksum in the
// UDP header. If desc.payload_sum is valid the datagram is released as soon as its headers have
// been summed (cut-through); else it is stored until its payload has been summed, too. Two cycles
// after that flit, one flit per cycle.
//
//   mask of the bytes to sum -> summed_store -> header_edit
//
// Void messages are dropped while the store still holds all of them, and otherwise passed on void.
// Messages without desc.length, which cannot be completed, are dropped.
module udp_tx_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, udp_tx_pkg::*;
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
    descriptor_t desc;
    logic length_known;
    logic [18:0] sum;  // protocol, twice the length (pseudo header and UDP header), payload if known
  } info_t;

  typedef struct packed {
    descriptor_t desc;
    wide_t sum;  // folded after the store, where there is time for it
  } token_t;

  // The bytes summed here: the addresses, the ports and, unless its sum is known, the payload. The
  // mask is made with the first flit; later flits use their part of it.
  logic take;
  flits_mask_t first_mask, mask, mask_q;
  offset_t headers, headers_q;  // bytes of this flit that are still headers
  l4_place_t place;
  logic tail, tail_q;  // the mask after all headers
  logic headers_done_q;
  assign take = in_valid_i && in_ready_o;
  assign place = l4_place(in_flit_i.desc.l4_offset);
  assign headers = in_flit_i.first ? in_flit_i.desc.l4_offset + offset_t'(UdpBytes) : headers_q;
  assign tail = in_flit_i.first ? !in_flit_i.desc.payload_sum_valid : tail_q;

  udp_tx_mask u_mask (
      .place_i (place),
      .tagged_i(is_tagged(in_flit_i.desc.l3_offset)),
      .tail_i  (tail),
      .mask_o  (first_mask)
  );
  assign mask = in_flit_i.first ? first_mask : mask_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      headers_q <= headers > offset_t'(FlitBytes) ? headers - offset_t'(FlitBytes) : '0;
      headers_done_q <= headers <= offset_t'(FlitBytes);
      tail_q <= tail;
      mask_q <= flits_mask_t'({{FlitBytes{tail}}, mask} >> FlitBytes);
    end
  end

  logic [15:0] udp_length;
  info_t info_in, info;
  assign udp_length = 16'(in_flit_i.desc.length) - 16'(in_flit_i.desc.l4_offset);
  assign info_in.desc = in_flit_i.desc;
  assign info_in.length_known = in_flit_i.desc.length != '0;
  assign info_in.sum = 19'(ProtocolUdp) + 19'({udp_length, 1'b0})
      + (in_flit_i.desc.payload_sum_valid ? 19'(in_flit_i.desc.payload_sum) : '0);

  logic [FlitBytes-1:0] valid;
  valid_mask u_valid (
      .empty_i(in_flit_i.empty),
      .valid_o(valid)
  );
  logic check_take, check_last, check_bad, commit, drop, committed_q;
  wide_t unused_sum, check_total;
  token_t token;
  flit_t store_flit, flit;
  summed_store #(
      .info_t (info_t),
      .token_t(token_t),
      .GroupHalfwords(2)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_cut_i    (1'b0),
      .in_mask_i   (valid & mask[FlitBytes-1:0]),
      .in_info_i   (info_in),
      .check_take_o(check_take),
      .check_last_o(check_last),
      .check_bad_o (check_bad),
      .check_add_i (wide_t'(info.sum)),
      .check_sum_o (unused_sum),
      .check_total_o(check_total),
      .check_info_o(info),
      .commit_i    (commit),
      .drop_i      (drop),
      .token_i     ({info.desc, check_total}),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o  (store_flit),
      .out_token_o (token)
  );

  logic passes;
  assign passes = info.desc.payload_sum_valid && info.length_known;
  assign drop = check_last && !committed_q && (check_bad || !info.length_known);
  assign commit = !drop && (check_last || (passes && headers_done_q));
  always_ff @(posedge clk_i) begin
    if (check_take) committed_q <= !check_last && (committed_q || commit);
    if (rst_i) committed_q <= 1'b0;
  end

  assign event_o.drop_aborted = check_take && drop;
  assign event_o.mark_passed = check_take && check_last && !drop && passes;
  assign event_o.mark_summed = check_take && check_last && !drop && !passes;

  // A checksum of 0 would mean that there is none (RFC 768); it is that of a sum which folds to 0xffff.
  logic [31:0] length_checksum;
  header_t edit;
  header_mask_t edit_mask;
  assign length_checksum = {
    16'(token.desc.length) - 16'(token.desc.l4_offset), is_right(token.sum) ? 16'hffff : ~fold(token.sum)
  };
  localparam int unsigned Protocol = 9;  // from the start of the IPv4 header
  always_comb begin
    edit = '0;
    edit_mask = '0;
    edit[L3Untagged+Protocol] = ProtocolUdp;
    edit[L3Tagged+Protocol] = ProtocolUdp;
    edit_mask[L3Untagged+Protocol] = !is_tagged(token.desc.l3_offset);
    edit_mask[L3Tagged+Protocol] = is_tagged(token.desc.l3_offset);
    for (int unsigned i = 1; i <= L4Places; i++) begin
      edit[L4First+4*i+:4] = length_checksum;
      edit_mask[L4First+4*i+:4] = {4{token.desc.l4_offset == offset_t'(L4First + 4 * (i - 1))}};
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
      .mask_i (edit_mask),
      .flit_o (out_flit_o)
  );
  assign out_key_o = next_key_t'(token.desc.port);

  logic unused;
  assign unused = &{1'b0, store_flit.desc, unused_sum};
endmodule
