// SPDX-License-Identifier: Apache-2.0
// The data accesses of a core: its memory, the packet memory, the blocks of its messages, its devices (spec/core_map.yaml). An access to
// anything else, to a slot that is not the core's, below `protect_i`, or a doorbell with a bad length is answered with an error and changes
// nothing. Answers come in the next cycle; a read of DeviceWait waits for a message.
module core_bus
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned MemoryBytes = 32768,
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
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
    output logic        memory_enable_o,
    output logic [ 3:0] memory_write_o,
    input  logic [31:0] memory_data_i,

    output logic                access_valid_o,
    input  logic                access_ready_i,
    output logic [         3:0] access_write_o,
    output logic [WordBits-1:0] access_addr_o,
    input  logic [        31:0] access_data_i,

    input  logic        [   Slots-1:0] owned_i,
    output logic        [SlotBits-1:0] slot_o,
    input  descriptor_t                desc_i,
    input  logic        [        15:0] length_i,
    output logic                       send_valid_o,
    output logic                       drop_valid_o,
    output send_t                      send_o,

    input  logic                head_valid_i,
    input  logic [SlotBits-1:0] head_slot_i,
    output logic                head_take_o,

    input  timestamp_t  now_i,
    output logic        console_valid_o,
    output logic        stop_o,
    output logic        restart_o,
    output logic        refused_o
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
  region_e region, region_q;
  logic [RegionLsb-1:0] place;
  logic [31:0] word;
  logic [MessageBits-1:0] member;
  logic owned, good, take, waits, writes, whole;
  assign region = region_e'(data_addr_i[RegionLsb+:2]);
  assign place = data_addr_i[RegionLsb-1:0];
  assign member = data_addr_i[MessageBits-1:0];
  assign slot_o = region == Packets ? data_addr_i[SlotLsb+:SlotBits] : data_addr_i[MessageBits+:SlotBits];
  assign owned = owned_i[slot_o];
  assign writes = data_we_i;
  assign whole = data_be_i == '1;

  // A message must not end within its headers.
  logic send_good;
  assign send_o = '{
          keeps_sum: data_wdata_i[SendKeepsSum],
          exit: data_wdata_i[SendExitLsb+:SendExitBits],
          length: data_wdata_i[15:0]
      };
  assign send_good = 32'(send_o.length) <= LongestSend && send_o.length >= 16'(greatest_offset(desc_i)) && send_o.length != '0;

  always_comb begin
    good = data_addr_i[31:RegionLsb+2] == '0;
    unique case (region)
      Memory: good &= 32'(place) < MemoryBytes && !(writes && data_addr_i < protect_i);
      Packets: good &= 32'(place) < Slots * SlotBytes && owned;
      Messages: begin
        good &= 32'(place) < Slots * MessageBytes && owned;
        if (writes) good &= whole && ((member == MessageBits'(MessageSend) && send_good) || member == MessageBits'(MessageDrop));
      end
      default: begin
        good &= 32'(place) <= DeviceRestart;
        if (writes) good &= member >= MessageBits'(DeviceConsole);
        else good &= member < MessageBits'(DeviceConsole);
      end
    endcase
  end

  logic waiting_q, polls_q, valid_q, error_q, ends;
  logic [$clog2(WaitCycles)-1:0] waited_q;
  assign waits = region == Devices && !writes && member < MessageBits'(DeviceNow);
  assign data_gnt_o = (!waiting_q || ends) && (region != Packets || !good || access_ready_i);
  assign take = data_req_i && data_gnt_o;
  assign refused_o = take && !good;

  assign memory_enable_o = take && good && region == Memory;
  assign memory_write_o = writes ? data_be_i : '0;
  assign access_valid_o = data_req_i && (!waiting_q || ends) && good && region == Packets;
  assign access_write_o = writes ? data_be_i : '0;
  assign access_addr_o = data_addr_i[2+:WordBits];
  assign send_valid_o = take && good && region == Messages && writes && member == MessageBits'(MessageSend);
  assign drop_valid_o = take && good && region == Messages && writes && member == MessageBits'(MessageDrop);
  assign console_valid_o = take && good && region == Devices && writes && member == MessageBits'(DeviceConsole);
  assign stop_o = take && good && region == Devices && writes && member == MessageBits'(DeviceStop);
  assign restart_o = take && good && region == Devices && writes && member == MessageBits'(DeviceRestart);

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
    if (region == Devices) word = 32'(24'(now_i));
  end

  logic [31:0] word_q;
  assign ends = waiting_q && (head_valid_i || polls_q || waited_q == '1);
  assign head_take_o = waiting_q && head_valid_i;
  assign data_rvalid_o = valid_q || ends;
  assign data_err_o = valid_q && error_q;
  always_comb begin
    unique case (region_q)
      Memory: data_rdata_o = memory_data_i;
      Packets: data_rdata_o = access_data_i;
      default: data_rdata_o = word_q;
    endcase
    if (waiting_q) data_rdata_o = head_valid_i ? MessagesBase + 32'(head_slot_i) * MessageBytes : '0;
  end

  always_ff @(posedge clk_i) begin
    region_q <= region;
    word_q <= word;
    error_q <= !good;
    polls_q <= take ? member == MessageBits'(DevicePoll) : polls_q;
    waited_q <= take ? '0 : waited_q + 1'b1;
    valid_q <= take && !(good && waits);
    if (ends) waiting_q <= 1'b0;
    if (take && good && waits) waiting_q <= 1'b1;
    if (rst_i) begin
      valid_q <= 1'b0;
      waiting_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, desc_i, now_i};
endmodule
