// SPDX-License-Identifier: Apache-2.0
// One channel of the scheduler: a fabric link in and out, the packet memory between them, the line of
// packets that have been popped and wait for the link, and the packets whose cells are to be freed.
//
// A new lossless packet waits at the link for a token; one that a unit sends has its token already.
module scheduler_channel
  import girih_pkg::*;
#(
    parameter type handle_t = logic [7:0],  // {first, last, cells} of packet_buffer
    parameter int unsigned Units = 8,
    parameter int unsigned Cells = 1024,
    parameter int unsigned CellFlits = 2,
    parameter int unsigned Reserve = 0,  // cells for lossless packets alone
    parameter int unsigned Launches = 16,  // popped packets that wait for the link
    parameter int unsigned Evictions = 8,  // that wait until no arrival is dropped
    parameter int unsigned EvictionsOnTheWay = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input  logic  [Units-1:0] unit_enabled_i,
    input  node_t [Units-1:0] unit_node_i,
    input  logic              token_i,         // there is one for a new lossless packet
    output logic              token_taken_o,

    output logic               stored_valid_o,
    input  logic               stored_ready_i,
    output handle_t            stored_handle_o,
    output length_t            stored_flits_o,
    output length_t            stored_length_o,
    output logic               stored_bad_o,
    output logic               stored_overflow_o,
    output descriptor_t        stored_desc_o,

    input logic        launch_valid_i,
    input handle_t     launch_handle_i,
    input length_t     launch_length_i,
    input descriptor_t launch_desc_i,

    input  logic    drop_valid_i,  // at once
    input  handle_t drop_handle_i,
    input  logic    evict_valid_i,
    input  handle_t evict_handle_i,
    output logic    evict_room_o,   // for one more than those on their way

    output logic [$clog2(Cells):0] free_cells_o
);
  typedef struct packed {
    handle_t handle;
    length_t length;
    descriptor_t desc;
  } launch_t;

  logic first_q, returning, new_lossless;
  always_comb begin
    returning = 1'b0;
    for (int unsigned u = 0; u < Units; u++) begin
      if (unit_enabled_i[u] && unit_node_i[u] == in_flit_i.desc.src) returning = 1'b1;
    end
  end
  assign new_lossless = first_q && in_flit_i.desc.lossless && !returning;
  assign token_taken_o = in_valid_i && in_ready_o && new_lossless;
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) first_q <= in_flit_i.last;
    if (rst_i) first_q <= 1'b1;
  end

  logic launch_ready, read_valid, read_ready, evict_ready, evicted_valid, discard_valid;
  launch_t read;
  handle_t evicted, discard;

  packet_buffer #(
      .Cells(Cells),
      .CellFlits(CellFlits),
      .Reserve(Reserve)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_hold_i(new_lossless && !token_i),
      .stored_valid_o,
      .stored_ready_i,
      .stored_first_o(stored_handle_o.first),
      .stored_last_o(stored_handle_o.last),
      .stored_cells_o(stored_handle_o.cells),
      .stored_flits_o,
      .stored_length_o,
      .stored_bad_o,
      .stored_overflow_o,
      .stored_desc_o,
      .read_valid_i(read_valid),
      .read_ready_o(read_ready),
      .read_first_i(read.handle.first),
      .read_length_i(read.length),
      .read_desc_i(read.desc),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .discard_valid_i(discard_valid),
      .discard_first_i(discard.first),
      .discard_last_i(discard.last),
      .discard_cells_i(discard.cells),
      .free_cells_o
  );

  launch_queue #(
      .T(launch_t),
      .Depth(Launches)
  ) u_launches (
      .clk_i,
      .rst_i,
      .in_valid_i(launch_valid_i),
      .in_ready_o(launch_ready),
      .in_data_i('{handle: launch_handle_i, length: launch_length_i, desc: launch_desc_i}),
      .out_valid_o(read_valid),
      .out_ready_i(read_ready),
      .out_data_o(read)
  );

  // One packet's cells are freed per cycle; one that is dropped on arrival goes first.
  launch_queue #(
      .T(handle_t),
      .Depth(Evictions)
  ) u_evictions (
      .clk_i,
      .rst_i,
      .in_valid_i(evict_valid_i),
      .in_ready_o(evict_ready),
      .in_data_i(evict_handle_i),
      .out_valid_o(evicted_valid),
      .out_ready_i(!drop_valid_i),
      .out_data_o(evicted)
  );
  assign discard_valid = drop_valid_i || evicted_valid;
  assign discard = drop_valid_i ? drop_handle_i : evicted;

  logic [$clog2(Evictions):0] waiting_q;
  assign evict_room_o = 32'(waiting_q) + EvictionsOnTheWay < Evictions;
  always_ff @(posedge clk_i) begin
    waiting_q <= waiting_q + 1'(evict_valid_i) - 1'(evicted_valid && !drop_valid_i);
    if (rst_i) waiting_q <= '0;
    if (!rst_i) begin
      assert (!launch_valid_i || launch_ready)
      else $error("scheduler_channel: a packet was popped without room for it");
      assert (!evict_valid_i || evict_ready)
      else $error("scheduler_channel: a packet was evicted without room for it");
    end
  end
endmodule
