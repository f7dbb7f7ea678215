// SPDX-License-Identifier: Apache-2.0
// Second stage of an event: the next state of its connection, and its other effects. Combinational.
module tcp_update
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096,
    parameter bit Far = 0  // a visit of the timer may say that bytes of the connection have been lost
) (
    input  work_t   work_i,
    input  block_t  block_i,  // of EventSack
    input  logic [EventTick:0] kinds_i,  // of the event, one bit for each kind
    input  logic    room_i,   // for a segment that answers at once
    input  logic    delays_i,  // acknowledgements may wait
    input  record_t record_i,
    input  logic [SynSent:0] phases_i,  // of the record, one bit for each phase
    input  facts_t  facts_i,
    input  logic    measures_i,  // the timer's visit ends DCTCP's observation window
    input  tick_t   now_i,
    input  seq_t    clock_i,  // of time stamps
    input  epoch_t  epoch_i,
    input  cfg_t    cfg_i,
    output record_t record_o,
    output deeds_t  deeds_o
);
  record_t r;
  deeds_t  d;
  logic challenge, refuses, resets, dies, aborts, news, duplicate, limited, fast, repaired, timeout;
  span_t cwnd, usable, threshold, credit, estimate;
  congestion_e congestion;
  logic ecn_received, ecn_told, ecn_reduces, ecn_turns;

  // A pure acknowledgement, from which other segments are derived.
  segment_t segment;
  tcp_acknowledge #(
      .Ring(Ring)
  ) u_acknowledge (
      .connection_i(work_i.connection),
      .record_i,
      .edge_i      (facts_i.rcv_edge),
      .clock_i,
      .segment_o   (segment)
  );

  record_t turn;
  deeds_t turn_deeds;
  tcp_transmit #(
      .Ring(Ring)
  ) u_transmit (
      .record_i,
      .facts_i,
      .now_i,
      .segment_i(segment),
      .record_o (turn),
      .deeds_o  (turn_deeds)
  );

  record_t opened;
  deeds_t opened_deeds;
  tcp_open #(
      .Connections(Connections),
      .Ring(Ring)
  ) u_open (
      .work_i,
      .room_i,
      .record_i,
      .now_i,
      .clock_i,
      .epoch_i,
      .mss_i   (facts_i.stamps.mss),
      .cfg_i,
      .record_o(opened),
      .deeds_o (opened_deeds)
  );
  record_t answered;
  deeds_t answer_deeds;
  logic answer_dies;
  tcp_answer #(
      .Ring(Ring)
  ) u_answer (
      .work_i,
      .record_i,
      .facts_i,
      .segment_i(segment),
      .epoch_i,
      .cfg_i,
      .record_o (answered),
      .deeds_o  (answer_deeds),
      .dies_o   (answer_dies)
  );

  record_t told;
  deeds_t told_deeds;
  tcp_tell u_tell (
      .connection_i(work_i.connection),
      .work_i,
      .record_i,
      .facts_i,
      .record_o    (told),
      .deeds_o     (told_deeds)
  );

  record_t commanded;
  deeds_t command_deeds;
  tcp_command #(
      .Ring(Ring),
      .MostData(MostData)
  ) u_command (
      .work_i,
      .kinds_i,
      .record_i,
      .phases_i,
      .facts_i,
      .now_i,
      .segment_i(segment),
      .record_o (commanded),
      .deeds_o  (command_deeds),
      .aborts_o (aborts)
  );
  sacked_t [Sacked-1:0] with_block, behind_ack;
  logic sack_says, adds_block, passes_sacked, forgets_sacked, recovers_to_max, recovers_to_ack;
  tcp_scoreboard u_scoreboard (
      .record_i,
      .facts_i,
      .block_i,
      .with_block_o(with_block),
      .news_o      (sack_says),
      .behind_ack_o(behind_ack)
  );
  tcp_congestion u_congestion (
      .record_i,
      .facts_i,
      .news_i     (news),
      .duplicate_i(duplicate && !record_i.hole_ends),
      .limited_i  (limited),
      .fast_i     (fast || facts_i.late),
      .timeout_i  (timeout),
      .told_i     (ecn_told),
      .reduces_i  (ecn_reduces),
      .repaired_i (repaired),
      .cwnd_o     (cwnd),
      .usable_o   (usable),
      .threshold_o(threshold),
      .credit_o   (credit),
      .congestion_o(congestion),
      .estimate_o (estimate)
  );
  ecn_t ecn;
  dctcp_t dctcp;
  tcp_ecn u_ecn (
      .work_i,
      .record_i,
      .open_i   (phases_i[Open]),
      .facts_i,
      .news_i   (news),
      .lost_i   (fast || repaired),
      .ecn_o    (ecn),
      .dctcp_o  (dctcp),
      .marked_o (ecn_received),
      .turns_o  (ecn_turns),
      .told_o   (ecn_told),
      .reduces_o(ecn_reduces)
  );
  sample_t sample;
  tcp_sample u_sample (
      .timed_i (facts_i.stamps.timed),
      .trip_i  (facts_i.trip),
      .age_i   (facts_i.stamps.age),
      .unit_i  (cfg_i.timestamp_unit),
      .sample_o(sample)
  );
  seq_t ranges_nxt;
  range_t [Ranges-1:0] ranges;
  logic keeps, newer;
  tcp_ranges u_ranges (
      .work_i,
      .record_i,
      .facts_i,
      .nxt_o   (ranges_nxt),
      .ranges_o(ranges),
      .keeps_o (keeps),
      .newer_o (newer)
  );
  // The acknowledgement's effects, if it is processed.
  assign news = kinds_i[EventSegment] && facts_i.ack_news;
  assign duplicate = kinds_i[EventSegment] && facts_i.ack_same && facts_i.outstanding && ((facts_i.same_wnd && facts_i.bare) || record_i.sack_news);
  // Each before the third permits a new segment, so that a small window brings three of them (RFC 3042).
  assign limited = duplicate && facts_i.recovered && !record_i.recovering;
  // A probe that has come, behind others that have not, tells that these are lost: they were sent long before it (RFC 8985, 7.4 and 6.2).
  assign fast = duplicate && facts_i.recovered && (record_i.dup_acks == 2'd2 || (record_i.tail.out && record_i.sack_news && !record_i.recovering));
  // A probe has repaired the loss of the last segment if bytes that were sent after it are acknowledged, and not the same bytes twice (RFC 8985, 7.4.2).
  assign repaired = news && record_i.tail.out && facts_i.ack_passes_tail && !record_i.recovering;
  assign timeout = kinds_i[EventTick];
  // Every second segment is acknowledged at once, and so is a segment that is not simply the next in order (RFC 5681, 4.2).
  logic puts_off;
  assign puts_off = delays_i && !ecn_turns && !record_i.delays && facts_i.exact && facts_i.takes_all && !work_i.flags.fin && !record_i.ranges[0].valid && !record_i.ranges[1].valid;
  // What came before the first segment with another mark is acknowledged by itself, so that the peer counts all marks (RFC 8257, 3.2).
  logic splits;
  assign splits = record_i.dctcp.on && ecn_turns && (record_i.delays || record_i.acks_due != '0) && room_i && facts_i.in_order;

  // Decided first, because most of the record depends on it: the segment is of an open connection, or ends the hand-shake.
  logic crosses, counts;
  assign crosses = facts_i.crosses && phases_i[SynReceived];
  assign counts = facts_i.counts && !phases_i[Free] && !phases_i[Dead] && !phases_i[SynSent] && !(phases_i[SynReceived] && !facts_i.ack_news)
      && !(work_i.flags.syn && !phases_i[SynReceived]);

  always_comb begin
    r = record_i;
    d = '0;
    challenge = 1'b0;
    refuses = 1'b0;
    resets = 1'b0;
    dies = 1'b0;
    adds_block = 1'b0;
    passes_sacked = 1'b0;
    forgets_sacked = 1'b0;
    recovers_to_max = 1'b0;
    recovers_to_ack = 1'b0;
    d.segment = segment;

    // No two of these are 1, except before the first clock edge.
    (* parallel_case *) case (1'b1)
      kinds_i[EventClear]: begin
        r = '0;
        forgets_sacked = 1'b1;
        recovers_to_ack = 1'b1;
        r.phase = Free;
        r.name = name_t'(work_i.connection) - name_t'(Connections);
      end

      kinds_i[EventOpen], kinds_i[EventConnect], kinds_i[EventAccept]: begin
        r = opened;
        forgets_sacked = 1'b1;
        recovers_to_ack = 1'b1;
        d = opened_deeds;
      end

      kinds_i[EventSegment]: begin
        if (counts) begin
          if (phases_i[SynReceived]) begin
            r.phase  = Open;
            d.opened = 1'b1;
            if (record_i.tries != '0) r.syn_lost = 1'b1;
          end
          if (phases_i[SynReceived] || facts_i.wnd_newer) begin
            r.snd_wnd = facts_i.new_wnd;
            r.snd_wl1 = work_i.seq;
            r.snd_wl2 = work_i.ack;
          end
          r.ecn = ecn;
          r.dctcp = dctcp;
          d.ecn_reduced = ecn_reduces;
          d.marked = ecn_received;
          if (crosses) r.acks_due = 3'd1;
          if (facts_i.stamps.renews || (splits && record_i.stamps.on)) begin  // what follows that acknowledgement is acknowledged from this segment on
            r.stamps.fresh = 1'b1;
            r.stamps.recent = work_i.stamp.value;
            r.stamps.at = epoch_i;
          end
          r.tries = '0;
          r.sack_news = 1'b0;
          if (record_i.idles) r.timer_on = 1'b0;  // restarted: the peer is alive
          r.cwnd = cwnd;
          r.usable = usable;
          r.threshold = threshold;
          r.credit = credit;
          r.congestion = congestion;
          r.estimate = estimate;
          if (fast || repaired || facts_i.ack_ends_tail) r.tail.out = 1'b0;
          if (facts_i.ack_news) begin
            r.snd_una = work_i.ack;
            if (facts_i.ack_beyond_next) r.snd_nxt = work_i.ack;
            r.dup_acks = '0;
            r.backoff = '0;
            r.force_send = 1'b0;
            r.timer_on = 1'b0;  // restarted if something remains to be acknowledged
            r.since = now_i;
            if (facts_i.recovered && !record_i.recovering) recovers_to_ack = 1'b1;  // kept close to the present numbers, because they wrap
            // In fast recovery, each partial acknowledgement indicates the next lost segment (RFC 6582).
            r.recovering = record_i.recovering && !facts_i.ack_recovers;
            // With SACK, that one may already have been sent again. Then the next hole is sent, if the peer has reported bytes above it.
            r.resend = record_i.recovering && !facts_i.ack_recovers && (!record_i.sacks || facts_i.ack_passes_resent || record_i.hole_ends);
            passes_sacked = 1'b1;
            if (!record_i.sacks || facts_i.ack_passes_resent) r.resent_to = near_t'(work_i.ack);
            d.samples = facts_i.stamps.samples;
            // What was sent again from here on is late if it is not acknowledged in two round trips.
            r.reordering.runs = record_i.recovering && !facts_i.ack_recovers && cfg_i.rack;
            r.reordering.since = sample_t'(now_i);
            if (facts_i.stamps.timed) r.timing = 1'b0;
            if (facts_i.stamps.samples) r.stamps.untimed = 1'b0;
          end else if (duplicate) begin
            if (record_i.dup_acks != '1) r.dup_acks = record_i.dup_acks + 1'b1;
            // A duplicate means that a segment has left the network, so another may enter it: a lost one, or what cwnd allows.
            if (record_i.recovering && record_i.hole_ends) r.resend = 1'b1;
            if (limited && record_i.sack_news && cfg_i.rack && !record_i.reordering.runs) begin
              r.reordering.runs  = 1'b1;
              r.reordering.since = sample_t'(now_i);
            end
            if (fast) begin
              r.reordering.runs = cfg_i.rack;
              r.reordering.since = sample_t'(now_i);
              r.resend = 1'b1;
              r.resent_to = near_t'(record_i.snd_una);
              r.recovering = 1'b1;
              recovers_to_max = 1'b1;
              d.fast = 1'b1;
            end
          end
          // Data and FIN. After the application's close, received bytes are acknowledged and discarded.
          if (work_i.bytes != '0 || work_i.flags.fin) begin
            if (record_i.fin_received) begin
              r.acks_due = 3'd1;
            end else if (facts_i.in_order) begin
              d.result.skip = facts_i.skip;
              d.result.bytes = facts_i.take;
              d.result.seq = work_i.seq;
              r.rcv_nxt = ranges_nxt;
              r.ranges = ranges;
              r.fin_received = work_i.flags.fin && facts_i.takes_all;
              if (record_i.closing && !record_i.half) r.rcv_read = record_i.rcv_nxt + seq_t'(facts_i.take);
              if (record_i.acks_due == '0) begin
                if (puts_off) begin
                  r.delays = 1'b1;
                  r.delayed_at = delay_t'(now_i);
                end else begin
                  r.acks_due = 3'd1;
                end
              end
              if (splits) begin
                d.sends = 1'b1;
                d.segment.seq = record_i.snd_max;
              end
            end else begin
              challenge = 1'b1;
              if (keeps && (!record_i.closing || record_i.half)) begin
                d.kept = 1'b1;
                d.result.bytes = facts_i.take;
                d.result.seq = work_i.seq;
                r.ranges = ranges;
                r.newer = newer;
              end else begin
                d.out_of_order = 1'b1;
              end
            end
          end
        end else if (facts_i.foreign || phases_i[Free] || phases_i[Dead]) begin
          // The peer of a broken connection gets a reset; its next SYN waits until the application has closed this one.
          refuses = phases_i[Dead] && !facts_i.foreign && work_i.flags.ack;
          d.no_connection = 1'b1;
        end else if (phases_i[SynSent]) begin  // the card's SYN has not been answered
          r = answered;
          recovers_to_ack = answer_deeds.opened;
          d = answer_deeds;
          dies = answer_dies;
        end else if (facts_i.stamps.missing || facts_i.stamps.old || (!facts_i.acceptable && !crosses)) begin
          d.no_stamp = facts_i.stamps.missing;
          d.old_stamp = facts_i.stamps.old;
          d.out_of_window = !facts_i.stamps.missing && !facts_i.stamps.old && !work_i.flags.rst;
          if (facts_i.stamps.missing || facts_i.stamps.old) begin
            challenge = facts_i.stamps.old;
          end else if (phases_i[SynReceived] && work_i.flags.syn && facts_i.syn_again) begin
            r.snd_nxt = record_i.snd_una;
            if (!work_i.flags.ece || !work_i.flags.cwr) r.ecn.on = 1'b0;  // the peer has given it up (RFC 3168, 6.1.1.1)
            if (!work_i.stamp.valid) r.stamps.on = 1'b0;  // and so with time stamps: the answer may have them only if the SYN does (RFC 7323, 3.2)
          end else challenge = !work_i.flags.rst;
        end else if (work_i.flags.rst) begin
          if (facts_i.exact) begin
            d.reset_received = 1'b1;
            dies = 1'b1;
          end else begin
            challenge = 1'b1;
          end
        end else if (work_i.flags.syn && !crosses) begin
          d.bad_segment = 1'b1;
          challenge = 1'b1;
        end else if (!work_i.flags.ack) begin
          d.bad_segment = 1'b1;
        end else if (phases_i[SynReceived] && (!facts_i.ack_news || facts_i.ack_unsent)) begin
          d.refused_ack = 1'b1;
          d.sends = 1'b1;
          d.segment.seq = work_i.ack;
          d.segment.flags = '{rst: 1'b1, default: '0};
        end else begin  // it acknowledges bytes that were never sent, or very long ago
          d.refused_ack = 1'b1;
          challenge = 1'b1;
        end
      end

      kinds_i[EventSack]: begin
        if (phases_i[Open] && record_i.sacks && facts_i.counts && facts_i.sack_fits) begin
          adds_block = 1'b1;
          if (sack_says) r.sack_news = 1'b1;
        end
      end

      kinds_i[EventCookie]: begin
        if (work_i.flags.syn) begin
          d = opened_deeds;
          d.cookie = opened_deeds.sends;
          d.cookie_lost = !opened_deeds.sends;
        end
      end

      kinds_i[EventRefuse]: refuses = 1'b1;

      kinds_i[EventRead], kinds_i[EventWrite], kinds_i[EventClose], kinds_i[EventAbort]: begin
        r = commanded;
        d = command_deeds;
        resets = aborts;
        dies = aborts;
      end

      kinds_i[EventTransmit]: begin
        r = turn;
        d = turn_deeds;
      end

      kinds_i[EventNotify], kinds_i[EventUnopened]: begin
        r = told;
        d = told_deeds;
      end

      kinds_i[EventWindow]: begin
        // Unless there was a loss meanwhile. A place is not used again before the window of its former connection has come.
        if (phases_i[Open] && record_i.congestion == work_i.congestion) begin
          r.target = span_t'(work_i.ack);
          r.reaches = work_i.scaled;
          r.congestion = CubicRun;
          if (record_i.congestion != CubicRun) begin
            r.estimate = record_i.cwnd;
            r.credit = '0;
          end
        end
      end

      kinds_i[EventAlpha]: begin
        if (phases_i[Open]) r.dctcp.alpha = alpha_t'(work_i.ack);
      end

      kinds_i[EventTooBig]: begin
        // Path MTU discovery (RFC 1191, 6.4): what is in flight is sent again, in smaller segments, by a slow start. This is not a sign of congestion, so
        // that ends at the window of before; in fast recovery, at what the loss has left.
        if (facts_i.foreign || phases_i[Free] || phases_i[Dead]) begin
          d.no_connection = 1'b1;
        end else if (!phases_i[Open] || !facts_i.too_big) begin
          d.refused_error = 1'b1;
        end else begin
          d.shrunk = 1'b1;
          r.mss = facts_i.stamps.mss;
          r.cwnd = span_t'(facts_i.stamps.mss);
          r.usable = span_t'(facts_i.stamps.mss);
          if (!record_i.recovering && !(record_i.cwnd < record_i.threshold)) r.threshold = record_i.cwnd;
          r.tail.due = 1'b0;
          r.tail.out = 1'b0;
          r.reordering.runs = 1'b0;
          r.snd_nxt = record_i.snd_una;
          forgets_sacked = 1'b1;
          r.sack_news = 1'b0;
          r.resent_to = near_t'(record_i.snd_una);
          recovers_to_max = 1'b1;
          r.recovering = 1'b0;
          r.resend = 1'b0;
          r.dup_acks = '0;
          r.credit = '0;
          r.timing = 1'b0;
          r.timer_on = 1'b0;
        end
      end

      kinds_i[EventPace]: begin
        r.pacing.queued = 1'b0;
        if (record_i.pacing.waits) begin  // otherwise the wait was that of the former connection of this place
          r.pacing.waits = 1'b0;
          r.pacing.sent = '0;
          r.pacing.burst = work_i.ack[4:0];
          r.pacing.at = pace_at_t'(work_i.seq);
        end
      end

      kinds_i[EventTick]: begin
        r.pressed = 1'b0;
        if (measures_i) begin
          r.dctcp.acked = '0;
          r.dctcp.marked = '0;
          r.dctcp.over = 1'b0;
        end
        if (facts_i.stamps.expires) r.stamps.fresh = 1'b0;
        if (facts_i.ack_late) begin
          r.delays = 1'b0;
          if (phases_i[Open] && record_i.acks_due == '0) begin
            d.late_ack = 1'b1;
            r.acks_due = 3'd1;
          end
        end
        if (Far && work_i.flags.rst && phases_i[Open]) begin
          d.gave_up = 1'b1;
          r.silent = 1'b1;
          resets = 1'b1;
          dies = 1'b1;
        end else if (facts_i.late) begin
          // Once for each gap: if that is lost, too, or nothing is acknowledged any more, the time-out is next.
          r.reordering.runs = !record_i.recovering;
          r.reordering.since = sample_t'(now_i);
          r.resend = 1'b1;
          r.resent_to = near_t'(record_i.snd_una);
          d.lost_again = record_i.recovering;
          if (!record_i.recovering) begin
            r.ecn.tells = record_i.ecn.on;
            r.ecn.reduced = record_i.ecn.on;
            r.ecn.reduced_to = near_t'(record_i.snd_max);
            r.cwnd = cwnd;
            r.usable = usable;
            r.threshold = threshold;
            r.credit = credit;
            r.congestion = congestion;
            r.estimate = estimate;
            r.tail.due = 1'b0;
            r.tail.out = 1'b0;
            r.recovering = 1'b1;
            recovers_to_max = 1'b1;
            r.timer_on = 1'b0;  // restarted: the time-out counts from here on
            d.fast = 1'b1;
            d.late = 1'b1;
          end
        end else if (facts_i.expired) begin
          if (record_i.lingers) begin
            r.phase = Free;
          end else if (phases_i[SynSent] || phases_i[SynReceived] || phases_i[Open]) begin
            r.timing = 1'b0;
            if (facts_i.last_try) begin
              d.gave_up = 1'b1;
              r.silent = 1'b1;
              resets = phases_i[Open];
              dies = 1'b1;
            end else if (record_i.idles) begin
              r.tries = record_i.tries + 1'b1;
              r.probes = 1'b1;
              if (record_i.acks_due == '0) r.acks_due = 3'd1;
              r.timer_on = 1'b0;
            end else begin
              r.tries = record_i.tries + 1'b1;
              if (phases_i[SynSent]) r.ecn.on = 1'b0;  // the next SYN does without, in case that ECN is why this one was lost (RFC 3168, 6.1.1.1)
              if (facts_i.outstanding) begin
                if (phases_i[Open]) begin
                  r.ecn.tells = record_i.ecn.on;
                  r.ecn.reduced = record_i.ecn.on;
                  r.ecn.reduced_to = near_t'(record_i.snd_max);
                end
                r.cwnd = span_t'(record_i.mss);
                r.usable = span_t'(record_i.mss);
                r.threshold = threshold;
                r.credit = credit;
                r.congestion = congestion;
                r.estimate = estimate;
              end
              if (record_i.backoff != '1) r.backoff = record_i.backoff + 1'b1;
              r.tail.due = 1'b0;
              r.tail.out = 1'b0;
              r.reordering.runs = 1'b0;
              r.snd_nxt = record_i.snd_una;
              forgets_sacked = 1'b1;  // the peer may have forgotten it (RFC 2018, 8)
              r.sack_news = 1'b0;
              r.resent_to = near_t'(record_i.snd_una);
              recovers_to_max = 1'b1;
              r.recovering = 1'b0;
              r.resend = 1'b0;
              r.dup_acks = '0;
              r.force_send = phases_i[Open];
              r.timer_on = 1'b0;
            end
          end
        end else if (facts_i.tail_due) begin
          r.tail.due = 1'b1;
          r.timer_on = 1'b0;  // restarted: the time-out counts from the probe on
        end
      end

      default: ;
    endcase

    // Chosen last, each by one bit, because these are many bits, and what the event is decides late.
    r.sacked = ({$bits(r.sacked) {!adds_block && !passes_sacked && !forgets_sacked}} & record_i.sacked) | ({$bits(r.sacked) {adds_block}} & with_block)
        | ({$bits(r.sacked) {passes_sacked}} & behind_ack);
    r.recover = recovers_to_max ? record_i.snd_max : recovers_to_ack ? work_i.ack : record_i.recover;
    if (challenge && record_i.acks_due != '1) r.acks_due = record_i.acks_due + 1'b1;
    if (challenge && facts_i.fin_again && phases_i[TimeWait]) r.timer_on = 1'b0;
    if (refuses) begin
      d.no_connection = 1'b1;
      d.sends = !work_i.flags.rst;
      d.segment.tuple = work_i.tuple;
      d.segment.port = work_i.port;
      d.segment.tenant = work_i.tenant;
      d.segment.flags = '{rst: 1'b1, ack: !work_i.flags.ack, default: '0};
      d.segment.seq = work_i.flags.ack ? work_i.ack : '0;
      d.segment.ack = work_i.flags.ack ? '0
          : work_i.seq + seq_t'(work_i.bytes) + seq_t'(work_i.flags.syn) + seq_t'(work_i.flags.fin);
      d.segment.window = '0;
    end
    if (resets) begin
      d.sends = 1'b1;
      d.segment.seq = record_i.snd_nxt;
      d.segment.flags = '{rst: 1'b1, ack: 1'b1, default: '0};
    end
    d.sample = sample;
    // An application that knows a connection must close it before its number is used again; one that waits for it must be told.
    if (dies) r.phase = (record_i.told ? !r.closing || r.half : record_i.opener) ? Dead : Free;
  end

  assign record_o = r;
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, work_i, kinds_i, phases_i, cfg_i, facts_i};
endmodule
