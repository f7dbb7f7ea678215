// SPDX-License-Identifier: Apache-2.0
// Handles the events of all connections, one at a time: segments and commands (front_), turns to transmit and to tell the
// application, the timer, which visits one connection every 16 cycles, CUBIC's windows and DCTCP's shares of marked bytes, which follow from these visits, and the ends of waits
// of connections that are paced. Each event reads a connection's record, changes it and writes it back. Events of different connections can start in successive cycles; an event of
// the same connection can start two cycles later, a turn, the timer, a window, a share or the end of a wait three cycles later. It takes the record from the stage that the
// record has reached:
//
//   0 choose, read record -> 1 record -> 2 facts -> 3 update -> 4 settle -> 5 write, deeds -> 6 in the RAM
//                                |          ^----------------------'  |            |          |
//                                '<---------|--- 3 cycles ------------+--- 4 ------+--- 5 ----'
//                                           '--- 2 cycles: what was updated; what was settled goes into the next update
//
// Facts use no field that stage 4 changes, except the facts for turns and the timer. Because these events start a cycle later, their facts
// use the register alone, without the bypass from the update.
// A connection that needs a turn is in the queue of turns once, so no queue overflows. No event waits for another tile: a turn is taken only
// when there is room for what it makes, and lets at most three events of front_ go first.
// A reset for which there is no room is lost.
module tcp_events
  import girih_pkg::*, tcp_types_pkg::*, tcp_stage_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned MostData = 4096,
    parameter bit Far = 0,  // the buffers may lose bytes
    parameter int unsigned Notices = 1  // whose bytes may be read at a time
) (
    input logic clk_i,
    input logic rst_i,

    output logic        clear_o,        // after reset, of each connection in turn
    output logic [15:0] clear_index_o,
    output tick_t       now_o,

    input  logic    front_valid_i,
    output logic    front_ready_o,
    input  work_t   front_work_i,
    input  block_t  front_block_i,    // of EventSack, which has no result
    input  initial_t initial_i,  // of EventOpen and EventConnect, two cycles after the event was taken
    output logic     initial_taken_o,
    output logic    result_valid_o,
    output result_t result_o,
    output event_e  result_kind_o,

    output logic     segment_valid_o,
    input  logic     segment_room_i,   // for all turns in flight
    output segment_t segment_o,

    input  logic    unopened_valid_i,  // a connection that could not be opened
    output logic    unopened_ready_o,
    input  work_t   unopened_i,
    input  logic    accept_valid_i,    // or, in unopened_i, the fate of a possible answer to a SYN cookie
    output logic    accept_ready_o,
    output logic    notice_valid_o,
    input  logic    notice_ready_i,
    output notice_t notice_o,
    input  logic        [Notices-1:0] reading_i,             // a notice's bytes are still to be read, from reading_seq_i on; the oldest first
    input  connection_t [Notices-1:0] reading_connection_i,
    input  seq_t        [Notices-1:0] reading_seq_i,

    output connection_t visit_o,  // the timer's next connection
    input  logic        lost_i,   // bytes of the connection that visit_o named in the last cycle have been lost
    input  logic        breaks_i,  // bytes of this one have been lost now: it is visited at once, unless another one is by then
    input  connection_t breaks_connection_i,

    output logic        freed_o,
    output connection_t freed_connection_o,
    output slot_t       freed_slot_o,
    output tenant_t     freed_tenant_o,
    output logic        begun_o,        // a hand-shake has begun,
    output logic        failed_o,       // or failed;
    output logic        half_ended_o,   // a hand-shake of a peer is over; freed_tenant_o owns it

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
  seq_t clock;
  epoch_t epoch;
  id_t scan_q, visit_id, break_q;
  logic breaking_q, visit_due;
  logic tick_due_q;
  logic clearing_q;
  id_t clear_q;
  pace_time_t cycle;
  assign now_o = now_q;
  assign cycle = {now_q[23:0], cycle_q};
  assign visit_o = connection_t'(scan_q);
  assign clear_o = clearing_q;
  assign clear_index_o = 16'(clear_q);

  tcp_clock u_clock (
      .clk_i,
      .rst_i,
      .tick_i (cycle_q == '1),
      .unit_i (cfg_i.timestamp_unit),
      .life_i (cfg_i.timestamp_life),
      .clock_o(clock),
      .epoch_o(epoch)
  );

  // The queues of turns.
  logic transmit_push, transmit_valid, transmit_pop, notify_push, notify_valid, notify_pop;
  id_t settled_id, transmit_id, notify_id;
  tcp_turns #(
      .T(id_t),
      .Depth(Connections)
  ) u_transmit_queue (
      .clk_i,
      .rst_i,
      .in_valid_i (transmit_push),
      .in_data_i  (settled_id),
      .out_valid_o(transmit_valid),
      .out_ready_i(transmit_pop),
      .out_data_o (transmit_id)
  );
  tcp_turns #(
      .T(id_t),
      .Depth(Connections)
  ) u_notify_queue (
      .clk_i,
      .rst_i,
      .in_valid_i (notify_push),
      .in_data_i  (settled_id),
      .out_valid_o(notify_valid),
      .out_ready_i(notify_pop),
      .out_data_o (notify_id)
  );

  // Choose. At most one turn to tell is in flight.
  typedef struct packed {
    logic  valid;
    logic  front;
    logic  keeps;  // changes the record
    logic  room;  // for a segment that this event sends
    work_t work;
  } stage_t;
  localparam int unsigned Stages = 5;
  stage_t stage_q[Stages+1];

  // verilator lint_off UNUSEDSIGNAL
  function automatic logic is_at(id_t id, stage_t stage);
    // verilator lint_on UNUSEDSIGNAL
    return stage.valid && stage.keeps && id_t'(stage.work.connection) == id;
  endfunction

  // Whether bytes of a connection are still to be read for a notice.
  function automatic logic reads_of(id_t id);
    reads_of = 1'b0;
    for (int unsigned i = 0; i < Notices; i++) if (reading_i[i] && id_t'(reading_connection_i[i]) == id) reads_of = 1'b1;
  endfunction

  logic window_valid, window_free;
  connection_t window_connection;
  id_t window_id;
  congestion_e window_mode;
  span_t window_target;
  logic window_reaches;
  logic alpha_valid, dctcp_ready, measures, pace_valid;
  connection_t alpha_connection, pace_connection;
  alpha_t alpha;
  pace_at_t pace_at;
  logic [4:0] pace_burst;
  // What DCTCP or the pacer has found out about a connection, until it is chosen.
  typedef struct packed {
    logic paces;
    id_t id;
    pace_at_t at;
    alpha_t value;
  } finding_t;
  logic finding_valid_q, finding_free, finding_moves;
  finding_t finding_q;
  // What the timer, CUBIC and DCTCP have to do waits a cycle, so that whether an event of the same connection is at stage 1 or 2 comes from a register.
  logic tick_waits_q, window_waits_q, finding_waits_q, tick_near_q, window_near_q, finding_near_q;
  logic told_q;  // a turn to tell the application has just begun
  logic takes_unopened, takes_unopened_q;  // that turn is for unopened_, which is taken a cycle after it was chosen: no turn to tell follows sooner
  logic held_q;  // front_ waits, so that its events cannot keep these waiting
  logic front_free, reused, transmit_waits, transmit_free, notify_waits, notify_free, tick_free, turn_first, notifying_q, tells_unopened, unopened_last_q, accept_free;
  logic front_opens, front_reads, accept_reads;
  id_t front_id;
  logic [1:0] transmit_waits_q, notify_waits_q;  // events of front_ since the last turn
  stage_t chosen;
  assign front_id = id_t'(front_work_i.connection);
  assign front_opens = front_work_i.kind inside {EventOpen, EventConnect};
  // With several notices, this takes so long that such an event waits a cycle for it. No notice of the place's former connection begins meanwhile.
  if (Notices == 1) begin : gen_reads
    assign front_reads = reads_of(front_id);
    assign accept_reads = reads_of(id_t'(unopened_i.connection));
  end else begin : gen_late_reads
    logic front_looked_q, front_reads_q, accept_looked_q, accept_reads_q;
    assign front_reads = !front_looked_q || front_reads_q;
    assign accept_reads = !accept_looked_q || accept_reads_q;
    always_ff @(posedge clk_i) begin
      front_looked_q <= front_valid_i && !front_ready_o;
      front_reads_q <= reads_of(front_id);
      accept_looked_q <= accept_valid_i && !accept_ready_o;
      accept_reads_q <= reads_of(id_t'(unopened_i.connection));
      if (rst_i) begin
        front_looked_q  <= 1'b0;
        accept_looked_q <= 1'b0;
      end
    end
  end
  always_comb begin
    visit_id = Far && breaking_q ? break_q : scan_q;
    visit_due = tick_due_q || (Far && breaking_q);
    tick_free = visit_due && tick_waits_q && !tick_near_q;
    notify_waits = (notify_valid || (unopened_valid_i && !accept_valid_i)) && !told_q && !notifying_q && notice_ready_i;
    tells_unopened = unopened_valid_i && !accept_valid_i && !(notify_valid && unopened_last_q);  // alternates with the queue of turns
    notify_free = notify_waits && (tells_unopened || (!is_at(notify_id, stage_q[1]) && !is_at(notify_id, stage_q[2])));
    transmit_waits = transmit_valid && segment_room_i;
    transmit_free = transmit_waits && !is_at(transmit_id, stage_q[1]) && !is_at(transmit_id, stage_q[2]);
    window_id = id_t'(window_connection);
    window_free = window_valid && window_waits_q && !window_near_q;
    finding_free = finding_valid_q && finding_waits_q && !finding_near_q;
    turn_first = (notify_waits && notify_waits_q == '1) || (transmit_waits && transmit_waits_q == '1) || held_q;
    // The next connection in a place writes into the buffer from which an answer to the previous one may still be read.
    reused = front_opens && front_reads;
    front_free = front_valid_i && !reused && !is_at(front_id, stage_q[1]);
    chosen = '0;
    front_ready_o = 1'b0;
    transmit_pop = 1'b0;
    notify_pop = 1'b0;
    takes_unopened = 1'b0;
    accept_ready_o = 1'b0;
    accept_free = accept_valid_i && !is_at(id_t'(unopened_i.connection), stage_q[1]) && !accept_reads;
    if (clearing_q) begin
      chosen.valid = 1'b1;
      chosen.keeps = 1'b1;
      chosen.work.kind = EventClear;
      chosen.work.connection = connection_t'(clear_q);
    end else if (tick_free) begin
      chosen.valid = 1'b1;
      chosen.keeps = 1'b1;
      chosen.work.kind = EventTick;
      chosen.work.connection = connection_t'(visit_id);
      chosen.work.flags.rst = Far && (breaking_q || lost_i);
    end else if (window_free) begin
      chosen.valid = 1'b1;
      chosen.keeps = 1'b1;
      chosen.work.kind = EventWindow;
      chosen.work.connection = window_connection;
      chosen.work.congestion = window_mode;
      chosen.work.ack = seq_t'(window_target);
      chosen.work.scaled = window_reaches;
    end else if (finding_free) begin
      chosen.valid = 1'b1;
      chosen.keeps = 1'b1;
      chosen.work.kind = finding_q.paces ? EventPace : EventAlpha;
      chosen.work.connection = connection_t'(finding_q.id);
      chosen.work.seq = seq_t'(finding_q.at);
      chosen.work.ack = seq_t'(finding_q.value);
    end else if (accept_free) begin
      chosen.valid = 1'b1;
      chosen.keeps = unopened_i.kind == EventAccept;
      chosen.work = unopened_i;
      accept_ready_o = 1'b1;
    end else if (front_free && !turn_first) begin
      chosen.valid = 1'b1;
      chosen.front = front_work_i.kind != EventSack;
      chosen.keeps = !(front_work_i.kind inside {EventRefuse, EventNone, EventCookie});
      chosen.room = segment_room_i;
      chosen.work = front_work_i;
      front_ready_o = 1'b1;
    end else if (notify_free && tells_unopened) begin
      chosen.valid = 1'b1;
      chosen.work = unopened_i;
      chosen.work.kind = EventUnopened;
      takes_unopened = 1'b1;
    end else if (notify_free) begin
      chosen.valid = 1'b1;
      chosen.keeps = 1'b1;
      chosen.work.kind = EventNotify;
      chosen.work.connection = connection_t'(notify_id);
      notify_pop = 1'b1;
    end else if (transmit_free) begin
      chosen.valid = 1'b1;
      chosen.keeps = 1'b1;
      chosen.work.kind = EventTransmit;
      chosen.work.connection = connection_t'(transmit_id);
      transmit_pop = 1'b1;
    end
  end

  // Whose record is read: that of the chosen event, without waiting for whether one is chosen. The events are in three groups, whose choices are made
  // beside one another.
  id_t own_id, arrived_id, turn_id, chosen_id;
  (* keep *) logic own_first;  // the tile's own work
  (* keep *) logic arrived_first;  // what has come, unless there is such work
  always_comb begin
    own_first = clearing_q || tick_free || window_free || finding_free;
    arrived_first = accept_free || (front_free && !turn_first);
    if (clearing_q) own_id = clear_q;
    else if (tick_free) own_id = visit_id;
    else if (window_free) own_id = window_id;
    else own_id = finding_q.id;
    arrived_id = accept_free ? id_t'(unopened_i.connection) : front_id;
    turn_id = notify_free ? notify_id : transmit_id;
    chosen_id = own_first ? own_id : arrived_first ? arrived_id : turn_id;
  end
  // Whether the chosen event is of a connection, or what has come, without effect, names it. All are compared before one is known to be chosen.
  function automatic logic is_chosen(id_t id);
    logic own, arrived, turn;
    own = clearing_q ? clear_q == id : tick_free ? visit_id == id : window_free ? window_id == id : finding_q.id == id;
    arrived = accept_free ? id_t'(unopened_i.connection) == id : front_id == id;
    turn = notify_free ? notify_id == id : transmit_free && transmit_id == id;
    return own_first ? own : arrived_first ? arrived : turn;
  endfunction

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (cycle_q == '1) now_q <= now_q + 1'b1;
    if (!clearing_q && tick_free && !(Far && breaking_q)) begin
      tick_due_q <= 1'b0;
      scan_q <= scan_q + 1'b1;
    end
    if (!clearing_q && tick_free) breaking_q <= 1'b0;
    if (breaks_i && !breaking_q) begin
      breaking_q <= 1'b1;
      break_q <= id_t'(breaks_connection_i);
    end
    if (cycle_q[3:0] == '1) tick_due_q <= 1'b1;
    tick_waits_q <= visit_due && !tick_free && !(Far && breaks_i && !breaking_q);  // not for another connection than in the next cycle
    window_waits_q <= window_valid && !window_free;
    finding_waits_q <= finding_valid_q && !finding_free;
    held_q <= (tick_waits_q && visit_due && !tick_free) || (window_waits_q && window_valid && !window_free) || (finding_waits_q && finding_valid_q && !finding_free);
    tick_near_q <= is_at(visit_id, stage_q[1]) || is_chosen(visit_id);
    window_near_q <= is_at(window_id, stage_q[1]) || is_chosen(window_id);
    finding_near_q <= is_at(finding_q.id, stage_q[1]) || is_chosen(finding_q.id);
    if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      if (clear_q == '1) clearing_q <= 1'b0;
    end
    if (transmit_pop) transmit_waits_q <= '0;
    else if (front_ready_o && transmit_waits_q != '1) transmit_waits_q <= transmit_waits_q + 1'b1;
    told_q <= notify_pop || takes_unopened;
    takes_unopened_q <= takes_unopened;
    if (told_q) notify_waits_q <= '0;
    else if (front_ready_o && notify_waits_q != '1) notify_waits_q <= notify_waits_q + 1'b1;
    if (takes_unopened) unopened_last_q <= 1'b1;
    else if (notify_pop) unopened_last_q <= 1'b0;
    if (told_q) notifying_q <= 1'b1;
    else if (stage_q[5].valid && stage_q[5].work.kind inside {EventNotify, EventUnopened}) notifying_q <= 1'b0;
    if (rst_i) begin
      cycle_q <= '0;
      now_q <= '0;
      scan_q <= '0;
      tick_due_q <= 1'b0;
      breaking_q <= 1'b0;
      clearing_q <= 1'b1;
      clear_q <= '0;
      told_q <= 1'b0;
      takes_unopened_q <= 1'b0;
      notifying_q <= 1'b0;
      unopened_last_q <= 1'b0;
      transmit_waits_q <= '0;
      notify_waits_q <= '0;
    end
  end

  logic begins_2;  // a connection, whose initial number may have become known since the event was taken
  assign begins_2 = stage_q[2].work.kind inside {EventOpen, EventConnect};
  assign initial_taken_o = stage_q[2].valid && begins_2;
  always_ff @(posedge clk_i) begin
    stage_q[0] <= '0;
    stage_q[1] <= chosen;
    for (int unsigned i = 2; i <= Stages; i++) stage_q[i] <= stage_q[i-1];
    if (begins_2) begin
      stage_q[3].work.ack <= initial_i.number;
      stage_q[3].work.stamp.echo <= initial_i.offset;
    end
    if (rst_i) begin
      for (int unsigned i = 1; i <= Stages; i++) stage_q[i].valid <= 1'b0;
    end
  end

  block_t block_1_q, block_2_q, block_3_q;
  always_ff @(posedge clk_i) begin
    block_1_q <= front_block_i;
    block_2_q <= block_1_q;
    block_3_q <= block_2_q;
  end

  // The records: record_k_q is the record of the event at stage k at the start of that stage; record_6_q was written last.
  record_t read, record_2_q, record_2, updated, record_3_q, record_4_q, derived, settled, record_5_q, record_6_q;
  phase_e phase_4_q;
  facts_t facts, facts_q;
  logic [EventTick:0] kinds_3_q;
  logic [SynSent:0] phases_3_q;  // as record_3_q has it
  deeds_t deeds, deeds_4_q, deeds_5_q;
  slot_t slot_5_q;
  tenant_t tenant_5_q;
  id_t id_1, id_6_q;
  logic reading_2_q;
  seq_t reading_seq_2_q;
  logic near_2_q, written_6_q;  // the event two stages on is of the same connection
  logic transmits, notifies, transmits_q, notifies_q, freed_q, begun_q, failed_q, half_ended_q;
  assign id_1 = id_t'(stage_q[1].work.connection);
  ram_simple_dual #(
      .T(record_t),
      .Depth(Connections)
  ) u_records (
      .clk_i,
      .write_enable_i(stage_q[5].valid && stage_q[5].keeps),
      .write_addr_i(id_t'(stage_q[5].work.connection)),
      .write_data_i(record_5_q),
      .read_enable_i(chosen.valid),
      .read_addr_i(chosen_id),
      .read_data_o(read)
  );
  // RFC 6298, 5.7: three seconds if rto_initial is one second.
  logic [26:0] rto_lost_q;
  logic delays_q;
  // For time stamps: the clock less the one that the segment returns; and the segment size, which is that of the peer or of the card, less the option.
  seq_t age_2_q;
  logic [13:0] mss_1, mss_2_q, mss_less_2_q;
  assign mss_1 = stage_q[1].work.kind == EventTooBig || stage_q[1].work.mss < cfg_i.mss ? stage_q[1].work.mss : 14'(cfg_i.mss);
  always_ff @(posedge clk_i) begin
    age_2_q <= clock - stage_q[1].work.stamp.echo;
    mss_2_q <= mss_1;
    mss_less_2_q <= mss_1 - 14'(StampOptionBytes);
    rto_lost_q <= 27'(cfg_i.rto_initial) + (27'(cfg_i.rto_initial) << 1);
    delays_q <= cfg_i.ack_delay != '0;
  end
  // CUBIC's windows.
  logic active_3;
  assign active_3 = phases_3_q[Open] && !record_3_q.recovering;
  tcp_cubic #(
      .Connections(Connections)
  ) u_cubic (
      .clk_i,
      .rst_i,
      .tick_i          (cycle_q == '1),
      .round_i         (!clearing_q && tick_free && scan_q == '0 && !(Far && breaking_q)),
      .rate_i          (cfg_i.cubic_rate),
      .clear_i         (stage_q[3].valid && |{kinds_3_q[EventOpen], kinds_3_q[EventConnect], kinds_3_q[EventAccept]}),
      .clear_id_i      (stage_q[3].work.connection),
      .visit_i         (stage_q[3].valid && kinds_3_q[EventTick] && !(Far && stage_q[3].work.flags.rst)),
      .id_i            (stage_q[3].work.connection),
      .mode_i          (active_3 ? record_3_q.congestion : NewReno),
      .cwnd_i          (record_3_q.cwnd),
      .threshold_i     (record_3_q.threshold),
      .estimate_i      (record_3_q.estimate),
      .mss_i           (record_3_q.mss),
      .pressed_i       (record_3_q.pressed),
      .window_valid_o  (window_valid),
      .window_ready_i  (!clearing_q && !tick_free && window_free),
      .window_id_o     (window_connection),
      .window_mode_o   (window_mode),
      .window_target_o (window_target),
      .window_reaches_o(window_reaches)
  );
  // DCTCP's shares of marked bytes.
  assign measures = stage_q[3].valid && kinds_3_q[EventTick] && !(Far && stage_q[3].work.flags.rst) && phases_3_q[Open] && record_3_q.ecn.on && record_3_q.dctcp.on && record_3_q.dctcp.over && dctcp_ready;
  tcp_dctcp u_dctcp (
      .clk_i,
      .rst_i,
      .visit_i      (measures),
      .ready_o      (dctcp_ready),
      .id_i         (stage_q[3].work.connection),
      .alpha_i      (record_3_q.dctcp.alpha),
      .acked_i      (record_3_q.dctcp.acked),
      .marked_i     (record_3_q.dctcp.marked),
      .alpha_valid_o(alpha_valid),
      .alpha_ready_i(finding_moves),
      .alpha_id_o   (alpha_connection),
      .alpha_o      (alpha)
  );
  // The waits of connections that are paced.
  tcp_pacer #(
      .Connections(Connections)
  ) u_pacer (
      .clk_i,
      .rst_i,
      .now_i            (cycle),
      .burst_valid_i    (stage_q[5].valid && deeds_5_q.paced),
      .burst_id_i       (stage_q[5].work.connection),
      .burst_bytes_i    (record_5_q.pacing.sent),
      .burst_from_i     (record_5_q.pacing.at),
      .burst_srtt_i     (record_5_q.srtt),
      .burst_cwnd_i     (record_5_q.cwnd),
      .burst_threshold_i(record_5_q.threshold),
      .over_valid_o     (pace_valid),
      .over_ready_i     (finding_moves && !alpha_valid),
      .over_id_o        (pace_connection),
      .over_at_o        (pace_at),
      .over_burst_o     (pace_burst)
  );
  assign finding_moves = !finding_valid_q;
  always_ff @(posedge clk_i) begin
    if (finding_moves) begin
      finding_valid_q <= alpha_valid || pace_valid;
      finding_q.paces <= !alpha_valid;
      finding_q.id <= id_t'(alpha_valid ? alpha_connection : pace_connection);
      finding_q.at <= pace_at;
      finding_q.value <= alpha_valid ? alpha : alpha_t'(pace_burst);
    end
    if (!clearing_q && !tick_free && !window_free && finding_free) finding_valid_q <= 1'b0;
    if (rst_i) finding_valid_q <= 1'b0;
  end
  assign record_2 = near_2_q ? record_4_q : record_2_q;
  tcp_facts #(
      .Connections(Connections),
      .Ring(Ring),
      .MostData(MostData)
  ) u_facts (
      .work_i  (stage_q[2].work),
      .block_i (block_2_q),
      .record_i(record_2),
      .turn_i  (record_2_q),
      .reading_i(reading_2_q),
      .reading_seq_i(reading_seq_2_q),
      .now_i   (now_q),
      .rto_lost_i(rto_lost_q),
      .age_i   (age_2_q),
      .epoch_i (epoch),
      .cycle_i (pace_at_t'(cycle)),
      .mss_i   (mss_2_q),
      .mss_less_i(mss_less_2_q),
      .cfg_i,
      .facts_o (facts)
  );
  tcp_update #(
      .Connections(Connections),
      .Far(Far),
      .Ring(Ring),
      .MostData(MostData)
  ) u_update (
      .work_i  (stage_q[3].work),
      .block_i (block_3_q),
      .kinds_i (kinds_3_q),
      .room_i  (stage_q[3].room),
      .delays_i(delays_q),
      .record_i(record_3_q),
      .phases_i(phases_3_q),
      .facts_i (facts_q),
      .measures_i(measures),
      .now_i   (now_q),
      .clock_i (clock),
      .epoch_i (epoch),
      .cfg_i,
      .record_o(updated),
      .deeds_o (deeds)
  );
  tcp_settle #(
      .Ring(Ring)
  ) u_settle (
      .record_i   (record_4_q),
      .now_i      (now_q),
      .record_o   (derived),
      .transmits_o(transmits),
      .notifies_o (notifies)
  );
  logic rtt_known;
  logic [26:0] srtt;
  logic [25:0] rttvar;
  tcp_rtt u_rtt (
      .record_i (record_4_q),
      .samples_i(deeds_4_q.samples),
      .sample_i (deeds_4_q.sample),
      .known_o  (rtt_known),
      .srtt_o   (srtt),
      .rttvar_o (rttvar)
  );
  always_comb begin
    settled = derived;
    settled.rtt_known = rtt_known;
    settled.srtt = srtt;
    settled.rttvar = rttvar;
  end
  // Where the newest record of the event at stage 1 is, in two bits, because they choose each bit of it by one look-up table.
  typedef enum logic [1:0] {
    Read,
    Stored,  // while it was read
    Written,
    Settled
  } newest_e;
  newest_e newest_1;
  always_comb begin
    if (is_at(id_1, stage_q[4])) newest_1 = Settled;
    else if (is_at(id_1, stage_q[5])) newest_1 = Written;
    else if (written_6_q && id_6_q == id_1) newest_1 = Stored;
    else newest_1 = Read;
  end
  always_ff @(posedge clk_i) begin
    unique case (newest_1)
      Settled: record_2_q <= settled;
      Written: record_2_q <= record_5_q;
      Stored:  record_2_q <= record_6_q;
      Read:    record_2_q <= read;
    endcase
    near_2_q <= is_at(id_1, stage_q[3]);
    // The window must not open over bytes that are still to be read: those of the only notice, in flight or in tcp_notifier.
    if (stage_q[4].valid && deeds_4_q.tells) begin
      reading_2_q <= is_at(id_1, stage_q[4]) && !deeds_4_q.notice.opened;
      reading_seq_2_q <= deeds_4_q.notice.seq;
    end else if (notice_valid_o) begin
      reading_2_q <= is_at(id_1, stage_q[5]) && !notice_o.opened;
      reading_seq_2_q <= notice_o.seq;
    end else if (Notices == 1) begin
      reading_2_q <= reading_i[0] && id_t'(reading_connection_i[0]) == id_1;
      reading_seq_2_q <= reading_seq_i[0];
    end
    // Of several notices of a connection, the oldest.
    if (Notices > 1) begin
      if (!((stage_q[4].valid && deeds_4_q.tells) || notice_valid_o)) reading_2_q <= 1'b0;
      for (int unsigned i = Notices; i > 0; i--) begin
        if (reading_i[i-1] && id_t'(reading_connection_i[i-1]) == id_1) begin
          reading_2_q <= 1'b1;
          reading_seq_2_q <= reading_seq_i[i-1];
        end
      end
    end
    facts_q <= facts;
    kinds_3_q <= (EventTick + 1)'(1) << stage_q[2].work.kind;
    record_3_q <= near_2_q ? settled : record_2_q;
    phases_3_q <= (SynSent + 1)'(1) << (near_2_q ? settled.phase : record_2_q.phase);
    record_4_q <= updated;
    phase_4_q <= record_3_q.phase;
    deeds_4_q <= deeds;
    record_5_q <= settled;
    deeds_5_q <= deeds_4_q;
    slot_5_q <= record_4_q.slot;
    tenant_5_q <= record_4_q.tenant;
    record_6_q <= record_5_q;
    id_6_q <= settled_id;
    written_6_q <= stage_q[5].valid && stage_q[5].keeps;
    transmits_q <= stage_q[4].valid && transmits && stage_q[4].keeps;
    notifies_q <= stage_q[4].valid && notifies && stage_q[4].keeps;
    freed_q <= stage_q[4].valid && stage_q[4].keeps && !(stage_q[4].work.kind inside {EventClear, EventOpen, EventConnect, EventAccept}) && phase_4_q != Free
        && settled.phase == Free;
    begun_q <= stage_q[4].valid && stage_q[4].work.kind inside {EventOpen, EventConnect, EventAccept};
    half_ended_q <= stage_q[4].valid && stage_q[4].keeps && !(stage_q[4].work.kind inside {EventClear, EventOpen}) && phase_4_q == SynReceived && !record_4_q.opener
        && settled.phase != SynReceived;
    failed_q <= stage_q[4].valid && stage_q[4].keeps && !(stage_q[4].work.kind inside {EventClear, EventOpen, EventConnect, EventAccept}) && phase_4_q inside {SynReceived, SynSent}
        && settled.phase inside {Free, Dead};
    if (rst_i) begin
      written_6_q <= 1'b0;
      begun_q <= 1'b0;
      half_ended_q <= 1'b0;
      failed_q <= 1'b0;
      transmits_q <= 1'b0;
      notifies_q <= 1'b0;
      freed_q <= 1'b0;
    end
  end

  assign unopened_ready_o = takes_unopened_q;
  assign settled_id = id_t'(stage_q[5].work.connection);
  assign transmit_push = transmits_q;
  assign notify_push = notifies_q;
  assign freed_o = freed_q;
  assign begun_o = begun_q;
  assign failed_o = failed_q;
  assign half_ended_o = half_ended_q;
  assign freed_connection_o = stage_q[5].work.connection;
  assign freed_slot_o = slot_5_q;
  assign freed_tenant_o = tenant_5_q;
  assign result_valid_o = stage_q[5].valid && stage_q[5].front;
  assign result_o = deeds_5_q.result;
  assign result_kind_o = stage_q[5].work.kind;
  assign segment_valid_o = stage_q[5].valid && deeds_5_q.sends;
  assign segment_o = deeds_5_q.segment;
  assign notice_valid_o = stage_q[5].valid && deeds_5_q.tells;
  assign notice_o = deeds_5_q.notice;
  assign deeds_valid_o = stage_q[5].valid;
  assign deeds_o = deeds_5_q;

  tcp_states u_states (
      .clk_i,
      .rst_i,
      .valid_i (stage_q[4].valid && stage_q[4].keeps && stage_q[4].work.kind != EventClear),
      .work_i  (stage_q[4].work),
      .before_i(record_3_q),
      .record_i(settled)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!notice_valid_o || notice_ready_i)
      else $error("tcp_events: a notice for the application is not taken");
      assert (!stage_q[3].valid || !kinds_3_q[EventPace] || record_3_q.pacing.queued)
      else $error("tcp_events: the wait of a connection ends that tcp_pacer does not have");
    end
  end

  logic unused;
  assign unused = &{1'b0, reading_connection_i, lost_i, breaks_i, breaks_connection_i, breaking_q, break_q};
endmodule
