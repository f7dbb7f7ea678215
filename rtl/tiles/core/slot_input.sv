// SPDX-License-Identifier: Apache-2.0
// The input of the slots of messages: keeps the free slots, and fills one with each message. A droppable message that finds no free slot is dropped
// whole, so the input waits for the packet memory alone; a lossless one waits for a slot. A message that is void or longer than a slot leaves its
// slot to the next one. InOrder: every message waits for a slot and gets one, even if it is not kept.
module slot_input
  import girih_pkg::*;
#(
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit InOrder = 0,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned FlitBits = $clog2(SlotBytes / FlitBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic                         write_valid_o,
    input  logic                         write_ready_i,
    output logic [SlotBits+FlitBits-1:0] write_addr_o,

    output logic [SlotBits-1:0] slot_o,  // that is being filled
    output logic                starts_o,  // with the first flit of a message
    output logic                placed_o,  // the slot is filled
    output logic                kept_o,  // with a message for the core
    output logic [        15:0] length_o,

    // A message that does not come from the input takes the next free slot; the input waits for a cycle.
    input  logic                claim_i,
    output logic                claimed_o,  // there is one
    output logic [SlotBits-1:0] claimed_slot_o,

    input  logic [Slots-1:0] freed_i,
    output logic [Slots-1:0] free_o,
    output logic             room_o,  // slot_o is free

    output logic drop_overrun_o,
    output logic drop_too_long_o,
    output logic drop_aborted_o
);
  localparam int unsigned SlotFlits = SlotBytes / FlitBytes;
  typedef logic [SlotBits-1:0] slot_t;

  // Free slots, and the one that the next message gets.
  logic [Slots-1:0] free_q;
  logic any_free, fill_valid_q, fill, unused_note;
  slot_t first_free, fill_q;
  first_set #(
      .IndexWidth(SlotBits)
  ) u_free (
      .bits_i (free_q),
      .note_i ('0),
      .any_o  (any_free),
      .index_o(first_free),
      .note_o (unused_note)
  );

  logic dropping_q, dropping, take, over, over_q, ends, bad;
  logic [FlitBits:0] index_q, index;
  assign dropping = !InOrder && (in_flit_i.first ? !fill_valid_q && !in_flit_i.desc.lossless : dropping_q);
  assign index = in_flit_i.first ? '0 : index_q;
  assign over = (!in_flit_i.first && over_q) || index == (FlitBits + 1)'(SlotFlits);
  assign in_ready_o = !claim_i && (dropping || (fill_valid_q && (write_ready_i || over)));
  assign take = in_valid_i && in_ready_o;
  assign ends = take && in_flit_i.last;
  assign bad = in_flit_i.bad;
  assign fill = placed_o || !fill_valid_q;
  assign claimed_o = claim_i && !fill && any_free;
  assign claimed_slot_o = first_free;

  assign write_valid_o = in_valid_i && !dropping && !over && fill_valid_q;
  assign write_addr_o = {fill_q, index[FlitBits-1:0]};
  assign slot_o = fill_q;
  assign starts_o = take && in_flit_i.first && !dropping;
  assign kept_o = ends && !dropping && !over && !bad;
  assign placed_o = InOrder ? ends : kept_o;
  assign length_o = (16'(index) + 1'b1) * 16'(FlitBytes) - 16'(in_flit_i.empty);
  assign free_o = free_q;
  assign room_o = fill_valid_q;
  assign drop_overrun_o = ends && dropping;
  assign drop_too_long_o = ends && !dropping && over && !bad;
  assign drop_aborted_o = ends && !dropping && bad;

  always_ff @(posedge clk_i) begin
    if (take) begin
      dropping_q <= dropping;
      over_q <= over;
      index_q <= index + 1'b1;
    end
    if (fill) begin
      fill_q <= first_free;
      fill_valid_q <= any_free;
    end
    free_q <= (free_q & ~(Slots'(fill || claimed_o) << first_free)) | freed_i;
    if (rst_i) begin
      fill_valid_q <= 1'b0;
      free_q <= '1;
    end
  end

  logic unused;
  assign unused = &{1'b0, in_flit_i};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      overrun : cover (ends && dropping);
      too_long : cover (ends && over);
      write_waits : cover (in_valid_i && !write_ready_i);
      waits_for_claim : cover (in_valid_i && claimed_o);
    end
  end
endmodule
