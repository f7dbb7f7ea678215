// SPDX-License-Identifier: Apache-2.0
// AES-256, one block per cycle: a round per stage, Rounds + 1 cycles from block to cipher text. All
// stages move together, when step_i is high. Each stage reads its own round's key, by the slot that
// travels with the block.
module aes_pipeline
  import aes_pkg::*;
#(
    parameter int unsigned SlotWidth = 6
) (
    input logic clk_i,
    input logic rst_i,
    input logic step_i,

    input logic                 in_valid_i,
    input block_t               in_block_i,
    input logic [SlotWidth-1:0] in_slot_i,
    input logic                 in_last_i,  // travels with the block

    output logic   out_valid_o,
    output logic   out_last_o,
    output block_t out_block_o,

    output logic [Rounds:0][SlotWidth-1:0] key_slot_o,
    input  block_t [Rounds:0]              key_i
);
  logic [Rounds:0] valid_q, last_q;
  block_t block_q[Rounds+1];  // after round r
  logic [Rounds:0][SlotWidth-1:0] slot_q;

  assign key_slot_o = {slot_q[Rounds-1:0], in_slot_i};

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      valid_q <= {valid_q[Rounds-1:0], in_valid_i};
      last_q <= {last_q[Rounds-1:0], in_last_i};
      slot_q <= key_slot_o;
      if (in_valid_i) block_q[0] <= in_block_i ^ key_i[0];
    end
    if (rst_i) valid_q <= '0;
  end

  for (genvar r = 1; r <= int'(Rounds); r++) begin : gen_round
    block_t shifted;
    assign shifted = shift_rows(sub_bytes(block_q[r-1]));
    always_ff @(posedge clk_i) begin
      if (step_i && valid_q[r-1]) block_q[r] <= (r == int'(Rounds) ? shifted : mix_columns(shifted)) ^ key_i[r];
    end
  end

  assign out_valid_o = valid_q[Rounds];
  assign out_last_o = last_q[Rounds];
  assign out_block_o = block_q[Rounds];

  logic unused;
  assign unused = &{1'b0, slot_q[Rounds]};
endmodule
