// SPDX-License-Identifier: Apache-2.0
// Writes bytes over the first HeaderBytes bytes of the messages that pass. edit_i and mask_i come
// with the first flit, in network order (first wire byte, and its mask bit, most significant); the part
// for later flits is stored. Combinational from flit_i to flit_o. Bytes past the end of a
// message may be written, as they are ignored.
module header_edit
  import girih_pkg::*, header_pkg::bits_of_bytes;
#(
    parameter int unsigned HeaderBytes = 42
) (
    input logic clk_i,

    input  flit_t                    flit_i,
    input  logic                     first_i,  // flit_i is the first of its message
    input  logic                     pass_i,   // flit_i moves on in this cycle
    input  logic [HeaderBytes*8-1:0] edit_i,
    input  logic [  HeaderBytes-1:0] mask_i,
    output flit_t                    flit_o
);
  localparam int unsigned Later = HeaderBytes > FlitBytes ? HeaderBytes - FlitBytes : 0;  // bytes that are not in the first flit

  logic [W-1:0] edit_now;
  logic [FlitBytes-1:0] mask_now;

  if (Later == 0) begin : gen_one_flit
    logic unused;
    assign unused = &{1'b0, clk_i, pass_i};
    assign edit_now = W'(edit_i) << (W - HeaderBytes * 8);
    assign mask_now = first_i ? FlitBytes'(mask_i) << (FlitBytes - HeaderBytes) : '0;
  end else begin : gen_flits
    logic [Later*8-1:0] edit_q;
    logic [Later-1:0] mask_q;
    assign edit_now = first_i ? edit_i[Later*8+:W] : W'({edit_q, W'(0)} >> (Later * 8));
    assign mask_now = first_i ? mask_i[Later+:FlitBytes] : FlitBytes'({mask_q, FlitBytes'(0)} >> Later);
    // The mask shifts out to zero, so no flit counter is needed; nor is a reset, since a first
    // flit comes before any other.
    always_ff @(posedge clk_i) begin
      if (pass_i && (first_i || |mask_q)) begin
        edit_q <= first_i ? edit_i[Later*8-1:0] : (Later * 8)'({edit_q, W'(0)});
        mask_q <= first_i ? mask_i[Later-1:0] : Later'({mask_q, FlitBytes'(0)});
      end
    end
  end

  always_comb flit_o.desc = flit_i.desc;
  always_comb flit_o.bad = flit_i.bad;
  always_comb flit_o.last = flit_i.last;
  always_comb flit_o.empty = flit_i.empty;
  for (genvar word = 0; word < int'(W) / 64; word++) begin : gen_word
    localparam int unsigned First = FlitBytes - 8 * (word + 1);
    logic [63:0] edit, bits;
    assign edit = {<<8{edit_now[8*First+:64]}};
    assign bits = {<<8{bits_of_bytes(mask_now[First+:8])}};
    assign flit_o.data[64*word+:64] = (edit & bits) | (flit_i.data[64*word+:64] & ~bits);
  end
endmodule
