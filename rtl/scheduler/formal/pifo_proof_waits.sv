// SPDX-License-Identifier: Apache-2.0
// Part of pifo_proof_end: when the end is known, and otherwise that a peek is pending.
module pifo_proof_waits;
  always_comb begin
    if (pifo_proof_end.check_waits_i) begin
      assert (!pifo_proof_end.known_i || (pifo_proof_end.any_i && !pifo_proof_end.lost_i && pifo_proof_end.tree[0] != '0));
      assert (!pifo_proof_end.alone_i
          || (pifo_proof_end.lost_i && pifo_proof_end.pushed_i && $onehot(pifo_proof_end.tree[0])));
      assert (pifo_proof_end.lost_i
          == (pifo_proof.u_dut.pop_root_valid && 32'(pifo_proof.u_dut.pop_root_queue_q) == pifo_proof_end.Queue
              && (pifo_proof.u_dut.pop_root_last || pifo_proof.u_dut.pop_root_highest_q == pifo_proof_end.Highest)));
      assert (pifo_proof_end.tree[0] != '0 || pifo_proof_end.lost_i || !pifo_proof_end.any_i);
      assert (pifo_proof_end.tree[0] == '0 || pifo_proof_end.known_i || pifo_proof_end.alone_i || pifo_proof_end.pending != '0);
      assert (pifo_proof_end.pushed_i
          == ((pifo_proof.done[1].pushed & pifo_proof.in_queue[pifo_proof_end.Queue]) != '0));
      if (pifo_proof_end.pushed_i) assert (pifo_proof_end.pushed_rank_i == pifo_proof.rank_of(pifo_proof.done[1].pushed));
      if (pifo_proof_end.pending[3:1] != '0) begin
        assert (pifo_proof_end.tree[0] != '0 && !pifo_proof_end.lost_i && $onehot(pifo_proof_end.pending[3:1]));
      end
      if (pifo_proof_end.pending[0]) assert (pifo_proof_end.lost_i);
      if (pifo_proof_end.pending[0] && pifo_proof_end.tree[0] != '0) begin
        assert (pifo_proof.done[1].circular == pifo_proof_end.circular);
      end
      if (pifo_proof_end.pending[1]) assert (pifo_proof.done[2].circular == pifo_proof_end.circular);
      for (int unsigned k = 0; k < 4; k++) begin
        if (pifo_proof_end.pending[k]) assert (pifo_proof.ended[pifo_proof_end.Queue][pifo_proof_end.Highest][k+1]);
      end
      for (int unsigned k = 1; k < 4; k++) begin
        if (pifo_proof_end.pending[k]) assert (pifo_proof_end.tree[k] != '0);
        if (pifo_proof_end.pending[k] && pifo_proof_end.circular) assert (pifo_proof.is_narrow(pifo_proof_end.tree[k]));
      end
    end
  end
endmodule
