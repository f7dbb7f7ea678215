// SPDX-License-Identifier: Apache-2.0
// One channel of the scheduler: a fabric link in and out, the packet memory between them, the queue of
// popped packets that wait for the link, and the packets whose cells are to be freed.
//
// A new lossless packet takes a token of its tenant, or a place to wait for one. If there is neither, it is dropped like a
// droppable packet that overflows, so nothing behind it ever waits for its tenant. A packet from a unit already has its token.
// A packet of an out-of-range tenant is never lossless.
module scheduler_channel
  import girih_pkg::*, entry_pkg::*;
#(
    parameter int unsigned Channel = 0,
    parameter int unsigned Units = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Cells = 1024,
    parameter int unsigned CellFlits = 2,
    parameter int unsigned Reserve = 0,  // cells that are kept for lossless packets with tokens
    parameter int unsigned Launches = 16,  // popped packets that wait for the link
    parameter int unsigned Evictions = 16,  // evicted packets that wait for a cycle in which no arrival is dropped
    parameter int unsigned EvictionsOnTheWay = 4
) (
    input logic clk_i,
    input logic rst_i,

    input timestamp_t now_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input  logic  [Units-1:0] unit_enabled_i,
    input  node_t [Units-1:0] unit_node_i,
    input  logic  [Tenants-1:0] token_i,  // there is one for a new lossless packet of this tenant
    input  logic  [Tenants-1:0] place_i,  // there is a place to wait for a token
    input  logic  [Tenants-1:0] refuse_i,  // there is neither
    output logic              token_taken_o,
    output logic              place_taken_o,
    output tenant_t           taken_tenant_o,
    output logic              held_o,     // a new lossless packet waits at the link for its turn, or for room

    output logic     stored_valid_o,
    input  logic     stored_ready_i,
    output arrival_t stored_o,

    input logic        launch_valid_i,
    input entry_t      launch_i,
    input descriptor_t launch_desc_i,   // with its route

    input  logic    drop_valid_i,  // the arrival is dropped
    input  logic    keep_valid_i,  // the arrival is queued, and has a token
    input  handle_t arrival_handle_i,
    input  logic    evict_valid_i,
    input  handle_t evict_handle_i,
    output logic    evict_room_o,   // for one more eviction than those in flight

    output logic [$clog2(Cells):0] free_cells_o,
    output logic [$clog2(Cells):0] room_o  // free cells plus the part of the reserve that packets with tokens use
);
  localparam int unsigned CellWidth = $clog2(Cells);

  typedef struct packed {
    logic [CellWidth-1:0] first;
    length_t length;
    descriptor_t desc;
  } launch_t;

  typedef struct packed {
    logic [CellWidth-1:0] first;
    logic [CellWidth-1:0] last;
    logic [CellWidth:0] cells;
  } chain_t;

  logic returning, lossless, new_lossless, has_token, has_place, has_none, has_to_wait, refused, held;
  from_unit #(
      .Units(Units)
  ) u_returning (
      .enabled_i(unit_enabled_i),
      .node_i(unit_node_i),
      .src_i(node_t'(in_flit_i.desc.src)),
      .from_unit_o(returning)
  );
  lossless_claim #(
      .Tenants(Tenants)
  ) u_claim (
      .lossless_i(in_flit_i.desc.lossless),
      .tenant_i(in_flit_i.desc.tenant),
      .token_i,
      .place_i,
      .refuse_i,
      .lossless_o(lossless),
      .token_o(has_token),
      .place_o(has_place),
      .none_o(has_none),
      .waits_o(has_to_wait)
  );
  assign new_lossless = in_flit_i.first && lossless && !returning;
  assign refused = new_lossless && has_none;
  assign held = new_lossless && has_to_wait;
  assign token_taken_o = in_valid_i && in_ready_o && new_lossless && has_token;
  assign place_taken_o = in_valid_i && in_ready_o && new_lossless && !has_token && has_place;
  assign taken_tenant_o = in_flit_i.desc.tenant;
  assign held_o = in_valid_i && held;

  logic launch_ready, read_valid, read_ready, evict_ready, evicted_valid, discard_valid;
  launch_t read;
  chain_t stored, evicted, discard;
  length_t flits, length;
  logic bad, overflow, reserved;
  descriptor_t desc;

  assign stored_o = '{
      entry: '{
          channel: 4'(Channel),
          handle: '{first: 16'(stored.first), last: 16'(stored.last), cells: 16'(stored.cells)},
          flits: flits,
          length: length,
          since: now_i,
          token: reserved,
          desc: desc
      },
      bad: bad || desc.chain_count == '0,
      overflow: overflow,
      stored: !bad && !overflow
  };

  function automatic chain_t chain_of(handle_t handle);
    return '{
        first: CellWidth'(handle.first),
        last: CellWidth'(handle.last),
        cells: (CellWidth + 1)'(handle.cells)
    };
  endfunction

  // Decisions about arrivals and evictions come late in their cycle.
  logic drop_q, keep_q, evict_q;
  chain_t dropped_q, evicting_q;
  always_ff @(posedge clk_i) begin
    drop_q <= drop_valid_i;
    keep_q <= keep_valid_i;
    evict_q <= evict_valid_i;
    dropped_q <= chain_of(arrival_handle_i);
    evicting_q <= chain_of(evict_handle_i);
    if (rst_i) begin
      drop_q <= 1'b0;
      keep_q <= 1'b0;
      evict_q <= 1'b0;
    end
  end

  // The part of the reserve that queued packets with tokens use need not be kept free.
  logic [CellWidth:0] lossless_q, reserve_q;
  always_ff @(posedge clk_i) begin
    lossless_q <= lossless_q + (keep_q ? dropped_q.cells : '0)
        - (launch_valid_i && launch_i.token ? (CellWidth + 1)'(launch_i.handle.cells) : '0);
    reserve_q <= (CellWidth + 1)'(Reserve) - lossless_q;
    room_o <= free_cells_o + lossless_q;
    if (rst_i) lossless_q <= '0;
  end

  flit_t arriving;
  always_comb begin
    arriving = in_flit_i;
    arriving.desc.lossless = lossless && !refused;
  end

  packet_buffer #(
      .Cells(Cells),
      .CellFlits(CellFlits)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i(arriving),
      .in_which_i(returning),
      .in_waits_i({2{lossless}}),
      .in_hold_i({1'b0, has_to_wait}),
      .in_refuse_i({1'b0, has_none}),
      .in_reserved_i({1'b1, has_token}),
      .reserve_i(reserve_q),
      .stored_valid_o,
      .stored_ready_i,
      .stored_first_o(stored.first),
      .stored_last_o(stored.last),
      .stored_cells_o(stored.cells),
      .stored_flits_o(flits),
      .stored_length_o(length),
      .stored_bad_o(bad),
      .stored_overflow_o(overflow),
      .stored_reserved_o(reserved),
      .stored_desc_o(desc),
      .read_valid_i(read_valid),
      .read_ready_o(read_ready),
      .read_first_i(read.first),
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
      .in_data_i('{first: CellWidth'(launch_i.handle.first), length: launch_i.length, desc: launch_desc_i}),
      .out_valid_o(read_valid),
      .out_ready_i(read_ready),
      .out_data_o(read)
  );

  // One packet's cells are freed per cycle; one that is dropped on arrival goes first.
  launch_queue #(
      .T(chain_t),
      .Depth(Evictions)
  ) u_evictions (
      .clk_i,
      .rst_i,
      .in_valid_i(evict_q),
      .in_ready_o(evict_ready),
      .in_data_i(evicting_q),
      .out_valid_o(evicted_valid),
      .out_ready_i(!drop_q),
      .out_data_o(evicted)
  );
  assign discard_valid = drop_q || evicted_valid;
  assign discard = drop_q ? dropped_q : evicted;

  logic [$clog2(Evictions):0] waiting_q;
  assign evict_room_o = 32'(waiting_q) + EvictionsOnTheWay < Evictions;
  always_ff @(posedge clk_i) begin
    waiting_q <= waiting_q + 1'(evict_q) - 1'(evicted_valid && !drop_q);
    if (rst_i) waiting_q <= '0;
    if (!rst_i) begin
      assert (!launch_valid_i || launch_ready)
      else $error("scheduler_channel: a packet was popped without room for it");
      assert (!evict_q || evict_ready)
      else $error("scheduler_channel: a packet was evicted without room for it");
    end
  end

  logic unused;
  assign unused = &{1'b0, launch_i, arrival_handle_i, evict_handle_i};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      lossless_comes_back : cover (in_valid_i && in_flit_i.first && lossless && returning);
      lossless_without_token_or_place : cover (held_o);
      lossless_is_refused : cover (in_valid_i && refused);
      evictions_are_full : cover (!evict_room_o);
      drop_goes_before_eviction : cover (drop_q && evicted_valid);
      launch_waits : cover (read_valid && !read_ready);
    end
  end
endmodule
