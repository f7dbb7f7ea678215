// SPDX-License-Identifier: Apache-2.0
// Writes bytes over the first HeaderBytes bytes of the messages that pass. edit_i and mask_i come
// with the first flit, in network order (first wire byte, and its mask bit, most significant); the part
// for later flits is stored. Combinational from flit_i to flit_o. Bytes past the end of a
// message may be written, as they are ignored.
module header_edit
  import girih_pkg::*;
#(
    parameter int unsigned HeaderBytes = 42
) (
    input logic clk_i,

    input  flit_t                    flit_i,
    input  logic                     pass_i,  // flit_i moves on in this cycle
    input  logic [HeaderBytes*8-1:0] edit_i,
    input  logic [  HeaderBytes-1:0] mask_i,
    output flit_t                    flit_o
);
  localparam int unsigned K = (HeaderBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned Bytes = K * FlitBytes;

  logic [Bytes*8-1:0] edit, edit_now;
  logic [Bytes-1:0] mask, mask_now;
  assign edit = (Bytes * 8)'(edit_i) << ((Bytes - HeaderBytes) * 8);
  assign mask = Bytes'(mask_i) << (Bytes - HeaderBytes);

  if (K == 1) begin : gen_one_flit
    logic unused;
    assign unused = &{1'b0, clk_i, pass_i};
    assign edit_now = edit;
    assign mask_now = flit_i.first ? mask : '0;
  end else begin : gen_flits
    logic [(K-1)*W-1:0] edit_q;
    logic [(K-1)*FlitBytes-1:0] mask_q;
    assign edit_now = flit_i.first ? edit : {edit_q, W'(0)};
    assign mask_now = flit_i.first ? mask : {mask_q, FlitBytes'(0)};
    // The mask shifts out to zero, so no flit counter is needed; nor is a reset, since a first
    // flit comes before any other.
    always_ff @(posedge clk_i) begin
      if (pass_i && (flit_i.first || |mask_now)) begin
        edit_q <= edit_now[(K-1)*W-1:0];
        mask_q <= mask_now[(K-1)*FlitBytes-1:0];
      end
    end
  end

  always_comb flit_o.desc = flit_i.desc;
  always_comb flit_o.first = flit_i.first;
  always_comb flit_o.bad = flit_i.bad;
  always_comb flit_o.last = flit_i.last;
  always_comb flit_o.empty = flit_i.empty;
  for (genvar b = 0; b < int'(FlitBytes); b++) begin : gen_byte
    assign flit_o.data[8*b+:8] = mask_now[int'(Bytes)-1-b] ? edit_now[8*(int'(Bytes)-1-b)+:8] : flit_i.data[8*b+:8];
  end
endmodule
