// SPDX-License-Identifier: Apache-2.0
// Shows an engine an IPv4 packet from its header on, beside the first flit of its message, whether or not its frame has a VLAN tag.
//
//   header_window -> by tag -> [register] -> out
//
// These are valid only with a first flit: out_view_o, whose highest bits hold the packet's first byte; out_ethernet_o, the frame's first
// bytes (without a tag, the last four are the packet's); and out_available_o, the number of bytes of the view that belong to the message. The
// first flit leaves when need_i bytes of the frame have come or the message has ended; need_i must be a function of peek_*_o, which are
// those bytes before the register. Two cycles, one without Cut; one flit per cycle. With Cut, in_ready_o does not depend on out_ready_i.
module ipv4_view
  import girih_pkg::*, net_pkg::*, header_pkg::*;
#(
    parameter int unsigned Bytes = Ipv4MinBytes,
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic [Bytes*8-1:0] peek_o,
    output descriptor_t        peek_desc_o,
    output offset_t            peek_start_o,  // where the IPv4 header is in the frame
    input  offset_t            need_i,  // at most peek_start_o + Bytes

    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output flit_t                 out_flit_o,
    output logic                  out_tagged_o,
    output logic [L3Tagged*8-1:0] out_ethernet_o,
    output logic [   Bytes*8-1:0] out_view_o,
    output offset_t               out_available_o
);
  if (Bytes < 1 || Bytes > 255 - L3Tagged) begin : gen_bad_bytes
    $fatal(1, "ipv4_view: Bytes is %0d; it must be from 1 to %0d", Bytes, 255 - L3Tagged);
  end
  localparam int unsigned WindowBytes = L3Tagged + Bytes;

  typedef struct packed {
    logic has_tag;
    offset_t available;
    logic [L3Tagged*8-1:0] ethernet;
    logic [Bytes*8-1:0] view;
    flit_t flit;
  } shown_t;

  logic valid, ready, has_tag;
  flit_t flit;
  logic [WindowBytes*8-1:0] header;
  offset_t available;
  shown_t shown;
  header_window #(
      .HeaderBytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o (flit),
      .header_o   (header),
      .available_o(available),
      .need_i
  );
  assign has_tag = is_tagged(flit.desc.l3_offset);
  assign peek_start_o = has_tag ? offset_t'(L3Tagged) : offset_t'(L3Untagged);
  assign peek_o = has_tag ? header[Bytes*8-1:0] : header[VlanBytes*8+:Bytes*8];
  assign peek_desc_o = flit.desc;
  assign shown = '{
      has_tag: has_tag,
      available: available > peek_start_o ? available - peek_start_o : '0,
      ethernet: header[WindowBytes*8-1-:L3Tagged*8],
      view: peek_o,
      flit: flit
  };

  shown_t out;
  skid_buffer #(
      .T  (shown_t),
      .Cut(Cut)
  ) u_shown (
      .clk_i,
      .rst_i,
      .in_valid_i(valid),
      .in_ready_o(ready),
      .in_data_i(shown),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out)
  );
  assign out_flit_o = out.flit;
  assign out_tagged_o = out.has_tag;
  assign out_ethernet_o = out.ethernet;
  assign out_view_o = out.view;
  assign out_available_o = out.available;
endmodule
