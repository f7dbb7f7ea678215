// SPDX-License-Identifier: Apache-2.0
// AES (FIPS 197). Byte i of a block or of a round key, in message order, is at [8 * i +: 8]; so row r of
// column c is byte r + 4 * c.
package aes_pkg;
  localparam int unsigned Rounds = 14;  // of AES-256
  localparam int unsigned KeyWords = 8;

  typedef logic [127:0] block_t;
  typedef logic [31:0] word_t;

  // Multiplication by x in GF(2^8).
  function automatic logic [7:0] times_x(input logic [7:0] b);
    times_x = {b[6:0], 1'b0} ^ (b[7] ? 8'h1b : 8'h00);
  endfunction

  // The S-box, from its definition: p runs through all powers of 3, q through their inverses.
  function automatic logic [255:0][7:0] make_sbox();
    logic [7:0] p, q;
    p = 8'h01;
    q = 8'h01;
    make_sbox = '0;
    make_sbox[0] = 8'h63;
    for (int unsigned i = 0; i < 255; i++) begin
      make_sbox[p] = q ^ {q[6:0], q[7]} ^ {q[5:0], q[7:6]} ^ {q[4:0], q[7:5]} ^ {q[3:0], q[7:4]} ^ 8'h63;
      p = p ^ times_x(p);
      q = q ^ {q[6:0], 1'b0};  // divided by 3
      q = q ^ {q[5:0], 2'b0};
      q = q ^ {q[3:0], 4'b0};
      if (q[7]) q = q ^ 8'h09;
    end
  endfunction
  localparam logic [255:0][7:0] Sbox = make_sbox();

  function automatic block_t sub_bytes(input block_t block);
    for (int unsigned i = 0; i < 16; i++) sub_bytes[8*i+:8] = Sbox[block[8*i+:8]];
  endfunction

  function automatic word_t sub_word(input word_t word);
    for (int unsigned i = 0; i < 4; i++) sub_word[8*i+:8] = Sbox[word[8*i+:8]];
  endfunction

  // Row r moves r columns to the left.
  function automatic block_t shift_rows(input block_t block);
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) shift_rows[8*(r+4*c)+:8] = block[8*(r+4*((c+r)%4))+:8];
    end
  endfunction

  function automatic block_t mix_columns(input block_t block);
    logic [7:0] a, b, c, d, all;
    for (int unsigned i = 0; i < 4; i++) begin
      {d, c, b, a} = block[32*i+:32];
      all = a ^ b ^ c ^ d;
      mix_columns[32*i+:32] = {
        d ^ all ^ times_x(d ^ a), c ^ all ^ times_x(c ^ d), b ^ all ^ times_x(b ^ c), a ^ all ^ times_x(a ^ b)
      };
    end
  endfunction
endpackage
