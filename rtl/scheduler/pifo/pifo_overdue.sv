// SPDX-License-Identifier: Apache-2.0
// The overdue entries of each queue of the PIFO: a list of slots, oldest first. Entries are appended when they
// leave the tree, and taken from either end. The list has no ranks, so an entry may stay in it for ever.
//
// One operation per cycle. slot_o is valid in the cycle of the take.
module pifo_overdue #(
    parameter int unsigned Queues = 8,
    parameter int unsigned Entries = 1024,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,

    input logic [QueueWidth-1:0] queue_i,
    input logic append_i,
    input logic append_alone_i,  // the list is empty
    input logic [SlotWidth-1:0] append_slot_i,
    input logic take_i,
    input logic take_last_i,  // the newest, not the oldest
    output logic [SlotWidth-1:0] slot_o
);
  typedef logic [SlotWidth-1:0] slot_t;

  (* ram_style = "distributed" *) slot_t oldest[1<<QueueWidth];
  (* ram_style = "distributed" *) slot_t newest[1<<QueueWidth];
  (* ram_style = "distributed" *) slot_t newer[Entries];
  (* ram_style = "distributed" *) slot_t older[Entries];

  assign slot_o = take_last_i ? newest[queue_i] : oldest[queue_i];

  always_ff @(posedge clk_i) begin
    if (append_i) begin
      if (!append_alone_i) newer[newest[queue_i]] <= append_slot_i;
      older[append_slot_i]   <= newest[queue_i];
    end
    if (append_i || (take_i && take_last_i)) newest[queue_i] <= append_i ? append_slot_i : older[slot_o];
    if ((append_i && append_alone_i) || (take_i && !take_last_i)) begin
      oldest[queue_i] <= append_i ? append_slot_i : newer[slot_o];
    end
  end
endmodule
