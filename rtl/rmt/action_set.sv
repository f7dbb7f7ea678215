// SPDX-License-Identifier: Apache-2.0
// The part of an action that needs nothing but the action: sets fields of the descriptor and the mark,
// drops, mirrors. Combinational.
module action_set
  import girih_pkg::*, rmt_pkg::*, action_pkg::*;
(
    input  phv_t    phv_i,
    /* verilator lint_off UNUSEDSIGNAL */  // edits, meter, counter and state are others' work
    input  action_t action_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output phv_t    phv_o
);
  always_comb begin
    phv_o = phv_i;
    if (action_i.tenant_set) phv_o.desc.tenant = action_i.tenant;
    if (action_i.chain_set) begin
      phv_o.desc.chain_count = action_i.chain_count;
      phv_o.desc.chain = action_i.chain;
    end
    if (action_i.exit_set) phv_o.desc.exit = action_i.exit;
    if (action_i.flow_set) phv_o.desc.flow = action_i.flow;
    if (action_i.lossless_set) phv_o.desc.lossless = action_i.lossless;
    if (action_i.rank_set) begin
      phv_o.desc.rank_valid = 1'b1;
      phv_o.desc.rank = action_i.rank;
    end
    if (action_i.meta_set[1]) phv_o.meta[31:16] = action_i.meta[31:16];
    if (action_i.meta_set[0]) phv_o.meta[15:0] = action_i.meta[15:0];
    if (action_i.mirror_set) begin
      phv_o.mirror = 1'b1;
      phv_o.mirror_exit = action_i.mirror;
    end
    if (action_i.drop) phv_o.drop = DropAction;
  end
endmodule
