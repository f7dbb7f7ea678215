// SPDX-License-Identifier: Apache-2.0
// The data accesses of a core: its memory, the packet memory, the blocks of its messages, its devices (spec/core_map.yaml). An access to
// anything else, to a slot that is not the core's, below `protect_i`, or a doorbell with a bad length is answered with an error and changes
// nothing. Answers come in the next cycle, of devices and of writes to blocks one cycle later;
// a read of DeviceWait waits for a message, and one of DeviceMailSent for the answer to a mail. With Control the program also reaches the devices of a
// control core, which are outside.
// With Dma it starts accesses to memory for its messages; a message with an access in flight can be neither sent nor dropped.
module core_bus
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit Control = 0,
    parameter bit Dma = 0,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned WordBits = SlotBits + $clog2(SlotBytes / 4)
) (
    input logic clk_i,
    input logic rst_i,  // also while the core is in reset

    input  logic        data_req_i,
    output logic        data_gnt_o,
    output logic        data_rvalid_o,
    input  logic        data_we_i,
    input  logic [ 3:0] data_be_i,
    input  logic [31:0] data_addr_i,
    input  logic [31:0] data_wdata_i,
    output logic [31:0] data_rdata_o,
    output logic        data_err_o,

    input  logic [31:0] protect_i,
    output logic [ 3:0] memory_write_o,  // 0: a read
    output logic [31:0] memory_addr_o,
    output logic [31:0] memory_data_o,
    input  logic [31:0] memory_data_i,

    output logic                core_read_o,
    output logic [WordBits-1:0] core_read_addr_o,
    input  logic [        31:0] core_read_data_i,
    input  logic                core_read_pause_i,
    output logic                core_writes_o,  // before it is known whether the program may
    output logic [         3:0] core_write_o,  // 0: it may not
    output logic [WordBits-1:0] core_write_addr_o,
    output logic [        31:0] core_write_data_o,
    input  logic                core_write_pause_i,

    input  logic        [   Slots-1:0] owned_i,
    output logic        [SlotBits-1:0] slot_o,
    input  descriptor_t                desc_i,
    input  logic        [        15:0] length_i,
    output logic                       send_valid_o,
    output logic                       drop_valid_o,
    output logic        [SlotBits-1:0] door_slot_o,  // what is sent or dropped
    output send_t                      send_o,
    input  logic                       make_turn_i,   // in the next cycle a make is carried out; until then it waits
    output logic                       make_valid_o,
    input  logic                       made_valid_i,  // the last one was made, in made_slot_i
    input  logic        [SlotBits-1:0] made_slot_i,
    input  logic        [   Slots-1:0] flying_i,     // they have an access in flight
    input  logic        [        31:0] dma_status_i, // of slot_o
    output logic                       dma_post_o,
    output logic        [         1:0] dma_address_o,  // the high half of its address, the low half
    output logic                       woken_o,

    input  logic                head_valid_i,
    input  logic [SlotBits-1:0] head_slot_i,
    output logic                head_take_o,
    output logic                asks_o,  // the program asks for a message, and none is there

    input  timestamp_t  now_i,
    input  logic [ 7:0] core_i,
    input  logic [63:0] time_i,
    input  logic        alarm_i,         // ends a wait for a message
    input  logic [31:0] alarm_low_i,
    output logic [ 1:0] alarm_write_o,   // its high half, its low half
    output logic [ 1:0] mail_write_o,    // sends, sets the receiver
    input  logic        mail_busy_i,
    input  logic        mail_good_i,
    input  logic        mail_valid_i,
    input  logic [ 7:0] mail_from_i,
    input  logic [31:0] mail_word_i,
    output logic        mail_take_o,
    output logic [31:0] device_data_o,   // that is written to a device
    output control_access_t control_o,
    input  logic [31:0] control_word_i,
    input  logic        wake_i,          // ends a wait for a message
    output logic        console_valid_o,
    output logic        stop_o,
    output logic        restart_o,
    output logic        refused_o,

    input  logic        debugged_i,  // DebugWord is there, and errors are the debugger's
    input  logic [31:0] debug_data_i,
    output logic        debug_write_o
);
  localparam int unsigned MessageBits = $clog2(MessageBytes);
  localparam int unsigned SlotLsb = $clog2(SlotBytes);
  localparam logic [31:0] LongestSend = SlotBytes < MaxFrameBytes ? SlotBytes : MaxFrameBytes;

  typedef enum logic [1:0] {
    Memory,
    Packets,
    Messages,
    Devices
  } region_e;

  // The request that is under way, in registers: what Ibex asks for comes late in its cycle. Only the two memories are read in that very cycle,
  // before it is known whether the program may. Whatever an access does, it does later. Writes to the blocks of messages, and the devices, are judged in
  // the first cycle after the request, and answer in the second.
  logic valid_q, we_q, late_q, good_q, device_write_q, device_read_q, unready_q, wake_q, delayed_q, take, delays, fast, waits_q, waits, polls_q, ends, acts;
  logic send_q, drop_q, make_q, post_q;  // the doorbell that a write rings
  logic [3:0] be_q;
  logic [31:0] addr_q, data_q, word, device_word, device_q;
  region_e region;
  logic [RegionLsb-1:0] place;
  logic [MessageBits-1:0] member;
  device_t device;
  logic whole, debug, of_control, of_dma, flying;
  assign region = region_e'(addr_q[RegionLsb+:2]);
  assign place = addr_q[RegionLsb-1:0];
  assign member = addr_q[MessageBits-1:0];
  assign device = device_t'(addr_q);
  assign slot_o = region == Packets ? addr_q[SlotLsb+:SlotBits] : addr_q[MessageBits+:SlotBits];
  assign whole = be_q == '1;
  assign debug = debugged_i && addr_q[31:2] == DebugWord[31:2];
  assign of_control = Control && device >= device_t'(DeviceControlData) && device <= device_t'(DeviceListen);
  assign of_dma = Dma && (device == device_t'(DeviceDmaAddress) || device == device_t'(DeviceDmaAddressHigh));
  assign flying = Dma && flying_i[slot_o];
  assign fast = region == Memory || region == Packets || (region == Messages && !we_q);

  // What is sent lies within the slot, and must not end within its headers.
  logic send_good;
  assign send_o = '{
          keeps_sum: data_q[SendKeepsSum],
          start: data_q[SendStartLsb+:SendStartBits],
          exit: data_q[SendExitLsb+:SendExitBits],
          length: data_q[15:0]
      };
  assign send_good = 32'(send_o.length) <= LongestSend && 32'(send_o.start) * SendStartBytes + 32'(send_o.length) <= SlotBytes && send_o.length >= 16'(greatest_offset(desc_i)) && send_o.length != '0;

  // By carries: behind the error of an answer are long paths of Ibex.
  logic memory_good, packets_good, message_good, good, past_memory, past_packets;
  any_set #(
      .Width(32 - $clog2(MemoryBytes) - 2)
  ) u_past_memory (
      .bits_i({addr_q[31:RegionLsb+2], place[RegionLsb-1:$clog2(MemoryBytes)]}),
      .any_o (past_memory)
  );
  any_set #(
      .Width(32 - $clog2(Slots * SlotBytes) - 2)
  ) u_past_packets (
      .bits_i({addr_q[31:RegionLsb+2], place[RegionLsb-1:$clog2(Slots*SlotBytes)]}),
      .any_o (past_packets)
  );
  assign memory_good = !past_memory && !(we_q && addr_q < protect_i);
  // Each by its own bits, so that the region is needed only to choose between the two.
  assign packets_good = !past_packets && owned_i[addr_q[SlotLsb+:SlotBits]];
  assign message_good = addr_q[31:RegionLsb+2] == '0 && 32'(place) < Slots * MessageBytes && owned_i[addr_q[MessageBits+:SlotBits]];
  always_comb begin
    good = addr_q[31:RegionLsb+2] == '0;
    if (region == Messages) begin
      good &= message_good && whole;
      unique case (member)
        MessageBits'(MessageMake): ;
        MessageBits'(MessageSend): good &= !flying && send_good;
        MessageBits'(MessageDrop): good &= !flying;
        MessageBits'(MessageDma): good &= Dma && !flying;
        default: good = 1'b0;
      endcase
    end else if (debug) begin
      good = 1'b1;
    end else begin
      good &= 32'(place) < DeviceBytes;
      if (we_q) good &= device inside {device_t'(DeviceConsole), device_t'(DeviceStop), device_t'(DeviceRestart)} || (whole && device inside {device_t'(DeviceAlarm), device_t'(DeviceAlarmHigh), device_t'(DeviceMailTo), device_t'(DeviceMailSend)}) || (whole && (of_control || of_dma));
      else
        good &= device < device_t'(Control ? DeviceEventValue : DeviceMailSent) + 4 ||
            device[$high(device):2] inside {DeviceMade[$high(device):2], DeviceAlarm[$high(device):2]};
    end
  end

  // What is read from the block of a message.
  always_comb begin
    word = '0;
    unique case ({member[MessageBits-1:2], 2'b00})
      MessageBits'(MessageData): word = PacketsBase + (32'(slot_o) << SlotLsb);
      MessageBits'(MessageLength): word = 32'(length_i);
      MessageBits'(MessageOffsets): word = {8'd0, desc_i.payload_offset, desc_i.l4_offset, desc_i.l3_offset};
      MessageBits'(MessageOwner): word = {8'd0, 8'(desc_i.src), 8'(desc_i.tenant), 8'(desc_i.port)};
      MessageBits'(MessageTime): word = {desc_i.timestamp_valid, 7'd0, 24'(desc_i.timestamp)};
      default: ;
    endcase
    if (Dma && {member[MessageBits-1:2], 2'b00} == MessageBits'(MessageDma)) word = dma_status_i;
  end

  // What is read from a device, in the cycle before the answer.
  always_comb begin
    unique case ({device[$high(device):2], 2'b00})
      device_t'(DeviceNow): device_word = 32'(24'(now_i));
      device_t'(DeviceCore): device_word = 32'(core_i);
      device_t'(DeviceTime): device_word = time_i[31:0];
      device_t'(DeviceTimeHigh): device_word = time_i[63:32];
      device_t'(DeviceMail): device_word = {mail_valid_i, 23'd0, mail_valid_i ? mail_from_i : 8'd0};
      device_t'(DeviceMailWord): device_word = mail_valid_i ? mail_word_i : '0;
      device_t'(DeviceMailSent): device_word = 32'(mail_good_i);
      device_t'(DeviceMade): device_word = made_valid_i ? MessagesBase + 32'(made_slot_i) * MessageBytes : '0;
      device_t'(DeviceAlarm): device_word = alarm_low_i;
      default: device_word = Control ? control_word_i : '0;
    endcase
  end

  // One request at a time. A write to a memory is done in the cycle after its request. A read that is requested in that cycle is taken, and made in the
  // next one, so whether a request is taken does not depend on what it is. Whether there is a request comes last of all, after the memory protection: it
  // selects no address, and enables no register but valid_q and delayed_q. So packet memory is sometimes read for no request; the stream then reads a cycle later.
  logic [$clog2(WaitCycles)-1:0] waited_q;
  (* keep *) logic gnt;  // early, and in the way of what Ibex decides late, unless it stays one signal
  assign gnt = !delayed_q && (!valid_q || data_rvalid_o) && !core_read_pause_i;
  assign data_gnt_o = gnt;
  assign take = data_req_i && data_gnt_o;
  assign delays = valid_q && we_q && fast && !data_we_i;

  assign memory_write_o = valid_q && we_q && region == Memory && memory_good ? be_q : '0;
  assign memory_addr_o = delayed_q || (valid_q && we_q && region == Memory) ? addr_q : data_addr_i;
  assign memory_data_o = data_q;
  assign core_read_o = delayed_q ? region == Packets : !data_we_i && region_e'(data_addr_i[RegionLsb+:2]) == Packets;
  assign core_read_addr_o = delayed_q ? addr_q[2+:WordBits] : data_addr_i[2+:WordBits];
  assign core_writes_o = valid_q && we_q && region == Packets && !core_write_pause_i;
  assign core_write_o = core_writes_o && packets_good ? be_q : '0;
  assign core_write_addr_o = addr_q[2+:WordBits];
  assign core_write_data_o = data_q;

  assign waits = late_q && waits_q;
  assign ends = head_valid_i || polls_q || waited_q == '1 || alarm_i || wake_q;
  assign acts = late_q && we_q && good_q && !rst_i;  // in reset the slots of the core are being emptied
  assign head_take_o = waits && head_valid_i && !rst_i;
  assign asks_o = waits && !head_valid_i && !rst_i;
  assign send_valid_o = acts && send_q;
  assign drop_valid_o = acts && drop_q;
  assign make_valid_o = acts && make_q && !unready_q;
  assign dma_post_o = Dma && acts && post_q;
  assign dma_address_o = {2{Dma && device_write_q && acts}} & {device == device_t'(DeviceDmaAddressHigh), device == device_t'(DeviceDmaAddress)};
  assign woken_o = Dma && waits && ends && !head_valid_i && !polls_q;
  assign device_data_o = data_q;
  assign console_valid_o = device_write_q && acts && device == device_t'(DeviceConsole);
  assign stop_o = device_write_q && acts && device == device_t'(DeviceStop);
  assign alarm_write_o = {2{device_write_q && acts}} & {device == device_t'(DeviceAlarmHigh), device == device_t'(DeviceAlarm)};
  assign mail_write_o = {2{device_write_q && acts}} & {device == device_t'(DeviceMailSend), device == device_t'(DeviceMailTo)};
  assign mail_take_o = device_read_q && late_q && device == device_t'(DeviceMailWord) && !rst_i;
  assign control_o = '{
          write: Control && device_write_q && acts,
          take: Control && device_read_q && late_q && device == device_t'(DeviceEventValue) && !rst_i,
          device: device,
          data: data_q
      };
  assign debug_write_o = acts && debug;
  assign restart_o = device_write_q && acts && device == device_t'(DeviceRestart);

  assign data_rvalid_o = valid_q && (fast ? !(region == Packets && we_q && core_write_pause_i) : late_q && !unready_q && (!waits_q || ends));
  always_comb begin
    unique case (region)
      Memory: data_err_o = !memory_good;
      Packets: data_err_o = !packets_good;
      Messages: data_err_o = we_q ? !good_q : !message_good;
      default: data_err_o = !good_q;
    endcase
  end
  always_comb begin
    unique case (region)
      Memory: data_rdata_o = memory_data_i;
      Packets: data_rdata_o = core_read_data_i;
      Messages: data_rdata_o = word;
      default: data_rdata_o = debug ? debug_data_i : device_q;
    endcase
    if (waits) data_rdata_o = head_valid_i ? MessagesBase + 32'(head_slot_i) * MessageBytes : '0;
  end
  assign refused_o = data_rvalid_o && data_err_o && !debugged_i;

  always_ff @(posedge clk_i) begin
    if (data_gnt_o) begin
      we_q <= data_we_i;
      be_q <= data_be_i;
      addr_q <= data_addr_i;
      data_q <= data_wdata_i;
    end
    device_q <= device_word;
    good_q <= good;
    send_q <= region == Messages && member == MessageBits'(MessageSend);
    drop_q <= region == Messages && member == MessageBits'(MessageDrop);
    make_q <= region == Messages && member == MessageBits'(MessageMake);
    post_q <= region == Messages && member == MessageBits'(MessageDma);
    door_slot_o <= slot_o;
    waits_q <= region == Devices && !we_q && good && device < device_t'(DeviceNow);
    polls_q <= device == device_t'(DevicePoll);
    device_write_q <= region == Devices && !debug;
    device_read_q <= region == Devices && !debug && !we_q && good;
    unready_q <= (region == Devices && !debug && !we_q && device == device_t'(DeviceMailSent) && mail_busy_i) ||
                 (region == Messages && we_q && member == MessageBits'(MessageMake) && !make_turn_i);
    wake_q <= (Control || Dma) && wake_i;
    waited_q <= late_q ? waited_q + 1'b1 : '0;
    late_q <= valid_q && !fast && !data_rvalid_o;
    delayed_q <= take ? delays : delayed_q && core_read_pause_i;
    valid_q <= take ? !delays : (valid_q && !data_rvalid_o) || (delayed_q && !core_read_pause_i);
    if (rst_i) begin
      valid_q <= 1'b0;
      delayed_q <= 1'b0;
      late_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, desc_i, now_i, control_word_i, flying_i, dma_status_i};
endmodule
