// SPDX-License-Identifier: Apache-2.0
// The permutation of SHA-3 (FIPS 202), Keccak-f[1600]. Lane (x, y) of the state is element x + 5 * y; the
// first byte of the message is the least significant byte of element 0.
package keccak_pkg;
  localparam int unsigned Rounds = 24;
  localparam int unsigned RateWords = 9;  // of SHA-3-512
  localparam int unsigned DigestBits = 512;

  typedef logic [63:0] lane_t;
  typedef lane_t [24:0] state_t;

  function automatic lane_t rotate(input lane_t lane, input int unsigned places);
    rotate = places == 0 ? lane : (lane << places) | (lane >> (64 - places));
  endfunction

  // The constants of iota, from the linear feedback shift register that defines them (section 3.2.5).
  function automatic lane_t [Rounds-1:0] make_constants();
    logic [7:0] r;
    r = 8'h01;
    make_constants = '0;
    for (int unsigned i = 0; i < Rounds; i++) begin
      for (int unsigned j = 0; j < 7; j++) begin
        make_constants[i][(1<<j)-1] = r[0];
        r = {r[6:0], 1'b0} ^ (r[7] ? 8'h71 : 8'h00);
      end
    end
  endfunction
  localparam lane_t [Rounds-1:0] Constants = make_constants();

  function automatic state_t round(input state_t state, input lane_t constant);
    lane_t [4:0] column, parity;
    state_t mixed, moved;
    int unsigned x, y, next;

    // theta
    for (int unsigned i = 0; i < 5; i++) column[i] = state[i] ^ state[i+5] ^ state[i+10] ^ state[i+15] ^ state[i+20];
    for (int unsigned i = 0; i < 5; i++) parity[i] = column[(i+4)%5] ^ rotate(column[(i+1)%5], 1);
    for (int unsigned i = 0; i < 25; i++) mixed[i] = state[i] ^ parity[i%5];

    // rho and pi: the walk from (1, 0) visits all lanes but (0, 0), turned by the triangular numbers.
    moved = '0;
    moved[0] = mixed[0];
    x = 1;
    y = 0;
    for (int unsigned t = 0; t < 24; t++) begin
      next = (2 * x + 3 * y) % 5;
      moved[y+5*next] = rotate(mixed[x+5*y], ((t + 1) * (t + 2) / 2) % 64);
      x = y;
      y = next;
    end

    // chi and iota
    for (int unsigned j = 0; j < 5; j++) begin
      for (int unsigned i = 0; i < 5; i++) round[i+5*j] = moved[i+5*j] ^ (~moved[(i+1)%5+5*j] & moved[(i+2)%5+5*j]);
    end
    round[0] = round[0] ^ constant;
  endfunction
endpackage
