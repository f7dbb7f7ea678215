// SPDX-License-Identifier: Apache-2.0
// A round of HalfSipHash (the keyed hash of J.-P. Aumasson and D. J. Bernstein on words of 32 bits), and where it begins for a result of two words.
package siphash_pkg;
  typedef logic [3:0][31:0] sip_t;  // v0 to v3

  function automatic logic [31:0] turned(logic [31:0] word, int unsigned bits);
    return (word << bits) | (word >> (32 - bits));
  endfunction

  function automatic sip_t sip_start(logic [63:0] key);
    return {key[63:32] ^ 32'h74656462, key[31:0] ^ 32'h6c796765, key[63:32] ^ 32'hee, key[31:0]};
  endfunction

  function automatic sip_t sip_round(sip_t v);
    v[0] = v[0] + v[1];
    v[1] = turned(v[1], 5) ^ v[0];
    v[0] = turned(v[0], 16);
    v[2] = v[2] + v[3];
    v[3] = turned(v[3], 8) ^ v[2];
    v[0] = v[0] + v[3];
    v[3] = turned(v[3], 7) ^ v[0];
    v[2] = v[2] + v[1];
    v[1] = turned(v[1], 13) ^ v[2];
    v[2] = turned(v[2], 16);
    return v;
  endfunction
endpackage
