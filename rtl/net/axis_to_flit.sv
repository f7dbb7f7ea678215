// SPDX-License-Identifier: Apache-2.0
// Converts AXI4-Stream from a MAC to flits; combinational, without back-pressure. desc.timestamp of a first
// flit is now_i; the rest of the descriptor is 0.
// A frame is cut at MaxFrameBytes and marked bad; the rest is discarded. A tkeep with holes, or
// with missing bytes before the last beat, or an empty last beat, marks the frame bad as well: no
// working MAC sends such beats, and a flit always has at least one byte.
module axis_to_flit
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic [        W-1:0] s_axis_tdata,
    input logic [FlitBytes-1:0] s_axis_tkeep,
    input logic                 s_axis_tvalid,
    input logic                 s_axis_tlast,
    input logic                 s_axis_tuser,

    input timestamp_t now_i,

    output logic  out_valid_o,
    output flit_t out_flit_o,
    output logic  oversize_o,  // pulse: a frame was cut
    output logic  bad_o        // pulse: a frame is bad for another reason
);
  localparam int unsigned BeatWidth = $clog2(MaxFrameFlits + 1);
  localparam logic [EmptyWidth-1:0] LimitEmpty = EmptyWidth'(MaxFrameFlits * FlitBytes - MaxFrameBytes);

  logic [BeatWidth-1:0] beat_q;
  logic swallow_q, broken_q;

  logic whole, broken, at_limit, beyond, oversize;
  logic [EmptyWidth-1:0] empty;
  assign whole = &s_axis_tkeep;
  assign broken = broken_q || !(s_axis_tlast ? axis_pkg::contiguous(s_axis_tkeep) : whole);
  assign empty = axis_pkg::empty_of(s_axis_tlast, s_axis_tkeep);  // wrong with holes, but then the frame is bad anyway
  assign at_limit = beat_q == BeatWidth'(MaxFrameFlits - 1);
  if (LimitEmpty == '0) begin : gen_whole
    assign beyond = 1'b0;
  end else begin : gen_part
    assign beyond = s_axis_tkeep[MaxFrameBytes%FlitBytes];  // the first byte too many
  end
  assign oversize = at_limit && (!s_axis_tlast || beyond);

  assign out_valid_o = s_axis_tvalid && !swallow_q;
  always_comb begin
    out_flit_o.desc = '0;
    out_flit_o.desc.timestamp_valid = 1'b1;
    out_flit_o.desc.timestamp = now_i;
    out_flit_o.first = beat_q == '0;
    out_flit_o.bad = oversize || broken || s_axis_tuser;
    out_flit_o.last = oversize || s_axis_tlast;
    out_flit_o.empty = oversize ? LimitEmpty : empty;
    out_flit_o.data = s_axis_tdata;
  end
  assign oversize_o = out_valid_o && oversize;
  assign bad_o = out_valid_o && s_axis_tlast && !oversize && out_flit_o.bad;

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid) begin
      swallow_q <= !s_axis_tlast && (swallow_q || oversize);
      broken_q <= !s_axis_tlast && broken;
      beat_q <= out_flit_o.last || swallow_q ? '0 : beat_q + 1'b1;
    end
    if (rst_i) begin
      swallow_q <= 1'b0;
      broken_q <= 1'b0;
      beat_q <= '0;
    end
  end
endmodule
