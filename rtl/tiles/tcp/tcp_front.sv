// SPDX-License-Identifier: Apache-2.0
// The stack's input: segments, and the commands and bytes of applications. Each message is stored and checked, and looked up if it is a
// segment. It becomes an event, and its bytes are written where the event's result says, while the next message is looked up. Nothing here
// waits for the stack's output, so the input is always taken.
//
//   in -> tcp_intake --+-> tcp_lookup -> blocks of SACK, event -> result --+
//                      +-> flits ------------> tcp_bytes ----------------> bytes into the buffer
//
// With two ports, segments come by the first and commands by the second one, and each has all of this but the look-up, so that bytes are written both
// ways at once. tcp_merge then makes one sequence of events of both.
module tcp_front
  import girih_pkg::*, header_pkg::*, tcp_types_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ports = 1,  // 2: the second one is for applications
    parameter bit Far = 0  // at least one cycle in which no bytes move is between two messages, and no application has the name of the memory
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Ports-1:0] in_valid_i,
    output logic  [Ports-1:0] in_ready_o,
    input  flit_t [Ports-1:0] in_flit_i,

    input logic        clear_i,
    input logic [15:0] clear_index_i,
    input tick_t       now_i,

    output logic    work_valid_o,
    input  logic    work_ready_i,
    output work_t   work_o,
    output block_t  block_o,  // of EventSack
    output initial_t initial_o,  // of EventOpen and EventConnect; see tcp_lookup
    input  logic     initial_taken_i,
    input  logic    result_valid_i,
    input  result_t result_i,

    output logic   receive_write_o,
    output write_t receive_o,
    output logic   send_write_o,
    output write_t send_o,
    output logic   write_later_o,   // the received bytes of the present message are in later flits, or start in this one

    // For buffers that take time to be written, with one port. No event is offered while room_i is down.
    input  logic    room_i,
    output logic    offers_o,            // an event with a message of this many flits, each of which will move
    output length_t offers_flits_o,
    output logic    moves_o,             // a flit moves, whether or not bytes of it are written
    output logic    moves_last_o,        // it is the last of its message
    output logic    write_begins_o,      // it is the first one of a message of which bytes are written:
    output seq_t    write_first_o,       // the first byte,
    output length_t write_bytes_o,       // their number,
    output tenant_t write_tenant_o,      // and whose they are

    input logic        half_ended_i,  // a hand-shake of a peer is over, of freed_tenant_i
    input logic        freed_i,
    input connection_t freed_connection_i,
    input slot_t       freed_slot_i,
    input tenant_t     freed_tenant_i,

    output logic  unopened_valid_o,  // connections that could not be opened, to be reported to their applications
    input  logic  unopened_ready_i,
    output work_t unopened_o,        // of unopened_, and of accept_ if that is valid
    output logic  accept_valid_o,    // the fate of a possible answer to a SYN cookie
    input  logic  accept_ready_i,

    output logic drop_aborted_o,
    output logic drop_length_o,
    output logic drop_checksum_o,
    output logic drop_unsupported_o,
    output logic drop_command_o,
    output logic drop_backlog_o,
    output logic drop_header_o,
    output logic drop_refused_o,
    input  cfg_t cfg_i
);
  localparam int unsigned ForApplications = Ports - 1;  // the port
  if (!(Ports inside {1, 2}) || (Far && Ports != 1)) begin : gen_bad_ports
    $fatal(1, "tcp_front: Ports is %0d; it must be 1, or 2 where Far is 0", Ports);
  end

  logic [Ports-1:0] come_valid, come_first, flits_ready, admits;
  flit_t [Ports-1:0] come_flit;
  arrival_t [Ports-1:0] arrival;
  logic [Ports-1:0] guess, drop_aborted, drop_length, drop_checksum, drop_unsupported, drop_command, drop_backlog;
  tuple_t [Ports-1:0] guess_tuple;
  tenant_t [Ports-1:0] guess_tenant;
  for (genvar p = 0; p < int'(Ports); p++) begin : gen_intake
    assign come_first[p] = come_flit[p].first;
    tcp_intake #(
        .Takes(Ports == 1 ? 3 : p == 0 ? 1 : 2)
    ) u_intake (
        .clk_i,
        .rst_i,
        .in_valid_i        (in_valid_i[p]),
        .in_ready_o        (in_ready_o[p]),
        .in_flit_i         (in_flit_i[p]),
        .out_valid_o       (come_valid[p]),
        .out_ready_i       (flits_ready[p] && admits[p]),
        .out_flit_o        (come_flit[p]),
        .arrival_o         (arrival[p]),
        .guess_o           (guess[p]),
        .guess_tuple_o     (guess_tuple[p]),
        .guess_tenant_o    (guess_tenant[p]),
        .drop_aborted_o    (drop_aborted[p]),
        .drop_length_o     (drop_length[p]),
        .drop_checksum_o   (drop_checksum[p]),
        .drop_unsupported_o(drop_unsupported[p]),
        .drop_command_o    (drop_command[p]),
        .drop_backlog_o    (drop_backlog[p])
    );
  end
  // Each has one port that counts it.
  assign drop_aborted_o = drop_aborted[0];
  assign drop_length_o = drop_length[0];
  assign drop_checksum_o = drop_checksum[0];
  assign drop_unsupported_o = drop_unsupported[0];
  assign drop_command_o = drop_command[ForApplications];
  assign drop_backlog_o = drop_backlog[0];

  // What is looked up.
  logic search_valid, search_ready, todo_valid, todo_ready, next_valid, next_ready, is_block, lookups_under_way;
  arrival_t search;
  todo_t todo;
  tcp_lookup #(
      .Connections(Connections),
      .Far(Far),
      .Commands(Ports == 1)
  ) u_lookup (
      .clk_i,
      .rst_i,
      .clear_i,
      .clear_index_i,
      .now_i,
      .arrival_valid_i(search_valid),
      .arrival_ready_o(search_ready),
      .arrival_i      (search),
      .guess_i        (guess[0]),
      .guess_tuple_i  (guess_tuple[0]),
      .guess_tenant_i (guess_tenant[0]),
      .initial_o,
      .initial_taken_i,
      .work_valid_o   (todo_valid),
      .work_ready_i   (todo_ready),
      .work_o         (todo),
      .idle_i         (!lookups_under_way),
      .half_ended_i,
      .freed_i,
      .freed_connection_i,
      .freed_slot_i,
      .freed_tenant_i,
      .unopened_valid_o,
      .unopened_ready_i,
      .unopened_o,
      .accept_valid_o,
      .accept_ready_i,
      .drop_header_o,
      .drop_refused_o,
      .cfg_i
  );
  stamp_t walked;
  block_t block;
  tcp_sack_blocks u_blocks (
      .clk_i,
      .rst_i,
      .in_valid_i     (todo_valid),
      .in_ready_o     (todo_ready),
      .looks_i        (todo.looks),
      .options_i      (todo.options),
      .options_bytes_i(todo.options_bytes),
      .out_valid_o    (next_valid),
      .out_ready_i    (next_ready),
      .out_is_block_o (is_block),
      .out_block_o    (block),
      .out_stamp_o    (walked)
  );

  // Its events; and with two ports, commands beside them.
  logic [Ports-1:0] event_ready, event_valid, event_begins, under_way, result_valid;
  todo_t next, chosen, entered;
  length_t begun_flits;
  logic chosen_is_block;
  always_comb begin
    next = todo;
    if (is_block) next.work.kind = EventSack;
    if (walked.valid) next.work.stamp = walked;
  end
  if (Ports == 1) begin : gen_one_port
    assign search_valid = come_valid[0] && come_first[0] && flits_ready[0];
    assign search = arrival[0];
    assign admits = ~come_first | search_ready;
    assign lookups_under_way = under_way[0];
    assign work_valid_o = next_valid && event_ready[0] && room_i;
    assign next_ready = work_ready_i && event_ready[0] && room_i;
    assign chosen = next;
    assign chosen_is_block = is_block;
    assign block_o = block;
    assign event_valid = offers_o;
    assign entered = chosen;
    assign event_begins = offers_o;
    assign begun_flits = chosen.flits;
    assign result_valid = result_valid_i;
  end else begin : gen_two_ports
    tcp_merge u_merge (
        .clk_i,
        .rst_i,
        .come_valid_i       (come_valid & flits_ready),
        .come_first_i       (come_first),
        .arrival_i          (arrival),
        .admits_o           (admits),
        .search_valid_o     (search_valid),
        .search_ready_i     (search_ready),
        .search_o           (search),
        .lookups_under_way_o(lookups_under_way),
        .next_valid_i       (next_valid),
        .next_ready_o       (next_ready),
        .next_i             (next),
        .next_is_block_i    (is_block),
        .next_block_i       (block),
        .work_valid_o,
        .work_ready_i,
        .work_o             (chosen),
        .work_is_block_o    (chosen_is_block),
        .work_block_o       (block_o),
        .event_ready_i      (event_ready),
        .event_valid_o      (event_valid),
        .event_o            (entered),
        .event_begins_o     (event_begins),
        .event_flits_o      (begun_flits),
        .under_way_i        (under_way),
        .result_valid_i,
        .result_valid_o     (result_valid)
    );
    logic unused_room;
    assign unused_room = room_i;
  end
  assign work_o = chosen.work;
  assign offers_o = work_valid_o && work_ready_i && !chosen_is_block;
  assign offers_flits_o = chosen.flits;

  logic [Ports-1:0] receive_write, send_write, write_later, moves, moves_last, write_begins;
  write_t [Ports-1:0] write;
  seq_t [Ports-1:0] write_first;
  length_t [Ports-1:0] write_bytes;
  tenant_t [Ports-1:0] write_tenant;
  for (genvar p = 0; p < int'(Ports); p++) begin : gen_bytes
    tcp_bytes #(
        .Far(Far),
        .Ahead(2 * (Ports - 1))
    ) u_bytes (
        .clk_i,
        .rst_i,
        .in_valid_i     (come_valid[p] && admits[p]),
        .in_ready_o     (flits_ready[p]),
        .in_last_i      (come_flit[p].last),
        .in_data_i      (come_flit[p].data),
        .event_ready_o  (event_ready[p]),
        .event_valid_i  (event_valid[p]),
        .event_i        (entered),
        .event_begins_i (event_begins[p]),
        .event_flits_i  (begun_flits),
        .under_way_o    (under_way[p]),
        .result_valid_i (result_valid[p]),
        .result_i,
        .receive_write_o(receive_write[p]),
        .send_write_o   (send_write[p]),
        .write_o        (write[p]),
        .write_later_o  (write_later[p]),
        .moves_o        (moves[p]),
        .moves_last_o   (moves_last[p]),
        .write_begins_o (write_begins[p]),
        .write_first_o  (write_first[p]),
        .write_bytes_o  (write_bytes[p]),
        .write_tenant_o (write_tenant[p])
    );
  end
  assign receive_write_o = receive_write[0];
  assign receive_o = write[0];
  assign write_later_o = write_later[0];
  assign send_write_o = send_write[ForApplications];
  assign send_o = write[ForApplications];
  assign moves_o = moves[0];
  assign moves_last_o = moves_last[0];
  assign write_begins_o = write_begins[0];
  assign write_first_o = write_first[0];
  assign write_bytes_o = write_bytes[0];
  assign write_tenant_o = write_tenant[0];

  logic unused;
  assign unused = &{1'b0, cfg_i, chosen, come_flit, receive_write, send_write, write_later, moves, moves_last, write_begins, write_first, write_bytes, write_tenant,
      drop_aborted, drop_length, drop_checksum, drop_unsupported, drop_command, drop_backlog, guess, guess_tuple, guess_tenant};
endmodule
