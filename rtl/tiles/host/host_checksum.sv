// SPDX-License-Identifier: Apache-2.0
// Checksums for frames of the host whose header (virtio_net_hdr) asks for one: the sum of the bytes from csum_start to the end is
// written, inverted, csum_offset bytes behind csum_start. Such a frame is stored whole; all others pass, two cycles later.
// A frame whose place for the checksum is not within it, that is to be cut into segments, or that has been cut off, is dropped.
module host_checksum
  import girih_pkg::*, host_access_pkg::*, host_pkg::*, checksum_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  flit_t       in_flit_i,
    input  net_header_t in_header_i,  // with the first flit

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,  // its descriptor is 0

    output logic made_o,  // a frame has come
    output logic drop_o
);
  typedef logic [16:0] place_in_frame_t;
  localparam int unsigned NumberBits = $bits(place_in_frame_t) - EmptyWidth;
  typedef logic [NumberBits-1:0] number_t;  // of a flit in its frame
  typedef struct packed {
    logic wanted;
    logic unknown;  // something else is
    logic odd;  // it starts at an odd byte
    place_in_frame_t place;
  } info_t;
  typedef struct packed {
    logic wanted;
    place_in_frame_t place;
    sum_t value;
  } token_t;

  // The bytes to sum.
  logic first_q, take;
  number_t number_q, number;
  logic [15:0] start_q, start;
  logic [FlitBytes-1:0] behind, mask;
  place_in_frame_t bytes_q;  // of the frame, with the flit that is checked
  assign take = in_valid_i && in_ready_o;
  assign number = first_q ? '0 : number_q;
  assign start = first_q ? in_header_i.csum_start : start_q;
  always_comb begin
    behind = '1;
    if (number == number_t'(start >> EmptyWidth)) behind = '1 << start[EmptyWidth-1:0];
    else if (number < number_t'(start >> EmptyWidth)) behind = '0;
    mask = behind;
    if (in_flit_i.last) mask &= '1 >> in_flit_i.empty;
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      first_q <= in_flit_i.last;
      number_q <= number + 1'b1;
      start_q <= start;
      bytes_q <= place_in_frame_t'({number, EmptyWidth'(0)}) + place_in_frame_t'(FlitBytes) - (in_flit_i.last ? place_in_frame_t'(in_flit_i.empty) : '0);
    end
    if (rst_i) first_q <= 1'b1;
  end

  info_t in_info, info;
  assign in_info = '{
          wanted: in_header_i.needs_csum,
          unknown: in_header_i.gso_type != '0,
          odd: in_header_i.csum_start[0],
          place: place_in_frame_t'(in_header_i.csum_start) + place_in_frame_t'(in_header_i.csum_offset)
      };
  logic check_take, check_last, check_bad, commit, drop, stored_first, stored_takes;
  wide_t sum, unused_total;
  sum_t inverted, value;
  flit_t stored;
  token_t token;
  assign inverted = ~fold(sum);
  assign value = inverted == '0 ? '1 : info.odd ? {inverted[7:0], inverted[15:8]} : inverted;
  assign drop = check_last && (info.unknown || (info.wanted && (check_bad || 18'(info.place) + 18'd2 > 18'(bytes_q))));
  assign commit = !info.unknown && (!info.wanted || (check_last && !drop));
  assign made_o = check_take && check_last;
  assign drop_o = check_take && drop;
  summed_store #(
      .info_t (info_t),
      .token_t(token_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_first_i(first_q),
      .in_cut_i(1'b0),
      .in_mask_i(mask),
      .in_info_i(in_info),
      .check_take_o(check_take),
      .check_last_o(check_last),
      .check_bad_o(check_bad),
      .check_add_i('0),
      .check_sum_o(sum),
      .check_total_o(unused_total),
      .check_info_o(info),
      .commit_i(commit),
      .drop_i(drop),
      .token_i('{wanted: info.wanted, place: info.place, value: value}),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o(stored),
      .out_first_o(stored_first),
      .out_token_o(token)
  );

  // The checksum may lie across two flits.
  number_t out_number_q, out_number;
  place_in_frame_t place_after;
  assign out_number = stored_first ? '0 : out_number_q;
  assign place_after = token.place + 1'b1;
  assign stored_takes = out_valid_o && out_ready_i;
  always_comb begin
    out_flit_o = stored;
    for (int unsigned b = 0; b < FlitBytes; b++) begin
      if (token.wanted && token.place == place_in_frame_t'({out_number, EmptyWidth'(b)})) out_flit_o.data[8*b+:8] = token.value[15:8];
      if (token.wanted && place_after == place_in_frame_t'({out_number, EmptyWidth'(b)})) out_flit_o.data[8*b+:8] = token.value[7:0];
    end
  end
  always_ff @(posedge clk_i) if (stored_takes) out_number_q <= out_number + 1'b1;

  logic unused;
  assign unused = &{1'b0, unused_total, in_header_i.hdr_len, in_header_i.gso_size, in_header_i.num_buffers, in_header_i.flags, in_header_i.data_valid};
endmodule
