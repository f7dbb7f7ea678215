// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof_end: a peek finds the end as it was after its pop.
module pifo_proof_peeks #(
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4
);
  localparam int unsigned ChildWidth = RankWidth - RankWidth / 2;
  typedef logic [Entries-1:0] set_t;

  for (genvar k = 1; k < 4; k++) begin : gen_stage
    set_t found;  // the slots of its rank
    for (genvar s = 0; s < Entries; s++) begin : gen_slot
      assign found[s] = pifo_proof.rank_q[s] == pifo_proof_end.end_rank_q[k];
    end
    always_comb begin
      if (pifo_proof_end.check_peeks_i && pifo_proof_end.pending[k]) begin
        assert (pifo_proof_end.is_end(pifo_proof_end.tree[k], pifo_proof_end.end_rank_q[k]));
        assert ((pifo_proof_end.tree[k-1] & found) != '0);  // the next pop does not take the last entry of this rank
        if (k == 2) assert (pifo_proof.u_dut.peek_child_q == pifo_proof_end.end_rank_q[k][RankWidth-1-:ChildWidth]);
        if (k == 3) assert (pifo_proof.u_dut.found_rank_q == pifo_proof_end.end_rank_q[k]);
      end
    end
  end
endmodule
