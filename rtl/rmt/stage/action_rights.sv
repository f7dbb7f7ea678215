// SPDX-License-Identifier: Apache-2.0
// Decides whether an action may be written: it must be valid (indices in range, edits that do not
// overlap), and a tenant's action may only use what the operator has granted. The tenant's rights are five
// words, checked one after the other; refused_o is the result for word `step_i`, which is in rights_i, a cycle later. What takes
// long and depends on the action alone is worked out a cycle before.
module action_rights
  import girih_pkg::*, action_pkg::*;
#(
    parameter int unsigned Meters = 64,
    parameter int unsigned Counters = 64,
    parameter int unsigned Registers = 256
) (
    input  logic        clk_i,
    input  logic        offer_i,  // action_i is there: from the cycle before the first word on, unchanged until the last
    input  logic        valid_i,  // a word is there; if 0, refused_o is 0 a cycle later, too
    /* verilator lint_off UNUSEDSIGNAL */  // values that every tenant may set
    input  action_t     action_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  tenant_t     tenant_i,
    input  logic [ 2:0] step_i,
    input  logic [31:0] rights_i,
    output logic        refused_o
);
  function automatic logic is_edit(edit_op_e op);
    return op != EditNone;
  endfunction

  function automatic logic outside(logic [7:0] first, logic [7:0] last, logic [31:0] range);
    return 16'(first) < range[15:0] || 16'(last) >= range[31:16];
  endfunction

  // The bits of the register's index that come from the packet; they determine the registers it can reach.
  logic [7:0] from_packet;
  for (genvar b = 0; b < 8; b++) begin : gen_from_packet
    assign from_packet[b] = b < 32'(action_i.state.index_bits);
  end

  logic [ChainHops-1:0] visits;
  for (genvar h = 0; h < int'(ChainHops); h++) begin : gen_visits
    assign visits[h] = action_i.chain_set && h < 32'(action_i.chain_count);
  end

  logic overlap;
  assign overlap = is_edit(action_i.edit[0].op) && is_edit(action_i.edit[1].op) &&
      action_i.edit[0].number == action_i.edit[1].number && |(action_i.edit[0].halves & action_i.edit[1].halves);

  logic nonsense_q, sets_rank_q, edits_q;
  logic [ChainHops-1:0] visits_q;
  logic [7:0] first_q, last_q;
  always_ff @(posedge clk_i) begin
    logic nonsense, sets_rank;
    logic [7:0] last;
    if (offer_i) begin
      last = action_i.state.index | from_packet;
      nonsense = overlap ||
          (action_i.chain_set && 32'(action_i.chain_count) > ChainHops) ||
          (action_i.meter_set && 32'(action_i.meter) >= Meters) ||
          (action_i.count_set && 32'(action_i.count) >= Counters) ||
          (action_i.state.enable && (32'(last) >= Registers || action_i.state.index_bits > 4'd8)) ||
          action_i.edit[0].op > EditAdd || action_i.edit[1].op > EditAdd;
      for (int unsigned h = 0; h < ChainHops; h++) nonsense |= visits[h] && (action_i.chain[h].service >> ServiceBits) != '0;
      sets_rank = action_i.rank_set || (action_i.state.enable && action_i.state.target == TargetRank);
      for (int unsigned c = 0; c < 3; c++) sets_rank |= action_i.meter_set && action_i.treatment[c].rank_set;
      nonsense_q <= nonsense;
      sets_rank_q <= sets_rank;
      edits_q <= is_edit(action_i.edit[0].op) || is_edit(action_i.edit[1].op);
      visits_q <= visits;
      first_q <= action_i.state.index & ~from_packet;
      last_q <= last;
    end
  end

  logic foreign_service, beyond, foreign_q, beyond_q;
  always_comb begin
    foreign_service = 1'b0;
    beyond = 1'b0;
    if (valid_i) begin
      for (int unsigned h = 0; h < ChainHops; h++) foreign_service |= visits_q[h] && !rights_i[action_i.chain[h].service];
      unique case (step_i)
        3'd0: beyond = action_i.tenant_set && action_i.tenant != 6'(tenant_i);
        3'd1:
        beyond =
            (action_i.exit_set && !rights_i[RightExit]) ||
            (action_i.mirror_set && !rights_i[RightMirror]) ||
            (action_i.lossless_set && !rights_i[RightLossless]) ||
            (sets_rank_q && !rights_i[RightRank]) ||
            (edits_q && !rights_i[RightEdit]);
        3'd2: beyond = action_i.meter_set && outside(action_i.meter, action_i.meter, rights_i);
        3'd3: beyond = action_i.count_set && outside(action_i.count, action_i.count, rights_i);
        default: beyond = action_i.state.enable && outside(first_q, last_q, rights_i);
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    foreign_q <= foreign_service && step_i == 3'd0 && tenant_i != '0;
    beyond_q  <= valid_i && (nonsense_q || (tenant_i != '0 && beyond));
  end
  assign refused_o = foreign_q || beyond_q;
endmodule
