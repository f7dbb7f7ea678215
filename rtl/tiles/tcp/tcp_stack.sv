// SPDX-License-Identifier: Apache-2.0
// TCP (RFC 9293), all but the memory of the byte streams: segments from and to IPv4 tiles, and messages from and to applications. docs/tcp.md
// says what it does. The input is taken while room_i is up, even while the output is stalled. With two ports, the second one is for applications.
//
//                 +-> tcp_front --> tcp_events --+--> tcp_maker -----+
//   in (segments, |       |             |        +--> tcp_notifier --+-> out (segments, messages to applications)
//   commands) ----+       +--> bytes received, bytes to send
//
// What is to be made goes out to the buffers, and comes back when its bytes can be read: make_ to build_, notice_ to tell_.
module tcp_stack
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Window = 8192,
    parameter int unsigned Ports = 1,
    parameter bit Far = 0,  // the buffers take time, and may fail
    parameter int unsigned Notices = 1  // whose bytes may be read at a time; more than 1 if Far
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Ports-1:0] in_valid_i,
    output logic  [Ports-1:0] in_ready_o,
    input  flit_t [Ports-1:0] in_flit_i,

    // Writes into the buffers; see tcp_front.
    output logic    receive_write_o,
    output write_t  receive_o,
    output logic    send_write_o,
    output write_t  send_o,
    output logic    write_later_o,
    input  logic    room_i,
    output logic    offers_o,
    output length_t offers_flits_o,
    output logic    moves_o,
    output logic    moves_last_o,
    output logic    write_begins_o,
    output seq_t    write_first_o,
    output length_t write_bytes_o,
    output tenant_t write_tenant_o,

    // A segment and a notice, with bytes that are to be read; and the same when they can be.
    output logic     made_o,  // a segment waits for make_,
    output connection_t made_connection_o,  // of this connection
    output logic     make_valid_o,
    input  logic     make_ready_i,
    output segment_t make_o,
    input  logic     build_valid_i,
    output logic     build_ready_o,
    input  segment_t build_i,
    output logic     notice_valid_o,
    input  logic     notice_ready_i,
    output notice_t  notice_o,
    input  logic     tell_valid_i,
    output logic     tell_ready_o,
    input  notice_t  tell_i,
    input  logic     tell_later_i,  // the bytes of this notice are being written
    input  connection_t tell_connection_i,

    // Reads of these bytes, two cycles each.
    output logic                send_read_o,
    output connection_t         send_connection_o,
    output seq_t                send_addr_o,
    input  logic        [W-1:0] send_data_i,
    output logic                receive_read_o,
    output connection_t         receive_connection_o,
    output seq_t                receive_addr_o,
    input  logic        [W-1:0] receive_data_i,
    output logic                telling_o,           // bytes are still to be read for the notice

    // Bytes that the stack must not overwrite, since they are still to be read for notices, the oldest first.
    input logic        [Notices-1:0] reading_i,
    input connection_t [Notices-1:0] reading_connection_i,
    input seq_t        [Notices-1:0] reading_seq_i,

    // The connections: cleared after reset, ended, and visited by the timer, which gives up one that has lost bytes.
    output logic        clear_o,
    output logic [15:0] clear_index_o,
    output logic        freed_o,
    output connection_t freed_connection_o,
    output connection_t visit_o,
    input  logic        lost_i,             // of the connection that visit_o named in the last cycle
    input  logic        breaks_i,           // it has just lost some, and is visited at once if possible
    input  connection_t breaks_connection_i,

    output logic      [Ports-1:0] out_valid_o,
    input  logic      [Ports-1:0] out_ready_i,
    output flit_t     [Ports-1:0] out_flit_o,
    output next_key_t [Ports-1:0] out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned Segments = 16;  // that wait for tcp_maker
  localparam next_key_t ToNetwork = '0;
  if (Window < 2048 || Window > 65536 || (Window & (Window - 1)) != 0) begin : gen_bad_window
    $fatal(1, "tcp_stack: Window is %0d; it must be a power of two from 2048 to 65536", Window);
  end

  logic clear, work_valid, work_ready, result_valid;
  logic [15:0] clear_index;
  tick_t now;
  work_t work;
  block_t block;
  initial_t initial_numbers;
  logic initial_taken;
  result_t result;
  event_e result_kind;
  logic freed;
  connection_t freed_connection;
  slot_t freed_slot;
  tenant_t freed_tenant;
  logic drop_length, drop_header, drop_command, unopened_valid, unopened_ready, accept_valid, accept_ready, half_ended, drop_refused;
  work_t unopened;
  // The maximum segment size is clamped here, in a register, because the logic that uses it is late in its cycle.
  cfg_t cfg;
  logic [13:0] mss_q;
  always_ff @(posedge clk_i) mss_q <= usable_mss(16'(cfg_i.mss));
  always_comb begin
    cfg = cfg_i;
    cfg.mss = mss_q;
  end

  assign clear_o = clear;
  assign clear_index_o = clear_index;
  assign freed_o = freed;
  assign freed_connection_o = freed_connection;
  tcp_front #(
      .Connections(Connections),
      .Ports(Ports),
      .Far(Far)
  ) u_front (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .clear_i             (clear),
      .clear_index_i       (clear_index),
      .now_i               (now),
      .work_valid_o        (work_valid),
      .work_ready_i        (work_ready),
      .work_o              (work),
      .block_o             (block),
      .initial_o           (initial_numbers),
      .initial_taken_i     (initial_taken),
      .result_valid_i      (result_valid),
      .result_i            (result),
      .receive_write_o,
      .receive_o,
      .send_write_o,
      .send_o,
      .write_later_o,
      .room_i,
      .offers_o,
      .offers_flits_o,
      .moves_o,
      .moves_last_o,
      .write_begins_o,
      .write_first_o,
      .write_bytes_o,
      .write_tenant_o,
      .half_ended_i        (half_ended),
      .freed_i             (freed),
      .freed_connection_i  (freed_connection),
      .freed_slot_i        (freed_slot),
      .freed_tenant_i      (freed_tenant),
      .unopened_valid_o    (unopened_valid),
      .unopened_ready_i    (unopened_ready),
      .unopened_o          (unopened),
      .accept_valid_o      (accept_valid),
      .accept_ready_i      (accept_ready),
      .drop_aborted_o      (event_o.drop_aborted),
      .drop_length_o       (drop_length),
      .drop_checksum_o     (event_o.drop_checksum),
      .drop_unsupported_o  (event_o.drop_unsupported),
      .drop_command_o      (drop_command),
      .drop_backlog_o      (event_o.drop_backlog),
      .drop_header_o       (drop_header),
      .drop_refused_o      (drop_refused),
      .cfg_i(cfg)
  );

  logic segment_push, segment_ready, notice_push, notice_ready, deeds_valid;
  segment_t segment;
  notice_t notice;
  deeds_t deeds;
  logic [$clog2(Segments):0] waiting_q;
  assign notice_valid_o = notice_push;
  assign notice_o = notice;
  assign notice_ready = notice_ready_i;
  tcp_events #(
      .Connections(Connections),
      .Far        (Far),
      .Notices    (Notices),
      .Ring       (Window),
      .MostData   (MostMessageData)
  ) u_events (
      .clk_i,
      .rst_i,
      .clear_o           (clear),
      .clear_index_o     (clear_index),
      .now_o             (now),
      .front_valid_i     (work_valid),
      .front_ready_o     (work_ready),
      .front_work_i      (work),
      .front_block_i     (block),
      .initial_i         (initial_numbers),
      .initial_taken_o   (initial_taken),
      .result_valid_o    (result_valid),
      .result_o          (result),
      .result_kind_o     (result_kind),
      .segment_valid_o   (segment_push),
      .segment_room_i    (waiting_q < ($clog2(Segments) + 1)'(Segments / 2)),
      .segment_o         (segment),
      .unopened_valid_i  (unopened_valid),
      .unopened_ready_o  (unopened_ready),
      .unopened_i        (unopened),
      .accept_valid_i    (accept_valid),
      .accept_ready_o    (accept_ready),
      .notice_valid_o    (notice_push),
      .notice_ready_i    (notice_ready),
      .notice_o          (notice),
      .reading_i,
      .reading_connection_i,
      .reading_seq_i,
      .visit_o,
      .lost_i,
      .breaks_i,
      .breaks_connection_i,
      .freed_o           (freed),
      .freed_connection_o(freed_connection),
      .freed_slot_o      (freed_slot),
      .freed_tenant_o    (freed_tenant),
      .begun_o           (event_o.mark_begun),
      .failed_o          (event_o.mark_unopened),
      .half_ended_o      (half_ended),
      .deeds_valid_o     (deeds_valid),
      .deeds_o           (deeds),
      .cfg_i(cfg)
  );

  // Resets that answer segments without a connection leave room for the turns of connections.
  logic crowds;
  assign crowds = segment.flags.rst && result_kind inside {EventRefuse, EventSegment} && waiting_q >= ($bits(waiting_q))'(Segments / 4);
  fifo #(
      .T(segment_t),
      .Depth(Segments)
  ) u_segments (
      .clk_i,
      .rst_i,
      .in_valid_i (segment_push && !crowds),
      .in_ready_o (segment_ready),
      .in_data_i  (segment),
      .out_valid_o(make_valid_o),
      .out_ready_i(make_ready_i),
      .out_data_o (make_o)
  );
  assign made_o = segment_push && segment_ready && !crowds;
  assign made_connection_o = segment.connection;
  logic taken_q;  // by tcp_maker, whose ready is late
  always_ff @(posedge clk_i) begin
    taken_q   <= make_valid_o && make_ready_i;
    waiting_q <= waiting_q + ($bits(waiting_q))'(made_o) - ($bits(waiting_q))'(taken_q);
    if (rst_i) begin
      taken_q   <= 1'b0;
      waiting_q <= '0;
    end
  end

  // The modules that make messages.
  logic made_valid, made_ready, told_valid, told_ready;
  flit_t made_flit, told_flit;
  next_key_t told_key;
  tcp_maker #(
      .Ring(Window)
  ) u_maker (
      .clk_i,
      .rst_i,
      .segment_valid_i  (build_valid_i),
      .segment_ready_o  (build_ready_o),
      .segment_i        (build_i),
      .read_valid_o     (send_read_o),
      .read_connection_o(send_connection_o),
      .read_addr_o      (send_addr_o),
      .read_data_i      (send_data_i),
      .out_valid_o      (made_valid),
      .out_ready_i      (made_ready),
      .out_flit_o       (made_flit),
      .cfg_i(cfg)
  );
  tcp_notifier u_notifier (
      .clk_i,
      .rst_i,
      .notice_valid_i   (tell_valid_i),
      .notice_ready_o   (tell_ready_o),
      .notice_i         (tell_i),
      .write_later_i    (tell_later_i),
      .write_connection_i(tell_connection_i),
      .read_valid_o     (receive_read_o),
      .read_connection_o(receive_connection_o),
      .read_addr_o      (receive_addr_o),
      .read_data_i      (receive_data_i),
      .reading_o        (telling_o),
      .out_valid_o      (told_valid),
      .out_ready_i      (told_ready),
      .out_flit_o       (told_flit),
      .out_key_o        (told_key)
  );

  if (Ports == 1) begin : gen_one_port
    // One message at a time, in turns; the choice holds while the link is stalled.
    logic open_q, telling_q, telling;
    always_comb begin
      if (open_q) telling = telling_q;
      else telling = told_valid && (!made_valid || !telling_q);
    end
    assign out_valid_o = telling ? told_valid : made_valid;
    assign out_flit_o = telling ? told_flit : made_flit;
    assign out_key_o = telling ? told_key : ToNetwork;
    assign told_ready = telling && out_ready_i[0];
    assign made_ready = !telling && out_ready_i[0];
    always_ff @(posedge clk_i) begin
      if (out_valid_o[0]) begin
        open_q <= !(out_ready_i[0] && out_flit_o[0].last);
        telling_q <= telling;
      end
      if (rst_i) begin
        open_q <= 1'b0;
        telling_q <= 1'b0;
      end
    end
  end else begin : gen_two_ports
    assign out_valid_o = {told_valid, made_valid};
    assign out_flit_o = {told_flit, made_flit};
    assign out_key_o = {told_key, ToNetwork};
    assign {told_ready, made_ready} = out_ready_i;
  end

  // The fate of each message. A possible answer to a SYN cookie is counted when its fate is decided, after it has left the front as an event.
  logic dropped, is_command, is_late, is_put_off;
  assign is_command = result_kind inside {EventRead, EventWrite, EventClose, EventAbort, EventConnect};
  assign is_late = deeds_valid && result_kind inside {EventCookie, EventAccept, EventRefuse} && !result_valid;
  assign is_put_off = result_kind == EventCookie && !deeds.cookie;
  assign dropped = result_kind == EventNone || deeds.no_connection || deeds.out_of_window || deeds.out_of_order || deeds.refused_ack || deeds.bad_segment
      || deeds.write_refused || deeds.command_refused || deeds.cookie_lost || deeds.refused_error || deeds.old_stamp || deeds.no_stamp;
  assign event_o.drop_length = drop_length;
  assign event_o.drop_refused = drop_refused || (result_valid && deeds.cookie_lost);  // never both: a SYN waits for the events before it
  assign event_o.drop_header = drop_header;
  assign event_o.drop_command = drop_command;
  assign event_o.drop_no_connection = (result_valid || is_late) && deeds.no_connection;
  assign event_o.drop_out_of_window = result_valid && deeds.out_of_window;
  assign event_o.drop_out_of_order = result_valid && deeds.out_of_order;
  assign event_o.drop_bad_ack = result_valid && deeds.refused_ack;
  assign event_o.drop_bad_segment = result_valid && deeds.bad_segment;
  assign event_o.drop_paws = result_valid && deeds.old_stamp;
  assign event_o.drop_no_stamp = result_valid && deeds.no_stamp;
  assign event_o.drop_write = result_valid && deeds.write_refused;
  assign event_o.drop_late_command = result_valid && deeds.command_refused;
  assign event_o.drop_error = result_valid && deeds.refused_error;
  assign event_o.used_errors = result_valid && deeds.shrunk;
  assign event_o.used_segments = result_valid ? !dropped && !is_command && !is_put_off && !deeds.shrunk : is_late && !deeds.no_connection;
  assign event_o.used_commands = result_valid && !dropped && is_command;
  assign event_o.made_segments = made_valid && made_ready && made_flit.last;
  assign event_o.made_messages = told_valid && told_ready && told_flit.last;
  assign event_o.mark_out_of_order = result_valid && deeds.kept;
  assign event_o.mark_cookies = deeds_valid && deeds.cookie;
  assign event_o.mark_opened = deeds_valid && deeds.opened;
  assign event_o.mark_freed = freed;
  assign event_o.mark_reset_received = deeds_valid && deeds.reset_received;
  assign event_o.mark_reset_lost = segment_push && (!segment_ready || crowds);
  assign event_o.mark_gave_up = deeds_valid && deeds.gave_up;
  assign event_o.mark_retransmitted = deeds_valid && deeds.resent;
  assign event_o.mark_fast_retransmit = deeds_valid && deeds.fast;
  assign event_o.mark_probes = deeds_valid && deeds.probed;
  assign event_o.mark_late_acks = deeds_valid && deeds.late_ack;
  assign event_o.mark_keep_alives = deeds_valid && deeds.kept_alive;
  assign event_o.mark_late_segments = deeds_valid && deeds.late;
  assign event_o.mark_lost_again = deeds_valid && deeds.lost_again;
  assign event_o.mark_tail_probes = deeds_valid && deeds.tail_probed;
  assign event_o.mark_paced = deeds_valid && deeds.paced;
  assign event_o.mark_ecn_received = deeds_valid && deeds.marked;
  assign event_o.mark_ecn_reduced = deeds_valid && deeds.ecn_reduced;

  logic unused;
  assign unused = &{1'b0, deeds};
endmodule
