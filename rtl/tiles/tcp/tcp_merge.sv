// SPDX-License-Identifier: Apache-2.0
// Where segments come by one port (0) and commands by another (1): what is looked up next, and what becomes an event next. Commands need no look-up,
// and become events in turns with segments, but for those that open connections. Such a command takes its turn at the look-up when the events of
// earlier commands are over, and later ones wait for its own.
//
//   arrivals 0 -+-> search -> look-up -> next -+-> buffer -> work
//   arrivals 1 -+-> orders --------------------+
module tcp_merge
  import girih_pkg::*, tcp_types_pkg::*;
#(
    parameter int unsigned Orders = 4,  // commands that wait for their turn
    parameter int unsigned UnderWay = 32  // events that have no result yet, of both ports
) (
    input logic clk_i,
    input logic rst_i,

    input  logic     [1:0] come_valid_i,
    input  logic     [1:0] come_first_i,
    input  arrival_t [1:0] arrival_i,    // with the first flit
    output logic     [1:0] admits_o,     // a flit may leave, as far as this is concerned

    output logic     search_valid_o,
    input  logic     search_ready_i,
    output arrival_t search_o,
    output logic     lookups_under_way_o,  // something that was looked up has no result yet

    input  logic   next_valid_i,
    output logic   next_ready_o,
    input  todo_t  next_i,
    input  logic   next_is_block_i,
    input  block_t next_block_i,

    output logic   work_valid_o,
    input  logic   work_ready_i,
    output todo_t  work_o,
    output logic   work_is_block_o,
    output block_t work_block_o,

    input  logic    [1:0] event_ready_i,
    output logic    [1:0] event_valid_o,  // event_o, a message of this port, goes into the buffer
    output todo_t         event_o,
    output logic    [1:0] event_begins_o,  // an event of this port left the buffer in the last cycle,
    output length_t       event_flits_o,   // and has this many flits
    input  logic    [1:0] under_way_i,
    input  logic       result_valid_i,  // of the oldest event
    output logic [1:0] result_valid_o
);
  logic order_turn_q;  // a command that was not looked up is the next event
  logic [1:0] starts;
  arrival_t command;
  assign starts  = come_valid_i & come_first_i;
  assign command = arrival_i[1];

  // What is looked up. A command that opens a connection holds up segments until it can be, and lets one that waits go behind it. Whether it can be is known a
  // cycle before it asks; this stays so, because no other command passes it. It leaves its store a cycle after it was taken, so that this does not wait for
  // whether a segment could be.
  logic opens, can_open_q, asks, asked_q, opening_q, opened_q, after_open_q, order_ready, order_valid;
  assign opens = starts[1] && command.work.kind == EventConnect;
  assign asks = can_open_q && !after_open_q;
  assign search_valid_o = asks || starts[0];
  always_comb begin
    search_o = asks ? command : arrival_i[0];
    search_o.options = arrival_i[0].options;  // a command has none of them
  end
  assign admits_o[0] = !come_first_i[0] || (search_ready_i && !asks);
  assign admits_o[1] = !come_first_i[1] || (opens ? asked_q : order_ready && !opening_q);
  assign lookups_under_way_o = under_way_i[0] || opening_q;
  always_ff @(posedge clk_i) begin
    can_open_q <= opens && !opening_q && !order_valid && !under_way_i[1] && !(asks && search_ready_i);
    if (asks && search_ready_i) after_open_q <= 1'b1;
    else if (search_ready_i || !starts[0]) after_open_q <= 1'b0;
    asked_q <= (asks && search_ready_i) || (asked_q && !(opens && starts[1]));
    if (asks && search_ready_i) opening_q <= 1'b1;
    else if (opened_q && !under_way_i[1]) opening_q <= 1'b0;
    if (event_valid_o[1] && !order_turn_q) opened_q <= 1'b1;
    else if (!under_way_i[1]) opened_q <= 1'b0;
    if (rst_i) begin
      can_open_q <= 1'b0;
      asked_q <= 1'b0;
      after_open_q <= 1'b0;
      opening_q <= 1'b0;
      opened_q <= 1'b0;
    end
  end

  // What other commands say.
  typedef struct packed {
    event_e kind;
    tenant_t tenant;
    port_t port;
    name_t name;
    length_t bytes;
    length_t room;
    logic stands;
    length_t flits;
  } order_t;
  order_t order_in, order;
  logic order_comes, take_order;
  assign order_comes = starts[1] && !opens && !opening_q;
  assign order_in = '{
          kind: command.work.kind,
          tenant: command.work.tenant,
          port: command.work.port,
          name: command.work.name,
          bytes: command.work.bytes,
          room: command.work.room,
          stands: command.work.stands,
          flits: command.flits
      };
  fifo #(
      .T(order_t),
      .Depth(Orders)
  ) u_orders (
      .clk_i,
      .rst_i,
      .in_valid_i (order_comes),
      .in_ready_o (order_ready),
      .in_data_i  (order_in),
      .out_valid_o(order_valid),
      .out_ready_i(take_order),
      .out_data_o (order)
  );

  // Whose turn it is comes from a register, since all bits of an event depend on it. It changes when the other one can go, and this one has gone or cannot;
  // while neither can, it is a segment's. An event goes into the buffer when its port is ready for it, and stays so while those before it leave: each of them
  // has one flit, or has left, and has at most two unless the port knows of it. So no event waits in the buffer for its port.
  typedef struct packed {
    logic is_command;
    offset_t headers;
    length_t flits;
    work_t work;
    logic is_block;
    block_t block;
  } chosen_t;
  chosen_t chosen, held;
  logic [1:0] free, long_q;  // an event of the port can go into the buffer; the last one that did has several flits
  logic begun_long_q;  // that which has just left it has more than two
  logic [1:0][1:0] held_q;  // of each port, the events in the buffer, and that which has just left it
  logic order_can, next_can, chosen_valid, chosen_ready, held_valid;
  for (genvar p = 0; p < 2; p++) begin : gen_free
    assign free[p] = event_ready_i[p] && (held_q[p] == 2'(event_begins_o[p]) || !long_q[p]) && !(event_begins_o[p] && begun_long_q);
  end
  assign order_can = order_valid && free[1];
  assign next_can = next_valid_i && free[next_i.is_command];
  assign chosen_valid = order_turn_q ? order_can : next_can;
  assign take_order = order_turn_q && free[1] && chosen_ready;
  assign next_ready_o = !order_turn_q && free[next_i.is_command] && chosen_ready;
  assign event_valid_o = {2{chosen_valid && chosen_ready && !chosen.is_block}} & {chosen.is_command, !chosen.is_command};
  always_comb begin
    chosen.is_command = order_turn_q || next_i.is_command;
    chosen.headers = order_turn_q ? '0 : next_i.headers;
    chosen.flits = order_turn_q ? order.flits : next_i.flits;
    chosen.is_block = next_is_block_i && !order_turn_q;
    chosen.block = next_block_i;
    // An order has no more than this, and nobody looks at a segment's fields beside it.
    chosen.work = next_i.work;
    if (order_turn_q) begin
      chosen.work.flags = '0;
      chosen.work.marked = 1'b0;
      chosen.work.kind = order.kind;
      chosen.work.tenant = order.tenant;
      chosen.work.port = order.port;
      chosen.work.connection = connection_t'(order.name);
      chosen.work.name = order.name;
      chosen.work.bytes = order.bytes;
      chosen.work.room = order.room;
      chosen.work.stands = order.stands;
    end
  end
  skid_buffer #(
      .T(chosen_t)
  ) u_held (
      .clk_i,
      .rst_i,
      .in_valid_i (chosen_valid),
      .in_ready_o (chosen_ready),
      .in_data_i  (chosen),
      .out_valid_o(held_valid),
      .out_ready_i(work_ready_i),
      .out_data_o (held)
  );
  assign work_valid_o = held_valid;
  assign work_is_block_o = held.is_block;
  assign work_block_o = held.block;
  always_comb begin
    work_o = '0;
    work_o.is_command = held.is_command;
    work_o.headers = held.headers;
    work_o.flits = held.flits;
    work_o.work = held.work;
    event_o = '0;
    event_o.is_command = chosen.is_command;
    event_o.headers = chosen.headers;
    event_o.flits = chosen.flits;
    event_o.work = chosen.work;
  end
  always_ff @(posedge clk_i) begin
    if (order_turn_q) order_turn_q <= order_can && !(next_can && chosen_ready);
    else order_turn_q <= (order_valid || order_comes) && free[1] && (chosen_ready || !next_can);
    for (int unsigned p = 0; p < 2; p++) begin
      held_q[p] <= held_q[p] + 2'(event_valid_o[p]) - 2'(event_begins_o[p]);
      if (event_valid_o[p]) long_q[p] <= chosen.flits != length_t'(1);
    end
    event_begins_o <= {2{held_valid && work_ready_i && !held.is_block}} & {held.is_command, !held.is_command};
    event_flits_o <= held.flits;
    begun_long_q <= held.flits > length_t'(2);
    if (rst_i) begin
      order_turn_q <= 1'b0;
      held_q <= '0;
      event_begins_o <= '0;
    end
  end

  // Results come in the order of events.
  logic results_ready, of_valid, of_result;
  fifo #(
      .T(logic),
      .Depth(UnderWay)
  ) u_results (
      .clk_i,
      .rst_i,
      .in_valid_i (|event_valid_o),
      .in_ready_o (results_ready),
      .in_data_i  (chosen.is_command),
      .out_valid_o(of_valid),
      .out_ready_i(result_valid_i),
      .out_data_o (of_result)
  );
  assign result_valid_o = {result_valid_i && of_result, result_valid_i && !of_result};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!can_open_q || opens)
      else $error("tcp_merge: a command that opens a connection is gone before it was looked up");
      assert (event_valid_o == '0 || results_ready)
      else $error("tcp_merge: there is no room for the port of an event");
      assert (!result_valid_i || of_valid)
      else $error("tcp_merge: a result comes without an event");
    end
  end

  logic unused;
  assign unused = &{1'b0, arrival_i, next_i};
endmodule
