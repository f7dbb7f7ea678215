// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the Internet checksum (RFC 1071).
// A "sum" is the plain ones' complement sum; a "checksum" is what a header carries, its complement.
package checksum_pkg;
  import girih_pkg::*;

  typedef logic [15:0] sum_t;
  // A plain binary sum of all halfwords of a message of the largest size, and of eight more that are added to it, before it is folded. Sums of
  // flits are added up in it without a fold, which would be a second adder.
  localparam int unsigned WideWidth = 16 + $clog2(MaxFrameFlits * W / 16 + 9);
  typedef logic [WideWidth-1:0] wide_t;

  // Ones' complement sum of two sums: the carry comes back in at the bottom.
  function automatic sum_t add(sum_t a, sum_t b);
    logic [16:0] wide;
    wide = {1'b0, a} + {1'b0, b};
    return wide[15:0] + 16'(wide[16]);
  endfunction

  function automatic sum_t fold(wide_t wide);
    return add(16'(wide >> 16), wide[15:0]);
  endfunction

  // Whether a nonzero sum folds to 0xffff, as it does for data with a correct checksum. The bits above
  // bit 15 are added at the bottom, so the low half must be 0xffff minus them.
  function automatic logic is_right(wide_t wide);
    return wide[15:0] == ~16'(wide >> 16);
  endfunction
endpackage
