// SPDX-License-Identifier: Apache-2.0
// A cluster of RISC-V cores that run one program and take messages from one queue. Each core has its own memory, packet memory and
// watchdog (core_complex); hardware moves a message from the queue into the packet memory of the core that gets it (cluster_dispatch).
//
//          +-> core 0 -+
//   queue -+->  ...   -+-> round robin, whole messages
//          +-> core n -+
module cluster_engine
  import girih_pkg::*, core_map_pkg::*, cluster_pkg::*, core_types_pkg::*;
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
  control_access_t [Cores-1:0] control;
  from_core_t [Cores-1:0] dma;
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

  // Each core has CoreWindowBytes of the window; a write to the copy at CoreWindowAll goes to all of them.
  localparam int unsigned WindowBits = $clog2(CoreWindowBytes);
  logic all, there;
  logic [Cores-1:0] window_valid, window_done, window_error;
  logic [Cores-1:0][31:0] window_data;
  logic [13-WindowBits:0] window_core;
  assign window_core = window_addr_i[13:WindowBits];
  assign all = window_core == (14 - WindowBits)'(CoreWindowAll / CoreWindowBytes) && window_write_i;
  assign there = all || 32'(window_core) < Cores;
  always_comb begin
    window_data_o = '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      window_valid[i] = window_valid_i && (all || window_core == (14 - WindowBits)'(i));
      if (window_valid[i] && !all) window_data_o |= window_data[i];
    end
  end
  assign window_done_o = window_valid_i && &(window_done | ~window_valid);
  assign window_error_o = !there || |(window_error & window_valid);

  logic [Cores-1:0] running, mail_send, mail_sent, mail_valid, mail_take, mail_lost;
  logic [Cores-1:0][7:0] mail_to, mail_from;
  logic [Cores-1:0][31:0] mail_data, mail_word;
  logic mail_good;
  cluster_mail #(
      .Cores(Cores),
      .Words(Mail)
  ) u_mail (
      .clk_i,
      .rst_i,
      .running_i(running),
      .send_valid_i(mail_send),
      .send_to_i(mail_to),
      .send_word_i(mail_data),
      .sent_o(mail_sent),
      .good_o(mail_good),
      .mail_valid_o(mail_valid),
      .mail_from_o(mail_from),
      .mail_word_o(mail_word),
      .mail_take_i(mail_take),
      .refused_o(event_o.mark_mail_refused),
      .lost_o(mail_lost)
  );

  // The number is a port and not a parameter, so that all cores are one module for the tools.
  flit_t [Cores-1:0] from_flit;
  next_key_t [Cores-1:0] from_key;
  slot_event_t [Cores-1:0] slot_event;
  logic [Cores-1:0] refused, restarted, faulted, console_lost, overrun, too_long, aborted, dropped, reset;
  for (genvar i = 0; i < int'(Cores); i++) begin : gen_core
    core_complex #(
        .MemoryBytes(MemoryBytes),
        .Slots(Slots),
        .SlotBytes(SlotBytes),
        .PmpRegions(PmpRegions),
        .Debug(Debug),
        .MustAsk(1'b1)
    ) u_complex (
        .clk_i,
        .rst_i,
        .watchdog_i(cfg_i.watchdog),
        .now_i,
        .core_i(8'(i)),
        .in_valid_i(to_valid[i]),
        .in_ready_o(to_ready[i]),
        .in_flit_i(queue_flit),
        .out_valid_o(from_valid[i]),
        .out_ready_i(from_ready[i]),
        .out_flit_o(from_flit[i]),
        .out_key_o(from_key[i]),
        .window_valid_i(window_valid[i]),
        .window_write_i,
        .window_addr_i(14'(window_addr_i[WindowBits-1:0])),
        .window_data_i,
        .window_tenant_i,
        .window_done_o(window_done[i]),
        .window_error_o(window_error[i]),
        .window_data_o(window_data[i]),
        .status_o(status[i]),
        .fill_slot_o(fill_slot[i]),
        .ended_o(ended[i]),
        .running_o(running[i]),
        .mail_send_o(mail_send[i]),
        .mail_to_o(mail_to[i]),
        .mail_data_o(mail_data[i]),
        .mail_sent_i(mail_sent[i]),
        .mail_good_i(mail_good),
        .mail_valid_i(mail_valid[i]),
        .mail_from_i(mail_from[i]),
        .mail_word_i(mail_word[i]),
        .mail_take_o(mail_take[i]),
        .control_o(control[i]),
        .control_word_i('0),
        .wake_i(1'b0),
        .dma_o(dma[i]),
        .dma_i('0),
        .flying_i('0),
        .slot_event_o(slot_event[i]),
        .refused_o(refused[i]),
        .restarted_o(restarted[i]),
        .faulted_o(faulted[i]),
        .console_lost_o(console_lost[i])
    );
    assign overrun[i] = slot_event[i].drop_overrun;
    assign too_long[i] = slot_event[i].drop_too_long;
    assign aborted[i] = slot_event[i].drop_aborted;
    assign dropped[i] = slot_event[i].drop_program;
    assign reset[i] = slot_event[i].drop_reset;
    assign lost[i] = overrun[i] || too_long[i] || aborted[i];
  end

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

  logic unused;
  assign unused = &{1'b0, control, dma, slot_event};

  // One message at a time comes in, and ends there.
  assign event_o.drop_overrun = |overrun;
  assign event_o.drop_too_long = |too_long;
  assign event_o.drop_aborted = |aborted;
  localparam int unsigned Most = $clog2(Cores * (Slots + 2) + 1);  // of the messages in the cores
  pulse_sum #(.N(Cores), .Bits(Most)) u_dropped (.clk_i, .rst_i, .pulse_i(dropped), .pulse_o(event_o.drop_program));
  pulse_sum #(.N(Cores), .Bits(Most)) u_reset (.clk_i, .rst_i, .pulse_i(reset), .pulse_o(event_o.drop_reset));
  pulse_sum #(.N(Cores)) u_refused (.clk_i, .rst_i, .pulse_i(refused), .pulse_o(event_o.mark_refused));
  pulse_sum #(.N(Cores)) u_restarts (.clk_i, .rst_i, .pulse_i(restarted), .pulse_o(event_o.mark_restarts));
  pulse_sum #(.N(Cores)) u_faults (.clk_i, .rst_i, .pulse_i(faulted), .pulse_o(event_o.mark_faults));
  pulse_sum #(.N(Cores), .Bits($clog2(Cores * Mail + 1))) u_mail_lost (.clk_i, .rst_i, .pulse_i(mail_lost), .pulse_o(event_o.mark_mail_lost));
  pulse_sum #(.N(Cores)) u_console (.clk_i, .rst_i, .pulse_i(console_lost), .pulse_o(event_o.mark_console_lost));
endmodule
