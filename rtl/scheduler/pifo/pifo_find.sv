// SPDX-License-Identifier: Apache-2.0
// The lowest or the highest taken position in one word of the tree, and the note at that position; combinational.
//
// The word may be one operation old: the previous pop may have cleared clear_index_i, which is known late in the
// cycle (emptied_i), and then the previous push has set position set_index_i. So both answers are
// computed, and emptied_i selects one. The selections are ANDs and ORs: of two comparisons before a multiplexer
// synthesis would make one behind it, which waits for the selection.
//
// Circular: the taken positions span less than half of the word and may wrap around its end. If both
// halves are taken, the one with the greater offsets comes first: otherwise the two would be half a word or
// more apart. The half with the greater first offset is, with the bits reversed, the lesser number.
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
    input logic [     Width-1:0] note_i[2],      // 1: if emptied_i

    input  logic                  highest_i,
    input  logic                  circular_i,
    output logic [IndexWidth-1:0] index_o,
    output logic [IndexWidth-1:0] emptied_index_o,  // the answer if emptied_i is set
    output logic                  note_o
);
  localparam int unsigned Half = Width / 2;
  typedef logic [Width-1:0] word_t;
  typedef logic [Half-1:0] half_t;
  typedef logic [IndexWidth-1:0] index_t;

  // The highest position is the lowest of the reversed word.
  function automatic word_t turned(word_t word, logic highest);
    return highest ? {<<{word}} : word;
  endfunction

  function automatic index_t either(logic second, index_t a, index_t b);
    return (a & {IndexWidth{!second}}) | (b & {IndexWidth{second}});
  endfunction

  // What is kept is one look-up table per bit; a mapper takes more levels.
  (* keep *) word_t set_one;
  (* keep *) word_t clear_one;
  (* keep *) word_t word_before;
  (* keep *) word_t word_after;
  word_t taken, word[2];
  index_t index[2];
  logic [1:0] note;
  assign set_one = set_i ? word_t'(1) << (set_index_i ^ {IndexWidth{highest_i}}) : '0;
  assign clear_one = clear_i ? word_t'(1) << (clear_index_i ^ {IndexWidth{highest_i}}) : '0;
  assign taken = turned(taken_i, highest_i);
  assign word_before = taken | set_one;
  assign word_after = (taken & ~clear_one) | set_one;
  assign word = '{word_before, word_after};

  for (genvar a = 0; a < 2; a++) begin : gen_answer
    word_t notes;
    assign notes = turned(note_i[a], highest_i);
    if (IndexWidth == 1) begin : gen_pair
      assign index[a] = index_t'(!word[a][0]) ^ {IndexWidth{highest_i}};
      assign note[a] = word[a][0] ? notes[0] : notes[1];
    end else begin : gen_halves
      half_t half[2], mirror[2];
      logic [IndexWidth-2:0] offset[2];
      logic any[2], half_note[2];
      logic upper;
      for (genvar h = 0; h < 2; h++) begin : gen_half
        assign half[h] = word[a][h*Half+:Half];
        assign mirror[h] = {<<{half[h]}};
        first_set #(
            .IndexWidth(IndexWidth - 1)
        ) u_first (
            .bits_i (half[h]),
            .note_i (notes[h*Half+:Half]),
            .any_o  (any[h]),
            .index_o(offset[h]),
            .note_o (half_note[h])
        );
      end
      assign upper = !any[0] || (circular_i && any[1] && mirror[0] > mirror[1]);
      assign index[a] = either(upper, {1'b0, offset[0]}, {1'b1, offset[1]}) ^ {IndexWidth{highest_i}};
      assign note[a] = upper ? half_note[1] : half_note[0];
    end
  end

  assign index_o = either(emptied_i, index[0], index[1]);
  assign emptied_index_o = index[1];
  assign note_o = (note[0] && !emptied_i) || (note[1] && emptied_i);

  if (IndexWidth == 1) begin : gen_unused
    logic unused;
    assign unused = circular_i;
  end
endmodule
