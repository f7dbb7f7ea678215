// SPDX-License-Identifier: Apache-2.0
// TCP (RFC 9293) with the bytes of its streams in a tile of memory, which it reaches with requests: tcp_stack, and the modules that write and
// read these bytes.
//
//   in -> tcp_stack -> bytes -> stream_writer ----------+
//            |  ^--- segments, with their bytes <-- stream_fetch --+--> stream_requests --> request_out
//   out <----+  ^--- notices, with their bytes <--- stream_fetch --+    reply_in -->
//
// The input waits while requests for memory do, but not for the output; requests leave by a port of their own, and replies are always taken. So it
// waits for the memory alone.
//
// A read follows the replies of all writes that had begun when its message was made. Where the memory does not keep order by itself:
//   - bytes are received into places whose last bytes have been read: the window opens when the replies have come;
//   - the first write for a new connection of a place is ordered behind all accesses for the former one;
//   - messages of a connection that has ended are not read any more: its place may have new bytes.
//
// A connection whose writes, or reads for the application, have failed is broken: nothing of it is read any more, its application is told once, and it is
// reset at once, or at the timer's next visit if several break together. A segment whose read has failed is not sent; the time-out sends it again.
module tcp_memory_engine
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*, tcp_memory_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Window = 8192,
    parameter int unsigned SegmentsAhead = 8,
    parameter int unsigned NoticesAhead = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output logic      request_out_valid_o,
    input  logic      request_out_ready_i,
    output flit_t     request_out_flit_o,
    output next_key_t request_out_key_o,

    input  logic  reply_in_valid_i,
    output logic  reply_in_ready_o,
    input  flit_t reply_in_flit_i,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam next_key_t ToMemory = 16'hffff;  // no application has this name
  localparam length_t Broken = length_t'(2);  // why a connection has ended: the memory has failed
  typedef logic [$clog2(Connections)-1:0] id_t;

  logic receive_write, send_write, write_later, receive_read, send_read, telling;
  connection_t receive_connection, send_connection;
  seq_t receive_addr, send_addr;
  logic [W-1:0] receive_data, send_data;
  write_t write, unused_sent;  // with one port, both are the same
  logic room, offers, moves, moves_last, write_begins;
  length_t offers_flits, write_bytes;
  seq_t write_first;
  tenant_t write_tenant;
  logic made, make_valid, make_ready, build_valid, build_ready, notice_valid, notice_ready, tell_valid, tell_ready;
  connection_t made_connection;
  segment_t make, build;
  notice_t notice, tell;
  logic [NoticesAhead-1:0] reading;
  stretch_t [NoticesAhead-1:0] reading_range;
  connection_t [NoticesAhead-1:0] reading_connection;
  seq_t [NoticesAhead-1:0] reading_seq;
  for (genvar i = 0; i < int'(NoticesAhead); i++) begin : gen_reading
    assign reading_connection[i] = reading_range[i].connection;
    assign reading_seq[i] = reading_range[i].addr;
  end
  logic clear, freed, lost_q;
  logic breaks, breaks_now, tells_of_it;
  stretch_t checks[2], fetched_range;
  request_t reply;
  logic [15:0] clear_index;
  connection_t freed_connection, visit;
  tcp_pkg::cfg_t stack_cfg;
  tcp_pkg::event_t counted;
  assign stack_cfg = '{
          listen: cfg_i.listen,
          mss: cfg_i.mss,
          secret: cfg_i.secret,
          rto_initial: cfg_i.rto_initial,
          rto_min: cfg_i.rto_min,
          rto_max: cfg_i.rto_max,
          time_wait: cfg_i.time_wait,
          retries: cfg_i.retries,
          ip: cfg_i.ip,
          tenant_connections: cfg_i.tenant_connections,
          keep_idle: cfg_i.keep_idle,
          keep_interval: cfg_i.keep_interval,
          keep_count: cfg_i.keep_count,
          user_timeout: cfg_i.user_timeout,
          ack_delay: cfg_i.ack_delay,
          half_open: cfg_i.half_open,
          path_mtu_least: cfg_i.path_mtu_least,
          cubic: cfg_i.cubic,
          cubic_rate: cfg_i.cubic_rate,
          ecn: cfg_i.ecn,
          dctcp: cfg_i.dctcp,
          pacing: cfg_i.pacing,
          tail_probe: cfg_i.tail_probe,
          rack: cfg_i.rack,
          timestamps: cfg_i.timestamps,
          timestamp_unit: cfg_i.timestamp_unit,
          timestamp_life: cfg_i.timestamp_life
      };
  tcp_stack #(
      .Connections(Connections),
      .Window     (Window),
      .Far        (1),
      .Notices    (NoticesAhead)
  ) u_stack (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .receive_write_o     (receive_write),
      .receive_o           (write),
      .send_write_o        (send_write),
      .send_o              (unused_sent),
      .write_later_o       (write_later),
      .room_i              (room),
      .offers_o            (offers),
      .offers_flits_o      (offers_flits),
      .moves_o             (moves),
      .moves_last_o        (moves_last),
      .write_begins_o      (write_begins),
      .write_first_o       (write_first),
      .write_bytes_o       (write_bytes),
      .write_tenant_o      (write_tenant),
      .made_o              (made),
      .made_connection_o   (made_connection),
      .make_valid_o        (make_valid),
      .make_ready_i        (make_ready),
      .make_o              (make),
      .build_valid_i       (build_valid),
      .build_ready_o       (build_ready),
      .build_i             (build),
      .notice_valid_o      (notice_valid),
      .notice_ready_i      (notice_ready),
      .notice_o            (notice),
      .tell_valid_i        (tell_valid),
      .tell_ready_o        (tell_ready),
      .tell_i              (tell),
      .tell_later_i        (1'b0),
      .tell_connection_i   ('0),
      .send_read_o         (send_read),
      .send_connection_o   (send_connection),
      .send_addr_o         (send_addr),
      .send_data_i         (send_data),
      .receive_read_o      (receive_read),
      .receive_connection_o(receive_connection),
      .receive_addr_o      (receive_addr),
      .receive_data_i      (receive_data),
      .telling_o           (telling),
      .reading_i           (reading),
      .reading_connection_i(reading_connection),
      .reading_seq_i       (reading_seq),
      .clear_o             (clear),
      .clear_index_o       (clear_index),
      .freed_o             (freed),
      .freed_connection_o  (freed_connection),
      .visit_o             (visit),
      .lost_i              (lost_q),
      .breaks_i            (breaks_now),
      .breaks_connection_i (reply.piece.connection),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .cfg_i               (stack_cfg),
      .event_o             (counted)
  );

  // The number of connections that each place has had; the last one of each that is broken, and the last one whose application has been told of that.
  localparam int unsigned Visited = 0, Replied = 1, Fetched = 2, Asked = 3;  // queries of the broken ones
  generation_t generations[Connections];
  generation_t next_generation;
  connection_t [4:0] query_connections;
  generation_t [4:0] query_generations;
  logic [4:0] is_broken;
  logic is_told;
  assign next_generation = generations[id_t'(freed_connection)] + 1'b1;
  assign query_connections = {checks[1].connection, checks[0].connection, fetched_range.connection, reply.piece.connection, visit};
  assign query_generations = {
    checks[1].generation, checks[0].generation, fetched_range.generation, reply.piece.generation, generations[id_t'(visit)]
  };
  always_ff @(posedge clk_i) begin
    if (clear) generations[id_t'(clear_index)] <= '0;
    else if (freed) generations[id_t'(freed_connection)] <= next_generation;
    lost_q <= is_broken[Visited];
  end
  stream_marks #(
      .Connections(Connections),
      .Queries    (5)
  ) u_broken (
      .clk_i,
      .clear_i           (clear),
      .clear_index_i     (clear_index),
      .set_i             (breaks),
      .set_connection_i  (reply.piece.connection),
      .set_generation_i  (reply.piece.generation),
      .freed_i           (freed),
      .freed_connection_i(freed_connection),
      .next_generation_i (next_generation),
      .connections_i     (query_connections),
      .generations_i     (query_generations),
      .marked_o          (is_broken)
  );
  // Set a cycle later, in which the next notice may be of the same connection.
  logic told_q, is_marked_told;
  connection_t told_connection_q;
  generation_t told_generation_q;
  assign is_told = is_marked_told || (told_q && told_connection_q == fetched_range.connection && told_generation_q == fetched_range.generation);
  always_ff @(posedge clk_i) begin
    told_q <= tells_of_it;
    told_connection_q <= fetched_range.connection;
    told_generation_q <= fetched_range.generation;
    if (rst_i) told_q <= 1'b0;
  end
  stream_marks #(
      .Connections(Connections)
  ) u_told (
      .clk_i,
      .clear_i           (clear),
      .clear_index_i     (clear_index),
      .set_i             (told_q),
      .set_connection_i  (told_connection_q),
      .set_generation_i  (told_generation_q),
      .freed_i           (freed),
      .freed_connection_i(freed_connection),
      .next_generation_i (next_generation),
      .connections_i     (fetched_range.connection),
      .generations_i     (fetched_range.generation),
      .marked_o          (is_marked_told)
  );

  // Writes.
  stretch_t write_range;
  count_t begun_q, done_q;
  logic write_ask_valid, write_ask_ready, write_ask_last;
  request_t write_ask;
  logic [W-1:0] write_ask_data;
  assign write_range = '{
          connection: write.connection,
          tenant: write_tenant,
          generation: generations[id_t'(write.connection)],
          sent: send_write,
          addr: write_first,
          bytes: write_bytes
      };
  stream_writer #(
      .Connections(Connections)
  ) u_writer (
      .clk_i,
      .rst_i,
      .clear_i       (clear),
      .clear_index_i (clear_index),
      .offers_i      (offers),
      .offers_flits_i(offers_flits),
      .moves_i       (moves),
      .moves_last_i  (moves_last),
      .room_o        (room),
      .begins_i      (write_begins),
      .range_i       (write_range),
      .write_i       (receive_write || send_write),
      .addr_i        (write.addr),
      .data_i        (write.data),
      .begin_i       (write.first),
      .end_i         (write.behind),
      .ask_valid_o   (write_ask_valid),
      .ask_ready_i   (write_ask_ready),
      .ask_o         (write_ask),
      .ask_last_o    (write_ask_last),
      .ask_data_o    (write_ask_data)
  );

  // Segments, with the generation of their connection when they were made.
  localparam int unsigned Segments = 16;
  generation_t make_generation;
  logic generation_ready, generation_valid;
  fifo #(
      .T(generation_t),
      .Depth(Segments)
  ) u_generations (
      .clk_i,
      .rst_i,
      .in_valid_i (made),
      .in_ready_o (generation_ready),
      .in_data_i  (generations[id_t'(made_connection)]),
      .out_valid_o(generation_valid),
      .out_ready_i(make_valid && make_ready),
      .out_data_o (make_generation)
  );

  logic [1:0] read_valid, read_ready, read_void, reply_of;
  request_t read[2];
  logic reply_valid, reply_last, reply_failed;
  place_t reply_place;
  logic [W-1:0] reply_data;
  // A place that is used again has other bytes; those of a notice are kept until it has been read.
  assign read_void[0] = is_broken[Asked] || generations[id_t'(checks[0].connection)] != checks[0].generation;
  assign read_void[1] = is_broken[Asked+1];
  assign reply_of = {reply_valid && !reply.writes && !reply.piece.sent, reply_valid && !reply.writes && reply.piece.sent};

  stretch_t make_range, unused_segment_range;
  segment_t fetched_segment;
  logic segment_valid, segment_failed;
  logic [$clog2(SegmentsAhead)-1:0] segment_slot;
  logic [SegmentsAhead-1:0] unused_waits;
  stretch_t [SegmentsAhead-1:0] unused_waits_range;
  assign make_range = '{
          connection: make.connection,
          tenant: make.tenant,
          generation: make_generation,
          sent: 1'b1,
          addr: make.seq,
          bytes: make.bytes
      };
  stream_fetch #(
      .item_t(segment_t),
      .Slots (SegmentsAhead),
      .Most  (MaxFrameBytes)
  ) u_segments (
      .clk_i,
      .rst_i,
      .in_valid_i    (make_valid),
      .in_ready_o    (make_ready),
      .in_item_i     (make),
      .in_range_i    (make_range),
      .begun_i       (begun_q),
      .done_i        (done_q),
      .ask_valid_o   (read_valid[0]),
      .ask_ready_i   (read_ready[0]),
      .ask_o         (read[0]),
      .checks_o      (checks[0]),
      .void_i        (read_void[0]),
      .reply_valid_i (reply_of[0]),
      .reply_i       (reply),
      .reply_place_i (reply_place),
      .reply_data_i  (reply_data),
      .reply_last_i  (reply_last),
      .reply_failed_i(reply_failed),
      .waits_o       (unused_waits),
      .waits_range_o (unused_waits_range),
      .out_valid_o   (segment_valid),
      .out_ready_i   (build_ready),
      .out_item_o    (fetched_segment),
      .out_range_o   (unused_segment_range),
      .out_slot_o    (segment_slot),
      .out_failed_o  (segment_failed),
      .released_i    (build_ready),
      .read_valid_i  (send_read),
      .read_slot_i   (send_connection[$clog2(SegmentsAhead)-1:0]),
      .read_addr_i   (send_addr),
      .read_data_o   (send_data)
  );
  assign build_valid = segment_valid && !segment_failed;
  always_comb begin
    build = fetched_segment;
    build.connection = connection_t'(segment_slot);
  end

  // Notices.
  stretch_t notice_range;
  notice_t fetched;
  logic fetched_valid, fetched_failed, discards;
  logic [$clog2(NoticesAhead)-1:0] notice_slot;
  assign notice_range = '{
          connection: notice.connection,
          tenant: notice.tenant,
          generation: generations[id_t'(notice.connection)],
          sent: 1'b0,
          addr: notice.seq,
          bytes: notice.opened ? '0 : notice.bytes
      };
  stream_fetch #(
      .item_t(notice_t),
      .Slots (NoticesAhead),
      .Most  (MostMessageData)
  ) u_notices (
      .clk_i,
      .rst_i,
      .in_valid_i    (notice_valid),
      .in_ready_o    (notice_ready),
      .in_item_i     (notice),
      .in_range_i    (notice_range),
      .begun_i       (begun_q),
      .done_i        (done_q),
      .ask_valid_o   (read_valid[1]),
      .ask_ready_i   (read_ready[1]),
      .ask_o         (read[1]),
      .checks_o      (checks[1]),
      .void_i        (read_void[1]),
      .reply_valid_i (reply_of[1]),
      .reply_i       (reply),
      .reply_place_i (reply_place),
      .reply_data_i  (reply_data),
      .reply_last_i  (reply_last),
      .reply_failed_i(reply_failed),
      .waits_o       (reading),
      .waits_range_o (reading_range),
      .out_valid_o   (fetched_valid),
      .out_ready_i   (tell_ready),
      .out_item_o    (fetched),
      .out_range_o   (fetched_range),
      .out_slot_o    (notice_slot),
      .out_failed_o  (fetched_failed),
      .released_i    (!telling),
      .read_valid_i  (receive_read),
      .read_slot_i   (receive_connection[$clog2(NoticesAhead)-1:0]),
      .read_addr_i   (receive_addr),
      .read_data_o   (receive_data)
  );
  // The application is told of a broken connection once, as of a reset.
  assign discards = !fetched.opened && is_told;
  assign tell_valid = fetched_valid && !discards;
  assign tells_of_it = fetched_valid && tell_ready && !discards && fetched_failed;
  always_comb begin
    tell = fetched;
    tell.connection = connection_t'(notice_slot);
    if (fetched_failed) begin
      tell.bytes = '0;
      tell.at_end = 1'b1;
      tell.is_reset = 1'b1;
    end
    if (!fetched.opened && tell.is_reset && (fetched_failed || is_broken[Fetched])) tell.room = Broken;
  end

  // A failed write breaks its connection before it counts as done; a failed read for the application does, too.
  assign breaks = reply_valid && reply_failed && (reply.writes || !reply.piece.sent);
  assign breaks_now = breaks && generations[id_t'(reply.piece.connection)] == reply.piece.generation && !is_broken[Replied];
  always_ff @(posedge clk_i) begin
    begun_q <= begun_q + count_t'(write_begins);
    done_q  <= done_q + count_t'(reply_valid && reply.writes && reply.ends);
    if (rst_i) begin
      begun_q <= '0;
      done_q  <= '0;
    end
  end

  logic made_request, used_reply, failed;
  stream_requests #(
      .Connections(Connections),
      .Ring       (Window)
  ) u_requests (
      .clk_i,
      .rst_i,
      .write_valid_i (write_ask_valid),
      .write_ready_o (write_ask_ready),
      .write_i       (write_ask),
      .write_last_i  (write_ask_last),
      .write_data_i  (write_ask_data),
      .read_valid_i  (read_valid),
      .read_ready_o  (read_ready),
      .read_i        (read),
      .out_valid_o   (request_out_valid_o),
      .out_ready_i   (request_out_ready_i),
      .out_flit_o    (request_out_flit_o),
      .reply_in_valid_i,
      .reply_in_ready_o,
      .reply_in_flit_i,
      .reply_valid_o (reply_valid),
      .reply_o       (reply),
      .reply_place_o (reply_place),
      .reply_last_o  (reply_last),
      .reply_failed_o(reply_failed),
      .reply_data_o  (reply_data),
      .base_i        (cfg_i.first_page),
      .made_o        (made_request),
      .used_o        (used_reply),
      .failed_o      (failed)
  );
  assign request_out_key_o = ToMemory;

  always_comb begin
    event_o = '0;
    event_o.drop_aborted = counted.drop_aborted;
    event_o.drop_length = counted.drop_length;
    event_o.drop_checksum = counted.drop_checksum;
    event_o.drop_unsupported = counted.drop_unsupported;
    event_o.drop_header = counted.drop_header;
    event_o.drop_backlog = counted.drop_backlog;
    event_o.drop_refused = counted.drop_refused;
    event_o.drop_no_connection = counted.drop_no_connection;
    event_o.drop_out_of_window = counted.drop_out_of_window;
    event_o.drop_out_of_order = counted.drop_out_of_order;
    event_o.drop_bad_ack = counted.drop_bad_ack;
    event_o.drop_bad_segment = counted.drop_bad_segment;
    event_o.drop_paws = counted.drop_paws;
    event_o.drop_no_stamp = counted.drop_no_stamp;
    event_o.drop_error = counted.drop_error;
    event_o.drop_command = counted.drop_command;
    event_o.drop_write = counted.drop_write;
    event_o.drop_late_command = counted.drop_late_command;
    event_o.used_segments = counted.used_segments;
    event_o.used_errors = counted.used_errors;
    event_o.used_commands = counted.used_commands;
    event_o.made_segments = counted.made_segments;
    event_o.made_messages = counted.made_messages;
    event_o.mark_begun = counted.mark_begun;
    event_o.mark_unopened = counted.mark_unopened;
    event_o.mark_cookies = counted.mark_cookies;
    event_o.mark_opened = counted.mark_opened;
    event_o.mark_freed = counted.mark_freed;
    event_o.mark_out_of_order = counted.mark_out_of_order;
    event_o.mark_reset_received = counted.mark_reset_received;
    event_o.mark_reset_lost = counted.mark_reset_lost;
    event_o.mark_gave_up = counted.mark_gave_up;
    event_o.mark_retransmitted = counted.mark_retransmitted;
    event_o.mark_fast_retransmit = counted.mark_fast_retransmit;
    event_o.mark_probes = counted.mark_probes;
    event_o.mark_late_acks = counted.mark_late_acks;
    event_o.mark_keep_alives = counted.mark_keep_alives;
    event_o.mark_late_segments = counted.mark_late_segments;
    event_o.mark_lost_again = counted.mark_lost_again;
    event_o.mark_tail_probes = counted.mark_tail_probes;
    event_o.mark_paced = counted.mark_paced;
    event_o.mark_ecn_received = counted.mark_ecn_received;
    event_o.mark_ecn_reduced = counted.mark_ecn_reduced;
    event_o.made_requests = made_request;
    event_o.used_replies = used_reply;
    event_o.mark_memory_errors = failed;
    event_o.mark_segments_lost = segment_valid && build_ready && segment_failed;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (generation_ready || !made)
      else $error("tcp_memory_engine: more segments than generations");
      assert (generation_valid || !make_valid)
      else $error("tcp_memory_engine: a segment without its generation");
    end
  end

  logic unused;
  assign unused = &{1'b0, made_connection, fetched_range, freed_connection, visit, write_later, unused_waits, unused_waits_range, unused_segment_range, send_connection, receive_connection};
endmodule
