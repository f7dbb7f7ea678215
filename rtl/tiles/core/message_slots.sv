// SPDX-License-Identifier: Apache-2.0
// Moves messages between the fabric and a packet memory that a core shares. Each message has a slot:
//
//   free -> filled from the fabric -> waits for the core -> the core's -> sent to the fabric -> free
//                                                             '-> dropped ---------------------'
//
// The core reaches a slot only while the slot belongs to it. A message leaves with the descriptor with which it came, except for the fields of
// send_t: the program cannot change its tenant, its port or its time stamp. A droppable message that finds no free slot is dropped whole, so the
// input waits for one cycle at most; a lossless one waits for a slot. A message belongs to the core one cycle after its last flit has come. InOrder:
// each message is answered, in the order of arrival, with a void one if it is dropped; the input waits for a free slot.
//
// With Makes, a program also makes messages: each has the owner of one that is the core's, so the program cannot forge it. Not with InOrder.
//
// With Dma, a slot can have an access to memory in flight, whose request leaves beside the messages. The slot is not freed before the reply has come: if the core
// is reset meanwhile, it is neither the core's nor free until then. The flits of replies go first: the input waits while they come.
module message_slots
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit InOrder = 0,
    parameter bit Dma = 0,
    parameter bit Makes = 0,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned WordBits = SlotBits + $clog2(SlotBytes / 4)
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

    // The message that has waited longest. Taking it gives its slot to the core.
    output logic                head_valid_o,
    output logic [SlotBits-1:0] head_slot_o,
    input  logic                head_take_i,

    // The slots that belong to the core, and the facts about the message in one of them.
    output logic [   Slots-1:0] owned_o,
    input  logic [SlotBits-1:0] slot_i,
    output descriptor_t         desc_o,
    output logic        [ 15:0] length_o,

    // Doorbells, for slots that belong to the core.
    input logic                send_valid_i,
    input logic                drop_valid_i,
    input logic [SlotBits-1:0] door_slot_i,
    input send_t               send_i,

    // Another message with the owner and the length of the one in slot_i, which is the core's; one whose loss does not matter.
    input  logic                make_valid_i,
    output logic                made_valid_o,  // the last one was made, in a slot that belongs to the core
    output logic [SlotBits-1:0] made_slot_o,

    input  logic                core_read_i,        // of any slot; the answer comes in the next cycle
    input  logic [WordBits-1:0] core_read_addr_i,
    output logic [        31:0] core_read_data_o,
    output logic                core_read_pause_o,  // a read now is refused: the stream goes first
    input  logic                core_writes_i,
    input  logic [         3:0] core_write_i,       // by byte, in a slot that belongs to the core; 0: none
    input  logic [WordBits-1:0] core_write_addr_i,
    input  logic [        31:0] core_write_data_i,
    output logic                core_write_pause_o, // no write may come now: the stream goes first

    input  to_core_t              dma_i,
    input  logic    [  Slots-1:0] flying_i,  // slots with an access in flight
    output logic [  SlotBits-1:0] sends_o,
    output logic [  SlotBits-1:0] leaves_o,
    output logic                  asks_o,

    input logic drop_owned_i,   // one message in each cycle
    input logic drop_waiting_i,

    // For the module that assigns messages to cores.
    output logic                taken_o,    // the head is no longer waiting
    output logic                room_o,     // fill_slot_o is free
    output logic                started_o,  // the first flit of a message goes into fill_slot_o
    output logic [SlotBits-1:0] fill_slot_o,
    output logic [   Slots-1:0] ended_o,    // messages that end

    output slot_event_t event_o
);
  if (Slots < 2 || Slots > 64 || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $fatal(1, "message_slots: Slots is %0d; it must be a power of two from 2 to 64", Slots);
  end
  if (SlotBytes < 256 || SlotBytes > 32768 || (SlotBytes & (SlotBytes - 1)) != 0) begin : gen_bad_bytes
    $fatal(1, "message_slots: SlotBytes is %0d; it must be a power of two from 256 to 32768", SlotBytes);
  end
  localparam int unsigned FlitBits = $clog2(SlotBytes / FlitBytes);
  localparam int unsigned FlitAddrBits = SlotBits + FlitBits;
  typedef logic [SlotBits-1:0] slot_t;

  function automatic logic [Slots-1:0] only(logic valid, slot_t slot);
    only = Slots'(valid) << slot;
  endfunction

  logic write_valid, write_ready, starts, placed, kept, drop_overrun, drop_too_long, drop_aborted;
  logic [FlitAddrBits-1:0] write_addr, read_addr;
  logic [15:0] length;
  logic [Slots-1:0] freed, free;
  slot_t fill_slot, claimed_slot;
  logic claimed;
  slot_input #(
      .Slots(Slots),
      .SlotBytes(SlotBytes),
      .InOrder(InOrder)
  ) u_input (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .write_valid_o(write_valid),
      .write_ready_i(write_ready),
      .write_addr_o(write_addr),
      .slot_o(fill_slot),
      .starts_o(starts),
      .placed_o(placed),
      .kept_o(kept),
      .length_o(length),
      .claim_i(Makes && make_valid_i),
      .claimed_o(claimed),
      .claimed_slot_o(claimed_slot),
      .freed_i(freed),
      .free_o(free),
      .room_o,
      .drop_overrun_o(drop_overrun),
      .drop_too_long_o(drop_too_long),
      .drop_aborted_o(drop_aborted)
  );

  descriptor_t desc_mem[Slots];
  logic [15:0] length_mem[Slots];
  assign desc_o = desc_mem[slot_i];
  assign length_o = length_mem[slot_i];

  // The descriptor and the length of a message that has come, or is made.
  descriptor_t desc;
  slot_t desc_slot;
  always_comb begin
    desc_slot = fill_slot;
    desc = in_flit_i.desc;
    if (claimed) begin
      desc_slot = claimed_slot;
      desc = desc_o;
      desc.lossless = 1'b0;
    end
  end

  logic wait_ready, head_pop;
  fifo #(
      .T(slot_t),
      .Depth(Slots)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_valid_i(kept),
      .in_ready_o(wait_ready),
      .in_data_i(fill_slot),
      .out_valid_o(head_valid_o),
      .out_ready_i(head_pop),
      .out_data_o(head_slot_o)
  );

  // Messages are dropped while the core is in reset: first those that belong to it, then those that wait. With Dma, those that belong to it are doomed at
  // once, and dropped when they have no access in flight, be it after the reset.
  logic any_owned, drop_owned, drop_waiting, unused_owned_note;
  logic [Slots-1:0] owned_q, doomed_q, voided, flying;
  slot_t first_owned;
  first_set #(
      .IndexWidth(SlotBits)
  ) u_owned (
      .bits_i (Dma ? doomed_q & ~flying : owned_q),
      .note_i ('0),
      .any_o  (any_owned),
      .index_o(first_owned),
      .note_o (unused_owned_note)
  );
  assign owned_o = owned_q;
  assign flying = Dma ? flying_i : '0;
  assign drop_owned = (Dma || drop_owned_i) && any_owned;
  assign drop_waiting = drop_waiting_i && head_valid_o && !drop_owned;
  assign head_pop = head_take_i || drop_waiting;
  assign voided = only(drop_valid_i, door_slot_i) | only(drop_owned, first_owned) | only(drop_waiting, head_slot_o) | only(InOrder && placed && !kept, fill_slot);

  logic read_valid, read_again, out_done;
  logic [W-1:0] read_data;
  slot_t out_slot;
  slot_output #(
      .Slots(Slots),
      .SlotBytes(SlotBytes),
      .InOrder(InOrder)
  ) u_output (
      .clk_i,
      .rst_i,
      .placed_i(placed),
      .placed_slot_i(fill_slot),
      .send_valid_i,
      .send_slot_i(door_slot_i),
      .send_i,
      .voided_i(voided),
      .ask_i(Dma && dma_i.ask),
      .ask_slot_i(dma_i.ask_slot[SlotBits-1:0]),
      .flying_i(flying),
      .sends_o,
      .ask_first_i(dma_i.first[FlitBits-1:0]),
      .ask_more_i(dma_i.more[FlitBits-1:0]),
      .ask_empty_i(dma_i.empty),
      .out_asks_o(asks_o),
      .read_valid_o(read_valid),
      .read_addr_o(read_addr),
      .read_data_i(read_data),
      .read_again_i(read_again),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .out_slot_o(out_slot),
      .out_desc_i(desc_mem[out_slot]),
      .out_done_o(out_done)
  );
  assign freed = only(out_done, out_slot) | (InOrder ? '0 : voided);

  slot_memory #(
      .Flits(Slots * SlotBytes / FlitBytes)
  ) u_memory (
      .clk_i,
      .rst_i,
      .write_valid_i(write_valid),
      .write_ready_o(write_ready),
      .write_addr_i(write_addr),
      .write_data_i(in_flit_i.data),
      .read_valid_i(read_valid),
      .read_again_o(read_again),
      .read_addr_i(read_addr),
      .read_data_o(read_data),
      .core_read_i,
      .core_read_addr_i,
      .core_read_data_o,
      .core_writes_i,
      .core_write_i,
      .core_write_addr_i,
      .core_write_data_i,
      .core_write_pause_o,
      .place_i(Dma && dma_i.place),
      .place_addr_i({dma_i.place_slot[SlotBits-1:0], dma_i.place_flit[FlitBits-1:0]}),
      .place_bytes_i(dma_i.place_bytes),
      .place_data_i(dma_i.place_data)
  );
  assign leaves_o = out_slot;
  assign core_read_pause_o = read_again;

  assign taken_o = head_valid_o && head_pop;
  assign started_o = starts;
  assign fill_slot_o = fill_slot;
  assign ended_o = freed | only(drop_too_long || drop_aborted, fill_slot);

  always_ff @(posedge clk_i) begin
    if (starts || claimed) desc_mem[desc_slot] <= desc;
    if (kept || claimed) length_mem[desc_slot] <= claimed ? length_o : length;
    if (make_valid_i) begin
      made_valid_o <= claimed;
      made_slot_o <= claimed_slot;
    end
    owned_q <= (owned_q | only(head_take_i, head_slot_o) | only(claimed, claimed_slot)) & ~only(send_valid_i || drop_valid_i, door_slot_i) & ~only(drop_owned, first_owned);
    doomed_q <= Dma ? (doomed_q | (owned_q & {Slots{drop_owned_i}})) & ~only(drop_owned, first_owned) : '0;
    if (Dma && drop_owned_i) owned_q <= '0;
    if (rst_i) begin
      owned_q  <= '0;
      doomed_q <= '0;
      made_valid_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, dma_i, flying_i};

  assign event_o = '{
          drop_overrun: drop_overrun,
          drop_too_long: drop_too_long,
          drop_aborted: drop_aborted,
          drop_program: drop_valid_i,
          drop_reset: drop_owned || drop_waiting,
          made_messages: claimed
      };

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!kept || wait_ready)
      else $error("message_slots: more messages wait than there are slots");
      assert (!(send_valid_i || drop_valid_i) || owned_q[door_slot_i])
      else $error("message_slots: a doorbell for slot %0d, which is not the core's", door_slot_i);
      assert ((free & (owned_q | doomed_q | flying)) == '0 && (owned_q & doomed_q) == '0 && (flying & ~(owned_q | doomed_q)) == '0)
      else $error("message_slots: a slot is free and the core's, or an access is in flight for none");
    end
  end
endmodule
