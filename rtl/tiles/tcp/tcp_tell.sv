// SPDX-License-Identifier: Apache-2.0
// The next state of a connection in its turn to tell the application: one message is sent, or none if nothing is due any more. Combinational.
module tcp_tell
  import tcp_types_pkg::*, tcp_stage_pkg::*;
(
    input  connection_t connection_i,
    input  work_t       work_i,
    input  record_t     record_i,
    input  facts_t      facts_i,
    output record_t     record_o,
    output deeds_t      deeds_o
);
  record_t r;
  deeds_t d;
  always_comb begin
    r = record_i;
    d = '0;
    d.notice.connection = connection_i;
    d.notice.name = record_i.name;
    d.notice.tuple = record_i.tuple;
    d.notice.application = record_i.application;
    d.notice.port = record_i.port;
    d.notice.tenant = record_i.tenant;
    d.notice.seq = record_i.rcv_read;
    d.notice.room = facts_i.room;
    r.notify_queued = 1'b0;
    if (record_i.phase == Open && !record_i.told && !record_i.closing) begin
      d.tells = 1'b1;
      d.notice.opened = 1'b1;
      d.notice.at_end = record_i.opener;
      r.told = 1'b1;
    end else if (record_i.phase == Dead && !record_i.told) begin
      d.tells = 1'b1;
      d.notice.opened = 1'b1;
      d.notice.at_end = 1'b1;
      d.notice.is_reset = 1'b1;
      d.notice.bytes = record_i.silent ? Unanswered : Refused;
      r.phase = Free;
    end else if (record_i.armed && (record_i.phase == Dead || (record_i.phase == Open && facts_i.read_ready))) begin
      d.tells = 1'b1;
      r.armed = record_i.stands && record_i.phase == Open && !(record_i.fin_received && facts_i.reads_all);
      if (record_i.phase == Dead) begin
        d.notice.at_end = 1'b1;
        d.notice.is_reset = 1'b1;
        d.notice.room = record_i.silent ? Unanswered : Refused;
      end else begin
        d.notice.bytes = facts_i.reads;
        d.notice.at_end = record_i.fin_received && facts_i.reads_all;
        r.rcv_read = record_i.rcv_read + seq_t'(facts_i.reads);
        if (record_i.stands && record_i.room != '0) r.snd_held = record_i.snd_held + seq_t'(facts_i.reads);
      end
    end
    if (work_i.kind == EventUnopened) begin
      d.tells = 1'b1;
      d.notice = '0;
      d.notice.opened = 1'b1;
      d.notice.at_end = 1'b1;
      d.notice.is_reset = 1'b1;
      d.notice.bytes = Unplaced;
      d.notice.tuple = work_i.tuple;
      d.notice.application = work_i.window;
      d.notice.port = work_i.port;
      d.notice.tenant = work_i.tenant;
    end
  end
  assign record_o = r;
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, facts_i, work_i};
endmodule
