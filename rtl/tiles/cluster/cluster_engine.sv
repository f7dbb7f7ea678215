// SPDX-License-Identifier: Apache-2.0
// A cluster of RISC-V cores that run one program and take messages from one queue. Each core has its own memory, packet memory and
// watchdog (cluster_cores); hardware moves a message from the queue into the packet memory of the core that gets it (cluster_dispatch).
//
//          +-> core 0 -+
//   queue -+->  ...   -+-> round robin, whole messages
//          +-> core n -+
module cluster_engine
  import girih_pkg::*, cluster_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Cores = 4,
    parameter int unsigned QueueFlits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Ahead = 1,
    parameter int unsigned Flows = 0,
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Mail = 8,
    parameter int unsigned Slots = 8,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned PmpRegions = 4,
    parameter int unsigned Debug = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input timestamp_t now_i,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  logic queue_valid, queue_ready;
  flit_t queue_flit;
  logic [15:0] queue_flow;
  cluster_queue #(
      .Flits(QueueFlits),
      .Flows(Flows != 0)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(queue_valid),
      .out_ready_i(queue_ready),
      .out_flit_o(queue_flit),
      .out_flow_o(queue_flow),
      .drop_no_room_o(event_o.drop_no_room)
  );

  logic [Cores-1:0] to_valid, to_ready, lost, from_valid, from_ready;
  core_status_t [Cores-1:0] status;
  logic [Cores-1:0][$clog2(Slots)-1:0] fill_slot;
  logic [Cores-1:0][Slots-1:0] ended;
  cluster_dispatch #(
      .Cores(Cores),
      .Slots(Slots),
      .Ahead(Ahead),
      .Flows(Flows)
  ) u_dispatch (
      .clk_i,
      .rst_i,
      .in_valid_i(queue_valid),
      .in_ready_o(queue_ready),
      .in_last_i(queue_flit.last),
      .in_flow_i(queue_flow),
      .out_valid_o(to_valid),
      .out_ready_i(to_ready),
      .status_i(status),
      .lost_i(lost),
      .fill_slot_i(fill_slot),
      .ended_i(ended)
  );

  flit_t [Cores-1:0] from_flit;
  next_key_t [Cores-1:0] from_key;
  slot_event_t [Cores-1:0] slot_event;
  logic [Cores-1:0] refused, restarted, faulted, console_lost, mail_lost;
  cluster_cores #(
      .Cores(Cores),
      .MemoryBytes(MemoryBytes),
      .Slots(Slots),
      .SlotBytes(SlotBytes),
      .PmpRegions(PmpRegions),
      .Debug(Debug),
      .Mail(Mail),
      .Makes(1'b1),
      .MustAsk(1'b1)
  ) u_cores (
      .clk_i,
      .rst_i,
      .watchdog_i(cfg_i.watchdog),
      .now_i,
      .in_valid_i(to_valid),
      .in_ready_o(to_ready),
      .in_flit_i(queue_flit),
      .out_valid_o(from_valid),
      .out_ready_i(from_ready),
      .out_flit_o(from_flit),
      .out_key_o(from_key),
      .window_valid_i,
      .window_write_i,
      .window_addr_i,
      .window_data_i,
      .window_tenant_i,
      .window_done_o,
      .window_error_o,
      .window_data_o,
      .status_o(status),
      .lost_o(lost),
      .fill_slot_o(fill_slot),
      .ended_o(ended),
      .slot_event_o(slot_event),
      .refused_o(refused),
      .restarted_o(restarted),
      .faulted_o(faulted),
      .console_lost_o(console_lost),
      .mail_refused_o(event_o.mark_mail_refused),
      .mail_lost_o(mail_lost)
  );

  // The cores take turns to send, a message each.
  logic [Cores-1:0] turn, to_q, from;
  logic moves_q;
  arbiter_round_robin #(
      .N(Cores)
  ) u_turn (
      .clk_i,
      .rst_i,
      .request_i(from_valid),
      .advance_i(out_valid_o && !moves_q),
      .grant_o  (turn)
  );
  assign from = moves_q ? to_q : turn;
  assign out_valid_o = |(from & from_valid);
  assign from_ready = from & {Cores{out_ready_i}};
  always_comb begin
    out_flit_o = '0;
    out_key_o = '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      if (from[i]) begin
        out_flit_o |= from_flit[i];
        out_key_o |= from_key[i];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    // A core that has offered a flit keeps its turn.
    if (out_valid_o) begin
      to_q <= from;
      moves_q <= !(out_ready_i && out_flit_o.last);
    end
    if (rst_i) moves_q <= 1'b0;
  end

  logic [Cores-1:0] overrun, too_long, aborted, dropped, reset, made;
  always_comb begin
    for (int unsigned i = 0; i < Cores; i++) begin
      overrun[i] = slot_event[i].drop_overrun;
      too_long[i] = slot_event[i].drop_too_long;
      aborted[i] = slot_event[i].drop_aborted;
      dropped[i] = slot_event[i].drop_program;
      reset[i] = slot_event[i].drop_reset;
      made[i] = slot_event[i].made_messages;
    end
  end

  // One message at a time comes in and ends there, or is made.
  assign event_o.drop_overrun = |overrun;
  assign event_o.drop_too_long = |too_long;
  assign event_o.drop_aborted = |aborted;
  assign event_o.made_messages = |made;
  localparam int unsigned Most = $clog2(Cores * (Slots + 2) + 1);  // of the messages in the cores
  pulse_sum #(.N(Cores), .Bits(Most)) u_dropped (.clk_i, .rst_i, .pulse_i(dropped), .pulse_o(event_o.drop_program));
  pulse_sum #(.N(Cores), .Bits(Most)) u_reset (.clk_i, .rst_i, .pulse_i(reset), .pulse_o(event_o.drop_reset));
  pulse_sum #(.N(Cores)) u_refused (.clk_i, .rst_i, .pulse_i(refused), .pulse_o(event_o.mark_refused));
  pulse_sum #(.N(Cores)) u_restarts (.clk_i, .rst_i, .pulse_i(restarted), .pulse_o(event_o.mark_restarts));
  pulse_sum #(.N(Cores)) u_faults (.clk_i, .rst_i, .pulse_i(faulted), .pulse_o(event_o.mark_faults));
  pulse_sum #(.N(Cores), .Bits($clog2(Cores * Mail + 1))) u_mail_lost (.clk_i, .rst_i, .pulse_i(mail_lost), .pulse_o(event_o.mark_mail_lost));
  pulse_sum #(.N(Cores)) u_console (.clk_i, .rst_i, .pulse_i(console_lost), .pulse_o(event_o.mark_console_lost));

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(made))
      else $error("cluster_engine: two messages are made in one cycle");
    end
  end
endmodule
