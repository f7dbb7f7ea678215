// SPDX-License-Identifier: Apache-2.0
// The edits of an action: works out the new words and what the change does to a checksum, and adds the
// edits to the packet's list. A packet whose list is full is dropped, because what it would say
// is not what its entry asks for. old_i are the words that the edits name. Combinational.
//
// The two edits of an action never write the same half (software's commands are refused otherwise), so
// neither needs the other's result.
module action_edit
  import rmt_pkg::*, action_pkg::*;
(
    input  phv_t              phv_i,
    input  word_edit_t [1:0]  edit_i,
    input  logic [1:0][31:0]  old_i,
    output phv_t              phv_o
);
  typedef logic [1:0][15:0] halves_t;

  logic [1:0] edits;  // those that happen
  halves_t [1:0] sum, changed;
  for (genvar e = 0; e < 2; e++) begin : gen_edit
    logic wide, carry;
    halves_t old, value;
    assign edits[e] = edit_i[e].op != EditNone && |edit_i[e].halves && phv_i.word_valid[edit_i[e].number];
    assign old = old_i[e];
    assign value = edit_i[e].value;
    assign wide = &edit_i[e].halves;
    assign {carry, sum[e][0]} = {1'b0, old[0]} + {1'b0, value[0]};
    assign sum[e][1] = old[1] + value[1] + 16'(carry && wide);
    for (genvar h = 0; h < 2; h++) begin : gen_half
      assign changed[e][h] = edit_i[e].op == EditAdd ? sum[e][h] : value[h];
    end
  end

  logic [$clog2(Edits):0] present;
  always_comb begin
    phv_o   = phv_i;
    present = '0;
    for (int unsigned i = 0; i < Edits; i++) present += ($bits(present))'(phv_i.edit[i].valid);
    for (int unsigned e = 0; e < 2; e++) begin
      edit_t edit;
      halves_t word, old;
      old = old_i[e];
      // The first edit may have written the other half of the same word.
      word = phv_o.word[edit_i[e].number];
      edit = '0;
      edit.valid = 1'b1;
      edit.number = edit_i[e].number;
      edit.halves = edit_i[e].halves;
      for (int unsigned h = 0; h < 2; h++) begin
        if (edit_i[e].halves[h]) begin
          word[h] = changed[e][h];
          edit.delta[h] = checksum_pkg::add(changed[e][h], ~old[h]);
        end
      end
      edit.value = word;
      if (edits[e]) begin
        if (32'(present) == Edits) begin
          if (phv_o.drop == DropNone) phv_o.drop = DropAction;
        end else begin
          phv_o.word[edit_i[e].number] = word;
          phv_o.edit[present[$clog2(Edits)-1:0]] = edit;
          present += 1'b1;
        end
      end
    end
  end
endmodule
