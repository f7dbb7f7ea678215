// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server behind the tile `tcp`: answers with the counters of the card, which it reads over the control network. The answers are scripts
// in its page memory, which the operator writes through the window (docs/http.md).
//
//   in -> http_parser -> jobs -> http_answers -> out
//              +---- clients ----+     +-- pages, control network
module http_engine
  import girih_pkg::*, http_script_pkg::*, http_types_pkg::*, http_pkg::*;
#(
    parameter int unsigned Connections = 1024
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

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,

    output event_t event_o
);
  if (Connections < 16 || Connections > 16384 || (Connections & (Connections - 1)) != 0) begin : gen_bad_connections
    $fatal(1, "http_engine: Connections is %0d; it must be a power of two from 16 to 16384", Connections);
  end
  typedef logic [$clog2(Connections)-1:0] index_t;

  // The pages, written by the operator; the last word written is the first word of the memory.
  logic allowed, page_write, serves_q;
  page_addr_t page_addr;
  logic [1:0] page_place_q;
  logic [31:0] page_word;
  assign allowed = window_write_i && window_tenant_i == '0;
  assign page_write = window_valid_i && allowed;
  assign window_done_o = window_valid_i;
  assign window_error_o = !allowed;
  assign window_data_o = '0;
  ram_simple_dual #(
      .T(logic [31:0]),
      .Depth(PageBytes / 4)
  ) u_pages (
      .clk_i,
      .write_enable_i(page_write),
      .write_addr_i  (window_addr_i[13:2]),
      .write_data_i  (window_data_i),
      .read_enable_i (1'b1),
      .read_addr_i   (page_addr[13:2]),
      .read_data_o   (page_word)
  );
  always_ff @(posedge clk_i) begin
    page_place_q <= page_addr[1:0];
    if (page_write && window_addr_i[13:2] == '0) serves_q <= 1'b1;
    if (rst_i) serves_q <= 1'b0;
  end

  // The clients, which parser and answers access in turns. A client belongs to one of the two at a time.
  logic turn_q, parser_read, parser_write, answers_read, answers_write;
  index_t parser_index, answers_index;
  client_t client, parser_client, answers_client;
  always_ff @(posedge clk_i) begin
    turn_q <= !turn_q;
    if (rst_i) turn_q <= 1'b0;
  end
  ram_simple_dual #(
      .T(client_t),
      .Depth(Connections)
  ) u_clients (
      .clk_i,
      .write_enable_i(parser_write || answers_write),
      .write_addr_i  (turn_q ? answers_index : parser_index),
      .write_data_i  (turn_q ? answers_client : parser_client),
      .read_enable_i (parser_read || answers_read),
      .read_addr_i   (turn_q ? answers_index : parser_index),
      .read_data_o   (client)
  );

  logic job_push, job_room, job_valid, job_ready;
  job_t job_in, job;
  http_parser #(
      .Connections(Connections)
  ) u_parser (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .serves_i   (serves_q),
      .turn_i     (!turn_q),
      .read_o     (parser_read),
      .client_i   (client),
      .write_o    (parser_write),
      .index_o    (parser_index),
      .client_o   (parser_client),
      .job_valid_o(job_push),
      .job_ready_i(job_room),
      .job_o      (job_in),
      .used_o     (event_o.used_messages),
      .drop_o     (event_o.drop_unexpected)
  );
  fifo_block #(
      .T(job_t),
      .Depth(Connections)
  ) u_jobs (
      .clk_i,
      .rst_i,
      .in_offer_i (job_push),
      .in_valid_i (job_push),
      .in_ready_o (job_room),
      .in_data_i  (job_in),
      .out_valid_o(job_valid),
      .out_ready_i(job_ready),
      .out_data_o (job)
  );
  http_answers #(
      .Connections(Connections)
  ) u_answers (
      .clk_i,
      .rst_i,
      .job_valid_i      (job_valid),
      .job_ready_o      (job_ready),
      .job_i            (job),
      .turn_i           (turn_q),
      .read_o           (answers_read),
      .client_i         (client),
      .write_o          (answers_write),
      .index_o          (answers_index),
      .client_o         (answers_client),
      .page_addr_o      (page_addr),
      .page_byte_i      (page_word[8*page_place_q+:8]),
      .control_valid_o,
      .control_ready_i,
      .control_request_o,
      .control_answer_valid_i,
      .control_answer_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .answered_o       (event_o.mark_answers)
  );
  assign out_key_o = '0;
  assign event_o.made_messages = out_valid_o && out_ready_i && out_flit_o.last;
  assign event_o.mark_control_refused = 1'b0;

  logic unused;
  assign unused = &{1'b0, window_addr_i[1:0]};
endmodule
