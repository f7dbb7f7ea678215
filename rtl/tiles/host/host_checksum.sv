// SPDX-License-Identifier: Apache-2.0
// Inserts the checksums that headers of the host's frames (virtio_net_hdr) request: the bytes from csum_start to the end are summed, and the inverted
// sum is written csum_offset bytes after csum_start. Such a frame is stored whole; all others pass, four cycles later. A frame is dropped if the
// place of its checksum is not within it, if its header requests segmentation, or if it was cut off.
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

    output logic made_o,  // a frame has arrived
    output logic drop_o
);
  typedef logic [16:0] place_in_frame_t;
  localparam int unsigned NumberBits = $bits(place_in_frame_t) - EmptyWidth;
  typedef logic [NumberBits-1:0] number_t;  // of a flit in its frame
  typedef struct packed {
    logic wanted;
    logic unknown;  // something else is requested, which is not supported
    logic odd;  // it starts at an odd byte
    place_in_frame_t place;
  } info_t;
  typedef struct packed {
    logic wanted;
    logic odd;
    place_in_frame_t place;
    wide_t sum;  // of all its bytes
  } token_t;

  // The bytes to sum, known a cycle before they are used.
  typedef struct packed {
    logic [FlitBytes-1:0] mask;
    info_t info;
    place_in_frame_t bytes;  // of the frame, up to and including this flit
    flit_t flit;
  } masked_t;
  masked_t in, masked;
  logic masked_valid, masked_ready;
  logic take;
  number_t number_q, number;
  logic [15:0] start_q, start;
  logic at_start, at_start_q, passed, passed_q;  // the sum starts in this flit, or in one before
  number_t ahead_q, ahead;  // flits until then; without a meaning when it has passed
  logic [FlitBytes-1:0] behind, mask;
  place_in_frame_t bytes_q;  // of the frame, up to and including the flit in this stage
  assign take = in_valid_i && in_ready_o;
  assign number = in_flit_i.first ? '0 : number_q;
  assign start = in_flit_i.first ? in_header_i.csum_start : start_q;
  assign ahead = in_flit_i.first ? number_t'(start >> EmptyWidth) : ahead_q;
  assign at_start = in_flit_i.first ? ahead == '0 : at_start_q;
  assign passed = !in_flit_i.first && passed_q;
  always_comb begin
    behind = '0;
    if (at_start) behind = '1 << start[EmptyWidth-1:0];
    if (passed) behind = '1;
    mask = behind;
    if (in_flit_i.last) mask &= '1 >> in_flit_i.empty;
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      number_q <= number + 1'b1;
      start_q <= start;
      ahead_q <= ahead - 1'b1;
      at_start_q <= ahead == number_t'(1);
      passed_q <= passed || at_start;
    end
    if (masked_valid && masked_ready) bytes_q <= masked.bytes;
  end

  info_t info;
  assign in.mask = mask;
  assign in.info = '{
          wanted: in_header_i.needs_csum,
          unknown: in_header_i.gso_type != '0,
          odd: in_header_i.csum_start[0],
          place: place_in_frame_t'(in_header_i.csum_start) + place_in_frame_t'(in_header_i.csum_offset)
      };
  assign in.bytes = place_in_frame_t'({number, EmptyWidth'(0)}) + place_in_frame_t'(FlitBytes) - (in_flit_i.last ? place_in_frame_t'(in_flit_i.empty) : '0);
  assign in.flit = in_flit_i;
  skid_buffer #(
      .T(masked_t)
  ) u_masked (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i(in),
      .out_valid_o(masked_valid),
      .out_ready_i(masked_ready),
      .out_data_o(masked)
  );
  logic check_take, check_last, check_bad, commit, drop, stored_valid, stored_ready;
  wide_t sum, unused_total;
  flit_t stored;
  token_t token;
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
      .in_valid_i(masked_valid),
      .in_ready_o(masked_ready),
      .in_flit_i(masked.flit),
      .in_cut_i(1'b0),
      .in_mask_i(masked.mask),
      .in_info_i(masked.info),
      .check_take_o(check_take),
      .check_last_o(check_last),
      .check_bad_o(check_bad),
      .check_add_i('0),
      .check_sum_o(sum),
      .check_total_o(unused_total),
      .check_info_o(info),
      .commit_i(commit),
      .drop_i(drop),
      .token_i('{wanted: info.wanted, odd: info.odd, place: info.place, sum: sum}),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .out_flit_o(stored),
      .out_token_o(token)
  );

  // The checksum is computed behind the store.
  typedef struct packed {
    logic wanted;
    place_in_frame_t place;
    sum_t value;
    flit_t flit;
  } made_t;
  made_t make, made;
  sum_t inverted;
  assign inverted = ~fold(token.sum);
  assign make = '{
          wanted: token.wanted,
          place: token.place,
          value: inverted == '0 ? '1 : token.odd ? {inverted[7:0], inverted[15:8]} : inverted,
          flit: stored
      };
  skid_buffer #(
      .T(made_t)
  ) u_made (
      .clk_i,
      .rst_i,
      .in_valid_i(stored_valid),
      .in_ready_o(stored_ready),
      .in_data_i(make),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(made)
  );

  // The checksum may lie across two flits.
  number_t out_number_q, out_number;
  place_in_frame_t place_after;
  assign out_number = made.flit.first ? '0 : out_number_q;
  assign place_after = made.place + 1'b1;
  always_comb begin
    out_flit_o = made.flit;
    for (int unsigned b = 0; b < FlitBytes; b++) begin
      if (made.wanted && made.place == place_in_frame_t'({out_number, EmptyWidth'(b)})) out_flit_o.data[8*b+:8] = made.value[15:8];
      if (made.wanted && place_after == place_in_frame_t'({out_number, EmptyWidth'(b)})) out_flit_o.data[8*b+:8] = made.value[7:0];
    end
  end
  always_ff @(posedge clk_i) if (out_valid_o && out_ready_i) out_number_q <= out_number + 1'b1;

  logic unused;
  assign unused = &{1'b0, unused_total, in_header_i.hdr_len, in_header_i.gso_size, in_header_i.num_buffers, in_header_i.flags, in_header_i.data_valid};
endmodule
