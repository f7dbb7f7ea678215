// SPDX-License-Identifier: Apache-2.0
// Finds where a packet's edits go in its frame, and by how much its checksums change. It knows the
// part of the parser's program that speaks of this. Combinational but for the program.
module deparser_resolve
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
(
    input logic clk_i,

    input logic        write_i,
    input path_t       path_i,
    input path_edits_t edits_i,

    input  phv_t     phv_i,
    output verdict_t verdict_o
);
  path_edits_t mem[Paths];
  path_edits_t program_edits;
  always_ff @(posedge clk_i) begin
    if (write_i) mem[path_i] <= edits_i;
  end
  assign program_edits = mem[phv_i.parse.path];

  // By edit and half ([1] is the first on the wire): the sums that cover it.
  logic [Edits-1:0][1:0][Sums-1:0] covers;
  for (genvar e = 0; e < int'(Edits); e++) begin : gen_edit
    word_place_t word;
    halfword_t place;
    logic [1:0] halves;
    assign word = program_edits.word[phv_i.edit[e].number];
    assign halves = phv_i.edit[e].valid ? phv_i.edit[e].halves & word.halves : '0;
    parser_place u_place (
        .place_i(word.place),
        .shift_l3_i(phv_i.parse.shift_l3),
        .shift_l4_i(phv_i.parse.shift_l4),
        .halfword_o(place)
    );
    for (genvar h = 0; h < 2; h++) begin : gen_half
      assign covers[e][h] = halves[h] ? program_edits.summed[phv_i.edit[e].number][4*h+:4] : '0;
    end
    assign verdict_o.edit[e] = '{halves: halves, place: place, value: phv_i.edit[e].value};
  end

  for (genvar s = 0; s < int'(Sums); s++) begin : gen_sum
    halfword_t place;
    logic [2*Edits-1:0] covered;
    logic [2*Edits-1:0][18:0] term;
    parser_place u_place (
        .place_i(program_edits.sum[s].place),
        .shift_l3_i(phv_i.parse.shift_l3),
        .shift_l4_i(phv_i.parse.shift_l4),
        .halfword_o(place)
    );
    for (genvar e = 0; e < int'(Edits); e++) begin : gen_term
      for (genvar h = 0; h < 2; h++) begin : gen_half
        assign covered[2*e+h] = covers[e][h][s];
        assign term[2*e+h] = covers[e][h][s] ? 19'(phv_i.edit[e].delta[h]) : '0;
      end
    end
    always_comb begin
      verdict_o.sum[s].mode = program_edits.sum[s].mode;
      verdict_o.sum[s].touched = |covered && program_edits.sum[s].mode != SumNone;
      verdict_o.sum[s].place = place;
      verdict_o.sum[s].old = phv_i.parse.sum[s];
      verdict_o.sum[s].delta = ((term[0] + term[1]) + (term[2] + term[3]))
          + ((term[4] + term[5]) + (term[6] + term[7]));
    end
  end

  logic [Edits-1:0] valid;
  for (genvar e = 0; e < int'(Edits); e++) begin : gen_valid
    assign valid[e] = phv_i.edit[e].valid;
  end
  assign verdict_o.edited = |valid;
  assign verdict_o.desc = phv_i.desc;
  assign verdict_o.drop = phv_i.drop;
  assign verdict_o.mirror = phv_i.mirror;
  assign verdict_o.mirror_exit = phv_i.mirror_exit;

  logic unused;
  assign unused = &{1'b0, phv_i.word, phv_i.word_valid, phv_i.headers, phv_i.meta};
endmodule
