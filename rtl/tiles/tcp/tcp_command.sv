// SPDX-License-Identifier: Apache-2.0
// The next state of a connection when its application sends a command. Combinational.
module tcp_command
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*;
#(
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096
) (
    input  work_t    work_i,
    input  logic [EventTick:0] kinds_i,  // of the event, one bit for each kind
    input  record_t  record_i,
    input  logic [SynSent:0] phases_i,  // of the record, one bit for each phase
    input  facts_t   facts_i,
    input  tick_t    now_i,
    input  segment_t segment_i,  // an acknowledgement
    output record_t record_o,
    output deeds_t  deeds_o,
    output logic    aborts_o   // the connection is to be reset
);
  // A read for more would wait for ever: the window lets the peer send no more, or there can never be that much room.
  localparam length_t MostLeast = length_t'(Ring / 2 < MostData ? Ring / 2 : MostData);
  localparam length_t MostRoom = length_t'(Ring < (1 << $bits(length_t)) ? Ring : (1 << $bits(length_t)) - 1);

  record_t r;
  deeds_t d;
  logic allowed, halves, sends;
  always_comb begin
    r = record_i;
    d = '0;
    d.segment = segment_i;
    aborts_o = 1'b0;
    sends = 1'b0;
    allowed = record_i.told && !phases_i[Free] && (!record_i.closing || record_i.half) && !facts_i.foreign;
    halves = kinds_i[EventClose] && work_i.stands;
    if (kinds_i[EventWrite]) begin
      if (allowed && phases_i[Open] && !record_i.closing && facts_i.writes) begin
        sends = 1'b1;
        d.result.bytes = work_i.bytes;
        d.result.seq = record_i.snd_end;
        r.snd_end = record_i.snd_end + seq_t'(work_i.bytes);
        if (!facts_i.holds_more) r.snd_held = record_i.snd_end + seq_t'(work_i.bytes);
      end else begin
        d.write_refused = 1'b1;
      end
    end else if (!allowed) begin
      d.command_refused = 1'b1;
    end else if (kinds_i[EventRead]) begin
      r.armed = 1'b1;
      r.stands = work_i.stands;
      r.snd_held = record_i.snd_end;
      r.least = work_i.bytes > MostLeast ? MostLeast : work_i.bytes;
      if (work_i.stands && work_i.bytes == '0) r.least = length_t'(1);  // else it would be answered without end
      /* verilator lint_off CMPCONST */  // MostRoom may be the largest number there is
      r.room = work_i.room > MostRoom ? MostRoom : work_i.room;
      /* verilator lint_on CMPCONST */
    end else if (phases_i[Dead]) begin
      if (!halves) r.phase = Free;
    end else begin
      sends = 1'b1;
      r.closing = 1'b1;
      r.half = halves;
      if (!record_i.closing) r.active = !record_i.fin_received;
      if (kinds_i[EventClose] && !halves) begin
        r.armed = 1'b0;
        r.ranges = '0;
        r.rcv_read = record_i.rcv_nxt - seq_t'(record_i.fin_received);
      end
      aborts_o = kinds_i[EventAbort];
    end
    if (sends && record_i.idles) begin
      r.timer_on = 1'b0;  // restarted, for what the peer must acknowledge or for its FIN
      r.since = now_i;
      r.tries = '0;
    end
  end
  assign record_o = r;
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, work_i, kinds_i, phases_i, facts_i};
endmodule
