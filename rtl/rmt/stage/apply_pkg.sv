// SPDX-License-Identifier: Apache-2.0
// The effect of an action on a packet's header vector. As functions, so that a simulator evaluates them only
// when a register takes the result.
package apply_pkg;
  import girih_pkg::*, rmt_pkg::*, action_pkg::*;

  // The part of an action that needs no operands: sets fields of the descriptor and the mark, drops, mirrors.
  /* verilator lint_off UNUSEDSIGNAL */  // action_settle does edits, meter, counter and register
  function automatic phv_t with_fields(phv_t phv, action_t action);
    with_fields = phv;
    if (action.tenant_set) with_fields.desc.tenant = tenant_t'(action.tenant);
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
  // neither needs the other's result. What needs no sum (which edits are done, and their places in the list) is worked out beside the
  // sums, and chooses last.
  function automatic phv_t with_edits(phv_t phv, word_edit_t [1:0] edits, logic [1:0][31:0] old);
    logic [$clog2(Edits):0] present;
    logic [1:0] wanted, done;
    logic [1:0][Edits-1:0] place;
    edit_t [1:0] edit;
    halves_t [1:0] word, delta;
    logic same;

    present = '0;
    for (int unsigned i = 0; i < Edits; i++) present += ($bits(present))'(phv.edit[i].valid);
    for (int unsigned e = 0; e < 2; e++)
      wanted[e] = edits[e].op != EditNone && |edits[e].halves && phv.word_valid[edits[e].number];
    done[0] = wanted[0] && 32'(present) < Edits;
    done[1] = wanted[1] && 32'(present) + 32'(wanted[0]) < Edits;
    for (int unsigned i = 0; i < Edits; i++) begin
      place[0][i] = done[0] && 32'(present) == i;
      place[1][i] = done[1] && 32'(present) + 32'(wanted[0]) == i;
    end
    same = edits[0].number == edits[1].number;

    for (int unsigned e = 0; e < 2; e++) {delta[e], word[e]} = edited(edits[e].op == EditAdd, &edits[e].halves, edits[e].value, old[e]);
    // The first edit may have written the other half of the word that the second one writes.
    for (int unsigned h = 0; h < 2; h++) begin
      if (!edits[0].halves[h]) word[0][h] = old[0][16*h+:16];
      if (!edits[1].halves[h]) word[1][h] = same && done[0] ? word[0][h] : old[1][16*h+:16];
    end
    for (int unsigned e = 0; e < 2; e++) begin
      edit[e] = '{valid: 1'b1, number: edits[e].number, halves: edits[e].halves, value: word[e], delta: '0};
      for (int unsigned h = 0; h < 2; h++) if (edits[e].halves[h]) edit[e].delta[h] = delta[e][h];
    end

    with_edits = phv;
    if (|(wanted & ~done) && phv.drop == DropNone) with_edits.drop = DropAction;
    for (int unsigned e = 0; e < 2; e++) begin
      for (int unsigned n = 0; n < Words; n++) if (done[e] && 32'(edits[e].number) == n) with_edits.word[n] = word[e];
      for (int unsigned i = 0; i < Edits; i++) if (place[e][i]) with_edits.edit[i] = edit[e];
    end
  endfunction

  // What an edit makes of both halves of a word: {deltas, new values}. joins: they are one number. A delta is the new value minus the old one, in
  // one's complement (RFC 1624).
  //
  // An addition changes a half by its operand, with the carries in and out. So its delta is the operand, one more or one less, and
  // needs no further sum.
  function automatic logic [63:0] edited(logic adds, logic joins, halves_t operand, halves_t old);
    halves_t sum, value, delta;
    logic carry, over;
    logic [1:0] into, out;
    logic [1:0][16:0] less;
    halves_t more;  // less + 1
    logic unused;
    // One chain: the bit between the halves passes a carry on only if they join.
    {over, sum[1], carry, sum[0]} = {1'b0, old[1], joins, old[0]} + {1'b0, operand[1], 1'b0, operand[0]};
    out = {over, carry ^ joins};
    into = {out[0] && joins, 1'b0};
    for (int unsigned h = 0; h < 2; h++) begin
      less[h] = {1'b0, operand[h]} + {1'b0, ~old[h]};
      {more[h], unused} = {operand[h], 1'b1} + {~old[h], 1'b1};
      value[h] = adds ? sum[h] : operand[h];
      delta[h] = less[h][16] ? more[h] : less[h][15:0];
      if (adds) begin
        unique case ({into[h], out[h]})
          2'b00: delta[h] = operand[h] == '0 ? '1 : operand[h];
          2'b01: delta[h] = operand[h] - 1'b1;
          2'b10: delta[h] = operand[h] + 1'b1;
          default: delta[h] = operand[h];
        endcase
      end
    end
    return {delta, value};
  endfunction
endpackage
