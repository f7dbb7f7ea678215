// SPDX-License-Identifier: Apache-2.0
// Finds events to report. It visits the tiles with interrupts and the watched counters in turn, whenever a message may be sent:
//
//   tile:     once, enable all interrupts, unless some are enabled already; line up -> read the pending bits -> clear just these -> report
//   counter:  once a period: read its low word -> has it grown by the threshold since the last report? -> report
//
// It reads only what it can report next, so no report is ever discarded: events wait in their tile as pending bits, and counters count on.
// A tile that cannot be reached is reported once until it can be reached again, and is not tried again in the same period. One access is in flight at
// a time; the ring ends each.
module syslog_watch
  import girih_pkg::*, syslog_types_pkg::*;
#(
    parameter int unsigned Lines = 1,
    parameter int unsigned Watches = 1
) (
    input logic clk_i,
    input logic rst_i,

    input line_t [Lines-1:0] line_i,
    input logic [Lines-1:0] interrupt_i,
    input watch_t [Watches-1:0] watch_i,
    input logic [Watches-1:0][31:0] threshold_i,
    input logic [31:0] period_i,
    input logic [63:0] cycle_i,

    output logic wants_o,  // an interrupt or a counter waits for a visit
    input logic may_report_i,  // stays until a report is taken; a visit starts only with it
    output logic report_valid_o,
    input logic report_ready_i,
    output report_t report_o,
    output logic failed_o,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i
);
  localparam logic [15:0] PendingAt = 16'(tile_map_pkg::InterruptPending), EnableAt = 16'(tile_map_pkg::InterruptEnable);
  localparam int unsigned Sources = Lines + Watches;
  localparam int unsigned SourceBits = $clog2(Sources);
  localparam int unsigned LineBits = Lines > 1 ? $clog2(Lines) : 1;
  localparam int unsigned WatchBits = Watches > 1 ? $clog2(Watches) : 1;
  typedef logic [SourceBits-1:0] source_t;

  typedef enum logic [3:0] {
    Pick,
    Look,
    ReadEnable,
    Enable,
    ReadPending,
    Clear,
    ReadCounter,
    Subtract,
    Compare,
    Report
  } state_e;
  state_e state_q;
  source_t source_q;
  logic is_line, is_line_q, asks, asked_q, answered, okay;
  logic [LineBits-1:0] line_index;
  logic [WatchBits-1:0] watch_index, watch_index_q;
  assign is_line = 32'(source_q) < Lines;
  assign line_index = LineBits'(source_q);
  assign watch_index = WatchBits'(32'(source_q) - Lines);

  // The current source: everything about it is in registers.
  line_t line;
  watch_t watch, watch_q;
  logic valid_q, enabled_q, enabled, raised_q, due_q, blocked_q, told_q;
  logic [31:0] threshold_q, value_q, grown_q;
  logic [Lines-1:0] all_enabled_q;  // their interrupts
  logic [Watches-1:0] all_due_q, known_q;  // to be read in this period; told before
  logic [Sources-1:0] all_blocked_q, all_told_q;  // not tried again in this period; reported as unreachable
  assign line = line_i[line_index];
  assign watch = watch_i[watch_index];

  // For which tile the interrupts of a line were enabled.
  node_t enabled_node[Lines];
  node_t enabled_node_q;
  always_ff @(posedge clk_i) begin
    if (answered && state_q inside {ReadEnable, Enable}) enabled_node[line_index] <= watch_q.node;
    enabled_node_q <= enabled_node[line_index];
  end
  assign enabled = enabled_q && enabled_node_q == watch_q.node;

  // The value of each counter at its last report, and which counter that was.
  typedef struct packed {
    watch_t watch;
    logic [31:0] value;
  } base_t;
  base_t base[Watches];
  logic [31:0] base_q;
  logic compares;
  assign compares = state_q == Compare && grown_q >= threshold_q && grown_q != '0;
  always_ff @(posedge clk_i) begin
    if (compares) base[watch_index_q] <= '{watch: watch_q, value: value_q};
    base_q <= known_q[watch_index_q] && base[watch_index_q].watch == watch_q ? base[watch_index_q].value : '0;  // 0: since reset
  end

  logic tick_q;
  logic [31:0] timer_q;
  always_ff @(posedge clk_i) begin
    tick_q  <= timer_q >= period_i;
    timer_q <= timer_q >= period_i ? 32'd1 : timer_q + 1'b1;
    wants_o <= (interrupt_i & all_enabled_q & ~all_blocked_q[Lines-1:0]) != '0;
    if (rst_i) begin
      tick_q  <= 1'b0;
      timer_q <= 32'd1;
      wants_o <= 1'b0;
    end
  end

  assign asks = state_q inside {ReadEnable, Enable, ReadPending, Clear, ReadCounter};
  assign answered = asks && asked_q && control_answer_valid_i;
  assign okay = control_answer_i.status == CtrlOkay;
  assign failed_o = answered && !okay;
  assign control_valid_o = asks && !asked_q;
  assign control_request_o = '{
          write: state_q inside {Enable, Clear},
          tag: '0,
          node: watch_q.node,
          offset: state_q inside {ReadEnable, Enable} ? EnableAt : watch_q.offset,
          data: state_q == Enable ? '1 : value_q
      };
  assign report_valid_o = state_q == Report;

  // The source is done; the next one has its turn.
  logic idle, done;
  assign idle = !valid_q || blocked_q || (is_line_q ? enabled && !raised_q : !due_q);
  always_comb begin
    unique case (state_q)
      Look: done = idle;
      ReadEnable: done = answered && (okay ? control_answer_i.data != '0 : told_q);  // what the host has chosen stays
      Enable: done = answered && (okay || told_q);
      ReadPending: done = answered && (okay ? control_answer_i.data == '0 : told_q);  // another master may have cleared it
      Clear, ReadCounter: done = answered && !okay && told_q;
      Compare: done = !compares;
      Report: done = report_ready_i;
      default: done = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (control_valid_o && control_ready_i) asked_q <= 1'b1;
    if (answered) begin
      asked_q <= 1'b0;
      value_q <= control_answer_i.data;
      report_o.node <= watch_q.node;
      report_o.offset <= watch_q.offset;
      if (state_q != Clear || !okay) report_o.cycle <= cycle_i;
      if (!okay) begin
        all_blocked_q[source_q] <= 1'b1;
        all_told_q[source_q] <= 1'b1;
        report_o.what <= Unreachable;
        report_o.value <= 32'(control_answer_i.status);
      end else if (state_q == Clear) begin
        report_o.what <= Interrupt;
        report_o.value <= value_q;
      end
      // An interrupt can be reported again once it has been cleared.
      if (okay && state_q != ReadPending) all_told_q[source_q] <= 1'b0;
      if (okay && (state_q == Enable || (state_q == ReadEnable && done))) all_enabled_q[line_index] <= 1'b1;
      if (okay && state_q == ReadCounter) all_due_q[watch_index_q] <= 1'b0;
    end

    unique case (state_q)
      Pick: begin
        is_line_q <= is_line;
        watch_index_q <= watch_index;
        watch_q <= is_line ? '{node: line.node, offset: PendingAt} : watch;
        valid_q <= is_line ? line.valid : watch.offset != '0;
        enabled_q <= all_enabled_q[line_index];
        raised_q <= interrupt_i[line_index];
        due_q <= all_due_q[watch_index];
        blocked_q <= all_blocked_q[source_q];
        told_q <= all_told_q[source_q];
        threshold_q <= threshold_i[watch_index];
        if (may_report_i) state_q <= Look;
      end
      Look: if (!idle) state_q <= !is_line_q ? ReadCounter : enabled ? ReadPending : ReadEnable;
      ReadPending: if (answered) state_q <= okay ? Clear : Report;
      ReadEnable: if (answered) state_q <= okay ? Enable : Report;
      Enable, Clear: if (answered) state_q <= Report;
      ReadCounter: if (answered) state_q <= okay ? Subtract : Report;
      Subtract: begin
        grown_q <= value_q - base_q;
        state_q <= Compare;
      end
      Compare: begin
        known_q[watch_index_q] <= known_q[watch_index_q] || compares;
        report_o.what <= Counter;
        report_o.value <= grown_q;
        state_q <= Report;
      end
      default: ;
    endcase
    if (done) begin
      state_q  <= Pick;
      source_q <= 32'(source_q) == Sources - 1 ? '0 : source_q + 1'b1;
    end
    if (tick_q) begin
      all_due_q <= '1;
      all_blocked_q <= '0;
    end
    if (rst_i) begin
      state_q <= Pick;
      source_q <= '0;
      asked_q <= 1'b0;
      all_enabled_q <= '0;
      all_due_q <= '0;
      known_q <= '0;
      all_blocked_q <= '0;
      all_told_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, control_answer_i.tag};
endmodule
