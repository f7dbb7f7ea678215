// SPDX-License-Identifier: Apache-2.0
// The hash functions of exact-match tables. Each bit of a hash is the parity of a fixed random half
// of the key's bits (H3), so a bit costs one tree of exclusive ors, and the functions of two ways
// are independent. girih.rmt.hashing computes the same ones.
package match_hash_pkg;
  localparam int unsigned MaxKeyBits = 160;
  typedef logic [MaxKeyBits-1:0] key_bits_t;

  function automatic logic [31:0] xorshift(logic [31:0] state);
    logic [31:0] s;
    s = state ^ (state << 13);
    s = s ^ (s >> 17);
    return s ^ (s << 5);
  endfunction

  // Which bits of the key go into bit `index` of the hash of way `way`.
  function automatic key_bits_t hash_taps(int unsigned way, int unsigned index);
    logic [31:0] state;
    key_bits_t taps;
    state = 32'h9e3779b9 * (32 * way + index + 1);
    taps = '0;
    state = xorshift(xorshift(state));
    for (int unsigned word = 0; word < MaxKeyBits / 32; word++) begin
      state = xorshift(state);
      taps[32*word+:32] = state;
    end
    return taps;
  endfunction
endpackage
