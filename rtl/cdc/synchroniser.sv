// SPDX-License-Identifier: Apache-2.0
// Brings a value of another clock into the domain of clk_i, through Stages flip-flops: out_o is the input of Stages
// edges ago. Each bit is sampled old or new independently, so in_i must be one bit, or a code that changes one bit at a
// time, straight from a register: logic in between could be sampled half-way. There is no reset, so that a
// reset itself can pass.
module synchroniser #(
    parameter int unsigned Width = 1,
    parameter int unsigned Stages = 2
) (
    input logic clk_i,

    input  logic [Width-1:0] in_i,
    output logic [Width-1:0] out_o
);
  if (Stages < 2 || Stages > 4) begin : gen_bad_stages
    $fatal(1, "synchroniser: Stages is %0d; it must be from 2 to 4", Stages);
  end

  // The kind of crossing is for girih.synth.crossings, the other attributes are for synthesis. An unpacked array might become memory.
  (* crossing = "code", ASYNC_REG = "TRUE", SHREG_EXTRACT = "NO", keep = "true" *)
  logic [Stages-1:0][Width-1:0] stage_q;

  assign out_o = stage_q[Stages-1];

  always_ff @(posedge clk_i) begin
    stage_q[Stages-1:1] <= stage_q[Stages-2:0];
    stage_q[0] <= in_i;
  end
endmodule
