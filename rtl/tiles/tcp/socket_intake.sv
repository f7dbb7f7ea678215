// SPDX-License-Identifier: Apache-2.0
// Receives a socket tile's messages from its stack: connections that have opened, or could not be opened, wait in a queue, and the answer
// to the one read in progress waits in a buffer. The stack never waits for the program that takes them: a connection for which the queue
// has no room is aborted by abort_, and so is another tenant's. For each connection that the program requests (asks_i), the queue reserves a place.
// The words of queue and buffer are as the window shows them (spec/windows.yaml). A flit of the answer comes a cycle after its row.
module socket_intake
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Backlog = 16,
    parameter int unsigned Flits = 64  // of the longest answer
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  abort_valid_o,
    input  logic  abort_ready_i,
    output flit_t abort_o,

    input  tenant_t tenant_i,     // the owner of the connections
    input  logic    asks_i,       // a connection is requested
    output logic    asks_ready_o, // and there is room for the answer
    input  logic    reads_i,      // an answer of this connection is requested
    output logic    reads_ready_o,
    input  name_t   reads_name_i,
    input  logic    forgets_i,    // cancels all requests

    output logic [31:0] state_o,
    output logic        opened_valid_o,
    input  logic        opened_ready_i,
    output logic [31:0] opened_o      [6],
    output logic        answer_valid_o,
    input  logic        answer_ready_i,
    output logic [31:0] answer_o,
    output logic [31:0] space_o,
    input  logic [$clog2(Flits)-1:0] row_i,
    output logic [W-1:0] answer_flit_o,

    output logic drop_unexpected_o,
    output logic used_messages_o,
    output logic mark_opened_o,
    output logic mark_failed_o,
    output logic mark_refused_o
);
  localparam int unsigned Asked = 4;  // connections that can be requested at a time, far fewer than the stack can refuse at once
  typedef logic [$clog2(Flits)-1:0] row_t;
  if (Backlog < 8 || Backlog > 256 || (Backlog & (Backlog - 1)) != 0) begin : gen_bad_backlog
    $fatal(1, "socket_intake: Backlog is %0d; it must be a power of two from 8 to 256", Backlog);
  end

  // The message that arrives: its first bytes are valid with its first flit.
  // verilator lint_off ASCRANGE
  logic [0:OpenedBytes-1][7:0] text;
  // verilator lint_on ASCRANGE
  logic come_valid, come_ready, take;
  flit_t come;
  offset_t available;
  op_e op;
  header_window #(
      .HeaderBytes(OpenedBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(come_valid),
      .out_ready_i(come_ready),
      .out_flit_o (come),
      .header_o   (text),
      .available_o(available),
      .need_i     (op == OpOpened ? offset_t'(OpenedBytes) : offset_t'(1))
  );
  assign op = op_e'(come.desc.stream_op);

  // Connections.
  typedef struct packed {
    logic failed;
    logic asked;
    logic [1:0] why;
    name_t name;
    logic [OpenedBytes*8-1:0] text;  // its first byte at the high end
  } opened_t;
  opened_t opened_in, opened;
  logic own, is_opened, failed, asked, fits, told, refused, unused_queue_ready, next, abort_q;
  logic [$clog2(Backlog):0] queued_q;
  logic [$clog2(Asked):0] asked_q;
  logic [$clog2(Backlog)+1:0] kept;  // places of the queue that are not free
  assign come_ready = !abort_q;
  assign take = come_valid && come_ready;
  assign own = come.desc.tenant == tenant_i;
  assign failed = come.desc.stream_reset;
  assign asked = come.desc.stream_end && asked_q != '0;
  assign kept = ($bits(kept))'(queued_q) + ($bits(kept))'(asked_q);
  assign fits = asked || 32'(kept) < Backlog;
  assign is_opened = come.first && op == OpOpened && available == offset_t'(OpenedBytes);
  assign told = take && is_opened && own && fits;
  assign refused = take && is_opened && !failed && !(own && fits);
  assign asks_ready_o = 32'(asked_q) < Asked && 32'(kept) + 1 < Backlog;
  assign next = opened_valid_o && opened_ready_i;
  assign opened_in.failed = failed;
  assign opened_in.asked = come.desc.stream_end;
  assign opened_in.why = come.desc.stream_bytes[1:0];
  assign opened_in.name = come.desc.stream_connection;
  assign opened_in.text = text;
  fifo #(
      .T(opened_t),
      .Depth(Backlog)
  ) u_opened (
      .clk_i,
      .rst_i,
      .in_valid_i (told),
      .in_ready_o (unused_queue_ready),
      .in_data_i  (opened_in),
      .out_valid_o(opened_valid_o),
      .out_ready_i(opened_ready_i),
      .out_data_o (opened)
  );
  always_comb begin
    for (int unsigned i = 0; i < 5; i++) opened_o[i] = opened.text[32*(4-i)+:32];
    opened_o[5] = {opened_valid_o, 11'h0, opened.why, opened.asked, opened.failed, opened.name};
  end

  // The connection that is refused.
  name_t abort_name_q;
  tenant_t abort_tenant_q;
  port_t abort_port_q;
  assign abort_valid_o = abort_q;
  always_comb begin
    abort_o = '0;
    abort_o.last = 1'b1;
    abort_o.desc.port = abort_port_q;
    abort_o.desc.tenant = abort_tenant_q;
    abort_o.desc.stream_op = 3'(OpAbort);
    abort_o.desc.stream_connection = abort_name_q;
  end

  // The answer.
  row_t row_q, row;
  logic reading_q, answered_q, answers, answers_q, full_q, known, known_q;
  name_t reads_name_q;
  length_t bytes_q, room_q;
  logic end_q, reset_q;
  assign answers = come.first ? op == OpData && reading_q && own && come.desc.stream_connection == reads_name_q : answers_q;
  assign known = come.first ? answers || (is_opened && (!failed || (own && fits))) : known_q;
  assign row = come.first ? '0 : row_q;
  assign reads_ready_o = !reading_q && !answered_q;
  assign answer_valid_o = answered_q;
  assign answer_o = {reset_q, end_q, 30'(bytes_q)};
  assign space_o = 32'(room_q);
  assign state_o = {16'(queued_q), 5'h0, 3'(asked_q), 5'h0, answered_q, reading_q, 1'b0};
  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(Flits)
  ) u_answer (
      .clk_i,
      .write_enable_i(take && answers && (come.first || !full_q)),
      .write_addr_i(row),
      .write_data_i(come.data),
      .read_enable_i(1'b1),
      .read_addr_i(row_i),
      .read_data_o(answer_flit_o)
  );

  always_ff @(posedge clk_i) begin
    if (take) begin
      known_q <= known;
      answers_q <= answers;
      row_q <= row + 1'b1;
      full_q <= row == row_t'(Flits - 1) || (full_q && !come.first);  // the next flit is beyond the end of the buffer
      if (come.first && answers) begin
        bytes_q <= come.desc.stream_bytes;
        room_q  <= come.desc.stream_room;
        end_q   <= come.desc.stream_end;
        reset_q <= come.desc.stream_reset;
      end
      if (answers && come.last) begin
        answered_q <= 1'b1;
        reading_q  <= 1'b0;
      end
    end
    if (refused) begin
      abort_q <= 1'b1;
      abort_name_q <= come.desc.stream_connection;
      abort_tenant_q <= come.desc.tenant;
      abort_port_q <= come.desc.port;
    end else if (abort_ready_i) begin
      abort_q <= 1'b0;
    end
    queued_q <= queued_q + ($bits(queued_q))'(told) - ($bits(queued_q))'(next);
    asked_q  <= asked_q + ($bits(asked_q))'(asks_i) - ($bits(asked_q))'(told && asked);
    if (answer_ready_i) answered_q <= 1'b0;
    if (reads_i) begin
      reading_q <= 1'b1;
      reads_name_q <= reads_name_i;
    end
    if (forgets_i) begin
      reading_q <= 1'b0;
      answered_q <= 1'b0;
      answers_q <= 1'b0;
      asked_q <= '0;
    end
    if (rst_i) begin
      abort_q <= 1'b0;
      reading_q <= 1'b0;
      answered_q <= 1'b0;
      queued_q <= '0;
      asked_q <= '0;
    end
  end

  assign drop_unexpected_o = take && come.last && !known;
  assign used_messages_o = take && come.last && known;
  assign mark_opened_o = told && !failed;
  assign mark_failed_o = told && failed;
  assign mark_refused_o = refused;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!told || unused_queue_ready)
      else $error("socket_intake: a connection that has opened finds no room");
      assert (!asks_i || asks_ready_o)
      else $error("socket_intake: there is no room for the answer to an open");
    end
  end

  logic unused;
  assign unused = &{1'b0, come};
endmodule
