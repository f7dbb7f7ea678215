// SPDX-License-Identifier: Apache-2.0
// RISC-V cores as the engine of a compute unit (docs/cores.md): their program answers each message. Answers leave in the order
// of the messages, even if the program answers in another order. The answer is void if the program drops the message, if the
// message is longer than a slot, or if a core holds it when the core is held or restarted. Several cores share the messages as those of a
// cluster do, each with at most one that waits behind the one in its program.
module core_unit
  import girih_pkg::*, axis_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Cores = 1,
    parameter int unsigned Mail = 8,
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned CoreSlots = 16,
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
  logic first_q;
  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && s_axis_tready) first_q <= s_axis_tlast;
    if (rst_i) first_q <= 1'b1;
  end
  assign in_flit = '{
          desc: s_desc_i,
          first: first_q,
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

  logic [Cores-1:0] to_valid, to_ready, lost, from_valid, from_ready, from;
  flit_t [Cores-1:0] from_flit;
  next_key_t [Cores-1:0] key;
  core_status_t [Cores-1:0] status;
  logic [Cores-1:0][$clog2(CoreSlots)-1:0] fill_slot;
  logic [Cores-1:0][CoreSlots-1:0] ended;
  if (Cores == 1) begin : gen_one
    assign to_valid = s_axis_tvalid;
    assign s_axis_tready = to_ready;
    assign from = 1'b1;
    logic unused;
    assign unused = &{1'b0, lost, status, fill_slot, ended};
  end else begin : gen_several
    cluster_dispatch #(
        .Cores(Cores),
        .Slots(CoreSlots)
    ) u_dispatch (
        .clk_i,
        .rst_i,
        .in_valid_i(s_axis_tvalid),
        .in_ready_o(s_axis_tready),
        .in_last_i(s_axis_tlast),
        .in_flow_i('0),
        .out_valid_o(to_valid),
        .out_ready_i(to_ready),
        .status_i(status),
        .lost_i(lost),
        .fill_slot_i(fill_slot),
        .ended_i(ended)
    );
    // The cores of the messages that have come and whose answers have not left, in order.
    logic [Cores-1:0] next;
    logic next_valid, next_ready;
    fifo #(
        .T(logic [Cores-1:0]),
        .Depth(2 ** $clog2(Cores * CoreSlots))
    ) u_order (
        .clk_i,
        .rst_i,
        .in_valid_i(s_axis_tvalid && s_axis_tready && s_axis_tlast),
        .in_ready_o(next_ready),
        .in_data_i(to_valid),
        .out_valid_o(next_valid),
        .out_ready_i(m_axis_tvalid && m_axis_tready && m_axis_tlast),
        .out_data_o(next)
    );
    assign from = next & {Cores{next_valid}};
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!(s_axis_tvalid && s_axis_tready && s_axis_tlast) || next_ready)
        else $error("core_unit: more messages are in the cores than they have slots");
        waits_for_turn : cover ((from_valid & ~from) != '0 && !(m_axis_tvalid && m_axis_tready));
      end
    end
  end
  assign m_axis_tvalid = |(from & from_valid);
  assign from_ready = from & {Cores{m_axis_tready}};
  always_comb begin
    out_flit = '0;
    for (int unsigned i = 0; i < Cores; i++) if (from[i]) out_flit |= from_flit[i];
  end

  slot_event_t [Cores-1:0] slot_event;
  logic [Cores-1:0] refused, restarted, faulted, console_lost, mail_lost;
  logic mail_refused;
  cluster_cores #(
      .Cores(Cores),
      .MemoryBytes(MemoryBytes),
      .Slots(CoreSlots),
      .SlotBytes(SlotBytes),
      .PmpRegions(PmpRegions),
      .Debug(Debug),
      .Mail(Cores == 1 ? 0 : Mail),
      .InOrder(1'b1)
  ) u_cores (
      .clk_i,
      .rst_i,
      .watchdog_i,
      .now_i,
      .in_valid_i(to_valid),
      .in_ready_o(to_ready),
      .in_flit_i(in_flit),
      .out_valid_o(from_valid),
      .out_ready_i(from_ready),
      .out_flit_o(from_flit),
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
      .lost_o(lost),
      .fill_slot_o(fill_slot),
      .ended_o(ended),
      .slot_event_o(slot_event),
      .refused_o(refused),
      .restarted_o(restarted),
      .faulted_o(faulted),
      .console_lost_o(console_lost),
      .mail_refused_o(mail_refused),
      .mail_lost_o(mail_lost)
  );

  logic unused;
  assign unused = &{1'b0, key, slot_event, refused, restarted, faulted, console_lost, mail_refused, mail_lost};
endmodule
