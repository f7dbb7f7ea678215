// SPDX-License-Identifier: Apache-2.0
// For tests: the tile tcp_memory with block RAM behind it that answers late, and now and then much later, in the place of a tile tcp. Its ports are those of
// tcp_engine, so the tests of that run on it.
module tcp_memory_bench
  import girih_pkg::*, tcp_pkg::*;
#(
    parameter int unsigned Connections = 16,
    parameter int unsigned Window = 2048,
    parameter int unsigned Latency = 10,  // cycles, at least
    parameter int unsigned Spread = 32,  // a power of two: less than so many cycles more
    parameter int unsigned FirstPage = 3
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

    input  logic [15:0] fails_i,  // the share of requests that are refused, in 2^-16

    input  cfg_t   cfg_i,
    output event_t event_o,
    output logic   failed_o,
    output logic   lost_o,
    output logic   ordered_o  // an ordered request
);
  localparam int unsigned Used = FirstPage + 2 * Connections * Window / 4096;  // pages
  logic first_q, request_valid, request_ready, late_valid, late_ready, reply_valid, reply_ready;
  flit_t request, late, reply;
  next_key_t request_key;
  tcp_memory_pkg::cfg_t cfg;
  tcp_memory_pkg::event_t counted;
  assign cfg = '{
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
          timestamp_life: cfg_i.timestamp_life,
          first_page: 28'(FirstPage)
      };
  always_comb begin
    event_o.drop_aborted = counted.drop_aborted;
    event_o.drop_length = counted.drop_length;
    event_o.drop_checksum = counted.drop_checksum;
    event_o.drop_unsupported = counted.drop_unsupported;
    event_o.drop_header = counted.drop_header;
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
  end
  assign failed_o = counted.mark_memory_errors;
  assign lost_o = counted.mark_segments_lost;
  assign ordered_o = late_valid && late_ready && first_q && late.desc.memory_ordered;

  tcp_memory_engine #(
      .Connections(Connections),
      .Window     (Window)
  ) u_engine (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .request_out_valid_o(request_valid),
      .request_out_ready_i(request_ready),
      .request_out_flit_o (request),
      .request_out_key_o  (request_key),
      .reply_in_valid_i   (reply_valid),
      .reply_in_ready_o   (reply_ready),
      .reply_in_flit_i    (reply),
      .cfg_i              (cfg),
      .event_o            (counted)
  );

  // Each flit waits from its arrival on; one that must wait longer holds up those behind it.
  typedef struct packed {
    logic [31:0] at;
    flit_t flit;
  } waiting_t;
  logic [31:0] now_q, random_q;
  waiting_t waiting;
  logic waits, fails_q;
  fifo #(
      .T(waiting_t),
      .Depth(256)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_valid_i (request_valid),
      .in_ready_o (request_ready),
      .in_data_i  ({now_q + 32'(Latency) + (random_q & 32'(Spread - 1)), request}),
      .out_valid_o(waits),
      .out_ready_i(late_valid && late_ready),
      .out_data_o (waiting)
  );
  assign late_valid = waits && signed'(waiting.at - now_q) <= 0;
  always_comb begin
    late = waiting.flit;
    // Beyond what is granted: the requests that fail.
    if (first_q ? random_q[31:16] < fails_i : fails_q) late.desc.memory_addr[39] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    now_q <= now_q + 1'b1;
    random_q <= {random_q[30:0], random_q[31] ^ random_q[21] ^ random_q[1] ^ random_q[0]};
    if (late_valid && late_ready) begin
      first_q <= late.last;
      fails_q <= late.desc.memory_addr[39];
    end
    if (rst_i) begin
      now_q <= '0;
      random_q <= 32'h1234_5678;
      first_q <= 1'b1;
    end
  end

  block_memory_pkg::cfg_t grants;
  block_memory_pkg::event_t memory_events;
  always_comb begin
    grants = '0;
    grants.grant_first[0] = 28'(FirstPage);
    grants.grant_last[0] = 28'(Used - 1);
    grants.grant_rights[0] = 4'hf;
  end
  block_memory_engine #(
      .Pages(1 << $clog2(Used))
  ) u_memory (
      .clk_i,
      .rst_i,
      .in_valid_i       (late_valid),
      .in_ready_o       (late_ready),
      .in_flit_i        (late),
      .reply_out_valid_o(reply_valid),
      .reply_out_ready_i(reply_ready),
      .reply_out_flit_o (reply),
      .cfg_i            (grants),
      .event_o          (memory_events)
  );

  // Only those are refused that are meant to be.
  logic [15:0] failing_q;
  always_ff @(posedge clk_i) begin
    failing_q <= failing_q + 16'(late_valid && late_ready && late.last && late.desc.memory_addr[39]) - 16'(memory_events.mark_refused);
    if (rst_i) failing_q <= '0;
    if (!rst_i) begin
      assert (!memory_events.mark_malformed && !failing_q[15])
      else $error("tcp_memory_bench: a request that the memory refuses");
    end
  end

  logic unused;
  assign unused = &{1'b0, request_key, counted, memory_events};
endmodule
