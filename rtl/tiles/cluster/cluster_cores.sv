// SPDX-License-Identifier: Apache-2.0
// The cores of a tile that has several: each has its memory, its packet memory, its watchdog (core_complex) and its part of the window, and they send
// each other mail. Which messages a core gets, and in which order theirs leave, is up to the tile.
module cluster_cores
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Cores = 4,
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Slots = 8,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned PmpRegions = 4,
    parameter int unsigned Debug = 0,
    parameter int unsigned Mail = 8,  // 0: none, all mail is refused
    parameter bit InOrder = 0,
    parameter bit Makes = 0,  // programs can make messages: at most one in two cycles, all together
    parameter bit MustAsk = 0,
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] watchdog_i,
    input timestamp_t now_i,

    input  logic  [Cores-1:0] in_valid_i,
    output logic  [Cores-1:0] in_ready_o,
    input  flit_t             in_flit_i,

    output logic      [Cores-1:0] out_valid_o,
    input  logic      [Cores-1:0] out_ready_i,
    output flit_t     [Cores-1:0] out_flit_o,
    output next_key_t [Cores-1:0] out_key_o,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    // For the module that assigns messages to cores.
    output core_status_t [Cores-1:0]               status_o,
    output logic         [Cores-1:0]               lost_o,       // a message has ended before it waited
    output logic         [Cores-1:0][SlotBits-1:0] fill_slot_o,
    output logic         [Cores-1:0][   Slots-1:0] ended_o,

    output slot_event_t [Cores-1:0] slot_event_o,
    output logic        [Cores-1:0] refused_o,
    output logic        [Cores-1:0] restarted_o,
    output logic        [Cores-1:0] faulted_o,
    output logic        [Cores-1:0] console_lost_o,
    output logic                    mail_refused_o,
    output logic        [Cores-1:0] mail_lost_o
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

  logic [Cores-1:0] running, mail_send, mail_sent, mail_valid, mail_take;
  logic [Cores-1:0][7:0] mail_to, mail_from;
  logic [Cores-1:0][31:0] mail_data, mail_word;
  logic mail_good;
  if (Mail != 0) begin : gen_mail
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
        .refused_o(mail_refused_o),
        .lost_o(mail_lost_o)
    );
  end else begin : gen_no_mail
    assign mail_sent = '1;
    assign mail_good = 1'b0;
    assign mail_valid = '0;
    assign mail_from = '0;
    assign mail_word = '0;
    assign mail_refused_o = |mail_send;
    assign mail_lost_o = '0;
    logic unused;
    assign unused = &{1'b0, running, mail_to, mail_data, mail_take};
  end

  // Makes take turns, so that as many messages as come and are made can be counted when they end.
  logic [2*Cores-1:0] turn_q;
  always_ff @(posedge clk_i) turn_q <= rst_i ? (2 * Cores)'(1) : {turn_q[2*Cores-2:0], turn_q[2*Cores-1]};

  // The number is a port and not a parameter, so that all cores are one module for the tools. Each is mapped by itself: long paths in one would
  // make those in the others longer.
  control_access_t [Cores-1:0] control;
  from_core_t [Cores-1:0] dma;
  for (genvar i = 0; i < int'(Cores); i++) begin : gen_core
    (* keep_hierarchy *)
    core_complex #(
        .MemoryBytes(MemoryBytes),
        .Slots(Slots),
        .SlotBytes(SlotBytes),
        .PmpRegions(PmpRegions),
        .Debug(Debug),
        .InOrder(InOrder),
        .Makes(Makes),
        .MustAsk(MustAsk)
    ) u_complex (
        .clk_i,
        .rst_i,
        .watchdog_i,
        .now_i,
        .core_i(8'(i)),
        .in_valid_i(in_valid_i[i]),
        .in_ready_o(in_ready_o[i]),
        .in_flit_i,
        .out_valid_o(out_valid_o[i]),
        .out_ready_i(out_ready_i[i]),
        .out_flit_o(out_flit_o[i]),
        .out_key_o(out_key_o[i]),
        .window_valid_i(window_valid[i]),
        .window_write_i,
        .window_addr_i(14'(window_addr_i[WindowBits-1:0])),
        .window_data_i,
        .window_tenant_i,
        .window_done_o(window_done[i]),
        .window_error_o(window_error[i]),
        .window_data_o(window_data[i]),
        .status_o(status_o[i]),
        .fill_slot_o(fill_slot_o[i]),
        .ended_o(ended_o[i]),
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
        .make_turn_i(!Makes || turn_q[2*i]),
        .control_o(control[i]),
        .control_word_i('0),
        .wake_i(1'b0),
        .dma_o(dma[i]),
        .dma_i('0),
        .flying_i('0),
        .slot_event_o(slot_event_o[i]),
        .refused_o(refused_o[i]),
        .restarted_o(restarted_o[i]),
        .faulted_o(faulted_o[i]),
        .console_lost_o(console_lost_o[i])
    );
    assign lost_o[i] = slot_event_o[i].drop_overrun || slot_event_o[i].drop_too_long || slot_event_o[i].drop_aborted;
  end

  logic unused_devices;
  assign unused_devices = &{1'b0, control, dma};
endmodule
