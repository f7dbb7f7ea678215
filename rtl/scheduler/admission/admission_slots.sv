// SPDX-License-Identifier: Apache-2.0
// The free slots. One is taken and one given back per cycle; a slot has at most one holder. Slots are first
// handed out in order of their numbers, then from a queue of those given back.
module admission_slots #(
    parameter int unsigned Entries = 1024,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    output logic                 valid_o,
    output logic [SlotWidth-1:0] slot_o,
    input  logic                 take_i,
    input  logic                 give_i,
    input  logic [SlotWidth-1:0] give_slot_i,

    output logic [SlotWidth:0] free_o
);
  if (Entries < 2 || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "admission_slots: Entries is %0d; it must be a power of two, at least 2", Entries);
  end

  logic [SlotWidth:0] fresh_q;  // slots handed out for the first time so far
  logic fresh, back_valid, back_ready;
  logic [SlotWidth-1:0] back_slot;
  assign fresh   = !fresh_q[SlotWidth];
  assign valid_o = fresh || back_valid;
  assign slot_o  = fresh ? fresh_q[SlotWidth-1:0] : back_slot;

  fifo_block #(
      .T(logic [SlotWidth-1:0]),
      .Depth(Entries)
  ) u_back (
      .clk_i,
      .rst_i,
      .in_offer_i(give_i),
      .in_valid_i(give_i),
      .in_ready_o(back_ready),
      .in_data_i(give_slot_i),
      .out_valid_o(back_valid),
      .out_ready_i(take_i && !fresh),
      .out_data_o(back_slot)
  );

  always_ff @(posedge clk_i) begin
    if (take_i && fresh) fresh_q <= fresh_q + 1'b1;
    if (take_i != give_i) free_o <= give_i ? free_o + 1'b1 : free_o - 1'b1;
    if (rst_i) begin
      fresh_q <= '0;
      free_o  <= (SlotWidth + 1)'(Entries);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!take_i || valid_o)
      else $error("admission_slots: a slot was taken when none is free");
      assert (!give_i || (back_ready && free_o != (SlotWidth + 1)'(Entries)))
      else $error("admission_slots: a slot was given back that nobody held");
      none_left : cover (free_o == '0);
      taken_and_given : cover (take_i && give_i);
      last_taken_and_given : cover (take_i && give_i && free_o == (SlotWidth + 1)'(1));
      taken_again : cover (take_i && !fresh);
    end
  end
endmodule
