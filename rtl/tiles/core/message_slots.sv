// SPDX-License-Identifier: Apache-2.0
// Moves messages between the fabric and a packet memory that a core shares. Each message has a slot:
//
//   free -> filled from the fabric -> waits for the core -> the core's -> sent to the fabric -> free
//                                                             '-> dropped ---------------------'
//
// The core reaches slots only while they are its own. A message leaves with the descriptor with which it came, except for
// what the program says of it (send_t): the program cannot change its tenant, its port or its time stamp. A droppable message that
// finds no free slot is dropped whole, so the input waits for one cycle at most; a lossless one waits for a slot. A message is the core's
// one cycle after its last flit has come.
// InOrder: each message has an answer, in the order in which they came, a void one if it is dropped; the input waits for a free slot.
module message_slots
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit InOrder = 0,
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

    // The message that waits longest. Taking it makes its slot the core's.
    output logic                head_valid_o,
    output logic [SlotBits-1:0] head_slot_o,
    input  logic                head_take_i,

    // Slots that are the core's, and what is known of the message in one of them.
    output logic [   Slots-1:0] owned_o,
    input  logic [SlotBits-1:0] slot_i,
    output descriptor_t         desc_o,
    output logic        [ 15:0] length_o,

    // Doorbells, for slots that are the core's.
    input logic                send_valid_i,
    input logic                drop_valid_i,
    input logic [SlotBits-1:0] door_slot_i,
    input send_t               send_i,

    input  logic                access_valid_i,  // in a slot that is the core's
    output logic                access_ready_o,
    input  logic [         3:0] access_write_i,
    input  logic [WordBits-1:0] access_addr_i,
    input  logic [        31:0] access_data_i,
    output logic [        31:0] access_data_o,  // in the cycle after

    input logic drop_owned_i,   // one message in each cycle
    input logic drop_waiting_i,

    output slot_event_t event_o
);
  if (Slots < 2 || Slots > 64 || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $fatal(1, "message_slots: Slots is %0d; it must be a power of two from 2 to 64", Slots);
  end
  if (SlotBytes < 256 || SlotBytes > 32768 || (SlotBytes & (SlotBytes - 1)) != 0) begin : gen_bad_bytes
    $fatal(1, "message_slots: SlotBytes is %0d; it must be a power of two from 256 to 32768", SlotBytes);
  end
  localparam int unsigned SlotFlits = SlotBytes / FlitBytes;
  localparam int unsigned FlitBits = $clog2(SlotFlits);
  typedef logic [SlotBits-1:0] slot_t;

  function automatic logic [Slots-1:0] only(logic valid, slot_t slot);
    only = Slots'(valid) << slot;
  endfunction

  // Free slots, and the one that the next message gets.
  logic [Slots-1:0] free_q, owned_q, freed;
  logic any_free, fill_valid_q, fill, unused_note, unused_owned_note;
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

  // In.
  logic first_q, dropping_q, dropping, write_ready, take, over, over_q, ends, kept, placed, bad;
  logic [FlitBits:0] index_q, index;
  logic [15:0] length;
  assign dropping = !InOrder && (first_q ? !fill_valid_q && !in_flit_i.desc.lossless : dropping_q);
  assign index = first_q ? '0 : index_q;
  assign over = (!first_q && over_q) || index == (FlitBits + 1)'(SlotFlits);
  assign in_ready_o = dropping || (fill_valid_q && (write_ready || over));
  assign take = in_valid_i && in_ready_o;
  assign ends = take && in_flit_i.last;
  assign bad = in_flit_i.bad;
  assign kept = ends && !dropping && !over && !bad;
  assign length = (16'(index) + 1'b1) * 16'(FlitBytes) - 16'(in_flit_i.empty);
  assign placed = InOrder ? ends : kept;
  assign fill = placed || !fill_valid_q;

  descriptor_t desc_mem[Slots];
  logic [15:0] length_mem[Slots];
  send_t send_mem[Slots];
  assign desc_o = desc_mem[slot_i];
  assign length_o = length_mem[slot_i];

  logic wait_ready, head_pop;
  fifo #(
      .T(slot_t),
      .Depth(Slots)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_valid_i(kept),
      .in_ready_o(wait_ready),
      .in_data_i(fill_q),
      .out_valid_o(head_valid_o),
      .out_ready_i(head_pop),
      .out_data_o(head_slot_o)
  );

  // Messages that are dropped while the core is in reset: its own first, then those that wait.
  logic any_owned, drop_owned, drop_waiting;
  slot_t first_owned;
  first_set #(
      .IndexWidth(SlotBits)
  ) u_owned (
      .bits_i (owned_q),
      .note_i ('0),
      .any_o  (any_owned),
      .index_o(first_owned),
      .note_o (unused_owned_note)
  );
  assign owned_o = owned_q;
  assign drop_owned = drop_owned_i && any_owned;
  assign drop_waiting = drop_waiting_i && head_valid_o && !drop_owned;
  assign head_pop = head_take_i || drop_waiting;

  // Out: a slot after the other is read into a queue; it is free when its last flit has left.
  typedef struct packed {
    slot_t slot;
    logic bad;
    logic last;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } beat_t;
  localparam int unsigned Beats = 4;

  // In order, a message waits in the queue from its arrival until the core is done with it.
  logic queued, queue_valid, queue_ready, queue_done, void_queued;
  logic [Slots-1:0] done_q, void_q, voided;
  slot_t queue_slot;
  assign voided = only(drop_valid_i, door_slot_i) | only(drop_owned, first_owned) | only(drop_waiting, head_slot_o) | only(InOrder && placed && !kept, fill_q);
  assign queued = queue_valid && (!InOrder || done_q[queue_slot]);
  assign void_queued = InOrder && void_q[queue_slot];
  fifo #(
      .T(slot_t),
      .Depth(Slots)
  ) u_sending (
      .clk_i,
      .rst_i,
      .in_valid_i(InOrder ? placed : send_valid_i),
      .in_ready_o(queue_ready),
      .in_data_i(InOrder ? fill_q : door_slot_i),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_done),
      .out_data_o(queue_slot)
  );
  logic reads, read_ready, read_now, read_last, read_q, last_q, bad_q, beats_ready, out_last, out_done;
  logic [15:0] send_length;
  logic [EmptyWidth+FlitBits-1:0] send_end;
  logic [FlitBits-1:0] read_index_q;
  logic [EmptyWidth-1:0] empty_q;
  slot_t read_slot_q;
  logic [$clog2(Beats+1)-1:0] room_q;
  beat_t beat, out_beat;
  assign send_length = send_mem[queue_slot].length;
  assign send_end = $bits(send_end)'(send_length - 1'b1);
  assign reads = queued && !void_queued && room_q != '0;
  assign read_now = queued && room_q != '0 && (read_ready || void_queued);
  assign read_last = void_queued || read_index_q == send_end[EmptyWidth+:FlitBits];
  assign queue_done = read_now && read_last;

  logic [W-1:0] read_data;
  slot_memory #(
      .Flits(Slots * SlotFlits)
  ) u_memory (
      .clk_i,
      .rst_i,
      .write_valid_i(in_valid_i && !dropping && !over && fill_valid_q),
      .write_ready_o(write_ready),
      .write_addr_i ({fill_q, index[FlitBits-1:0]}),
      .write_data_i (in_flit_i.data),
      .read_valid_i (reads),
      .read_ready_o (read_ready),
      .read_addr_i  ({queue_slot, read_index_q}),
      .read_data_o  (read_data),
      .core_valid_i (access_valid_i),
      .core_ready_o (access_ready_o),
      .core_write_i (access_write_i),
      .core_addr_i  (access_addr_i),
      .core_data_i  (access_data_i),
      .core_data_o  (access_data_o)
  );

  assign beat = '{slot: read_slot_q, bad: bad_q, last: last_q, empty: empty_q, data: read_data};
  fifo #(
      .T(beat_t),
      .Depth(Beats)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_valid_i(read_q),
      .in_ready_o(beats_ready),
      .in_data_i(beat),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_beat)
  );

  // The descriptor is stamped here, from what came in.
  send_t sent;
  assign sent = send_mem[out_beat.slot];
  always_comb begin
    out_flit_o.desc = desc_mem[out_beat.slot];
    out_flit_o.desc.length = length_t'(sent.length);
    if (!sent.keeps_sum) out_flit_o.desc.payload_sum_valid = 1'b0;
    out_flit_o.bad = out_beat.bad;
    out_flit_o.last = out_beat.last;
    out_flit_o.empty = out_beat.empty;
    out_flit_o.data = out_beat.data;
  end
  assign out_key_o = next_key_t'(sent.exit);
  assign out_last = out_valid_o && out_beat.last;
  assign out_done = out_last && out_ready_i;

  assign freed = only(out_done, out_beat.slot) | (InOrder ? '0 : voided);

  always_ff @(posedge clk_i) begin
    if (take) begin
      first_q <= in_flit_i.last;
      dropping_q <= dropping;
      over_q <= over;
      index_q <= index + 1'b1;
    end
    if (take && first_q && !dropping) desc_mem[fill_q] <= in_flit_i.desc;
    if (kept) length_mem[fill_q] <= length;
    if (send_valid_i) send_mem[door_slot_i] <= send_i;

    if (fill) begin
      fill_q <= first_free;
      fill_valid_q <= any_free;
    end
    free_q <= (free_q & ~only(fill, first_free)) | freed;
    owned_q <= (owned_q | only(head_take_i, head_slot_o)) & ~only(send_valid_i || drop_valid_i, door_slot_i) & ~only(drop_owned, first_owned);

    done_q <= (done_q | voided | only(send_valid_i, door_slot_i)) & ~only(queue_done, queue_slot);
    void_q <= (void_q | voided) & ~only(queue_done, queue_slot);

    read_q <= read_now;
    if (read_now) begin
      read_slot_q <= queue_slot;
      last_q <= read_last;
      bad_q <= void_queued;
      empty_q <= read_last ? ~send_end[EmptyWidth-1:0] : '0;
      read_index_q <= read_last ? '0 : read_index_q + 1'b1;
    end
    room_q <= room_q - $bits(room_q)'(read_now) + $bits(room_q)'(out_valid_o && out_ready_i);
    if (rst_i) begin
      first_q <= 1'b1;
      fill_valid_q <= 1'b0;
      free_q <= '1;
      owned_q <= '0;
      done_q <= '0;
      void_q <= '0;
      read_q <= 1'b0;
      read_index_q <= '0;
      room_q <= $bits(room_q)'(Beats);
    end
  end

  assign event_o = '{
          drop_overrun: ends && dropping,
          drop_too_long: ends && !dropping && over && !bad,
          drop_aborted: ends && !dropping && bad,
          drop_program: drop_valid_i,
          drop_reset: drop_owned || drop_waiting
      };

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!kept || wait_ready)
      else $error("message_slots: more messages wait than there are slots");
      assert (!(InOrder ? placed : send_valid_i) || queue_ready)
      else $error("message_slots: more messages are sent than there are slots");
      assert (!read_q || beats_ready)
      else $error("message_slots: a flit was read for which there is no room");
      assert (!(send_valid_i || drop_valid_i) || owned_q[door_slot_i])
      else $error("message_slots: a doorbell for slot %0d, which is not the core's", door_slot_i);
      assert ((free_q & owned_q) == '0)
      else $error("message_slots: a slot is free and the core's");
      overrun : cover (ends && dropping);
      too_long : cover (ends && over);
      held_back : cover (out_valid_o && !out_ready_i && room_q == '0);
      write_waits : cover (in_valid_i && !write_ready);
      read_waits : cover (reads && !read_ready);
    end
  end
endmodule
