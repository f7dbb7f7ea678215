// SPDX-License-Identifier: Apache-2.0
// The hash functions of exact-match tables: for each bit of each way's hash the parity of a fixed random half of
// the key's bits (H3), mixed with the product of two other parities. Without the products, keys that differ only
// in a few bits (consecutive addresses) can leave half of a way empty.
// girih.rmt.hashing computes the same functions.
package match_hash_pkg;
  localparam int unsigned MaxKeyBits = 160;
  typedef logic [MaxKeyBits-1:0] key_bits_t;

  // Hash bit n is parity[n] ^ (parity[n + MixA] & parity[n + MixB]); indices are modulo the number of parities,
  // which is a multiple of four.
  localparam int unsigned MixA = 7;
  localparam int unsigned MixB = 13;

  function automatic logic [31:0] xorshift(logic [31:0] state);
    logic [31:0] s;
    s = state ^ (state << 13);
    s = s ^ (s >> 17);
    return s ^ (s << 5);
  endfunction

  // The bits of the key in the parity of bit `index` of the hash of way `way`.
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
