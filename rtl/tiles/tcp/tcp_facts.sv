// SPDX-License-Identifier: Apache-2.0
// First stage of an event: classifies its segment for its connection (RFC 9293, 3.10.7.4), and computes how much the connection could send.
// Combinational.
module tcp_facts
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096
) (
    input  work_t   work_i,
    input  block_t  block_i,         // of EventSack
    input  record_t record_i,
    input  record_t turn_i,         // the same without the bypass, for turns and the timer only
    input  logic    reading_i,      // a notice has yet to read bytes from the buffer, from reading_seq_i on
    input  seq_t    reading_seq_i,
    input  tick_t   now_i,
    input  logic [26:0] rto_lost_i,  // time-out of a connection whose SYN was lost, while its round trip is not known
    input  seq_t    age_i,  // the clock of time stamps, less the one that the segment returns
    input  epoch_t  epoch_i,
    input  pace_at_t cycle_i,
    input  logic [13:0] mss_i,  // the event's segment size: of a SYN, what both ends permit
    input  logic [13:0] mss_less_i,  // the same, less the option for time stamps
    input  cfg_t    cfg_i,
    output facts_t  facts_o
);
  localparam pace_at_t MostLate = pace_at_t'(2 << pace_quantum_bits(Connections));
  localparam seq_t Step = Ring / 2 < 1460 ? Ring / 2 : 1460;  // the least step of the window's end (RFC 9293, 3.8.6.2.2)

  seq_t offset, last, window, length, segment_end, news, sendable, wnd_left, readable, room, open_end, gain;
  logic is_segment, starts_in, overdue, idle_over;
  span_t mss, flight;
  span_t [3:0] left;  // by NewReno, by CUBIC, after an earlier reduction, by NewReno after limited transmit
  logic exceeds;  // limited transmit has made it more than cwnd that is in flight
  logic [3:0][20:0] excess;  // negative if it is below the least
  logic [20:0] spare;  // negative if more bytes are in flight than the congestion window has
  tick_t elapsed, stalled;
  delay_t waited;
  logic [26:0] rto;
  near_t una, ack;
  near_t [2:0] again, again_ends;
  logic [2:0] again_rest;
  logic [1:0] again_from;
  seq_t block_first, block_behind;
  logic acks_timed;
  near_t hole, tail;  // from snd_una on
  logic [$bits(sample_t):0] pto;
  stamp_facts_t stamps;
  logic fin_sent;
  tcp_follows u_fin_sent (
      .a_i      (turn_i.snd_max),
      .b_i      (turn_i.snd_end),
      .follows_o(fin_sent)
  );
  // The peer's window, before it is limited to what a record has room for. It is late, so it is compared before it is known whether it is limited.
  seq_t wnd;
  logic wnd_is_more, wnd_differs;
  assign wnd = seq_t'(work_i.window) << (work_i.flags.syn ? '0 : record_i.shift);
  assign wnd_is_more = wnd >> $bits(span_t) != '0;
  unequal #(
      .Width($bits(span_t))
  ) u_wnd (
      .left_i(span_t'(wnd)),
      .right_i(record_i.snd_wnd),
      .unequal_o(wnd_differs)
  );
  assign acks_timed = record_i.timing && precedes(record_i.timed_seq, work_i.ack);
  tcp_stamps u_stamps (
      .work_i,
      .record_i,
      .acks_timed_i(acks_timed),
      .age_i,
      .epoch_i,
      .mss_i,
      .mss_less_i,
      .facts_o     (stamps)
  );
  always_comb begin
    facts_o = '0;
    facts_o.stamps = stamps;

    // Whether the event is for another connection: of another tenant, to another address of the card, or an earlier one in the
    // same place.
    is_segment = work_i.kind inside {EventSegment, EventSack, EventTooBig};
    facts_o.foreign = work_i.tenant != record_i.tenant
        || (is_segment ? work_i.tuple.local_addr != record_i.tuple.local_addr : work_i.name != record_i.name);

    // The segment's place in the receive window.
    offset = work_i.seq - record_i.rcv_nxt;
    window = window_left(record_i.rcv_edge, record_i.rcv_nxt);
    length = seq_t'(work_i.bytes) + seq_t'(work_i.flags.syn) + seq_t'(work_i.flags.fin);
    last = offset + length - 1'b1;
    starts_in = offset < window;
    facts_o.exact = work_i.seq == record_i.rcv_nxt;
    facts_o.early = offset[31];
    facts_o.in_window = starts_in || (facts_o.exact && window == '0);
    if (length == '0) facts_o.acceptable = facts_o.in_window;
    // A segment that starts before the window may end beyond it: the parts outside are cut off. A FIN alone needs no room.
    else facts_o.acceptable = starts_in || (facts_o.early && !last[31] && window != '0) || (facts_o.exact && work_i.bytes == '0);
    // Bytes from the window's end on are cut off; the new bytes are those from rcv_nxt on.
    segment_end = work_i.seq + seq_t'(work_i.bytes);
    news = segment_end - record_i.rcv_nxt;
    facts_o.takes_all = !precedes(record_i.rcv_edge, segment_end);
    facts_o.behind = facts_o.takes_all ? segment_end : record_i.rcv_edge;
    facts_o.skip = facts_o.early ? length_t'(-offset) : '0;
    if (!facts_o.takes_all) facts_o.take = length_t'(facts_o.exact || facts_o.early ? window : record_i.rcv_edge - work_i.seq);
    else if (facts_o.early) facts_o.take = news[31] ? '0 : length_t'(news);
    else facts_o.take = work_i.bytes;
    for (int unsigned i = 0; i < Ranges; i++) begin
      facts_o.starts_before[i] = precedes(work_i.seq, record_i.ranges[i].first);
      facts_o.ends_behind[i] = precedes(record_i.ranges[i].behind, segment_end);
      facts_o.touches[i] = record_i.ranges[i].valid && !precedes(record_i.ranges[i].behind, work_i.seq)
          && !precedes(segment_end, record_i.ranges[i].first);
    end
    facts_o.first_before = precedes(record_i.ranges[0].first, record_i.ranges[1].first);
    facts_o.in_order = facts_o.exact || facts_o.early;
    facts_o.syn_again = work_i.seq == record_i.rcv_nxt - 1'b1;
    facts_o.fin_again = work_i.flags.fin && last == '1;

    // The acknowledgement.
    facts_o.ack_news = precedes(record_i.snd_una, work_i.ack);
    facts_o.ack_same = record_i.snd_una == work_i.ack;
    facts_o.ack_unsent = precedes(record_i.snd_max, work_i.ack);
    facts_o.ack_ancient = precedes(work_i.ack, record_i.snd_una - seq_t'(1 << 20));
    facts_o.ack_beyond_next = precedes(record_i.snd_nxt, work_i.ack);
    facts_o.too_big = !precedes(work_i.seq, record_i.snd_una) && precedes(work_i.seq, record_i.snd_max) && stamps.mss < record_i.mss;
    facts_o.acks_all = work_i.ack == record_i.snd_max;
    facts_o.recovered = !precedes(record_i.snd_una, record_i.recover);
    facts_o.ack_recovers = !precedes(work_i.ack, record_i.recover);
    facts_o.crosses = work_i.flags.syn && work_i.flags.ack && !work_i.flags.rst && !work_i.flags.fin && work_i.bytes == '0
        && facts_o.syn_again && facts_o.acks_all && !facts_o.ack_same && record_i.opener;
    facts_o.counts = !facts_o.foreign && !stamps.missing && !stamps.old && work_i.flags.ack && !work_i.flags.rst
        && (work_i.flags.syn ? facts_o.crosses : facts_o.acceptable) && !facts_o.ack_unsent && !facts_o.ack_ancient;
    // A SACK block counts if it is in order, above snd_una and not above snd_max. No window is larger than 2^17 bytes, so comparing the low bits is enough.
    block_first = block_i.first - record_i.snd_una;
    block_behind = block_i.behind - record_i.snd_una;
    facts_o.sack_fits = block_first[31:17] == '0 && block_behind[31:17] == '0 && block_i.first != record_i.snd_una
        && precedes_near(near_t'(block_i.first), near_t'(block_i.behind)) && !precedes_near(near_t'(record_i.snd_max), near_t'(block_i.behind));
    ack = near_t'(work_i.ack);
    for (int unsigned i = 0; i < Sacked; i++) begin
      facts_o.sack_before[i] = record_i.sacked[i].valid && precedes_near(record_i.sacked[i].behind, near_t'(block_i.first));
      facts_o.sack_touches[i] = record_i.sacked[i].valid && !precedes_near(record_i.sacked[i].behind, near_t'(block_i.first))
          && !precedes_near(near_t'(block_i.behind), record_i.sacked[i].first);
      facts_o.sack_starts[i] = precedes_near(near_t'(block_i.first), record_i.sacked[i].first);
      facts_o.sack_ends[i] = precedes_near(record_i.sacked[i].behind, near_t'(block_i.behind));
      facts_o.sack_acked[i] = record_i.sacked[i].valid && !precedes_near(ack, record_i.sacked[i].first);
    end
    facts_o.ack_passes_resent = !precedes_near(ack, record_i.resent_to);
    facts_o.ack_passes_tail = precedes_near(record_i.tail.to, ack);
    facts_o.outstanding = record_i.snd_una != record_i.snd_max;
    facts_o.acked = span_t'(work_i.ack - record_i.snd_una);
    mss = span_t'(record_i.mss);
    flight = span_t'(record_i.snd_max - record_i.snd_una);
    // After a loss, NewReno keeps half of the bytes in flight, CUBIC 45/64 of its window, which does not grow unless it limits the connection.
    facts_o.ecn_anew = !record_i.ecn.reduced || precedes_near(record_i.ecn.reduced_to, ack);
    facts_o.ecn_spares = record_i.ecn.reduced && precedes_near(near_t'(record_i.snd_una), record_i.ecn.reduced_to);
    facts_o.dctcp_over = precedes_near(record_i.dctcp.window_to, ack);
    // What is not reduced again stays as it is. All are compared with the least, two segments, at once and without waiting for their sums, and chosen last.
    left[0] = flight >> 1;
    left[1] = (record_i.cwnd >> 1) + (record_i.cwnd >> 3) + (record_i.cwnd >> 4) + (record_i.cwnd >> 6);
    left[2] = record_i.threshold;
    left[3] = record_i.cwnd >> 1;
    excess[0] = 21'(record_i.snd_max) - 21'(record_i.snd_una) - 21'(mss << 2);
    excess[1] = 21'(record_i.cwnd >> 1) + 21'(record_i.cwnd >> 3) + 21'(record_i.cwnd >> 4) + 21'(record_i.cwnd >> 6) - 21'(mss << 1);
    excess[2] = 21'(record_i.threshold) - 21'(mss << 1);
    excess[3] = 21'(record_i.cwnd) - 21'(mss << 2);
    for (int unsigned i = 0; i < 4; i++) if (excess[i][20]) left[i] = mss << 1;
    // What limited transmit has sent does not count (RFC 5681, 3.2), and the third duplicate may come right behind it.
    spare = 21'(record_i.snd_una) + 21'(record_i.cwnd) - 21'(record_i.snd_max);
    exceeds = spare[20] && record_i.dup_acks != '0 && !record_i.recovering;
    facts_o.half = left[facts_o.ecn_spares ? 2'd2 : record_i.congestion != NewReno ? 2'd1 : exceeds ? 2'd3 : 2'd0];
    facts_o.gap = record_i.cwnd < record_i.target ? record_i.target - record_i.cwnd : '0;
    facts_o.estimate_leads = record_i.cwnd < record_i.estimate && record_i.target <= record_i.estimate;
    // The estimate grows by 8/15 of a segment per window, and by a segment once it has reached the window before the loss (RFC 9438, 4.3).
    facts_o.estimate_step = record_i.reaches ? record_i.cwnd : (record_i.cwnd << 1) - (record_i.cwnd >> 3);
    facts_o.grow = facts_o.acked < mss ? facts_o.acked : mss;
    facts_o.left_network = (mss << 1) + mss;
    if (work_i.kind == EventTick) facts_o.left_network = record_i.dup_acks[1] ? mss << 1 : mss;
    facts_o.wnd_newer = !precedes(work_i.ack, record_i.snd_una)
        && (precedes(record_i.snd_wl1, work_i.seq)
            || (record_i.snd_wl1 == work_i.seq && !precedes(work_i.ack, record_i.snd_wl2)));
    facts_o.new_wnd = wnd_is_more ? '1 : span_t'(wnd);
    facts_o.bare = work_i.bytes == '0 && !work_i.flags.fin;
    facts_o.same_wnd = wnd_is_more ? record_i.snd_wnd == '1 : !wnd_differs;
    facts_o.ack_ends_tail = facts_o.ack_same && ack == record_i.tail.to && facts_o.bare && facts_o.same_wnd && !record_i.sack_news;
    facts_o.trip = now_i - record_i.timed_at;

    // What could be sent: new bytes from snd_nxt on, or bytes of the hole again.
    sendable = turn_i.snd_end - turn_i.snd_nxt;  // -1 once the FIN has been sent
    wnd_left = turn_i.snd_una + seq_t'(turn_i.limit) - turn_i.snd_nxt;
    if (wnd_left[31]) wnd_left = '0;
    facts_o.fin_sent = sendable[31];
    if (sendable[31]) sendable = '0;
    facts_o.unsent = sendable != '0;
    facts_o.wnd_shut = wnd_left == '0;
    if (turn_i.force_send && facts_o.wnd_shut) wnd_left = 32'd1;
    facts_o.sends_rest = sendable <= wnd_left && sendable <= seq_t'(turn_i.mss);
    facts_o.sends_full = wnd_left >= seq_t'(turn_i.mss) && sendable >= seq_t'(turn_i.mss);
    if (facts_o.sends_rest) facts_o.send = length_t'(sendable);
    else facts_o.send = wnd_left < seq_t'(turn_i.mss) ? length_t'(wnd_left) : length_t'(turn_i.mss);
    facts_o.some = facts_o.unsent && wnd_left != '0 && turn_i.mss != '0;
    facts_o.none_under_way = turn_i.snd_nxt == turn_i.snd_una;
    facts_o.resends = turn_i.snd_nxt != turn_i.snd_max;
    // Only new bytes are paced, from the first measurement of the round trip on. The time of a burst counts from the end of the wait before, if that is not
    // long ago; the number of a time very long ago may seem to be such a one, which does no harm.
    facts_o.held = turn_i.pacing.waits && !facts_o.resends && !turn_i.force_send;
    facts_o.paced = turn_i.pacing.on && turn_i.srtt != '0;
    facts_o.burst_left = (rest_t'(1) << turn_i.pacing.burst) - rest_t'(turn_i.pacing.sent);
    facts_o.pace_from = turn_i.pacing.at;
    if (cycle_i - turn_i.pacing.at > MostLate) facts_o.pace_from = cycle_i;
    facts_o.fin_was_sent = fin_sent;
    // A hole ends at the first byte that the peer has reported, or at the end of the bytes sent, before a FIN.
    // All three lengths are compared at once, and chosen last.
    una = near_t'(turn_i.snd_una);
    again_ends[0] = near_t'(turn_i.snd_max);
    again_ends[1] = near_t'(turn_i.snd_end);
    again_ends[2] = turn_i.hole_end;
    for (int unsigned i = 0; i < 3; i++) begin
      again[i] = again_ends[i] - turn_i.hole;  // -1 once the FIN has been acknowledged
      again_rest[i] = again[i][17] || again[i] <= near_t'(turn_i.mss);
    end
    again_from = turn_i.hole_ends ? 2'd2 : facts_o.fin_was_sent ? 2'd1 : 2'd0;
    facts_o.resends_rest = again_rest[again_from];
    if (!facts_o.resends_rest) facts_o.again = length_t'(turn_i.mss);
    else facts_o.again = again[again_from][17] ? '0 : length_t'(again[again_from]);
    facts_o.fills = turn_i.hole_ends || turn_i.hole == una;
    hole = turn_i.hole - una;
    facts_o.hole_seq = turn_i.snd_una + seq_t'(hole);
    facts_o.tail_seq = (facts_o.fin_was_sent ? turn_i.snd_end : turn_i.snd_max) - seq_t'(turn_i.mss);
    tail = near_t'(facts_o.tail_seq) - una;
    facts_o.tail_fits = !tail[17] && !turn_i.sacked[0].valid;
    // A segment without data is within the peer's window even if that is zero.
    facts_o.idle_seq = precedes(turn_i.snd_una + seq_t'(turn_i.snd_wnd), turn_i.snd_max)
        ? turn_i.snd_nxt : turn_i.snd_max;
    // The window covers only space that has been read from the buffer, until the peer's FIN arrives.
    facts_o.reading = reading_i;
    open_end = (reading_i ? reading_seq_i : turn_i.rcv_read) + seq_t'(Ring);
    gain = open_end - turn_i.rcv_edge;
    facts_o.updates = gain >= update_bytes(Ring) && !turn_i.fin_received;
    facts_o.rcv_edge = gain >= Step && !turn_i.fin_received ? open_end : turn_i.rcv_edge;
    if (work_i.kind == EventSegment) facts_o.rcv_edge = record_i.rcv_edge;  // it opens in turns only

    // The application.
    facts_o.read_ready = read_is_ready(turn_i, Ring);
    readable = turn_i.rcv_nxt - seq_t'(turn_i.fin_received) - turn_i.rcv_read;
    facts_o.writes = seq_t'(Ring) - (record_i.snd_end - record_i.snd_una) >= seq_t'(work_i.bytes);
    facts_o.holds_more = precedes(record_i.snd_end + seq_t'(work_i.bytes), record_i.snd_held);
    room = seq_t'(Ring) - (turn_i.snd_held - turn_i.snd_una);
    // Once the FIN has been acknowledged, snd_una is snd_end + 1; there are no writes then.
    if (room > seq_t'(Ring)) facts_o.room = '0;
    else facts_o.room = room > seq_t'((1 << $bits(length_t)) - 1) ? '1 : length_t'(room);
    if (turn_i.room != '0 && readable > room) begin
      facts_o.reads_all = 1'b0;
      readable = room;
    end else begin
      facts_o.reads_all = readable <= seq_t'(MostData);
    end
    facts_o.reads = readable > seq_t'(MostData) ? length_t'(MostData) : length_t'(readable);

    // RFC 6298; rttvar is kept times 4. The time-out is doubled `backoff` times, up to rto_max.
    // For an idle connection, the time until the next keep-alive.
    elapsed = now_i - turn_i.started;
    waited = delay_t'(now_i) - turn_i.delayed_at;
    facts_o.ack_late = turn_i.delays && waited >= delay_t'(cfg_i.ack_delay);
    stalled = now_i - turn_i.since;
    overdue = cfg_i.user_timeout != '0 && stalled >= tick_t'(cfg_i.user_timeout);
    idle_over = cfg_i.keep_idle != '0 && elapsed >= (turn_i.tries == '0 ? tick_t'(cfg_i.keep_idle) : tick_t'(cfg_i.keep_interval));
    facts_o.last_try = turn_i.idles ? turn_i.tries >= cfg_i.keep_count : turn_i.tries >= cfg_i.retries || overdue;
    rto = turn_i.rtt_known ? 27'(turn_i.srtt >> 3) + 27'(turn_i.rttvar) : turn_i.syn_lost ? rto_lost_i : 27'(cfg_i.rto_initial);
    facts_o.expired = turn_i.timer_on && (turn_i.lingers ? elapsed >= tick_t'(cfg_i.time_wait) : turn_i.idles ? idle_over
        : overdue || elapsed >= tick_t'(cfg_i.rto_max) || (48'(elapsed) >= 48'(rto) << turn_i.backoff
            && (!turn_i.rtt_known || 48'(elapsed) >= 48'(cfg_i.rto_min) << turn_i.backoff)));
    // RFC 8985, 7.2 and 7.3: two round trips after the last new byte and the last acknowledgement, if the round trip was measured since bytes were last sent
    // again, which is not so in a recovery. The acknowledgement of a single segment may be delayed, by rto_min at most, so that the time-out comes first.
    pto = ($bits(pto))'(turn_i.srtt >> 2);
    facts_o.tail_due = cfg_i.tail_probe && turn_i.sacks && turn_i.timer_on && turn_i.tries == '0
        && !turn_i.sacked[0].valid && !turn_i.tail.due && !turn_i.tail.out && !turn_i.stamps.untimed
        && near_t'(turn_i.snd_max) - una > near_t'(turn_i.mss)
        && elapsed > tick_t'(pto) && {1'b0, sample_t'(sample_t'(now_i) - turn_i.tail.sent_at)} > pto;
    // RFC 8985, 6.2: a quarter of the round trip; what was sent again has two round trips, and at least the few ticks in which times are not exact.
    facts_o.late = work_i.kind == EventTick && turn_i.phase == Open && turn_i.reordering.runs && turn_i.sacked[0].valid
        && 27'(sample_t'(sample_t'(now_i) - turn_i.reordering.since)) > (turn_i.recovering ? (turn_i.srtt >> 2) | 27'd3 : turn_i.srtt >> 5);
  end

  logic unused;
  assign unused = &{1'b0, work_i, record_i, turn_i, cfg_i, news, block_first, block_behind, tail, spare, excess};
endmodule
