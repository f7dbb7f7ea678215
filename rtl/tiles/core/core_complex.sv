// SPDX-License-Identifier: Apache-2.0
// A processor with its memory, the slots of its messages, and the operator's access for loading and running programs: a whole core except its place
// on the card.
module core_complex
  import girih_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned PmpRegions = 4,
    parameter int unsigned Debug = 0,  // 1: supports a debugger; Ibex's debug mode lies on its longest paths
    parameter bit InOrder = 0,
    parameter bit Control = 0,  // the devices of a control core; its watchdog also requires that the program, once it has asked for a message, asks again
    parameter bit Dma = 0,  // its program can start accesses to memory
    parameter bit Makes = 0,  // its program can make messages
    parameter bit MustAsk = 0,  // the watchdog also counts while the program, once it has asked for a message, neither has one nor asks for one
    localparam int unsigned SlotBits = $clog2(Slots)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] watchdog_i,  // cycles for which a message may wait or belong to the core while the core takes and ends none; 0: no limit
    input timestamp_t now_i,
    input logic [7:0] core_i,  // its number in its tile

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    output core_status_t        status_o,
    output logic [SlotBits-1:0] fill_slot_o,  // the slot of the next message
    output logic [   Slots-1:0] ended_o,      // messages that end

    // Mail to and from other cores of the tile; sent_i: the answer to the word on offer.
    output logic        running_o,
    output logic        mail_send_o,
    output logic [ 7:0] mail_to_o,
    output logic [31:0] mail_data_o,
    input  logic        mail_sent_i,
    input  logic        mail_good_i,
    input  logic        mail_valid_i,
    input  logic [ 7:0] mail_from_i,
    input  logic [31:0] mail_word_i,
    output logic        mail_take_o,

    input logic make_turn_i,  // in the next cycle the program can make a message; until then it waits

    // The devices of a control core; without Control the program cannot reach them.
    output control_access_t control_o,
    input  logic     [31:0] control_word_i,
    input  logic            wake_i,

    // Accesses to memory, with Dma.
    output from_core_t dma_o,
    input  to_core_t   dma_i,
    input  logic [Slots-1:0] flying_i,  // slots with an access in flight

    output slot_event_t slot_event_o,
    output logic refused_o,
    output logic restarted_o,
    output logic faulted_o,  // restarted by its program, after a fault
    output logic console_lost_o
);
  if (MemoryBytes < 4096 || (MemoryBytes & (MemoryBytes - 1)) != 0) begin : gen_bad_memory
    $fatal(1, "core_complex: MemoryBytes is %0d; it must be a power of two, at least 4096", MemoryBytes);
  end
  localparam int unsigned WordBits = SlotBits + $clog2(SlotBytes / 4);
  localparam int unsigned MemoryBits = $clog2(MemoryBytes / 4);

  logic core_rst_n, running, hold, stopped;
  logic instr_req, instr_valid, instr_error, debug_req;
  logic [31:0] instr_addr, instr_data;
  logic data_req, data_gnt, data_valid, data_we, data_error;
  logic [3:0] data_be;
  logic [31:0] data_addr, data_wdata, data_rdata;
  logic alarm;
  logic [1:0] alarm_write;
  logic [63:0] now;
  logic [31:0] device_data, alarm_low;
  core_timer u_timer (
      .clk_i,
      .rst_i,
      .running_i(running),
      .write_i(alarm_write),
      .data_i(device_data),
      .time_o(now),
      .low_o(alarm_low),
      .alarm_o(alarm)
  );

  core_cpu #(
      .PmpRegions(PmpRegions)
  ) u_cpu (
      .clk_i,
      .rst_ni(core_rst_n),
      .core_i,
      .instr_req_o(instr_req),
      .instr_gnt_i(1'b1),
      .instr_rvalid_i(instr_valid),
      .instr_addr_o(instr_addr),
      .instr_rdata_i(instr_data),
      .instr_err_i(instr_error),
      .data_req_o(data_req),
      .data_gnt_i(data_gnt),
      .data_rvalid_i(data_valid),
      .data_we_o(data_we),
      .data_be_o(data_be),
      .data_addr_o(data_addr),
      .data_wdata_o(data_wdata),
      .data_rdata_i(data_rdata),
      .data_err_i(data_error),
      .irq_timer_i(alarm),
      .irq_external_i(1'b0),
      .debug_req_i(debug_req)
  );

  logic [1:0] mail_write;
  logic mail_good;
  assign running_o = running;
  core_mail u_mail (
      .clk_i,
      .rst_i,
      .running_i(running),
      .write_i(mail_write),
      .data_i(device_data),
      .send_valid_o(mail_send_o),
      .send_to_o(mail_to_o),
      .send_word_o(mail_data_o),
      .sent_i(mail_sent_i),
      .good_i(mail_good_i),
      .good_o(mail_good)
  );

  logic window_debug, debugged, halted, debug_write;
  logic [31:0] fetch_data, window_debug_data, debug_data;
  core_debug #(
      .MemoryBytes(MemoryBytes),
      .Debug(Debug)
  ) u_debug (
      .clk_i,
      .rst_i,
      .running_i(running),
      .window_write_i(window_debug),
      .window_addr_i,
      .window_data_i,
      .window_data_o(window_debug_data),
      .instr_req_i(instr_req),
      .instr_addr_i(instr_addr),
      .instr_rvalid_o(instr_valid),
      .instr_rdata_o(instr_data),
      .instr_err_o(instr_error),
      .fetch_data_i(fetch_data),
      .debug_req_o(debug_req),
      .debugged_o(debugged),
      .halted_o(halted),
      .data_o(debug_data),
      .data_write_i(debug_write),
      .data_i(device_data)
  );

  logic [31:0] protect, load_addr, load_data, memory_addr, memory_in, memory_data;
  logic load_valid, load_write;
  logic [3:0] memory_write;
  core_memory #(
      .Words(MemoryBytes / 4)
  ) u_memory (
      .clk_i,
      .fetch_enable_i(instr_req),
      .fetch_addr_i(instr_addr[2+:MemoryBits]),
      .fetch_data_o(fetch_data),
      .write_i(load_valid ? {4{load_write}} : memory_write),
      .addr_i(load_valid ? load_addr[2+:MemoryBits] : memory_addr[2+:MemoryBits]),
      .data_i(load_valid ? load_data : memory_in),
      .data_o(memory_data)
  );

  logic core_read, core_read_pause, core_write_pause, send_valid, drop_valid, make_valid, made_valid, head_valid, head_take, asks;
  logic core_writes;
  logic [3:0] core_write;
  logic [WordBits-1:0] core_read_addr, core_write_addr;
  logic [31:0] core_read_data, core_write_data;
  logic [Slots-1:0] owned;
  logic [SlotBits-1:0] slot, door_slot, head_slot, made_slot;
  logic [15:0] length;
  descriptor_t desc;
  send_t send;
  logic console_valid, stop, restart;
  to_core_t dma;
  from_core_t from_core;
  logic [SlotBits-1:0] sends, leaves;
  assign dma = Dma ? dma_i : '0;
  assign dma_o = Dma ? from_core : '0;
  assign from_core.slot = any_slot_t'(slot);
  assign from_core.data = device_data;
  assign from_core.owned = MostSlots'(owned);
  assign from_core.sends = any_slot_t'(sends);
  assign from_core.leaves = any_slot_t'(leaves);
  core_bus #(
      .MemoryBytes(MemoryBytes),
      .Slots(Slots),
      .SlotBytes(SlotBytes),
      .Control(Control),
      .Dma(Dma)
  ) u_bus (
      .clk_i,
      .rst_i(!running),
      .data_req_i(data_req && running),
      .data_gnt_o(data_gnt),
      .data_rvalid_o(data_valid),
      .data_we_i(data_we),
      .data_be_i(data_be),
      .data_addr_i(data_addr),
      .data_wdata_i(data_wdata),
      .data_rdata_o(data_rdata),
      .data_err_o(data_error),
      .protect_i(protect),
      .memory_write_o(memory_write),
      .memory_addr_o(memory_addr),
      .memory_data_o(memory_in),
      .memory_data_i(memory_data),
      .core_read_o(core_read),
      .core_read_addr_o(core_read_addr),
      .core_read_data_i(core_read_data),
      .core_read_pause_i(core_read_pause),
      .core_writes_o(core_writes),
      .core_write_o(core_write),
      .core_write_addr_o(core_write_addr),
      .core_write_data_o(core_write_data),
      .core_write_pause_i(core_write_pause),
      .owned_i(owned),
      .slot_o(slot),
      .desc_i(desc),
      .length_i(length),
      .send_valid_o(send_valid),
      .drop_valid_o(drop_valid),
      .door_slot_o(door_slot),
      .send_o(send),
      .make_turn_i,
      .make_valid_o(make_valid),
      .made_valid_i(made_valid),
      .made_slot_i(made_slot),
      .flying_i,
      .dma_status_i(dma.status),
      .dma_post_o(from_core.post),
      .dma_address_o(from_core.address),
      .woken_o(from_core.woken),
      .head_valid_i(head_valid),
      .head_slot_i(head_slot),
      .head_take_o(head_take),
      .asks_o(asks),
      .now_i,
      .core_i,
      .time_i(now),
      .alarm_i(alarm),
      .alarm_low_i(alarm_low),
      .alarm_write_o(alarm_write),
      .mail_write_o(mail_write),
      .mail_busy_i(mail_send_o),
      .mail_good_i(mail_good),
      .mail_valid_i,
      .mail_from_i,
      .mail_word_i,
      .mail_take_o,
      .device_data_o(device_data),
      .control_o,
      .control_word_i,
      .wake_i(wake_i || dma.wake),
      .console_valid_o(console_valid),
      .stop_o(stop),
      .restart_o(restart),
      .refused_o,
      .debugged_i(debugged),
      .debug_data_i(debug_data),
      .debug_write_o(debug_write)
  );

  message_slots #(
      .Slots(Slots),
      .SlotBytes(SlotBytes),
      .InOrder(InOrder),
      .Dma(Dma),
      .Makes(Makes)
  ) u_slots (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .head_valid_o(head_valid),
      .head_slot_o(head_slot),
      .head_take_i(head_take),
      .owned_o(owned),
      .slot_i(slot),
      .desc_o(desc),
      .length_o(length),
      .send_valid_i(send_valid),
      .drop_valid_i(drop_valid),
      .door_slot_i(door_slot),
      .send_i(send),
      .make_valid_i(make_valid),
      .made_valid_o(made_valid),
      .made_slot_o(made_slot),
      .core_read_i(core_read),
      .core_read_addr_i(core_read_addr),
      .core_read_data_o(core_read_data),
      .core_read_pause_o(core_read_pause),
      .core_writes_i(core_writes),
      .core_write_i(core_write),
      .core_write_addr_i(core_write_addr),
      .core_write_data_i(core_write_data),
      .core_write_pause_o(core_write_pause),
      .dma_i(dma),
      .flying_i,
      .sends_o(sends),
      .leaves_o(leaves),
      .asks_o(from_core.asks),
      .drop_owned_i(!running),
      .drop_waiting_i(!running && (hold || stopped)),
      .taken_o(status_o.taken),
      .room_o(status_o.room),
      .started_o(status_o.started),
      .fill_slot_o,
      .ended_o,
      .event_o(slot_event_o)
  );

  // The watchdog counts while there is work and no message is taken or ended.
  logic [31:0] idle_q;
  logic expired, busy, asked_q, awake_q;
  assign status_o.runs = running && !debugged;
  assign status_o.stays = hold || stopped;
  assign status_o.asks = asked_q;
  assign busy = owned != '0;
  assign expired = watchdog_i != '0 && idle_q >= watchdog_i && running;
  assign restarted_o = expired || restart;
  assign faulted_o = restart;
  always_ff @(posedge clk_i) begin
    idle_q <= idle_q + 1'b1;
    if (head_take || send_valid || drop_valid || !(busy || head_valid || (MustAsk && awake_q && !asked_q) || (Control && awake_q && !asks)) || !running || debugged || expired) idle_q <= '0;
    asked_q <= (asked_q || asks) && !head_take && running;
    awake_q <= (awake_q || asks || head_take) && running;
    if (rst_i) begin
      idle_q  <= '0;
      asked_q <= 1'b0;
      awake_q <= 1'b0;
    end
  end

  core_loader #(
      .Debug(Debug)
  ) u_loader (
      .clk_i,
      .rst_i,
      .window_valid_i,
      .window_write_i,
      .window_addr_i,
      .window_data_i,
      .window_tenant_i,
      .window_done_o,
      .window_error_o,
      .window_data_o,
      .hold_o(hold),
      .core_rst_no(core_rst_n),
      .running_o(running),
      .protect_o(protect),
      .load_valid_o(load_valid),
      .load_write_o(load_write),
      .load_addr_o(load_addr),
      .load_data_o(load_data),
      .load_data_i(memory_data),
      .console_valid_i(console_valid),
      .console_byte_i(device_data[7:0]),
      .console_lost_o,
      .stop_i(stop),
      .code_i(device_data),
      .restart_i(restart),
      .expired_i(expired),
      .busy_i(busy || mail_valid_i),
      .stopped_o(stopped),
      .halted_i(halted),
      .debug_write_o(window_debug),
      .debug_data_i(window_debug_data)
  );

  logic unused;
  assign unused = &{1'b0, dma_i, load_addr, memory_addr, instr_addr[1:0]};
endmodule
