// SPDX-License-Identifier: Apache-2.0
// Reports events at other tiles to a collector: a master of the control network that takes their interrupts and watches counters.
//
//   interrupts, counters -> syslog_watch (control) -> report -> syslog_writer -> out
//
// At least cfg_i.interval cycles pass between two messages. Nothing is sent while the card has no address, or no collector. A report is made only
// when it can be sent, so none is lost here.
module syslog_engine
  import girih_pkg::*, net_pkg::*, syslog_types_pkg::*, syslog_pkg::*;
#(
    parameter int unsigned Watches = 8
) (
    input logic clk_i,
    input logic rst_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,
    input  logic   [31:0] control_interrupt_i,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned Lines = 32;
  if (Watches < 1 || Watches > 16) begin : gen_bad_watches
    $fatal(1, "syslog_engine: Watches is %0d; it must be 1 to 16", Watches);
  end

  logic [63:0] cycle_q;
  logic [31:0] since_q, number_q;
  logic rested_q, addressed_q, wants, may_report, held_q;
  logic report_valid, report_ready, takes;
  report_t report;
  assign takes = report_valid && report_ready;
  // A report that has been started is sent, whatever changes meanwhile, so it keeps the address from its start.
  ipv4_addr_t ip_q, collector_q;
  assign may_report = rested_q && addressed_q && report_ready;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (!rested_q) since_q <= since_q + 1'b1;
    rested_q <= rested_q || since_q >= cfg_i.interval;
    addressed_q <= cfg_i.ip != '0 && cfg_i.collector != '0;
    if (cfg_i.ip != '0 && cfg_i.collector != '0) begin
      ip_q <= cfg_i.ip;
      collector_q <= cfg_i.collector;
    end
    held_q <= held_q || (wants && !rested_q);
    if (takes) begin
      number_q <= number_q + 1'b1;
      since_q <= 32'd1;
      rested_q <= 1'b0;
      held_q <= 1'b0;
    end
    if (rst_i) begin
      cycle_q <= '0;
      number_q <= '0;
      since_q <= '0;
      rested_q <= 1'b1;
      addressed_q <= 1'b0;
      held_q <= 1'b0;
    end
  end

  syslog_watch #(
      .Lines  (Lines),
      .Watches(Watches)
  ) u_watch (
      .clk_i,
      .rst_i,
      .line_i(cfg_i.line),
      .interrupt_i(control_interrupt_i),
      .watch_i(cfg_i.watch[Watches-1:0]),
      .threshold_i(cfg_i.threshold[Watches-1:0]),
      .period_i(cfg_i.period),
      .cycle_i(cycle_q),
      .wants_o(wants),
      .may_report_i(may_report),
      .report_valid_o(report_valid),
      .report_ready_i(report_ready),
      .report_o(report),
      .failed_o(event_o.mark_failed),
      .control_valid_o,
      .control_ready_i,
      .control_request_o,
      .control_answer_valid_i,
      .control_answer_i
  );

  syslog_writer u_writer (
      .clk_i,
      .rst_i,
      .report_valid_i(report_valid),
      .report_ready_o(report_ready),
      .report_i(report),
      .number_i(number_q),
      .ip_i(ip_q),
      .collector_i(collector_q),
      .collector_port_i(cfg_i.collector_port),
      .local_number_i(cfg_i.local_number),
      .severity_i(cfg_i.severity),
      .port_i(port_t'(cfg_i.ethernet_port)),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o
  );
  assign out_key_o = '0;

  assign event_o.made_message = out_valid_o && out_ready_i && out_flit_o.last;
  assign event_o.mark_interrupt = takes && report.what == Interrupt;
  assign event_o.mark_counter = takes && report.what == Counter;
  assign event_o.mark_unreachable = takes && report.what == Unreachable;
  assign event_o.mark_held = takes && held_q;
  assign event_o.mark_control_refused = 1'b0;

  logic unused;
  assign unused = &{1'b0, cfg_i};
endmodule
