// SPDX-License-Identifier: Apache-2.0
// For proofs: asserts that one side of a crossing does not open while the other one is bound to start another round (again),
// unless it opened before it could know: as long as the other side's state takes to cross.
module opening_track #(
    parameter int unsigned Stages = 2
) (
    input logic clk_i,
    input cdc_pkg::state_t own_i,
    input cdc_pkg::state_t other_i,
    input cdc_pkg::state_t [Stages-1:0] seen_i  // the flip-flops through which other_i passes, the first one first
);
  logic [$clog2(Stages+1)-1:0] edges_q;  // of clk_i, with the other side's `again` set
  logic closed_q;  // this side was not open when it knew
  logic open;
  assign open = own_i.phase == cdc_pkg::PhaseOpen && !own_i.again;

  always_ff @(posedge clk_i) begin
    if (!other_i.again) edges_q <= '0;
    else if (32'(edges_q) < Stages) edges_q <= edges_q + 1'b1;
    closed_q <= other_i.again && (closed_q || (32'(edges_q) == Stages && own_i.phase != cdc_pkg::PhaseOpen));
  end

  always_comb begin
    for (int unsigned s = 0; s < Stages; s++) begin
      if (32'(edges_q) > s) assert (seen_i[s].again);
    end
    if (closed_q) assert (32'(edges_q) == Stages);
    if (closed_q) assert (!open);
  end
endmodule
