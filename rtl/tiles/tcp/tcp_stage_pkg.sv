// SPDX-License-Identifier: Apache-2.0
// The types that the stages of an event pass to one another.
package tcp_stage_pkg;
  import girih_pkg::*;
  import tcp_types_pkg::*;

  typedef logic signed [$bits(span_t)+1:0] rest_t;  // bytes that are left, below 0 if there are too many already

  typedef struct packed {
    logic missing;  // the option is required, but not there
    logic old;  // the segment is an old duplicate (PAWS)
    logic renews;  // it brings TS.Recent, if it is acceptable
    logic samples;  // an acknowledgement of new bytes measures the round trip:
    logic timed;  // that of the timed segment; otherwise that of the time stamp that it returns,
    seq_t age;  // which is so old
    logic expires;  // TS.Recent has become too old
    logic [13:0] mss;  // after a SYN or an ICMP error: bytes of data in a segment
  } stamp_facts_t;

  typedef struct packed {
    logic foreign, exact, early, in_window, acceptable, takes_all, in_order, syn_again, fin_again;
    seq_t behind;  // the first sequence number behind what is taken
    // For each range of bytes behind a gap: whether the segment touches it, begins before it, ends behind it; and whether range 0 begins before range 1.
    logic [Ranges-1:0] touches, starts_before, ends_behind;
    logic first_before;
    length_t skip, take;
    logic crosses;  // in SYN-RECEIVED: both ends have opened the connection at once, and this is the peer's answer (RFC 9293, figure 7)
    logic counts;  // a segment is not dropped, unless the connection is in another phase
    logic ack_news, ack_same, ack_unsent, ack_ancient, ack_beyond_next, acks_all, recovered, ack_recovers;
    logic too_big;  // an ICMP error lowers the segment size: its segment is in flight (RFC 5927, 4.1), and larger segments have been sent
    logic outstanding, wnd_newer, same_wnd, bare;
    // Of a SACK block: whether its bytes are in flight (sack_fits); and for each known range, whether that range lies before the block, touches it, begins
    // above the block's first byte, ends below its last. Of an acknowledgement: the ranges that it covers, and whether it covers everything that was sent again.
    logic sack_fits;
    logic [Sacked-1:0] sack_before, sack_touches, sack_starts, sack_ends, sack_acked;
    logic ack_passes_resent;
    // Of the tail loss probe: it is time for one; where the last bytes sent begin, and that they are not acknowledged. Of an acknowledgement: it is for
    // bytes that were sent after the probe; it says again that all before it has come.
    logic tail_due, tail_fits, ack_passes_tail, ack_ends_tail;
    seq_t tail_seq;
    logic late;  // at the timer's visit of an open connection: a gap has lasted so long that its bytes are lost; in a recovery, that they are lost once more
    span_t left_network;  // a segment for each duplicate acknowledgement before a fast retransmission (RFC 5681, 3.2)
    logic ecn_anew;  // a byte behind reduced_to is acknowledged, or the window was not reduced: a mark that is told of now is a new one
    logic ecn_spares;  // what is lost now is of a window of data for which the congestion window has been reduced already
    logic dctcp_over;  // the acknowledgement ends DCTCP's observation window
    logic fills;  // there is a hole to send again
    seq_t hole_seq;  // its first byte
    span_t new_wnd, acked, half, grow;
    // Of CUBIC: how far the window is below the function of time; whether the estimate leads both; and the acknowledged bytes for which the estimate
    // grows by a segment.
    logic estimate_leads;
    span_t gap, estimate_step;
    tick_t trip;  // since the timed segment was sent
    stamp_facts_t stamps;
    logic fin_sent, unsent, wnd_shut, sends_rest, sends_full, resends_rest, fin_was_sent, resends, none_under_way;
    length_t send, again;
    logic some;  // send is not 0
    // Of pacing: new bytes must wait; those sent now count; from when on the time of a burst counts that ends now.
    logic held, paced;
    pace_at_t pace_from;
    rest_t burst_left;  // new bytes that end a burst
    seq_t idle_seq;
    seq_t rcv_edge;  // the end of the window that a segment sent now advertises
    logic updates;  // the window has grown enough for a window update
    logic reading;  // a notice has yet to read bytes from the buffer
    length_t room, reads;
    logic writes, holds_more, reads_all, read_ready;
    logic expired, last_try, ack_late;
  } facts_t;

  // The effects of an event besides the change of its connection.
  typedef struct packed {
    result_t  result;
    logic     sends;
    segment_t segment;
    logic     tells;
    notice_t  notice;
    logic     opened;
    logic     cookie;
    logic     cookie_lost;     // because there was no room
    logic     refused_ack;     // an unacceptable one
    logic     out_of_window;
    logic     out_of_order;    // and not kept
    logic     kept;
    logic     no_connection;
    logic     bad_segment;     // a SYN within a connection, or no ACK
    logic     write_refused;
    logic     command_refused;
    logic     reset_received;
    logic     gave_up;
    logic     resent;
    logic     fast;
    logic     late;            // a fast retransmission because of time
    logic     lost_again;      // a retransmission was lost, because of time
    logic     probed;
    logic     kept_alive;
    logic     tail_probed;
    logic     paced;           // a burst has ended: new bytes wait for their time
    logic     late_ack;
    logic     marked;          // a segment with data that a router has marked
    logic     ecn_reduced;     // the congestion window, because the peer has told of a mark
    logic     shrunk;          // the segment size is lower than before
    logic     refused_error;   // an ICMP error without effect
    logic     old_stamp;       // an old duplicate, by its time stamp
    logic     no_stamp;        // a segment without the time stamp that it must have
    logic     samples;         // the round trip has been measured
    sample_t  sample;
  } deeds_t;

  // The functions take whole records, but use only a few fields.
  // verilator lint_off UNUSEDSIGNAL
  // Whether the application's read can be answered.
  function automatic logic read_is_ready(record_t r, int unsigned ring);
    seq_t readable, room;
    readable = r.rcv_nxt - seq_t'(r.fin_received) - r.rcv_read;
    room = seq_t'(ring) - (r.snd_held - r.snd_una);
    return (readable >= seq_t'(r.least) || r.fin_received) && room >= seq_t'(r.room);
  endfunction

  // Bytes that may be in flight initially (RFC 6928): ten segments, but no more than 14600 bytes or two segments, whichever is greater.
  function automatic span_t initial_window(logic [13:0] mss);
    span_t ten, two, most;
    ten = (span_t'(mss) << 3) + (span_t'(mss) << 1);
    two = span_t'(mss) << 1;
    most = two > span_t'(14600) ? two : span_t'(14600);
    return ten < most ? ten : most;
  endfunction

  // The least growth of the window that is advertised at once.
  function automatic seq_t update_bytes(int unsigned ring);
    return seq_t'(ring / 2 < 2920 ? ring / 2 : 2920);
  endfunction

  // Bytes that the peer may still send. Its FIN, which needs no room, can be beyond the window's end.
  function automatic seq_t window_left(seq_t window_end, seq_t rcv_nxt);
    return precedes(window_end, rcv_nxt) ? '0 : window_end - rcv_nxt;
  endfunction

  // Whether there is data or a FIN to send from snd_nxt on, and it is worth a segment (RFC 9293, 3.8.6.2.1).
  function automatic logic sends_now(record_t r, facts_t f);
    if (f.fin_sent) return 1'b0;
    if (!f.unsent) return r.closing;
    return f.some && !f.held && (f.sends_rest || f.sends_full || r.force_send || f.none_under_way);
  endfunction
  // verilator lint_on UNUSEDSIGNAL
endpackage
