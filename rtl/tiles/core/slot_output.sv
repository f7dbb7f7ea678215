// SPDX-License-Identifier: Apache-2.0
// Sends the slots of messages, one after another in the order of their doorbells, and tells which one has left. InOrder: in the order of arrival; a
// void one leaves as a void message of one flit. A slot with an access to memory in flight leaves as the request of that access, with the tenant of its
// message, and stays; slot_dma completes the descriptor.
module slot_output
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter bit InOrder = 0,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned FlitBits = $clog2(SlotBytes / FlitBytes)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                placed_i,
    input logic [SlotBits-1:0] placed_slot_i,
    input logic                send_valid_i,
    input logic [SlotBits-1:0] send_slot_i,
    input send_t               send_i,
    input logic [   Slots-1:0] voided_i,

    input  logic                  ask_i,       // pulse: the request of ask_slot_i, not with send_valid_i
    input  logic [  SlotBits-1:0] ask_slot_i,
    input  logic [     Slots-1:0] flying_i,
    output logic [  SlotBits-1:0] sends_o,
    input  logic [  FlitBits-1:0] ask_first_i,  // of the slot sends_o, if it has an access in flight: the flits of its request
    input  logic [  FlitBits-1:0] ask_more_i,
    input  logic [EmptyWidth-1:0] ask_empty_i,
    output logic                  out_asks_o,

    // Of the packet memory: the answer comes in the next cycle. If the core then has taken the turn, the same read is made again.
    output logic                         read_valid_o,
    output logic [SlotBits+FlitBits-1:0] read_addr_o,
    input  logic [                W-1:0] read_data_i,
    input  logic                         read_again_i,

    output logic                out_valid_o,
    input  logic                out_ready_i,
    output flit_t               out_flit_o,
    output next_key_t           out_key_o,
    output logic [SlotBits-1:0] out_slot_o,
    input  descriptor_t         out_desc_i,   // the one with which the message in out_slot_o came
    output logic                out_done_o
);
  typedef logic [SlotBits-1:0] slot_t;
  typedef struct packed {
    slot_t slot;
    logic bad;
    logic last;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } beat_t;
  localparam int unsigned Beats = 4;

  function automatic logic [Slots-1:0] only(logic valid, slot_t slot);
    only = Slots'(valid) << slot;
  endfunction

  // In order, a message is in the queue from its arrival until the core has finished with it.
  logic queued, queue_valid, queue_ready, queue_done, void_queued;
  logic [Slots-1:0] done_q, void_q;
  slot_t queue_slot;
  assign queued = queue_valid && (!InOrder || done_q[queue_slot]);
  assign void_queued = InOrder && void_q[queue_slot];
  fifo #(
      .T(slot_t),
      .Depth(Slots)
  ) u_sending (
      .clk_i,
      .rst_i,
      .in_valid_i(InOrder ? placed_i : send_valid_i || ask_i),
      .in_ready_o(queue_ready),
      .in_data_i(InOrder ? placed_slot_i : ask_i ? ask_slot_i : send_slot_i),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_done),
      .out_data_o(queue_slot)
  );

  // A slot is read into a queue, flit by flit.
  send_t send_mem[Slots];
  logic read_now, read_last, read_q, last_q, bad_q, beats_ready;
  slot_t read_slot_q;
  logic [EmptyWidth-1:0] empty_q;
  logic [15:0] send_length;
  logic [EmptyWidth+FlitBits-1:0] send_end;
  logic [FlitBits-1:0] index_q, read_index_q, index, more;
  logic asks;
  logic [$clog2(Beats+1)-1:0] room_q;
  beat_t beat, out_beat;
  assign send_length = send_mem[queue_slot].length;
  assign send_end = $bits(send_end)'(send_length - 1'b1);
  assign read_now = queued && room_q != '0 && !read_again_i;
  assign asks = flying_i[queue_slot];
  assign sends_o = queue_slot;
  assign index = index_q + (asks ? ask_first_i : FlitBits'(32'(send_mem[queue_slot].start) * (SendStartBytes / FlitBytes)));
  assign more = asks ? ask_more_i : send_end[EmptyWidth+:FlitBits];
  assign read_last = void_queued || index_q == more;
  assign queue_done = read_now && read_last;
  assign read_valid_o = read_again_i || (read_now && !void_queued);
  assign read_addr_o = read_again_i ? {read_slot_q, read_index_q} : {queue_slot, index};

  assign beat = '{slot: read_slot_q, bad: bad_q, last: last_q, empty: empty_q, data: read_data_i};
  fifo #(
      .T(beat_t),
      .Depth(Beats)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_valid_i(read_q && !read_again_i),
      .in_ready_o(beats_ready),
      .in_data_i(beat),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_beat)
  );

  // The descriptor is stamped here, from the one that came in.
  send_t sent;
  assign out_slot_o = out_beat.slot;
  assign sent = send_mem[out_beat.slot];
  always_comb begin
    out_flit_o.desc = out_desc_i;
    out_flit_o.desc.length = length_t'(sent.length);
    if (!sent.keeps_sum) out_flit_o.desc.payload_sum_valid = 1'b0;
    if (out_asks_o) begin
      out_flit_o.desc = '0;
      out_flit_o.desc.tenant = out_desc_i.tenant;
    end
    out_flit_o.first = 1'b0;  // the tile's sender sets it
    out_flit_o.bad = out_beat.bad;
    out_flit_o.last = out_beat.last;
    out_flit_o.empty = out_beat.empty;
    out_flit_o.data = out_beat.data;
  end
  assign out_key_o = next_key_t'(sent.exit);
  assign out_asks_o = flying_i[out_beat.slot];
  assign out_done_o = out_valid_o && out_ready_i && out_beat.last && !out_asks_o;

  logic unused;
  assign unused = &{1'b0, sent.start};

  always_ff @(posedge clk_i) begin
    if (send_valid_i) send_mem[send_slot_i] <= send_i;
    done_q <= (done_q | voided_i | only(send_valid_i, send_slot_i)) & ~only(queue_done, queue_slot);
    void_q <= (void_q | voided_i) & ~only(queue_done, queue_slot);

    read_q <= read_now || read_again_i;
    if (read_now) begin
      read_slot_q <= queue_slot;
      last_q <= read_last;
      bad_q <= void_queued;
      empty_q <= !read_last ? '0 : asks ? ask_empty_i : ~send_end[EmptyWidth-1:0];
      read_index_q <= index;
      index_q <= read_last ? '0 : index_q + 1'b1;
    end
    room_q <= room_q - $bits(room_q)'(read_now) + $bits(room_q)'(out_valid_o && out_ready_i);
    if (rst_i) begin
      done_q <= '0;
      void_q <= '0;
      read_q <= 1'b0;
      index_q <= '0;
      room_q <= $bits(room_q)'(Beats);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!(InOrder ? placed_i : send_valid_i || ask_i) || queue_ready)
      else $error("slot_output: more messages are sent than there are slots");
      assert (!read_q || read_again_i || beats_ready)
      else $error("slot_output: a flit was read for which there is no room");
      assert (!(ask_i && (send_valid_i || InOrder)))
      else $error("slot_output: a request comes with a doorbell");
      held_back : cover (out_valid_o && !out_ready_i && room_q == '0);
      read_again : cover (read_again_i);
    end
  end
endmodule
