// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the Internet checksum: RFC 1071 sums and RFC 1624 updates.
// A "sum" is the plain ones' complement sum; a "checksum" is what a header carries, its complement.
package checksum_pkg;
  typedef logic [15:0] sum_t;

  // Ones' complement sum of two sums: the carry comes back in at the bottom.
  function automatic sum_t add(sum_t a, sum_t b);
    logic [16:0] wide;
    wide = {1'b0, a} + {1'b0, b};
    return wide[15:0] + 16'(wide[16]);
  endfunction

  // Folds a sum of up to 2^16 halfwords.
  function automatic sum_t fold(logic [31:0] wide);
    return add(wide[31:16], wide[15:0]);
  endfunction

  // The checksum after one halfword that it covers changed (RFC 1624, equation 3, which is also
  // right where the older formula gives 0xffff for 0x0000).
  function automatic sum_t update(sum_t checksum, sum_t old_field, sum_t new_field);
    return ~add(add(~checksum, ~old_field), new_field);
  endfunction
endpackage
