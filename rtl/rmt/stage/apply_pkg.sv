// SPDX-License-Identifier: Apache-2.0
// The effect of an action on a packet's header vector. As functions, so that a simulator evaluates them only
// when a register takes the result.
package apply_pkg;
  import girih_pkg::*, rmt_pkg::*, action_pkg::*;

  // The part of an action that needs no operands: sets fields of the descriptor and the mark, drops, mirrors.
  /* verilator lint_off UNUSEDSIGNAL */  // action_settle does edits, meter, counter and register
  function automatic phv_t with_fields(phv_t phv, action_t action);
    with_fields = phv;
    if (action.tenant_set) with_fields.desc.tenant = action.tenant;
    if (action.chain_set) begin
      with_fields.desc.chain_count = ($bits(phv.desc.chain_count))'(action.chain_count);
      for (int unsigned h = 0; h < ChainHops; h++) begin
        with_fields.desc.chain[h] = hop_of(action.chain[h].service, action.chain[h].rank_class, action.chain[h].meta);
      end
    end
    if (action.exit_set) with_fields.desc.exit = address_of(action.exit);
    if (action.flow_set) with_fields.desc.flow = action.flow;
    if (action.lossless_set) with_fields.desc.lossless = action.lossless;
    if (action.rank_set) begin
      with_fields.desc.rank_valid = 1'b1;
      with_fields.desc.rank = action.rank;
    end
    if (action.meta_set[1]) with_fields.meta[31:16] = action.meta[31:16];
    if (action.meta_set[0]) with_fields.meta[15:0] = action.meta[15:0];
    if (action.mirror_set) begin
      with_fields.mirror = 1'b1;
      with_fields.mirror_exit = action.mirror;
    end
    if (action.drop) with_fields.drop = DropAction;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  typedef logic [1:0][15:0] halves_t;

  // The edits of an action: the new words, their effect on a checksum, and the edits in the packet's list. A
  // packet whose list is full is dropped, because it cannot leave as its entry demands. old: the words that the
  // edits change.
  //
  // The two edits of an action never write the same half (action_rights refuses such an action), so
  // neither needs the other's result.
  function automatic phv_t with_edits(phv_t phv, word_edit_t [1:0] edits, logic [1:0][31:0] old);
    logic [$clog2(Edits):0] present;
    halves_t [1:0] changed;
    present = '0;
    for (int unsigned i = 0; i < Edits; i++) present += ($bits(present))'(phv.edit[i].valid);
    for (int unsigned e = 0; e < 2; e++) begin
      halves_t unedited, value;
      logic carry;
      unedited = old[e];
      value = edits[e].value;
      changed[e] = value;
      if (edits[e].op == EditAdd) begin
        {carry, changed[e][0]} = {1'b0, unedited[0]} + {1'b0, value[0]};
        changed[e][1] = unedited[1] + value[1] + 16'(carry && &edits[e].halves);
      end
    end
    with_edits = phv;
    for (int unsigned e = 0; e < 2; e++) begin
      edit_t edit;
      halves_t word, unedited;
      unedited = old[e];
      // The first edit may have written the other half of the same word.
      word = with_edits.word[edits[e].number];
      edit = '0;
      edit.valid = 1'b1;
      edit.number = edits[e].number;
      edit.halves = edits[e].halves;
      for (int unsigned h = 0; h < 2; h++) begin
        if (edits[e].halves[h]) begin
          word[h] = changed[e][h];
          edit.delta[h] = checksum_pkg::add(changed[e][h], ~unedited[h]);
        end
      end
      edit.value = word;
      if (edits[e].op != EditNone && |edits[e].halves && phv.word_valid[edits[e].number]) begin
        if (32'(present) == Edits) begin
          if (with_edits.drop == DropNone) with_edits.drop = DropAction;
        end else begin
          with_edits.word[edits[e].number] = word;
          with_edits.edit[present[$clog2(Edits)-1:0]] = edit;
          present += 1'b1;
        end
      end
    end
  endfunction
endpackage
