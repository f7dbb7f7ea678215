// SPDX-License-Identifier: Apache-2.0
// All that happens to connections, one event at a time: segments and commands (front_), turns to transmit and to tell the
// application, and the timer, which visits one connection every 16 cycles. Each event reads a connection's record, changes it and
// writes it back; events of different connections follow each other in every cycle, those of one connection in every fifth.
//
//   choose, read record -> facts -> update -> settle -> write, deeds
//
// A connection that needs a turn is in the queue of those once, so no queue overflows, and no event waits for another tile:
// a turn is taken only when there is room for what it makes, and waits for at most three events of front_ that could go before it.
// A reset for which there is no room is lost.
module tcp_events
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096
) (
    input logic clk_i,
    input logic rst_i,

    output logic        clear_o,        // after reset, of each connection in turn
    output logic [15:0] clear_index_o,
    output tick_t       now_o,

    input  logic    front_valid_i,
    output logic    front_ready_o,
    input  work_t   front_work_i,
    output logic    result_valid_o,
    output result_t result_o,
    output event_e  result_kind_o,

    output logic     segment_valid_o,
    input  logic     segment_room_i,   // for all turns that are under way
    output segment_t segment_o,

    output logic    notice_valid_o,
    input  logic    notice_ready_i,
    output notice_t notice_o,

    output logic        freed_o,
    output connection_t freed_connection_o,
    output slot_t       freed_slot_o,

    output logic   deeds_valid_o,
    output deeds_t deeds_o,
    input  cfg_t   cfg_i
);
  localparam int unsigned IdBits = $clog2(Connections);
  typedef logic [IdBits-1:0] id_t;
  if (Connections < 16 || Connections > 16384 || (Connections & (Connections - 1)) != 0) begin : gen_bad_connections
    $fatal(1, "tcp_events: Connections is %0d; it must be a power of two from 16 to 16384", Connections);
  end

  // Time and the connections that the timer visits.
  logic [7:0] cycle_q;
  tick_t now_q;
  id_t scan_q;
  logic tick_due_q;
  logic clearing_q;
  id_t clear_q;
  assign now_o = now_q;
  assign clear_o = clearing_q;
  assign clear_index_o = 16'(clear_q);

  // The queues of turns.
  logic transmit_push, transmit_valid, transmit_pop, notify_push, notify_valid, notify_pop;
  logic unused_transmit_ready, unused_notify_ready;
  id_t settled_id, transmit_id, notify_id;
  fifo_block #(
      .T(id_t),
      .Depth(Connections)
  ) u_transmit_queue (
      .clk_i,
      .rst_i,
      .in_offer_i (transmit_push),
      .in_valid_i (transmit_push),
      .in_ready_o (unused_transmit_ready),
      .in_data_i  (settled_id),
      .out_valid_o(transmit_valid),
      .out_ready_i(transmit_pop),
      .out_data_o (transmit_id)
  );
  fifo_block #(
      .T(id_t),
      .Depth(Connections)
  ) u_notify_queue (
      .clk_i,
      .rst_i,
      .in_offer_i (notify_push),
      .in_valid_i (notify_push),
      .in_ready_o (unused_notify_ready),
      .in_data_i  (settled_id),
      .out_valid_o(notify_valid),
      .out_ready_i(notify_pop),
      .out_data_o (notify_id)
  );

  // Choose. One turn of each kind is under way at a time.
  typedef struct packed {
    logic  valid;
    logic  front;
    logic  room;  // for a segment that is made now
    work_t work;
  } stage_t;
  localparam int unsigned Stages = 4;
  stage_t stage_q[Stages+1];  // 1: facts; 2: update; 3: settle; 4: write

  function automatic logic under_way(id_t id, stage_t stages[Stages+1]);
    under_way = 1'b0;
    for (int unsigned i = 1; i <= Stages; i++) begin
      if (stages[i].valid && id_t'(stages[i].work.connection) == id) under_way = 1'b1;
    end
  endfunction

  logic front_free, transmit_free, notify_free, tick_free, turn_first, transmitting_q, notifying_q;
  logic [1:0] transmit_waits_q, notify_waits_q;  // events of front_ since the last turn
  stage_t chosen;
  always_comb begin
    tick_free = tick_due_q && !under_way(scan_q, stage_q);
    front_free = front_valid_i && !under_way(id_t'(front_work_i.connection), stage_q);
    notify_free = notify_valid && !notifying_q && notice_ready_i && !under_way(notify_id, stage_q);
    transmit_free = transmit_valid && !transmitting_q && segment_room_i && !under_way(transmit_id, stage_q);
    turn_first = (notify_free && notify_waits_q == '1) || (transmit_free && transmit_waits_q == '1);
    chosen = '0;
    front_ready_o = 1'b0;
    transmit_pop = 1'b0;
    notify_pop = 1'b0;
    if (clearing_q) begin
      chosen.valid = 1'b1;
      chosen.work.kind = EventClear;
      chosen.work.connection = connection_t'(clear_q);
    end else if (tick_free) begin
      chosen.valid = 1'b1;
      chosen.work.kind = EventTick;
      chosen.work.connection = connection_t'(scan_q);
    end else if (front_free && !turn_first) begin
      chosen.valid = 1'b1;
      chosen.front = 1'b1;
      chosen.room = segment_room_i;
      chosen.work = front_work_i;
      front_ready_o = 1'b1;
    end else if (notify_free) begin
      chosen.valid = 1'b1;
      chosen.work.kind = EventNotify;
      chosen.work.connection = connection_t'(notify_id);
      notify_pop = 1'b1;
    end else if (transmit_free) begin
      chosen.valid = 1'b1;
      chosen.work.kind = EventTransmit;
      chosen.work.connection = connection_t'(transmit_id);
      transmit_pop = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (cycle_q == '1) now_q <= now_q + 1'b1;
    if (!clearing_q && tick_free) begin
      tick_due_q <= 1'b0;
      scan_q <= scan_q + 1'b1;
    end
    if (cycle_q[3:0] == '1) tick_due_q <= 1'b1;
    if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      if (clear_q == '1) clearing_q <= 1'b0;
    end
    if (transmit_pop) transmit_waits_q <= '0;
    else if (front_ready_o && transmit_waits_q != '1) transmit_waits_q <= transmit_waits_q + 1'b1;
    if (notify_pop) notify_waits_q <= '0;
    else if (front_ready_o && notify_waits_q != '1) notify_waits_q <= notify_waits_q + 1'b1;
    if (transmit_pop) transmitting_q <= 1'b1;
    else if (stage_q[4].valid && stage_q[4].work.kind == EventTransmit) transmitting_q <= 1'b0;
    if (notify_pop) notifying_q <= 1'b1;
    else if (stage_q[4].valid && stage_q[4].work.kind == EventNotify) notifying_q <= 1'b0;
    if (rst_i) begin
      cycle_q <= '0;
      now_q <= '0;
      scan_q <= '0;
      tick_due_q <= 1'b0;
      clearing_q <= 1'b1;
      clear_q <= '0;
      transmitting_q <= 1'b0;
      notifying_q <= 1'b0;
      transmit_waits_q <= '0;
      notify_waits_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    stage_q[0] <= '0;
    stage_q[1] <= chosen;
    for (int unsigned i = 2; i <= Stages; i++) stage_q[i] <= stage_q[i-1];
    if (rst_i) begin
      for (int unsigned i = 1; i <= Stages; i++) stage_q[i].valid <= 1'b0;
    end
  end

  // The records.
  record_t read, record_2_q, updated, record_3_q, settled, record_4_q;
  phase_e  phase_3_q;
  facts_t facts, facts_q;
  deeds_t deeds, deeds_3_q, deeds_4_q;
  slot_t slot_4_q;
  logic transmits, notifies, transmits_q, notifies_q, freed_q;
  ram_simple_dual #(
      .T(record_t),
      .Depth(Connections)
  ) u_records (
      .clk_i,
      .write_enable_i(stage_q[4].valid && !(stage_q[4].work.kind inside {EventRefuse, EventNone})),
      .write_addr_i(id_t'(stage_q[4].work.connection)),
      .write_data_i(record_4_q),
      .read_enable_i(chosen.valid),
      .read_addr_i(id_t'(chosen.work.connection)),
      .read_data_o(read)
  );
  tcp_facts #(
      .Ring(Ring),
      .MostData(MostData)
  ) u_facts (
      .work_i  (stage_q[1].work),
      .record_i(read),
      .now_i   (now_q),
      .facts_o (facts)
  );
  tcp_update #(
      .Connections(Connections),
      .Ring(Ring),
      .MostData(MostData)
  ) u_update (
      .work_i  (stage_q[2].work),
      .room_i  (stage_q[2].room),
      .record_i(record_2_q),
      .facts_i (facts_q),
      .now_i   (now_q),
      .cfg_i,
      .record_o(updated),
      .deeds_o (deeds)
  );
  tcp_settle #(
      .Ring(Ring)
  ) u_settle (
      .record_i   (record_3_q),
      .now_i      (now_q),
      .cfg_i,
      .record_o   (settled),
      .transmits_o(transmits),
      .notifies_o (notifies)
  );
  always_ff @(posedge clk_i) begin
    facts_q <= facts;
    record_2_q <= read;
    record_3_q <= updated;
    phase_3_q <= record_2_q.phase;
    deeds_3_q <= deeds;
    record_4_q <= settled;
    deeds_4_q <= deeds_3_q;
    slot_4_q <= record_3_q.slot;
    transmits_q <= stage_q[3].valid && transmits && !(stage_q[3].work.kind inside {EventRefuse, EventNone});
    notifies_q <= stage_q[3].valid && notifies && !(stage_q[3].work.kind inside {EventRefuse, EventNone});
    freed_q <= stage_q[3].valid && !(stage_q[3].work.kind inside {EventClear, EventRefuse, EventNone, EventOpen})
        && phase_3_q != Free && settled.phase == Free;
    if (rst_i) begin
      transmits_q <= 1'b0;
      notifies_q <= 1'b0;
      freed_q <= 1'b0;
    end
  end

  assign settled_id = id_t'(stage_q[4].work.connection);
  assign transmit_push = transmits_q;
  assign notify_push = notifies_q;
  assign freed_o = freed_q;
  assign freed_connection_o = stage_q[4].work.connection;
  assign freed_slot_o = slot_4_q;
  assign result_valid_o = stage_q[4].valid && stage_q[4].front;
  assign result_o = deeds_4_q.result;
  assign result_kind_o = stage_q[4].work.kind;
  assign segment_valid_o = stage_q[4].valid && deeds_4_q.sends;
  assign segment_o = deeds_4_q.segment;
  assign notice_valid_o = stage_q[4].valid && deeds_4_q.tells;
  assign notice_o = deeds_4_q.notice;
  assign deeds_valid_o = stage_q[4].valid;
  assign deeds_o = deeds_4_q;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!transmit_push || unused_transmit_ready)
      else $error("tcp_events: the queue of turns to transmit is full");
      assert (!notify_push || unused_notify_ready)
      else $error("tcp_events: the queue of turns to tell is full");
      assert (!notice_valid_o || notice_ready_i)
      else $error("tcp_events: nobody takes what the application is told");
    end
  end
endmodule
