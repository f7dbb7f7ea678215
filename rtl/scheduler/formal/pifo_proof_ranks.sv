// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof_end: the rank of a known end is right. While a peek is pending, the end is what it finds or what was pushed since.
module pifo_proof_ranks #(
    parameter int unsigned Entries = 4,
    parameter bit Near = 1'b1
);
  typedef logic [Entries-1:0] set_t;

  set_t [3:0] since;  // those here now, and those that have left since
  set_t same;  // those of the rank that the end has noted
  for (genvar s = 0; s < Entries; s++) begin : gen_slot
    assign same[s] = pifo_proof.rank_q[s] == pifo_proof_end.rank_i;
  end
  assign since[0] = pifo_proof_end.tree[0];
  for (genvar k = 1; k < 4; k++) begin : gen_since
    assign since[k] = since[k-1] | pifo_proof_end.tree[k];
  end

  always_comb begin
    if (pifo_proof_end.check_ranks_i && (Near || !pifo_proof_end.circular)) begin
      if (pifo_proof_end.known_i) assert (pifo_proof_end.is_end(pifo_proof_end.tree[0], pifo_proof_end.rank_i));
    end
  end
  for (genvar k = 1; k < 4; k++) begin : gen_pending
    logic noted;  // what was pushed since the pop comes before what the peek finds
    assign noted = pifo_proof_end.any_i && pifo_proof_end.beyond(pifo_proof_end.rank_i, pifo_proof_end.end_rank_q[k]);
    always_comb begin
      if (pifo_proof_end.check_ranks_i && (Near || !pifo_proof_end.circular) && pifo_proof_end.pending[k]) begin
        if (pifo_proof_end.known_i) begin
          assert (!pifo_proof_end.beyond(pifo_proof_end.end_rank_q[k], pifo_proof_end.rank_i));
        end else begin
          assert (pifo_proof_end.is_end(pifo_proof_end.tree[0], noted ? pifo_proof_end.rank_i : pifo_proof_end.end_rank_q[k]));
          if (pifo_proof_end.any_i) assert ((since[k] & same) != '0);
        end
      end
    end
  end
endmodule
