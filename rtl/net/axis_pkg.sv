// SPDX-License-Identifier: Apache-2.0
// Converts between AXI4-Stream's tkeep and the number of empty bytes of a flit.
package axis_pkg;
  import girih_pkg::*;

  // A beat without bytes (a message without payload) has tkeep 0; callers that can have such a beat handle it.
  function automatic logic [FlitBytes-1:0] keep_of(logic last, logic [EmptyWidth-1:0] empty);
    keep_of = '1;
    if (last) keep_of = keep_of >> empty;
  endfunction

  // The bytes of a beat are its first ones, at least one.
  function automatic logic contiguous(logic [FlitBytes-1:0] keep);
    contiguous = keep[0] && (keep >> 1 & ~keep) == '0;
  endfunction

  typedef logic [EmptyWidth-1:0][FlitBytes-1:0] byte_sets_t;

  function automatic byte_sets_t bytes_by_bit();  // element i: the bytes whose position has bit i
    for (int unsigned i = 0; i < EmptyWidth; i++) begin
      for (int unsigned b = 0; b < FlitBytes; b++) bytes_by_bit[i][b] = 1'((b >> i) & 1);
    end
  endfunction
  localparam byte_sets_t BytesByBit = bytes_by_bit();

  // From the position of the last valid byte, by ORing the positions where tkeep falls from 1 to 0. If tkeep
  // has holes, the result means nothing.
  function automatic logic [EmptyWidth-1:0] empty_of(logic last, logic [FlitBytes-1:0] keep);
    logic [FlitBytes-1:0] falls;
    falls = keep & ~(keep >> 1);
    empty_of = '0;
    if (last) for (int unsigned i = 0; i < EmptyWidth; i++) empty_of[i] = (falls & BytesByBit[i]) == '0;
  endfunction
endpackage
