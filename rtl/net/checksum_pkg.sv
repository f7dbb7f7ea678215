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

  // The comparison of is_right in four parts of at most six bits, each one look-up table; all are 0 for the right sum. For a sum that is late in
  // the cycle: kept, they end a mapper's freedom to make a longer chain.
  function automatic logic [3:0] wrong_parts(wide_t wide);
    logic [15:0] uneven;
    uneven = wide[15:0] ^ {8'hff, ~wide[23:16]};
    return {|{uneven[15:14], uneven[7:6]}, |uneven[13:8], |uneven[5:3], |uneven[2:0]};
  endfunction
endpackage
