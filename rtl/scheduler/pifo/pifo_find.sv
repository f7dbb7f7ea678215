// SPDX-License-Identifier: Apache-2.0
// The lowest or the highest taken position in one word of the tree; combinational.
//
// The word may be one operation old: the previous push has set position set_index_i, and the previous pop
// may have cleared clear_index_i, which is known late in the cycle (emptied_i). So both answers are
// computed, and emptied_i selects one.
//
// Circular: the taken positions span less than half of the word and may wrap around its end. If both
// halves are taken, the one with the greater offsets comes first: otherwise the two would be half a word or
// more apart.
module pifo_find #(
    parameter int unsigned IndexWidth = 6,
    localparam int unsigned Width = 1 << IndexWidth
) (
    input logic [     Width-1:0] taken_i,
    input logic                  set_i,
    input logic [IndexWidth-1:0] set_index_i,
    input logic                  clear_i,
    input logic [IndexWidth-1:0] clear_index_i,
    input logic                  emptied_i,

    input  logic                  highest_i,
    input  logic                  circular_i,
    output logic [IndexWidth-1:0] index_o
);
  typedef logic [Width-1:0] word_t;
  typedef logic [IndexWidth-1:0] index_t;

  word_t with_set, forward[2], oriented[2];
  index_t index[2];

  assign with_set = taken_i | (set_i ? word_t'(1) << set_index_i : '0);
  assign forward[0] = with_set;
  assign forward[1] = with_set & ~(word_t'(1) << clear_index_i);

  for (genvar a = 0; a < 2; a++) begin : gen_answer
    // The highest position is the lowest of the reversed word.
    assign oriented[a] = highest_i ? {<<{forward[a]}} : forward[a];

    if (IndexWidth == 1) begin : gen_pair
      assign index[a] = !oriented[a][0];
    end else begin : gen_halves
      logic [IndexWidth-2:0] offset[2];
      logic any[2];
      logic upper;
      for (genvar h = 0; h < 2; h++) begin : gen_half
        pifo_first #(
            .IndexWidth(IndexWidth - 1)
        ) u_first (
            .bits_i (oriented[a][h*Width/2+:Width/2]),
            .any_o  (any[h]),
            .index_o(offset[h])
        );
      end
      assign upper = !any[0] || (circular_i && any[1] && offset[1] >= offset[0]);
      assign index[a] = {upper, upper ? offset[1] : offset[0]};
    end
  end

  index_t found;
  assign found = clear_i && emptied_i ? index[1] : index[0];
  assign index_o = highest_i ? ~found : found;

  if (IndexWidth == 1) begin : gen_unused
    logic unused;
    assign unused = circular_i;
  end
endmodule
