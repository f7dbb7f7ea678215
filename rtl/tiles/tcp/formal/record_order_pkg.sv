// SPDX-License-Identifier: Apache-2.0
// What tcp_types_pkg states of the numbers and ranges in a connection's record, for the proofs.
package record_order_pkg;
  import tcp_types_pkg::*;

  // The ranges that the peer has reported are in order, apart from one another and from the bytes before `from`, and not above `flight` bytes behind it.
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

  // The ranges received behind a gap are not empty, and within the window, and neither overlap nor touch another, nor what is before the next number.
  function automatic logic are_apart(seq_t next, seq_t window_end, range_t [Ranges-1:0] ranges);
    are_apart = 1'b1;
    for (int unsigned i = 0; i < Ranges; i++) begin
      if (ranges[i].valid) begin
        are_apart &= ranges[i].first != next && ranges[i].first != ranges[i].behind;
        are_apart &= ranges[i].first - next < ranges[i].behind - next && ranges[i].behind - next <= window_end - next;
        for (int unsigned j = 0; j < Ranges; j++) begin
          if (i != j && ranges[j].valid) are_apart &= ranges[j].first - ranges[i].first > ranges[i].behind - ranges[i].first;
        end
      end
    end
  endfunction

  // The side that sends: snd_una <= snd_nxt <= snd_max <= snd_end, or the number behind a FIN; the buffer holds the bytes that are not acknowledged.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic sends_in_order(record_t r, seq_t ring);
    // verilator lint_on UNUSEDSIGNAL
    seq_t nxt, max, most;
    nxt = r.snd_nxt - r.snd_una;
    max = r.snd_max - r.snd_una;
    most = r.snd_end + seq_t'(r.closing) - r.snd_una;
    return most <= ring + seq_t'(r.closing) && nxt <= max && max <= most;
  endfunction

  // What has been sent again was in flight, and so is what is to be sent again, and the end of a recovery.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic resends_in_order(record_t r);
    // verilator lint_on UNUSEDSIGNAL
    seq_t max;
    near_t resent;
    max = r.snd_max - r.snd_una;
    resent = r.resent_to - near_t'(r.snd_una);
    return seq_t'(resent) <= max && (!r.resend || max != '0) && (!r.recovering || r.recover - r.snd_una <= max);
  endfunction

  // The side that receives: rcv_read <= rcv_nxt, less the peer's FIN, <= rcv_edge <= rcv_read + Ring.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic receives_in_order(record_t r, seq_t ring);
    // verilator lint_on UNUSEDSIGNAL
    seq_t have, window_end;
    have = r.rcv_nxt - seq_t'(r.fin_received) - r.rcv_read;
    window_end = r.rcv_edge - r.rcv_read;
    receives_in_order = have <= window_end && window_end <= ring;
  endfunction

  // Bytes that are read for the application from `from` on, up to rcv_read at most, are not overwritten.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic keeps_what_is_read(record_t r, seq_t from, seq_t ring);
    // verilator lint_on UNUSEDSIGNAL
    return r.rcv_read - from <= r.rcv_edge - from && r.rcv_edge - from <= ring;
  endfunction

  // There are no ranges behind the peer's FIN, nor once the application has closed the connection for both sides.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic has_ranges_in_order(record_t r);
    // verilator lint_on UNUSEDSIGNAL
    has_ranges_in_order = are_apart(r.rcv_nxt, r.rcv_edge, r.ranges);
    for (int unsigned i = 0; i < Ranges; i++) has_ranges_in_order &= !r.ranges[i].valid || !(r.fin_received || (r.closing && !r.half));
  endfunction

  // An application that has closed after the peer has the peer's FIN. In TIME-WAIT, both have closed, the application first, and the peer has all bytes and the FIN.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic closes_in_order(record_t r);
    // verilator lint_on UNUSEDSIGNAL
    closes_in_order = (!r.half || r.closing) && (!r.closing || r.active || r.fin_received);
    if (r.phase == TimeWait) closes_in_order &= r.closing && r.active && !r.half && r.fin_received && r.snd_una == r.snd_end + 1'b1;
  endfunction

  // Before a connection is open, there is only its SYN, and nothing of its peer or its application.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic has_only_syn(record_t r);
    // verilator lint_on UNUSEDSIGNAL
    has_only_syn = r.snd_end == r.snd_una + 1'b1 && !r.told && !r.closing && !r.half && !r.armed && !r.fin_received && !r.resend && !r.recovering;
    for (int unsigned i = 0; i < Ranges; i++) has_only_syn &= !r.ranges[i].valid;
  endfunction
endpackage
