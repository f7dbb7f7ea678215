// SPDX-License-Identifier: Apache-2.0
// For tests: the tile tcp_memory with block RAM behind it that answers late, and now and then much later, in the place of a tile tcp. Its ports are those of
// tcp_engine, with the settings and events of tcp_memory, so the tests of that run on it.
module tcp_memory_bench
  import girih_pkg::*, tcp_memory_pkg::*;
#(
    parameter int unsigned Connections = 16,
    parameter int unsigned Window = 2048,
    parameter int unsigned Latency = 10,  // cycles, at least
    parameter int unsigned Spread = 32  // a power of two: less than so many cycles more
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
  localparam int unsigned Used = 2 * Connections * Window / 4096;  // pages
  logic first_q, request_valid, request_ready, late_valid, late_ready, reply_valid, reply_ready;
  flit_t request, late, reply, sent;
  logic reply_first_q;
  next_key_t request_key;
  assign failed_o = event_o.mark_memory_errors;
  assign lost_o = event_o.mark_segments_lost;
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
      .reply_in_flit_i    (sent),
      .cfg_i,
      .event_o
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
    // As the senders of the two tiles.
    late = waiting.flit;
    late.first = first_q;
    sent = reply;
    sent.first = reply_first_q;
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
    if (reply_valid && reply_ready) reply_first_q <= reply.last;
    if (rst_i) begin
      reply_first_q <= 1'b1;
      now_q <= '0;
      random_q <= 32'h1234_5678;
      first_q <= 1'b1;
    end
  end

  block_memory_pkg::cfg_t grants;
  block_memory_pkg::event_t memory_events;
  always_comb begin
    grants = '0;
    grants.grant_first[0] = cfg_i.first_page;
    grants.grant_last[0] = cfg_i.first_page + 28'(Used - 1);
    grants.grant_rights[0] = 4'hf;
  end
  block_memory_engine #(
      .Pages(2 << $clog2(Used))
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
  assign unused = &{1'b0, request_key, memory_events};
endmodule
