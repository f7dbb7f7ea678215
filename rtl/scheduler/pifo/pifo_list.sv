// SPDX-License-Identifier: Apache-2.0
// The lists of the PIFO's leaves, first in first out: per leaf the first and the last slot, per slot
// the next one.
//
// Each memory has one writer. The first slot of a leaf is in the memory of pushes into an empty list or in that
// of pops (pop_moved_i selects). A slot has a next one if two bits differ, one written when another slot is linked
// to it, one when it is pushed.
//
//   cycle t    the leaves of the push and of the pop are given
//   cycle t+1  the pop's slot goes out, then the push is added; pop_emptied_o: nothing was left
module pifo_list #(
    parameter int unsigned Entries = 1024,
    parameter int unsigned LeafWidth = 15,
    parameter int unsigned Late = 6,  // the lower bits of the pop's leaf are known late in its cycle
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    // Cycle t.
    input logic                 push_valid_i,
    input logic [LeafWidth-1:0] push_leaf_i,
    input logic [SlotWidth-1:0] push_slot_i,
    input logic                 pop_valid_i,
    input logic [LeafWidth-1:0] pop_leaf_i,
    input logic [LeafWidth-1:0] pop_next_leaf_i,  // pop_leaf_i, unless that is the leaf of the previous pop

    // Cycle t+1.
    input  logic                 push_takes_i,   // the list was empty before the pop
    input  logic                 push_begins_i,  // ... or is after it
    input  logic                 pop_moved_i,
    output logic                 pop_emptied_o,
    output logic                 pop_valid_o,
    output logic [SlotWidth-1:0] pop_slot_o
);
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [LeafWidth-1:0] leaf_t;

  logic push_valid_q, pop_valid_q;
  leaf_t push_leaf_q, pop_leaf_q;
  slot_t push_slot_q;

  (* ram_style = "distributed" *) slot_t next[Entries];
  (* ram_style = "distributed" *) logic link_linked[Entries];
  (* ram_style = "distributed" *) logic link_pushed[Entries];

  // After a pop that has not emptied its leaf, the next slot of that leaf is being written, and the read takes it from the write. So
  // the memories may be read at pop_next_leaf_i, which is known earlier than pop_leaf_i.
  leaf_t pop_addr[1], pop_seen[1], push_addr[1];
  slot_t begun[1], moved[1], last[1], unused_begun[1], unused_moved[1], unused_last[1];
  slot_t behind;
  assign pop_addr[0] = pop_next_leaf_i;
  assign pop_seen[0] = pop_leaf_i;
  assign push_addr[0] = push_leaf_i;

  assign pop_valid_o = pop_valid_q;
  assign pop_slot_o = pop_moved_i ? moved[0] : begun[0];
  assign behind = next[pop_slot_o];
  assign pop_emptied_o = link_linked[pop_slot_o] == link_pushed[pop_slot_o];

  pifo_ram #(
      .Width(SlotWidth),
      .Late(Late),
      .After(1'b1),
      .Depth(1 << LeafWidth),
      .Posted(1'b1)
  ) u_begun (
      .clk_i,
      .rst_i,
      .write_enable_i(push_valid_q && push_begins_i),
      .write_addr_i(push_leaf_q),
      .write_data_i(push_slot_q),
      .read_addr_i(pop_addr),
      .seen_addr_i(pop_seen),
      .read_data_o(begun),
      .read_again_o(unused_begun)
  );
  pifo_ram #(
      .Width(SlotWidth),
      .Late(Late),
      .After(1'b1),
      .Depth(1 << LeafWidth)
  ) u_moved (
      .clk_i,
      .rst_i,
      .write_enable_i(pop_valid_q),
      .write_addr_i(pop_leaf_q),
      .write_data_i(behind),
      .read_addr_i(pop_addr),
      .seen_addr_i(pop_seen),
      .read_data_o(moved),
      .read_again_o(unused_moved)
  );
  pifo_ram #(
      .Width(SlotWidth),
      .Late(Late),
      .Depth(1 << LeafWidth)
  ) u_last (
      .clk_i,
      .rst_i,
      .write_enable_i(push_valid_q),
      .write_addr_i(push_leaf_q),
      .write_data_i(push_slot_q),
      .read_addr_i(push_addr),
      .seen_addr_i(push_addr),
      .read_data_o(last),
      .read_again_o(unused_last)
  );

  always_ff @(posedge clk_i) begin
    // The slot that is linked to may be one that the pop of this cycle frees. That does no harm: a push clears the slot's link.
    if (push_valid_q && !push_takes_i) begin
      next[last[0]] <= push_slot_q;
      link_linked[last[0]] <= !link_pushed[last[0]];
    end
    if (push_valid_q) link_pushed[push_slot_q] <= link_linked[push_slot_q];

    push_leaf_q <= push_leaf_i;
    push_slot_q <= push_slot_i;
    pop_leaf_q <= pop_leaf_i;
    push_valid_q <= push_valid_i;
    pop_valid_q <= pop_valid_i;
    if (rst_i) begin
      push_valid_q <= 1'b0;
      pop_valid_q <= 1'b0;
    end
  end
endmodule
