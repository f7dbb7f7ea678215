// SPDX-License-Identifier: Apache-2.0
// Connects any engine to the fabric: accepts messages or sends them back, feeds the engine, returns credits, and
// sends finished messages to their next hop.
//
//   in -+-> local buffer -+-> m_axis .. engine .. s_axis -+-> output -> out
//       |                 +------ bypass descriptor ------+     |
//       +-> detour buffer --------------------------------------+
//
// A message is accepted, detoured or dropped whole, decided at its first flit. The input waits only
// for a lossless message for which there is no room at all, and the scheduler sends no such message.
// With an engine of one cycle a flit takes three cycles from input to output; one flit, and one message,
// per cycle; nothing waits for a message to be complete.
//
// The engine may hold several messages and must answer them in order, the last beat of an answer at
// least a cycle after it has taken the last beat of the message; s_axis_tuser with that beat makes the
// message void. Tenant and route in the descriptor that it returns are ignored.
// With PayloadOnly it sees messages from desc.payload_offset on.
module traffic_manager
  import girih_pkg::*, sched_pkg::*, axis_pkg::*, compute_pkg::*, unit_pkg::*;
#(
    parameter int unsigned LosslessSlots = 1,
    parameter int unsigned BufferFlits = 0,  // 0: 16 KB, or what lossless messages need, if that is more
    parameter int unsigned DetourFlits = 0,  // 0: four of the largest messages, or 8 KB
    parameter int unsigned OutputFlits = 0,  // 0: cut-through
    parameter int unsigned Messages = 64,  // in the local buffer
    parameter int unsigned InFlight = 64,  // within the engine
    parameter bit PayloadOnly = 0,
    parameter int unsigned HeaderBytes = 128  // longest header that can bypass the engine
) (
    input logic clk_i,
    input logic rst_i,
    input logic [7:0] slots_i,  // most droppable messages accepted and not yet taken by the engine

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output descriptor_t          m_desc_o,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tuser,   // with the last beat: void
    input  descriptor_t          s_desc_i,

    output credit_t credit_o,
    output unit_event_t event_o
);
  // A message longer than its desc.length is cut at that length and void: there is no room for the rest.
  logic cut_q, over, beyond;
  length_t need, left_q, left;
  flit_t flit;
  assign need = flits_of(in_flit_i.desc.length);
  assign left = in_flit_i.first ? need : left_q;
  assign beyond = !in_flit_i.first && cut_q;
  assign over = left == length_t'(1) && !in_flit_i.last;
  always_comb begin
    flit = in_flit_i;
    flit.bad = in_flit_i.bad || over;
    flit.last = in_flit_i.last || over;
  end

  typedef enum logic [1:0] {
    Accept,
    Detour,
    Drop,
    Wait
  } verdict_e;

  verdict_e verdict, verdict_q;
  logic room, accepts, accepts_lossless, accepted, detour_fits, take, start;
  always_comb begin
    if (!in_flit_i.first) verdict = verdict_q;
    else if (accepts) verdict = Accept;
    else if (detour_fits) verdict = Detour;
    else if (in_flit_i.desc.lossless) verdict = Wait;
    else verdict = Drop;
  end
  assign accepted = in_flit_i.first ? accepts : verdict_q == Accept;  // as the verdict says, and sooner
  // Only the first flit of a lossless message ever waits: in_ready_o is the same as verdict != Wait, and sooner.
  assign in_ready_o = !(in_flit_i.first && in_flit_i.desc.lossless) || accepts_lossless || detour_fits;
  assign take = in_valid_i && in_ready_o;
  assign start = take && in_flit_i.first;

  always_ff @(posedge clk_i) begin
    if (take) begin
      cut_q <= over || beyond;
      left_q <= left - 1'b1;
      verdict_q <= verdict;
    end
  end

  // Local buffer, and from it to the engine.
  logic buffer_valid, buffer_ready, buffer_pop;
  beat_t buffer_beat;
  descriptor_t buffer_desc;
  local_buffer #(
      .Flits(BufferFlits != 0 ? BufferFlits : default_buffer(LosslessSlots)),
      .Messages(Messages),
      .LosslessSlots(LosslessSlots)
  ) u_local (
      .clk_i,
      .rst_i,
      .slots_i,
      .length_i(in_flit_i.desc.length),
      .accept_o(accepts),
      .accept_lossless_o(accepts_lossless),
      .half_o(room),
      .in_offer_i(in_valid_i),
      .in_valid_i(in_valid_i && accepted && !beyond),
      .in_start_i(in_valid_i && in_flit_i.first && accepts),
      .in_flit_i(flit),
      .out_valid_o(buffer_valid),
      .out_ready_i(buffer_ready),
      .out_beat_o(buffer_beat),
      .out_desc_o(buffer_desc)
  );
  assign buffer_pop = buffer_valid && buffer_ready;

  // The order of the messages in the engine, and the part of their descriptors that bypasses it.
  logic issue_first_q, kept_ready, kept_valid, kept_taken, ended_ready, ended_valid, ended_bad;
  kept_t kept;
  fifo #(
      .T(kept_t),
      .Depth(InFlight)
  ) u_kept (
      .clk_i,
      .rst_i,
      .in_valid_i(buffer_pop && issue_first_q),
      .in_ready_o(kept_ready),
      .in_data_i(next_hop_of(buffer_desc)),
      .out_valid_o(kept_valid),
      .out_ready_i(kept_taken),
      .out_data_o(kept)
  );
  fifo #(
      .T(logic),
      .Depth(InFlight)
  ) u_ended (
      .clk_i,
      .rst_i,
      .in_valid_i(buffer_pop && buffer_beat.last),
      .in_ready_o(ended_ready),
      .in_data_i(buffer_beat.bad),
      .out_valid_o(ended_valid),
      .out_ready_i(kept_taken),
      .out_data_o(ended_bad)
  );
  always_ff @(posedge clk_i) begin
    if (buffer_pop) issue_first_q <= buffer_beat.last;
    if (rst_i) issue_first_q <= 1'b1;
  end

  logic issue_valid, issue_ready;
  assign issue_valid = buffer_valid && (kept_ready || !issue_first_q);
  assign buffer_ready = issue_ready && (kept_ready || !issue_first_q);

  // A rank that the engine sets is for the next hop.
  descriptor_t issue_desc;
  always_comb begin
    issue_desc = buffer_desc;
    issue_desc.rank_valid = 1'b0;
  end

  logic done_valid, done_ready;
  beat_t done_beat;
  descriptor_t done_desc;
  if (PayloadOnly) begin : gen_payload
    payload_window #(
        .HeaderBytes(HeaderBytes),
        .InFlight(InFlight)
    ) u_window (
        .clk_i,
        .rst_i,
        .in_valid_i(issue_valid),
        .in_ready_o(issue_ready),
        .in_beat_i(buffer_beat),
        .in_desc_i(issue_desc),
        .m_axis_tvalid,
        .m_axis_tready,
        .m_axis_tdata,
        .m_axis_tkeep,
        .m_axis_tlast,
        .m_desc_o,
        .s_axis_tvalid,
        .s_axis_tready,
        .s_axis_tdata,
        .s_empty_i(empty_of(s_axis_tlast, s_axis_tkeep)),
        .s_none_i(s_axis_tkeep == '0),
        .s_axis_tlast,
        .s_axis_tuser,
        .s_desc_i,
        .out_valid_o(done_valid),
        .out_ready_i(done_ready),
        .out_beat_o(done_beat),
        .out_desc_o(done_desc)
    );
  end else begin : gen_whole
    assign m_axis_tvalid = issue_valid;
    assign issue_ready = m_axis_tready;
    assign m_axis_tdata = buffer_beat.data;
    assign m_axis_tkeep = keep_of(buffer_beat.last, buffer_beat.empty);
    assign m_axis_tlast = buffer_beat.last;
    assign m_desc_o = issue_desc;
    assign done_valid = s_axis_tvalid;
    assign s_axis_tready = done_ready;
    assign done_beat = '{
            bad: s_axis_tuser,
            last: s_axis_tlast,
            empty: empty_of(s_axis_tlast, s_axis_tkeep),
            data: s_axis_tdata
        };
    assign done_desc = s_desc_i;
  end

  // Detours and output.
  logic detour_valid, detour_ready;
  flit_t detour_in, detour_flit;
  always_comb begin
    detour_in = flit;
    detour_in.desc = detoured(flit.desc);
  end
  detour_buffer #(
      .Flits(DetourFlits != 0 ? DetourFlits : default_detour())
  ) u_detour (
      .clk_i,
      .rst_i,
      .length_i(in_flit_i.desc.length),
      .fits_o(detour_fits),
      .in_offer_i(in_valid_i),
      .in_valid_i(take && verdict == Detour && !beyond),
      .in_flit_i(detour_in),
      .out_valid_o(detour_valid),
      .out_ready_i(detour_ready),
      .out_flit_o(detour_flit)
  );

  logic drop_engine, drop_aborted, out_odd;
  unit_output #(
      .Flits(OutputFlits)
  ) u_output (
      .clk_i,
      .rst_i,
      .done_valid_i(done_valid),
      .done_ready_o(done_ready),
      .done_beat_i(done_beat),
      .done_desc_i(done_desc),
      .kept_valid_i(kept_valid),
      .kept_i(kept),
      .ended_valid_i(ended_valid),
      .ended_bad_i(ended_bad),
      .kept_taken_o(kept_taken),
      .detour_valid_i(detour_valid),
      .detour_ready_o(detour_ready),
      .detour_flit_i(detour_flit),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_odd_o(out_odd),
      .drop_engine_o(drop_engine),
      .drop_aborted_o(drop_aborted)
  );
  assign out_key_o = out_odd ? KeySchedulerOdd : KeyScheduler;

  logic holds_credit, taken, meter_idle;
  assign holds_credit = in_flit_i.desc.credit;
  assign taken = buffer_pop && buffer_beat.last;
  credit_meter #(
      .Waiting(256)  // the most credits that a scheduler can give a unit
  ) u_meter (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .taken_lossless_i(buffer_desc.lossless),
      .let_go_i(start && holds_credit && verdict != Accept),
      .let_go_lossless_i(in_flit_i.desc.lossless),
      .pushed_i(start && !holds_credit && verdict == Accept),
      .room_i(room),
      .credit_o,
      .idle_o(meter_idle)
  );

  assign event_o = '{
      drop_overrun: take && in_flit_i.last && verdict == Drop,
      drop_engine: drop_engine,
      drop_aborted: drop_aborted,
      mark_detoured: start && verdict == Detour,
      mark_pushed: start && !holds_credit && verdict == Accept,
      mark_pulled: start && holds_credit && verdict == Accept,
      mark_busy_cycles: buffer_valid || kept_valid
  };

  // Credits are conserved: each one that arrived with a message or was cancelled is given back or will be.
  // A message holds its credit, or the one that its cancel took, from its first flit until the engine takes it.
  logic signed [31:0] owed_q;
  logic middle_q;  // of a message that comes in
  always_ff @(posedge clk_i) begin
    if (take) middle_q <= !in_flit_i.last;
    owed_q <= owed_q + 32'(start && (holds_credit || verdict == Accept)) - 32'(credit_o.give);
    if (rst_i) begin
      owed_q   <= '0;
      middle_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (owed_q >= 0)
      else $error("traffic_manager: it gave more credits than it had");
      assert (owed_q == 0 || buffer_valid || middle_q || !meter_idle)
      else $error("traffic_manager: %0d credits are lost", owed_q);
      assert (!(buffer_pop && buffer_beat.last) || ended_ready)
      else $error("traffic_manager: more messages ended than are within the engine");
      assert (!in_valid_i || in_ready_o == (verdict != Wait))
      else $error("traffic_manager: its verdict and its input disagree");
      lossless_waits : cover (in_valid_i && verdict == Wait);
      cut : cover (take && over && verdict == Accept);
      cut_on_a_detour : cover (take && over && verdict == Detour);
      engine_has_all_it_may : cover (buffer_valid && issue_first_q && !kept_ready);
      // The events of every kind of compute unit.
      event_drop_overrun : cover (event_o.drop_overrun);
      event_drop_engine : cover (event_o.drop_engine);
      event_drop_aborted : cover (event_o.drop_aborted);
      event_mark_detoured : cover (event_o.mark_detoured);
      event_mark_pushed : cover (event_o.mark_pushed);
      event_mark_pulled : cover (event_o.mark_pulled);
      event_mark_busy_cycles : cover (event_o.mark_busy_cycles);
      event_drop_overrun_held_back : cover (event_o.drop_overrun && out_valid_o && !out_ready_i);
      event_drop_engine_held_back : cover (event_o.drop_engine && out_valid_o && !out_ready_i);
      event_drop_aborted_held_back : cover (event_o.drop_aborted && out_valid_o && !out_ready_i);
      event_mark_detoured_held_back : cover (event_o.mark_detoured && out_valid_o && !out_ready_i);
      event_mark_pushed_held_back : cover (event_o.mark_pushed && out_valid_o && !out_ready_i);
      event_mark_pulled_held_back : cover (event_o.mark_pulled && out_valid_o && !out_ready_i);
      event_mark_busy_cycles_held_back : cover (event_o.mark_busy_cycles && out_valid_o && !out_ready_i);
    end
  end
endmodule
