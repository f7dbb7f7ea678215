// SPDX-License-Identifier: Apache-2.0
// Second stage of an event: what it makes of its connection, and what else it does. Combinational.
module tcp_update
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096
) (
    input  work_t   work_i,
    input  record_t record_i,
    input  facts_t  facts_i,
    input  tick_t   now_i,
    input  cfg_t    cfg_i,
    output record_t record_o,
    output deeds_t  deeds_o
);
  localparam int unsigned OwnShift = $clog2(Ring) > 15 ? $clog2(Ring) - 15 : 0;
  localparam seq_t Step = Ring / 2 < 1460 ? Ring / 2 : 1460;  // the window's end moves by no less (RFC 9293, 3.8.6.2.2)
  // A read that waits for more would wait for ever: the peer may not send more, or there never is so much room.
  localparam length_t MostLeast = length_t'(Ring / 2 < MostData ? Ring / 2 : MostData);
  localparam length_t MostRoom = length_t'(Ring < (1 << $bits(length_t)) ? Ring : (1 << $bits(length_t)) - 1);

  record_t r;
  deeds_t  d;
  logic [27:0] delta;
  logic challenge, refuses, resets, dies, commanded;
  logic [13:0] own_mss;

  // An acknowledgement and no more, on which other segments are based.
  seq_t edge_now, window;
  segment_t segment;
  always_comb begin
    edge_now = facts_i.gain >= Step ? record_i.rcv_edge + facts_i.gain : record_i.rcv_edge;
    window = window_left(edge_now, record_i.rcv_nxt);
    segment = '0;
    segment.connection = work_i.connection;
    segment.tuple = record_i.tuple;
    segment.port = record_i.port;
    segment.tenant = record_i.tenant;
    segment.seq = record_i.snd_nxt;
    segment.ack = record_i.rcv_nxt;
    segment.flags = '{ack: 1'b1, default: '0};
    if (record_i.scaled) segment.window = 16'(window >> OwnShift);
    else segment.window = window > 32'hffff ? 16'hffff : window[15:0];
  end

  record_t turn;
  deeds_t turn_deeds;
  tcp_transmit #(
      .Ring(Ring)
  ) u_transmit (
      .record_i,
      .facts_i,
      .now_i,
      .edge_i   (edge_now),
      .segment_i(segment),
      .record_o (turn),
      .deeds_o  (turn_deeds)
  );

  always_comb begin
    r = record_i;
    d = '0;
    challenge = 1'b0;
    refuses = 1'b0;
    resets = 1'b0;
    dies = 1'b0;
    commanded = record_i.told && record_i.phase != Free && !record_i.closing && !facts_i.foreign;
    own_mss = usable_mss(16'(cfg_i.mss));
    delta = {4'b0, facts_i.sample > 32'hff_ffff ? 24'hff_ffff : facts_i.sample[23:0]} - 28'(record_i.srtt >> 3);

    d.segment = segment;
    d.notice.connection = work_i.connection;
    d.notice.name = record_i.name;
    d.notice.tuple = record_i.tuple;
    d.notice.port = record_i.port;
    d.notice.tenant = record_i.tenant;
    d.notice.seq = record_i.rcv_read;
    d.notice.room = facts_i.room;

    unique case (work_i.kind)
      EventClear: begin
        r = '0;
        r.phase = Free;
        r.name = name_t'(work_i.connection) - name_t'(Connections);
      end

      EventOpen: begin
        r = '0;
        r.transmit_queued = record_i.transmit_queued;
        r.notify_queued = record_i.notify_queued;
        r.phase = SynReceived;
        r.name = record_i.name + name_t'(Connections);
        r.tuple = work_i.tuple;
        r.slot = work_i.slot;
        r.port = work_i.port;
        r.tenant = work_i.tenant;
        r.rcv_nxt = work_i.seq + 1'b1;
        r.rcv_read = work_i.seq + 1'b1;
        r.rcv_edge = work_i.seq + 1'b1 + seq_t'(Ring > 65535 ? 65535 : Ring);
        r.snd_una = work_i.ack;
        r.snd_nxt = work_i.ack;
        r.snd_max = work_i.ack;
        r.snd_end = work_i.ack + 1'b1;
        r.recover = work_i.ack;
        r.snd_wnd = span_t'(work_i.window);
        r.snd_wl1 = work_i.seq;
        r.snd_wl2 = work_i.ack;
        r.scaled = work_i.scaled;
        r.shift = work_i.scaled ? work_i.shift : '0;
        r.mss = work_i.mss < own_mss ? work_i.mss : own_mss;
      end

      EventSegment: begin
        if (facts_i.foreign || record_i.phase == Free || record_i.phase == Dead) begin
          // The peer of a broken connection is told so; its next SYN waits until the application has closed this one.
          refuses = record_i.phase == Dead && !facts_i.foreign && work_i.flags.ack;
          d.no_connection = 1'b1;
        end else if (!facts_i.acceptable) begin
          d.out_of_window = !work_i.flags.rst;
          if (record_i.phase == SynReceived && work_i.flags.syn && facts_i.syn_again) r.snd_nxt = record_i.snd_una;
          else challenge = !work_i.flags.rst;
        end else if (work_i.flags.rst) begin
          if (facts_i.exact) begin
            d.reset_received = 1'b1;
            dies = 1'b1;
          end else begin
            challenge = 1'b1;
          end
        end else if (work_i.flags.syn) begin
          d.bad_segment = 1'b1;
          challenge = 1'b1;
        end else if (!work_i.flags.ack) begin
          d.bad_segment = 1'b1;
        end else if (record_i.phase == SynReceived && (!facts_i.ack_news || facts_i.ack_unsent)) begin
          d.refused_ack = 1'b1;
          d.sends = 1'b1;
          d.segment.seq = work_i.ack;
          d.segment.flags = '{rst: 1'b1, default: '0};
        end else if (facts_i.ack_unsent || facts_i.ack_ancient) begin
          d.refused_ack = 1'b1;
          challenge = 1'b1;
        end else begin
          if (record_i.phase == SynReceived) begin
            r.phase  = Open;
            d.opened = 1'b1;
          end
          if (record_i.phase == SynReceived || facts_i.wnd_newer) begin
            r.snd_wnd = facts_i.new_wnd;
            r.snd_wl1 = work_i.seq;
            r.snd_wl2 = work_i.ack;
          end
          r.tries = '0;
          if (facts_i.ack_news) begin
            r.snd_una = work_i.ack;
            if (facts_i.ack_beyond_next) r.snd_nxt = work_i.ack;
            r.dup_acks = '0;
            r.backoff = '0;
            r.force_send = 1'b0;
            r.timer_on = 1'b0;  // started anew below if something is left
            // While lost segments are made good, each partial acknowledgement names the next one (RFC 6582).
            r.recovering = record_i.recovering && !facts_i.ack_recovers;
            r.resend = record_i.recovering && !facts_i.ack_recovers;
            if (facts_i.acks_timed) begin
              r.timing = 1'b0;
              r.rtt_known = 1'b1;
              if (record_i.rtt_known) begin  // RFC 6298, 2.3
                r.srtt = record_i.srtt + 27'(signed'(delta));
                if (delta[27]) r.rttvar = record_i.rttvar + 26'(-delta) - (record_i.rttvar >> 2);
                else r.rttvar = record_i.rttvar + 26'(delta) - (record_i.rttvar >> 2);
              end else begin
                r.srtt = 27'(delta[23:0]) << 3;
                r.rttvar = 26'(delta[23:0]) << 1;
              end
            end
          end else if (facts_i.ack_same && facts_i.outstanding && facts_i.same_wnd && work_i.bytes == '0 && !work_i.flags.fin) begin
            if (record_i.dup_acks != '1) r.dup_acks = record_i.dup_acks + 1'b1;
            if (record_i.dup_acks == 2'd2 && facts_i.recovered) begin
              r.resend = 1'b1;
              r.recovering = 1'b1;
              r.recover = record_i.snd_max;
              d.fast = 1'b1;
            end
          end
          // Text and FIN. Behind the application's close, bytes are acknowledged and forgotten.
          if (work_i.bytes != '0 || work_i.flags.fin) begin
            if (record_i.fin_received) begin
              r.acks_due = 3'd1;
            end else if (facts_i.in_order) begin
              d.result.skip = facts_i.skip;
              d.result.bytes = facts_i.take;
              d.result.seq = work_i.seq;
              r.rcv_nxt = record_i.rcv_nxt + seq_t'(facts_i.take) + seq_t'(work_i.flags.fin && facts_i.takes_all);
              r.fin_received = work_i.flags.fin && facts_i.takes_all;
              if (record_i.closing) r.rcv_read = record_i.rcv_nxt + seq_t'(facts_i.take);
              if (record_i.acks_due == '0) r.acks_due = 3'd1;
            end else begin
              d.out_of_order = 1'b1;
              challenge = 1'b1;
            end
          end
        end
      end

      EventRefuse: refuses = 1'b1;

      EventRead: begin
        if (commanded) begin
          r.armed = 1'b1;
          r.least = work_i.bytes > MostLeast ? MostLeast : work_i.bytes;
          /* verilator lint_off CMPCONST */  // MostRoom may be the largest number there is
          r.room  = work_i.room > MostRoom ? MostRoom : work_i.room;
          /* verilator lint_on CMPCONST */
        end else begin
          d.command_refused = 1'b1;
        end
      end

      EventWrite: begin
        if (commanded && record_i.phase == Open && facts_i.writes) begin
          d.result.bytes = work_i.bytes;
          d.result.seq = record_i.snd_end;
          r.snd_end = record_i.snd_end + seq_t'(work_i.bytes);
        end else begin
          d.write_refused = 1'b1;
        end
      end

      EventClose, EventAbort: begin
        if (!commanded) begin
          d.command_refused = 1'b1;
        end else if (record_i.phase == Dead) begin
          r.phase = Free;
        end else if (work_i.kind == EventClose) begin
          r.closing = 1'b1;
          r.armed = 1'b0;
          r.active = !record_i.fin_received;
          r.rcv_read = record_i.rcv_nxt - seq_t'(record_i.fin_received);
        end else begin
          resets = 1'b1;
          r.closing = 1'b1;
          dies = 1'b1;
        end
      end

      EventTransmit: begin
        r = turn;
        d = turn_deeds;
      end

      EventNotify: begin
        r.notify_queued = 1'b0;
        if (record_i.phase == Open && !record_i.told && !record_i.closing) begin
          d.tells = 1'b1;
          d.notice.opened = 1'b1;
          r.told = 1'b1;
        end else if (record_i.armed && (record_i.phase == Dead || (record_i.phase == Open && read_is_ready(record_i, Ring)))) begin
          d.tells = 1'b1;
          r.armed = 1'b0;
          if (record_i.phase == Dead) begin
            d.notice.at_end = 1'b1;
            d.notice.is_reset = 1'b1;
          end else begin
            d.notice.bytes = facts_i.reads;
            d.notice.at_end = record_i.fin_received && facts_i.reads_all;
            r.rcv_read = record_i.rcv_read + seq_t'(facts_i.reads);
          end
        end
      end

      EventTick: begin
        if (facts_i.expired) begin
          if (record_i.phase == TimeWait
              || (record_i.phase == Open && record_i.closing && record_i.snd_una == record_i.snd_end + 1'b1)) begin
            r.phase = Free;
          end else if (record_i.phase == SynReceived || record_i.phase == Open) begin
            r.timing = 1'b0;
            if (record_i.tries >= cfg_i.retries) begin
              d.gave_up = 1'b1;
              resets = record_i.phase == Open;
              dies = 1'b1;
            end else begin
              r.tries = record_i.tries + 1'b1;
              if (record_i.backoff != '1) r.backoff = record_i.backoff + 1'b1;
              r.snd_nxt = record_i.snd_una;
              r.recover = record_i.snd_max;
              r.recovering = 1'b0;
              r.resend = 1'b0;
              r.dup_acks = '0;
              r.force_send = record_i.phase == Open;
              r.timer_on = 1'b0;
            end
          end
        end
      end

      default: ;
    endcase

    if (challenge && record_i.acks_due != '1) r.acks_due = record_i.acks_due + 1'b1;
    if (challenge && facts_i.fin_again && record_i.phase == TimeWait) r.timer_on = 1'b0;
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
    // The application that knows of a connection has to close it before its number is used again.
    if (dies) r.phase = record_i.told && !r.closing ? Dead : Free;
  end

  assign record_o = r;
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, work_i, cfg_i, facts_i};
endmodule
