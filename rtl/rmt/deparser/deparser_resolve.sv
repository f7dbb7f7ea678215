// SPDX-License-Identifier: Apache-2.0
// Finds the positions of a packet's edits in its frame, its new checksums, and its route. It holds the part of the
// parser's program that describes edits. Combinational, except that the program's entry for the path of a vector is read in the
// cycle before the vector comes; with Cut = 0 in the same one.
module deparser_resolve
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
#(
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,

    input logic        write_i,
    input path_t       path_i,
    input path_edits_t edits_i,

    input  logic     early_valid_i,  // phv_i comes in the next cycle
    input  path_t    early_path_i,
    input  phv_t     phv_i,
    output verdict_t verdict_o
);
  // A half that a word does not have is in no sum, which is decided here once instead of for each packet.
  path_edits_t stored;
  always_comb begin
    stored = edits_i;
    for (int unsigned w = 0; w < Words; w++) begin
      for (int unsigned h = 0; h < 2; h++) if (!edits_i.word[w].halves[h]) stored.summed[w][Sums*h+:Sums] = '0;
    end
  end

  path_edits_t mem[Paths];
  path_edits_t program_edits;
  always_ff @(posedge clk_i) begin
    if (write_i) mem[path_i] <= stored;
  end
  if (Cut) begin : gen_cut
    always_ff @(posedge clk_i) begin
      if (early_valid_i) program_edits <= mem[early_path_i];
    end
  end else begin : gen_wire
    assign program_edits = mem[early_path_i];
    logic unused_early;
    assign unused_early = early_valid_i;
  end

  // By edit and half ([1] is the first on the wire): the sums that cover it. The conditions let the
  // simulator skip the work.
  logic [Edits-1:0] valid;
  logic [Edits-1:0][1:0][Sums-1:0] covers;
  always_comb begin
    word_place_t word;
    word = '0;
    covers = '0;
    for (int unsigned e = 0; e < Edits; e++) begin
      valid[e] = phv_i.edit[e].valid;
      verdict_o.edit[e] = '0;
      if (valid[e]) begin
        word = program_edits.word[phv_i.edit[e].number];
        verdict_o.edit[e].halves = phv_i.edit[e].halves & word.halves;
        verdict_o.edit[e].place = halfword_at(word.place, phv_i.parse.shift_l3, phv_i.parse.shift_l4);
        verdict_o.edit[e].value = phv_i.edit[e].value;
      end
      for (int unsigned h = 0; h < 2; h++) begin
        if (valid[e] && phv_i.edit[e].halves[h]) covers[e][h] = program_edits.summed[phv_i.edit[e].number][Sums*h+:Sums];
      end
    end
  end

  // For each checksum: the old sum and the terms added to it, in one addition of nine terms.
  for (genvar s = 0; s < int'(Sums); s++) begin : gen_sum
    logic [2*Edits-1:0] covered;
    logic [2*Edits-1:0][19:0] term;
    logic [19:0] old;
    for (genvar e = 0; e < int'(Edits); e++) begin : gen_covered
      assign covered[2*e+:2] = {covers[e][1][s], covers[e][0][s]};
    end
    always_comb begin
      term = '0;
      for (int unsigned e = 0; e < Edits; e++) begin
        for (int unsigned h = 0; h < 2; h++) if (covered[2*e+h]) term[2*e+h] = 20'(phv_i.edit[e].delta[h]);
      end
      old = {4'h0, ~phv_i.parse.sum[s]};
      verdict_o.sum[s] = 'x;
      verdict_o.sum[s].write = 1'b0;
      if (|covered) begin
        verdict_o.sum[s].mode = program_edits.sum[s].mode;
        unique case (program_edits.sum[s].mode)
          SumNone: verdict_o.sum[s].write = 1'b0;
          SumUdp: verdict_o.sum[s].write = phv_i.parse.sum[s] != '0;
          default: verdict_o.sum[s].write = 1'b1;
        endcase
        verdict_o.sum[s].place = halfword_at(program_edits.sum[s].place, phv_i.parse.shift_l3, phv_i.parse.shift_l4);
        verdict_o.sum[s].total = term[0] + term[1] + term[2] + term[3] + term[4] + term[5] + term[6] + term[7] + old;
      end
    end
  end

  always_comb begin
    verdict_o.desc = phv_i.desc;
    // The deadlock proof relies on this: no table makes a message lossless at a port without lossless traffic.
    verdict_o.desc.lossless = phv_i.desc.lossless && phv_i.may_be_lossless;
    if (phv_i.desc.chain_count == '0) begin
      verdict_o.desc.route_count = ($bits(phv_i.desc.route_count))'(1);
      verdict_o.desc.route[0] = phv_i.desc.exit;
    end
    // Flows alternate between two of the scheduler's fabric ports.
    verdict_o.key = ^phv_i.desc.flow ? next_key_t'(2) : next_key_t'(1);
  end
  assign verdict_o.ends = header_pkg::ends_at_once(phv_i.desc.length);
  assign verdict_o.edited = |valid;
  assign verdict_o.drop = phv_i.drop;
  assign verdict_o.mirror = phv_i.mirror;
  assign verdict_o.mirror_exit = phv_i.mirror_exit;

  logic unused;
  assign unused = &{1'b0, phv_i.word, phv_i.word_valid, phv_i.headers, phv_i.meta};
endmodule
