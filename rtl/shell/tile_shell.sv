// SPDX-License-Identifier: Apache-2.0
// What every tile has around its engine: the sender of its messages, its counters, and its node on
// the control ring, in front of the tile's register block. Adds no cycle to the data path.
//
// Incoming messages go straight to the engine; the shell only watches and counts them.
module tile_shell
  import girih_pkg::*, shell_pkg::*;
#(
    parameter node_t Node = '0,
    parameter logic [255:0] Nodes = '1,  // bit n: node n takes messages
    parameter int unsigned Entries = 4,
    parameter int unsigned Events = 1,  // of the engine
    localparam int unsigned Counters = $bits(shell_event_t) + Events,
    localparam int unsigned WordWidth = $clog2(Counters) + 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic in_valid_i,
    input logic in_ready_i,
    input logic in_last_i,

    input  logic      engine_valid_i,
    output logic      engine_ready_o,
    input  flit_t     engine_flit_i,
    input  next_key_t engine_key_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input logic [Events-1:0] event_i,  // the engine's event_t
    input next_hop_t next_hops_i[Entries],

    input  ctrl_t ctrl_i,
    output ctrl_t ctrl_o,

    // To the register block. A request holds until its answer, which may come in the same cycle.
    output logic        reg_valid_o,
    output logic        reg_write_o,
    output logic [15:0] reg_offset_o,
    output logic [31:0] reg_wdata_o,
    input  logic        reg_done_i,
    input  logic        reg_error_i,
    input  logic [31:0] reg_rdata_i,

    // From the register block, for words of counters.
    input  logic                 counter_read_i,
    input  logic [WordWidth-1:0] counter_word_i,
    output logic                 counter_done_o,
    output logic [         31:0] counter_data_o
);
  shell_event_t shell_event;

  tile_sender #(
      .Node(Node),
      .Nodes(Nodes),
      .Entries(Entries)
  ) u_sender (
      .clk_i,
      .rst_i,
      .next_hops_i,
      .in_valid_i(engine_valid_i),
      .in_ready_o(engine_ready_o),
      .in_flit_i(engine_flit_i),
      .in_key_i(engine_key_i),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .drop_no_next_hop_o(shell_event.drop_no_next_hop),
      .drop_bad_node_o(shell_event.drop_bad_node)
  );

  assign shell_event.in_messages = in_valid_i && in_ready_i && in_last_i;
  assign shell_event.out_messages = out_valid_o && out_ready_i && out_flit_o.last;
  assign shell_event.mark_in_flits = in_valid_i && in_ready_i;
  assign shell_event.mark_out_flits = out_valid_o && out_ready_i;
  assign shell_event.mark_in_stalls = in_valid_i && !in_ready_i;
  assign shell_event.mark_out_stalls = out_valid_o && !out_ready_i;

  // Members of a packed struct start at the most significant end, counters at index 0.
  logic [Counters-1:0] events;
  assign events = {<<{shell_event, event_i}};

  counter_bank #(
      .Counters(Counters)
  ) u_counters (
      .clk_i,
      .rst_i,
      .event_i(events),
      .read_i (counter_read_i),
      .word_i (counter_word_i),
      .done_o (counter_done_o),
      .data_o (counter_data_o)
  );

  ctrl_node #(
      .Node(Node)
  ) u_node (
      .clk_i,
      .rst_i,
      .ctrl_i,
      .ctrl_o,
      .valid_o (reg_valid_o),
      .write_o (reg_write_o),
      .offset_o(reg_offset_o),
      .data_o  (reg_wdata_o),
      .done_i  (reg_done_i),
      .error_i (reg_error_i),
      .data_i  (reg_rdata_i)
  );
endmodule
