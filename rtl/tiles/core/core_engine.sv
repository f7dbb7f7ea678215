// SPDX-License-Identifier: Apache-2.0
// A RISC-V core as an application: its program takes each message, changes it in place, and sends it on or drops it.
module core_engine
  import girih_pkg::*, core_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Slots = 16,
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
  slot_event_t slot_event;
  core_status_t status;
  logic [$clog2(Slots)-1:0] fill_slot;
  logic [Slots-1:0] ended;
  logic refused, restarted, faulted, console_lost, running, mail_send, mail_take;
  logic [7:0] mail_to;
  logic [31:0] mail_data;
  control_access_t control;
  from_core_t dma;
  core_complex #(
      .MemoryBytes(MemoryBytes),
      .Slots(Slots),
      .SlotBytes(SlotBytes),
      .Makes(1'b1),
      .PmpRegions(PmpRegions),
      .Debug(Debug)
  ) u_complex (
      .clk_i,
      .rst_i,
      .watchdog_i(cfg_i.watchdog),
      .now_i,
      .core_i('0),
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .window_valid_i,
      .window_write_i,
      .window_addr_i,
      .window_data_i,
      .window_tenant_i,
      .window_done_o,
      .window_error_o,
      .window_data_o,
      .status_o(status),
      .fill_slot_o(fill_slot),
      .ended_o(ended),
      .running_o(running),  // one core: mail is refused
      .mail_send_o(mail_send),
      .mail_to_o(mail_to),
      .mail_data_o(mail_data),
      .mail_sent_i(1'b1),
      .mail_good_i(1'b0),
      .mail_valid_i(1'b0),
      .mail_from_i('0),
      .mail_word_i('0),
      .mail_take_o(mail_take),
      .make_turn_i(1'b1),
      .control_o(control),
      .control_word_i('0),
      .wake_i(1'b0),
      .dma_o(dma),
      .dma_i('0),
      .flying_i('0),
      .slot_event_o(slot_event),
      .refused_o(refused),
      .restarted_o(restarted),
      .faulted_o(faulted),
      .console_lost_o(console_lost)
  );

  assign event_o = '{
          drop_overrun: slot_event.drop_overrun,
          drop_too_long: slot_event.drop_too_long,
          drop_aborted: slot_event.drop_aborted,
          drop_program: slot_event.drop_program,
          drop_reset: slot_event.drop_reset,
          made_messages: slot_event.made_messages,
          mark_refused: refused,
          mark_restarts: restarted,
          mark_faults: faulted,
          mark_console_lost: console_lost
      };

  logic unused;
  assign unused = &{1'b0, running, mail_send, mail_take, mail_to, mail_data, control, dma, status, fill_slot, ended};
endmodule
