// SPDX-License-Identifier: Apache-2.0
// Where segments come by one port (0) and commands by another (1): what is looked up next, and what becomes an event next. Commands need no look-up,
// and become events in turns with segments, but for those that open connections. Such a command takes its turn at the look-up when the events of
// earlier commands are over, and later ones wait for its own.
//
//   arrivals 0 -+-> search -> look-up -> next -> buffer -+-> work
//   arrivals 1 -+-> orders ------------------------------+
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

    input  logic [1:0] event_ready_i,
    output logic [1:0] event_valid_o,   // work_o is taken, which is a message of this port
    input  logic [1:0] under_way_i,
    input  logic       result_valid_i,  // of the oldest event
    output logic [1:0] result_valid_o
);
  logic order_turn_q;  // a command that was not looked up is the next event
  logic [1:0] starts;
  arrival_t command;
  assign starts  = come_valid_i & come_first_i;
  assign command = arrival_i[1];

  // What is looked up. A command that opens a connection holds up segments until it can be, and lets one of them go behind it.
  logic opens, asks, opening_q, opened_q, after_open_q, order_ready, order_valid, looked_up_valid;
  assign opens = starts[1] && command.work.kind == EventConnect;
  assign asks = opens && !opening_q && !order_valid && !under_way_i[1] && !(after_open_q && starts[0]);
  assign search_valid_o = asks || starts[0];
  always_comb begin
    search_o = asks ? command : arrival_i[0];
    search_o.options = arrival_i[0].options;  // a command has none of them
  end
  assign admits_o[0] = !come_first_i[0] || (search_ready_i && !asks);
  assign admits_o[1] = !come_first_i[1] || (opens ? asks && search_ready_i : order_ready && !opening_q);
  assign lookups_under_way_o = looked_up_valid || under_way_i[0] || opening_q;
  always_ff @(posedge clk_i) begin
    if (search_valid_o && search_ready_i) after_open_q <= asks;
    if (asks && search_ready_i) opening_q <= 1'b1;
    else if (opened_q && !under_way_i[1]) opening_q <= 1'b0;
    if (event_valid_o[1] && !order_turn_q) opened_q <= 1'b1;
    else if (!under_way_i[1]) opened_q <= 1'b0;
    if (rst_i) begin
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
  logic take_order;
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
      .in_valid_i (starts[1] && !opens && !opening_q),
      .in_ready_o (order_ready),
      .in_data_i  (order_in),
      .out_valid_o(order_valid),
      .out_ready_i(take_order),
      .out_data_o (order)
  );

  typedef struct packed {
    logic is_command;
    offset_t headers;
    length_t flits;
    work_t work;
    logic is_block;
    block_t block;
  } looked_up_t;
  looked_up_t looked_up;
  logic take_looked_up;
  skid_buffer #(
      .T(looked_up_t)
  ) u_looked_up (
      .clk_i,
      .rst_i,
      .in_valid_i (next_valid_i),
      .in_ready_o (next_ready_o),
      .in_data_i  ({next_i.is_command, next_i.headers, next_i.flits, next_i.work, next_is_block_i, next_block_i}),
      .out_valid_o(looked_up_valid),
      .out_ready_i(take_looked_up),
      .out_data_o (looked_up)
  );

  // Whose turn it is comes from a register, since all bits of an event depend on it. It changes when the other one can go, and this one has gone or cannot;
  // while neither can, it is a segment's.
  logic order_can, looked_up_can, of_command;
  assign order_can = order_valid && event_ready_i[1];
  assign looked_up_can = looked_up_valid && event_ready_i[looked_up.is_command];
  assign work_valid_o = order_turn_q ? order_can : looked_up_can;
  assign take_order = work_ready_i && order_turn_q && order_can;
  assign take_looked_up = work_ready_i && !order_turn_q && looked_up_can;
  assign of_command = order_turn_q || looked_up.is_command;
  assign event_valid_o = {2{work_valid_o && work_ready_i && !work_is_block_o}} & {of_command, !of_command};
  always_comb begin
    work_o = '0;
    work_o.is_command = of_command;
    work_o.headers = order_turn_q ? '0 : looked_up.headers;
    work_o.flits = order_turn_q ? order.flits : looked_up.flits;
    // An order has no more than this, and nobody looks at a segment's fields beside it.
    work_o.work = looked_up.work;
    if (order_turn_q) begin
      work_o.work.flags = '0;
      work_o.work.marked = 1'b0;
      work_o.work.kind = order.kind;
      work_o.work.tenant = order.tenant;
      work_o.work.port = order.port;
      work_o.work.connection = connection_t'(order.name);
      work_o.work.name = order.name;
      work_o.work.bytes = order.bytes;
      work_o.work.room = order.room;
      work_o.work.stands = order.stands;
    end
  end
  assign work_is_block_o = looked_up.is_block && !order_turn_q;
  assign work_block_o = looked_up.block;
  always_ff @(posedge clk_i) begin
    if (order_turn_q ? !order_can || (looked_up_can && work_ready_i) : order_can && (work_ready_i || !looked_up_can)) order_turn_q <= !order_turn_q;
    if (rst_i) order_turn_q <= 1'b0;
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
      .in_data_i  (of_command),
      .out_valid_o(of_valid),
      .out_ready_i(result_valid_i),
      .out_data_o (of_result)
  );
  assign result_valid_o = {result_valid_i && of_result, result_valid_i && !of_result};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (event_valid_o == '0 || results_ready)
      else $error("tcp_merge: there is no room for the port of an event");
      assert (!result_valid_i || of_valid)
      else $error("tcp_merge: a result comes without an event");
    end
  end

  logic unused;
  assign unused = &{1'b0, arrival_i, next_i};
endmodule
