// SPDX-License-Identifier: Apache-2.0
// What tcp_types_pkg states of the ranges that the peer has reported, for the proofs.
package sacked_order_pkg;
  import tcp_types_pkg::*;

  // They are in order, apart from one another and from the bytes before `from`, and not above `flight` bytes behind it.
  function automatic logic are_in_order(near_t from, near_t flight, sacked_t [Sacked-1:0] ranges);
    near_t below, first, behind;
    are_in_order = 1'b1;
    below = '0;  // where the range before ends
    for (int unsigned i = 0; i < Sacked; i++) begin
      first = ranges[i].first - from;
      behind = ranges[i].behind - from;
      if (ranges[i].valid) are_in_order &= first > below && behind > first && behind <= flight && (i == 0 || ranges[i-1].valid);
      below = behind;
    end
  endfunction
endpackage
