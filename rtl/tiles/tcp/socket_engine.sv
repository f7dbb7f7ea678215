// SPDX-License-Identifier: Apache-2.0
// An application of a TCP stack that is driven through its window: commands leave as they are written there, one at a time; connections that
// have opened, or could not be opened, wait in a queue; and the answer to a read waits in a buffer, of which there is one.
// The stack never waits for the program that drives the tile: a read, or a request to open a connection, is refused while there is no room for its answer,
// and a connection that a peer has opened is aborted if the queue is full.
module socket_engine
  import girih_pkg::*, tcp_types_pkg::*, socket_pkg::*, socket_window_pkg::*;
#(
    parameter int unsigned Backlog = 16
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

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned Flits = MostMessageData <= 2 * FlitBytes ? 2 : (MostMessageData + FlitBytes - 1) / FlitBytes;  // of the longest message
  localparam int unsigned BufferBits = $clog2(InAt - OutAt);  // of a byte of a buffer in the window
  typedef logic [$clog2(Flits)-1:0] row_t;
  typedef logic [$clog2(FlitBytes/4)-1:0] word_t;

  logic write, starts, forgets, busy, possible, of_out, of_in;
  logic asks_ready, reads_ready, opened_valid, answer_valid, abort_valid, abort_ready;
  logic [31:0] state, opened[6], answer, space;
  logic [W-1:0] answer_flit;
  flit_t abort;
  name_t name_q;
  length_t bytes_q, room_q;
  op_e op;
  row_t row;
  word_t word;
  assign op = op_e'(window_data_i[2:0]);
  assign row = row_t'(window_addr_i[BufferBits-1:EmptyWidth]);
  assign word = window_addr_i[EmptyWidth-1:2];
  assign of_out = window_addr_i >= OutAt && window_addr_i < InAt;
  assign of_in = window_addr_i >= InAt;
  assign write = window_valid_i && window_done_o && window_write_i && !window_error_o;
  assign forgets = write && window_addr_i == StartAt && window_data_i == '0;
  assign starts = write && window_addr_i == StartAt && window_data_i != '0;

  socket_intake #(
      .Backlog(Backlog),
      .Flits  (Flits)
  ) u_intake (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .abort_valid_o (abort_valid),
      .abort_ready_i (abort_ready),
      .abort_o       (abort),
      .tenant_i      (tenant_t'(cfg_i.tenant)),
      .asks_i        (starts && op == OpOpen),
      .asks_ready_o  (asks_ready),
      .reads_i       (starts && op == OpRead),
      .reads_ready_o (reads_ready),
      .reads_name_i  (name_q),
      .forgets_i     (forgets),
      .state_o       (state),
      .opened_valid_o(opened_valid),
      .opened_ready_i(write && window_addr_i == NextAt),
      .opened_o      (opened),
      .answer_valid_o(answer_valid),
      .answer_ready_i(write && window_addr_i == ReleaseAt),
      .answer_o      (answer),
      .space_o       (space),
      .row_i         (row),
      .answer_flit_o (answer_flit),
      .drop_unexpected_o(event_o.drop_unexpected),
      .used_messages_o(event_o.used_messages),
      .mark_opened_o (event_o.mark_opened),
      .mark_failed_o (event_o.mark_failed),
      .mark_refused_o(event_o.mark_refused)
  );
  // The configuration may change while a command leaves.
  port_t port_q;
  tenant_t tenant_q;
  socket_commands #(
      .Flits(Flits)
  ) u_commands (
      .clk_i,
      .rst_i,
      .write_i      (write && of_out),
      .write_row_i  (row),
      .write_word_i (word),
      .write_data_i (window_data_i),
      .start_i      (starts),
      .busy_o       (busy),
      .op_i         (op),
      .end_i        (window_data_i[3]),
      .name_i       (name_q),
      .bytes_i      (bytes_q),
      .room_i       (room_q),
      .port_i       (port_q),
      .tenant_i     (tenant_q),
      .abort_valid_i(abort_valid),
      .abort_ready_o(abort_ready),
      .abort_i      (abort),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .made_o       (event_o.made_commands)
  );
  assign out_key_o = '0;

  // The window. A word of the answer takes two cycles.
  logic [31:0] answer_word_q;
  logic [1:0] steps_q;
  assign window_done_o = window_valid_i && (!of_in || steps_q == 2'd2);
  always_comb begin
    unique case (op)
      OpRead: possible = reads_ready;
      OpWrite: possible = bytes_q != '0 && bytes_q <= length_t'(MostMessageData);
      OpClose, OpAbort: possible = 1'b1;
      OpOpen: possible = asks_ready;
      default: possible = 1'b0;
    endcase
    if (busy || window_data_i[31:4] != '0 || (window_data_i[3] && op != OpClose)) possible = 1'b0;
    if (window_data_i == '0) possible = 1'b1;  // the tile forgets the answers that it waits for

    window_error_o = window_tenant_i != '0;
    if (window_write_i) begin
      unique case (window_addr_i)
        ConnectionAt: if (busy) window_error_o = 1'b1;
        BytesAt, RoomAt: if (busy || 32'(length_t'(window_data_i)) != window_data_i) window_error_o = 1'b1;
        StartAt: if (!possible) window_error_o = 1'b1;
        NextAt: if (!opened_valid) window_error_o = 1'b1;
        ReleaseAt: if (!answer_valid) window_error_o = 1'b1;
        default: if (!of_out || busy || 32'(window_addr_i[BufferBits-1:EmptyWidth]) >= Flits) window_error_o = 1'b1;
      endcase
    end
    unique case (window_addr_i)
      ConnectionAt: window_data_o = 32'(name_q);
      BytesAt: window_data_o = 32'(bytes_q);
      RoomAt: window_data_o = 32'(room_q);
      StateAt: window_data_o = {state[31:1], busy};
      OpenedAt: window_data_o = opened[0];
      OpenedAt + 4: window_data_o = opened[1];
      OpenedAt + 8: window_data_o = opened[2];
      OpenedAt + 12: window_data_o = opened[3];
      OpenedAt + 16: window_data_o = opened[4];
      OpenedAt + 20: window_data_o = opened[5];
      AnswerAt: window_data_o = answer;
      SpaceAt: window_data_o = space;
      default: window_data_o = of_in ? answer_word_q : '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    steps_q <= window_valid_i && !window_done_o ? steps_q + 1'b1 : '0;
    answer_word_q <= answer_flit[32*word+:32];
    if (write && window_addr_i == ConnectionAt) name_q <= name_t'(window_data_i);
    if (write && window_addr_i == BytesAt) bytes_q <= length_t'(window_data_i);
    if (write && window_addr_i == RoomAt) room_q <= length_t'(window_data_i);
    if (starts) begin
      port_q   <= port_t'(cfg_i.port);
      tenant_q <= tenant_t'(cfg_i.tenant);
    end
    if (rst_i) begin
      steps_q <= '0;
      name_q <= '0;
      bytes_q <= '0;
      room_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, cfg_i, state[0]};
endmodule
