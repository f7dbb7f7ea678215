// SPDX-License-Identifier: Apache-2.0
// The slots of accesses in flight on a bus that answers in order: slot_o is that of the oldest when its answer comes. Each access
// has its own slot, so there is always room.
module host_slots #(
    parameter int unsigned Slots = 256,
    localparam type slot_t = logic [memory_access_pkg::IdBits-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  asked_i,
    input  slot_t slot_i,
    input  logic  answered_i,
    output slot_t slot_o
);
  logic room, owed;
  fifo #(
      .T(slot_t),
      .Depth(Slots)
  ) u_slots (
      .clk_i,
      .rst_i,
      .in_valid_i(asked_i),
      .in_ready_o(room),
      .in_data_i(slot_i),
      .out_valid_o(owed),
      .out_ready_i(answered_i),
      .out_data_o(slot_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (room || !asked_i)
      else $error("host_slots: more than %0d accesses are under way", Slots);
      assert (owed || !answered_i)
      else $error("host_slots: an answer to nothing");
    end
  end
endmodule
