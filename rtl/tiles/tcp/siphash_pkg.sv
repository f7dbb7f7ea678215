// SPDX-License-Identifier: Apache-2.0
// A round of SipHash (the keyed hash of J.-P. Aumasson and D. J. Bernstein on words of 64 bits), and where it begins.
package siphash_pkg;
  typedef logic [3:0][63:0] sip_t;  // v0 to v3

  function automatic logic [63:0] turned(logic [63:0] word, int unsigned bits);
    return (word << bits) | (word >> (64 - bits));
  endfunction

  function automatic sip_t sip_start(logic [127:0] key);
    return {key[127:64] ^ 64'h7465646279746573, key[63:0] ^ 64'h6c7967656e657261, key[127:64] ^ 64'h646f72616e646f6d, key[63:0] ^ 64'h736f6d6570736575};
  endfunction

  function automatic sip_t sip_round(sip_t v);
    v[0] = v[1] + v[0];  // in this order synthesis makes fewer look-up tables of what is added to v[0] before
    v[1] = turned(v[1], 13) ^ v[0];
    v[0] = turned(v[0], 32);
    v[2] = v[2] + v[3];
    v[3] = turned(v[3], 16) ^ v[2];
    v[0] = v[0] + v[3];
    v[3] = turned(v[3], 21) ^ v[0];
    v[2] = v[2] + v[1];
    v[1] = turned(v[1], 17) ^ v[2];
    v[2] = turned(v[2], 32);
    return v;
  endfunction
endpackage
