// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the Internet checksum (RFC 1071).
// A "sum" is the plain ones' complement sum; a "checksum" is what a header carries, its complement.
package checksum_pkg;
  typedef logic [15:0] sum_t;
  typedef logic [23:0] wide_t;  // a plain binary sum of up to 256 halfwords, before it is folded

  // Ones' complement sum of two sums: the carry comes back in at the bottom.
  function automatic sum_t add(sum_t a, sum_t b);
    logic [16:0] wide;
    wide = {1'b0, a} + {1'b0, b};
    return wide[15:0] + 16'(wide[16]);
  endfunction

  function automatic sum_t fold(wide_t wide);
    return add(16'(wide[23:16]), wide[15:0]);
  endfunction

  // Whether a nonzero sum folds to 0xffff, as it does for data with a correct checksum. The bits above
  // bit 15 are added at the bottom, so the low half must be 0xffff minus them.
  function automatic logic is_right(wide_t wide);
    return wide[15:0] == {8'hff, ~wide[23:16]};
  endfunction
endpackage
