// SPDX-License-Identifier: Apache-2.0
// The first state of a connection. For a SYN, it has answered, or will in a turn if there is no room for a segment now. For an application's
// request to open it, it sends a SYN in a turn. For the answer to a SYN cookie, it is open at once. Combinational.
module tcp_open
  import tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192
) (
    input  work_t   work_i,
    input  logic    room_i,   // for the answer
    input  record_t record_i,
    input  tick_t   now_i,
    input  seq_t    clock_i,  // of time stamps
    input  epoch_t  epoch_i,
    input  logic [13:0] mss_i,  // bytes of data in a segment
    input  cfg_t    cfg_i,
    output record_t record_o,
    output deeds_t  deeds_o
);
  record_t r;
  deeds_t d;
  logic opener, accepts;
  always_comb begin
    opener = work_i.kind == EventConnect;
    accepts = work_i.kind == EventAccept;
    d = '0;
    r = '0;
    r.transmit_queued = record_i.transmit_queued;
    r.notify_queued = record_i.notify_queued;
    r.pacing.queued = record_i.pacing.queued;
    r.pacing.on = work_i.paced;
    r.phase = opener ? SynSent : SynReceived;
    r.opener = opener;
    r.application = opener ? work_i.window : work_i.tuple.local_port;
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
    r.snd_held = work_i.ack + 1'b1;
    r.resent_to = near_t'(work_i.ack);
    r.snd_wnd = span_t'(work_i.window);
    r.snd_wl1 = work_i.seq;
    r.snd_wl2 = work_i.ack;
    r.scaled = work_i.scaled || opener;
    r.sacks = work_i.sacks || opener;
    r.shift = work_i.scaled ? work_i.shift : '0;
    r.mss = mss_i;
    r.cwnd = initial_window(r.mss);
    r.usable = r.cwnd;
    r.threshold = '1;
    r.congestion = work_i.congestion;
    r.ecn.on = work_i.ecn && (opener || (work_i.flags.ece && work_i.flags.cwr));
    r.dctcp.on = work_i.dctcp;
    r.dctcp.alpha = alpha_t'(1 << AlphaFraction);
    r.dctcp.window_to = near_t'(work_i.ack);
    r.since = now_i;
    r.stamps.on = work_i.stamp.valid || (opener && cfg_i.timestamps);
    r.stamps.fresh = 1'b1;
    r.stamps.recent = work_i.stamp.value;
    r.stamps.at = epoch_i;
    r.stamps.acked = near_t'(work_i.seq + 1'b1);
    r.stamps.offset = work_i.stamp.echo;
    if (accepts) begin
      r.phase = Open;
      r.snd_una = work_i.ack + 1'b1;
      r.snd_nxt = work_i.ack + 1'b1;
      r.snd_max = work_i.ack + 1'b1;
      r.resent_to = near_t'(work_i.ack + 1'b1);
      d.opened = 1'b1;
    end else if (room_i && !opener) begin
      r.snd_nxt = work_i.ack + 1'b1;
      r.snd_max = work_i.ack + 1'b1;
      r.timing = 1'b1;
      r.timed_seq = work_i.ack;
      r.timed_at = now_i;
      d.sends = 1'b1;
    end
    d.segment.connection = work_i.connection;
    d.segment.tuple = work_i.tuple;
    d.segment.port = work_i.port;
    d.segment.tenant = work_i.tenant;
    d.segment.seq = work_i.ack;
    d.segment.ack = work_i.seq + 1'b1;
    d.segment.flags.syn = 1'b1;
    d.segment.flags.ack = 1'b1;
    d.segment.flags.ece = r.ecn.on;
    d.segment.window = Ring > 65535 ? 16'hffff : 16'(Ring);
    d.segment.scaled = work_i.scaled;
    d.segment.sacks = work_i.sacks;
    d.segment.stamp = '{valid: work_i.stamp.valid, value: clock_i + work_i.stamp.echo, echo: work_i.stamp.value};
  end
  assign record_o = r;
  assign deeds_o = d;

  logic unused;
  assign unused = &{1'b0, work_i, record_i, cfg_i};
endmodule
