// SPDX-License-Identifier: Apache-2.0
// Carries out the jobs of connections one after another: reads, closes, and answers in writes of at most ChunkBytes, each of which continues where
// the one before ended. A body is sent in chunks (RFC 9112, 7.1); to clients of HTTP/1.0 it lasts until the end of the connection.
module http_answers
  import girih_pkg::*, tcp_types_pkg::*, http_types_pkg::*;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input  logic job_valid_i,
    output logic job_ready_o,
    input  job_t job_i,

    input  logic    turn_i,    // it may access the clients in this cycle
    output logic    read_o,
    input  client_t client_i,  // one cycle later
    output logic    write_o,
    output logic    [$clog2(Connections)-1:0] index_o,
    output client_t client_o,

    output page_addr_t page_addr_o,
    input  logic [7:0] page_byte_i,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  answered_o
);
  localparam int unsigned Flits = ChunkBytes > 2 * FlitBytes ? ChunkBytes / FlitBytes : 2;
  localparam int unsigned MostText = ChunkBytes - 8;  // up to seven bytes may follow the text
  localparam int unsigned Digits = 20;  // of a counter; a script stops neither before nor within them
  localparam length_t HeadBytes = length_t'(5);  // of a chunk: three digits and the end of the line
  typedef logic [11:0] count_t;

  typedef enum logic [3:0] {
    Idle,
    Fetch,
    Got,
    Start,
    Collect,
    Tail,
    Flush,
    Send,
    Keep,
    Command
  } state_e;
  state_e state_q;
  job_t job_q;
  client_t client_q, next_client;
  logic ended_q, at_body_q, first_q, chunk_q;
  count_t count_q, sent_q, text;  // bytes of the write
  logic [2:0] tail_q;

  logic start, stopped, at_end, at_body, script_valid, put;
  logic [7:0] script_byte, put_byte;
  script_t script_next;
  http_script u_script (
      .clk_i,
      .rst_i,
      .start_i      (start),
      .from_i       (client_q.script),
      .stop_i       (count_q >= count_t'(MostText - Digits - 2)),
      .stopped_o    (stopped),
      .at_end_o     (at_end),
      .at_body_o    (at_body),
      .next_o       (script_next),
      .byte_valid_o (script_valid),
      .byte_o       (script_byte),
      .page_addr_o,
      .page_byte_i,
      .control_valid_o,
      .control_ready_i,
      .control_request_o,
      .control_answer_valid_i,
      .control_answer_i
  );
  assign start = state_q == Start;

  // The bytes of a write: flits are full but the last one. The size of a chunk is written over its first bytes as they leave.
  logic [FlitBytes-1:0][7:0] flit_q;
  logic push, full, queue_ready, queue_valid, queue_pop;
  logic [W-1:0] queued;
  always_comb begin
    put = 1'b0;
    put_byte = script_byte;
    if (state_q == Collect) put = script_valid && count_q < count_t'(MostText);
    else if (state_q == Tail) begin
      put = tail_q != '0;
      unique case (tail_q)  // counts down
        3'd7, 3'd4, 3'd2: put_byte = "\r";
        3'd6, 3'd3, 3'd1: put_byte = "\n";
        default: put_byte = "0";
      endcase
    end
  end
  assign full = count_q[EmptyWidth-1:0] == '1;
  assign push = (put && full) || (state_q == Flush && count_q[EmptyWidth-1:0] != '0);
  logic [FlitBytes-1:0][7:0] flit_now;
  always_comb begin
    flit_now = flit_q;
    if (put) flit_now[count_q[EmptyWidth-1:0]] = put_byte;
  end
  fifo #(
      .T(logic [W-1:0]),
      .Depth(Flits)
  ) u_flits (
      .clk_i,
      .rst_i,
      .in_valid_i (push),
      .in_ready_o (queue_ready),
      .in_data_i  (flit_now),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_pop),
      .out_data_o (queued)
  );
  assign text = count_q - count_t'(HeadBytes);  // of the chunk, without its tail

  function automatic logic [7:0] hex(logic [3:0] digit);
    return digit < 4'd10 ? 8'h30 + 8'(digit) : 8'h57 + 8'(digit);
  endfunction
  count_t size_q;

  // The output: the write, followed by the command.
  logic last;
  assign last = sent_q + count_t'(FlitBytes) >= count_q;
  assign out_valid_o = (state_q == Send && queue_valid) || state_q == Command;
  assign queue_pop = state_q == Send && out_ready_i;
  always_comb begin
    out_flit_o = '0;
    out_flit_o.desc.port = job_q.port;
    out_flit_o.desc.tenant = job_q.tenant;
    out_flit_o.desc.stream_connection = job_q.name;
    if (state_q == Send) begin
      out_flit_o.desc.stream_op = 3'(OpWrite);
      out_flit_o.desc.stream_bytes = length_t'(count_q);
      out_flit_o.data = queued;
      if (first_q && chunk_q) out_flit_o.data[39:0] = {"\n", "\r", hex(size_q[3:0]), hex(size_q[7:4]), hex(size_q[11:8])};
      out_flit_o.last = last;
      out_flit_o.empty = last ? EmptyWidth'(sent_q + count_t'(FlitBytes) - count_q) : '0;
    end else begin
      out_flit_o.desc.stream_op = 3'(job_q.what == JobClose ? OpClose : OpRead);
      out_flit_o.desc.stream_bytes = length_t'(!client_q.answering);
      out_flit_o.desc.stream_room = length_t'(ChunkBytes);
      out_flit_o.last = 1'b1;
    end
  end

  assign job_ready_o = state_q == Idle;
  assign index_o = ($clog2(Connections))'(job_q.name);
  assign read_o = state_q == Fetch && turn_i;
  assign write_o = state_q == Keep && turn_i;
  assign client_o = client_q;
  assign answered_o = state_q == Keep && turn_i && ended_q;
  always_comb begin
    next_client = client_q;
    if (at_body_q) next_client.chunked = !client_q.request.old;
    if (ended_q) begin
      next_client.answering = 1'b0;
      next_client.request = NewRequest;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:
      if (job_valid_i) begin
        job_q   <= job_i;
        state_q <= Fetch;
      end
      Fetch: if (turn_i) state_q <= Got;
      Got: begin
        client_q <= client_i;
        state_q  <= job_q.what == JobAnswer ? Start : Command;
      end
      Start: begin
        state_q <= Collect;
        chunk_q <= client_q.chunked;
        count_q <= client_q.chunked ? count_t'(HeadBytes) : '0;
        sent_q  <= '0;
        first_q <= 1'b1;
      end
      Collect:
      if (stopped) begin
        client_q.script <= script_next;
        ended_q <= at_end || (at_body && client_q.request.is_head);
        at_body_q <= at_body;
        size_q <= text + count_t'(put);
        state_q <= Tail;
        // The end of a chunk. The end of the body follows that of the last chunk, unless that is empty.
        tail_q <= !chunk_q ? '0 : at_end && text != '0 ? 3'd7 : 3'd2;
      end
      Tail: begin
        if (tail_q != '0) tail_q <= tail_q - 1'b1;
        else state_q <= Flush;
      end
      Flush: begin
        state_q  <= count_q == '0 ? Keep : Send;
        client_q <= next_client;
        if (ended_q && client_q.request.closing) job_q.what <= JobClose;
      end
      Send:
      if (queue_valid && out_ready_i) begin
        first_q <= 1'b0;
        sent_q  <= sent_q + count_t'(FlitBytes);
        if (last) state_q <= Keep;
      end
      Keep: if (turn_i) state_q <= Command;
      Command: if (out_ready_i) state_q <= Idle;
      default: state_q <= Idle;
    endcase
    if (put) begin
      flit_q  <= flit_now;
      count_q <= count_q + 1'b1;
    end
    if (rst_i) state_q <= Idle;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!push || queue_ready)
      else $error("http_answers: a write is longer than there is room for");
    end
  end
endmodule
