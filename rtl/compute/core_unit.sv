// SPDX-License-Identifier: Apache-2.0
// A RISC-V core as the engine of a compute unit (docs/cores.md): its program answers each message. Answers leave in the order
// of the messages, even if the program answers in another order. The answer is void if the program drops the message, if the
// message is longer than a slot, or if the core holds it when the core is held or restarted.
module core_unit
  import girih_pkg::*, axis_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned PmpRegions = 4,
    parameter int unsigned Debug = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] watchdog_i,
    input timestamp_t now_i,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  descriptor_t          s_desc_i,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser,
    output descriptor_t          m_desc_o
);
  flit_t in_flit, out_flit;
  assign in_flit = '{
          desc: s_desc_i,
          bad: 1'b0,
          last: s_axis_tlast,
          empty: empty_of(s_axis_tlast, s_axis_tkeep),
          data: s_axis_tdata
      };
  assign m_axis_tdata = out_flit.data;
  assign m_axis_tkeep = keep_of(out_flit.last, out_flit.empty);
  assign m_axis_tlast = out_flit.last;
  assign m_axis_tuser = out_flit.bad;
  assign m_desc_o = out_flit.desc;

  next_key_t key;
  slot_event_t event_pulse;
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
      .PmpRegions(PmpRegions),
      .Debug(Debug),
      .InOrder(1'b1)
  ) u_complex (
      .clk_i,
      .rst_i,
      .watchdog_i,
      .now_i,
      .core_i('0),
      .in_valid_i(s_axis_tvalid),
      .in_ready_o(s_axis_tready),
      .in_flit_i(in_flit),
      .out_valid_o(m_axis_tvalid),
      .out_ready_i(m_axis_tready),
      .out_flit_o(out_flit),
      .out_key_o(key),
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
      .control_o(control),
      .control_word_i('0),
      .wake_i(1'b0),
      .dma_o(dma),
      .dma_i('0),
      .flying_i('0),
      .slot_event_o(event_pulse),
      .refused_o(refused),
      .restarted_o(restarted),
      .faulted_o(faulted),
      .console_lost_o(console_lost)
  );

  logic unused;
  assign unused = &{1'b0, running, mail_send, mail_take, mail_to, mail_data, control, dma, key, status, fill_slot, ended, event_pulse, refused, restarted, faulted, console_lost};
endmodule
