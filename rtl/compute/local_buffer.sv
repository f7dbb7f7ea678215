// SPDX-License-Identifier: Apache-2.0
// Holds the messages that a unit has accepted until its engine takes them. A flit can be taken in the cycle
// after it was written, even while its message is still arriving.
//
// accept_o, beside the first flit of a message of length_i bytes, says that there is room for all of it. in_valid_i is
// allowed only for such messages. Room for LosslessSlots messages of the largest size is reserved for lossless
// messages; droppable ones have the rest, at most slots_i messages at a time. half_o comes from registers.
//
// The descriptor is valid beside every flit of its message.
module local_buffer
  import girih_pkg::*, compute_pkg::*;
#(
    parameter int unsigned Flits = default_buffer(1),
    parameter int unsigned Messages = 64,
    parameter int unsigned LosslessSlots = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [7:0] slots_i,

    input  length_t length_i,
    output logic    accept_o,
    output logic    accept_lossless_o,  // as accept_o beside a lossless message, and sooner
    output logic    half_o,  // at most half of the room and slots of droppable messages is in use

    input  logic in_offer_i,  // up whenever in_valid_i may be; in_valid_i comes late in the cycle
    input logic  in_valid_i,
    input logic  in_start_i,  // as in_valid_i beside a first flit, and sooner
    input flit_t in_flit_i,

    output logic        out_valid_o,
    input  logic        out_ready_i,
    output beat_t       out_beat_o,
    output descriptor_t out_desc_o
);
  localparam int unsigned LosslessFlits = LosslessSlots * MaxFrameFlits;
  if (Flits < LosslessFlits + MaxFrameFlits || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "local_buffer: Flits is %0d; it must be a power of two, at least %0d", Flits, LosslessFlits + MaxFrameFlits);
  end
  if (LosslessSlots < 1) begin : gen_bad_lossless_slots
    $fatal(1, "local_buffer: LosslessSlots is %0d; it must be at least 1", LosslessSlots);
  end
  if (Messages <= LosslessSlots || (Messages & (Messages - 1)) != 0) begin : gen_bad_messages
    $fatal(1, "local_buffer: Messages is %0d; it must be a power of two, more than LosslessSlots", Messages);
  end

  typedef logic [$clog2(Flits):0] flits_t;
  typedef logic [$clog2(Messages):0] messages_t;
  localparam messages_t MostDroppable = messages_t'(Messages - LosslessSlots);

  logic beat_ready, desc_ready, desc_valid, pop, pop_last;
  assign pop = out_valid_o && out_ready_i;
  assign pop_last = pop && out_beat_o.last;

  fifo_block #(
      .T(beat_t),
      .Depth(Flits)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_offer_i,
      .in_valid_i,
      .in_ready_o(beat_ready),
      .in_data_i('{bad: in_flit_i.bad, last: in_flit_i.last, empty: in_flit_i.empty, data: in_flit_i.data}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_beat_o)
  );

  fifo #(
      .T(descriptor_t),
      .Depth(Messages)
  ) u_descriptors (
      .clk_i,
      .rst_i,
      .in_valid_i(in_start_i),
      .in_ready_o(desc_ready),
      .in_data_i(in_flit_i.desc),
      .out_valid_o(desc_valid),
      .out_ready_i(pop_last),
      .out_data_o(out_desc_o)
  );

  // Room by class: droppable, lossless.
  logic in_lossless, in_lossless_q, out_lossless;
  flits_t free_q[2];
  logic [1:0] fits;
  messages_t droppable_q;  // messages
  logic few;
  assign in_lossless = in_flit_i.first ? in_flit_i.desc.lossless : in_lossless_q;
  assign out_lossless = out_desc_o.lossless;
  assign few = 9'(droppable_q) < 9'(slots_i) && droppable_q < MostDroppable;
  assign accept_o = desc_ready && (in_lossless ? fits[1] : fits[0] && few);
  assign accept_lossless_o = desc_ready && fits[1];

  localparam int unsigned Half = Flits - LosslessFlits < 2 ? 1 : (Flits - LosslessFlits) / 2;
  assign half_o = free_q[0] >= flits_t'(Half) && 9'(droppable_q) <= 9'(slots_i >> 1)
      && droppable_q <= MostDroppable / 2;

  for (genvar i = 0; i < 2; i++) begin : gen_class
    logic put, get;
    room_fits u_fits (
        .length_i,
        .room_i(length_t'(free_q[i])),
        .fits_o(fits[i])
    );
    assign put = in_valid_i && in_lossless == 1'(i);
    assign get = pop && out_lossless == 1'(i);
    always_ff @(posedge clk_i) begin
      if (put != get) free_q[i] <= get ? free_q[i] + 1'b1 : free_q[i] - 1'b1;
      if (rst_i) free_q[i] <= flits_t'(i == 0 ? Flits - LosslessFlits : LosslessFlits);
    end
  end

  logic put_droppable, get_droppable;
  assign put_droppable = in_start_i && !in_flit_i.desc.lossless;
  assign get_droppable = pop_last && !out_lossless;
  always_ff @(posedge clk_i) begin
    if (in_offer_i) in_lossless_q <= in_lossless;
    if (put_droppable != get_droppable) begin
      droppable_q <= get_droppable ? droppable_q - 1'b1 : droppable_q + 1'b1;
    end
    if (rst_i) droppable_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (in_start_i == (in_valid_i && in_flit_i.first));
      assert (!in_valid_i || (beat_ready && (!in_flit_i.first || desc_ready)))
      else $error("local_buffer: a flit arrived for which there was no room");
      assert (!out_valid_o || desc_valid)
      else $error("local_buffer: a flit without a descriptor");
      assert (free_q[0] <= flits_t'(Flits - LosslessFlits) && free_q[1] <= flits_t'(LosslessFlits))
      else $error("local_buffer: more room is free than exists");
      no_slot : cover (droppable_q != '0 && 9'(droppable_q) >= 9'(slots_i));
      no_room_for_the_largest : cover (32'(free_q[0]) < MaxFrameFlits);
      no_room_for_another_lossless : cover (32'(free_q[1]) < MaxFrameFlits);
      every_place_of_droppable_taken : cover (droppable_q == MostDroppable);
      full_and_taken : cover (free_q[0] == '0 && pop);
    end
  end
endmodule
