// SPDX-License-Identifier: Apache-2.0
// The lowest or the highest taken position in one word of the tree, and the note at that position; combinational.
//
// taken_i may lack the latest operations, so they are applied to it here: an earlier pop cleared the bits of left_i, the previous
// pop cleared bit clear_index_i if emptied_i is set, and after that the previous push set the bits of set_i. emptied_i arrives late
// in the cycle. Both answers are therefore computed, and emptied_i selects one of them. Each has its own left_i, so that synthesis
// does not compute one word from the other. The selections are written as ANDs and ORs, because synthesis turns a multiplexer behind
// two comparisons into one comparison behind a multiplexer, which then waits for emptied_i.
//
// The highest position is the lowest one of the reversed word. set_i, left_i and clear_index_i come from registers and are
// already given for the reversed word, in which a position has all its bits inverted.
//
// Circular: the taken positions span less than half of the word and may wrap around its end. If both halves have
// taken positions, the half whose first offset is greater comes first; otherwise its positions would be half a word or more
// from those of the other. The half with the greater first offset is the lesser number when its bits are reversed. The
// halves are compared in parallel with the search in the quarters, and the last step selects the quarter.
module pifo_find #(
    parameter int unsigned IndexWidth = 6,  // at least 2
    localparam int unsigned Width = 1 << IndexWidth
) (
    input logic [     Width-1:0] taken_i,
    input logic [     Width-1:0] set_i,
    input logic [     Width-1:0] left_i[2],      // the same twice; 1: if emptied_i
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
  localparam int unsigned Quarter = Width / 4;
  localparam int unsigned LowWidth = IndexWidth / 2;
  localparam int unsigned Lows = 1 << LowWidth;
  localparam int unsigned Highs = Width / Lows;
  typedef logic [Width-1:0] word_t;
  typedef logic [Half-1:0] half_t;
  typedef logic [IndexWidth-1:0] index_t;

  function automatic word_t turned(word_t word, logic highest);
    return highest ? {<<{word}} : word;
  endfunction

  // What is kept is one look-up table per bit; a mapper takes more levels.
  (* keep *) logic [Lows-1:0] clear_low;
  (* keep *) logic [Highs-1:0] clear_high;
  (* keep *) word_t set;
  (* keep *) word_t stays;  // in the answer if emptied_i
  (* keep *) word_t word_before;
  (* keep *) word_t word_after;
  word_t word[2];
  (* keep *) index_t index_before;
  (* keep *) index_t index_after;
  index_t index[2];
  logic [1:0] note;
  assign clear_low = clear_i ? Lows'(1) << clear_index_i[LowWidth-1:0] : '0;
  assign clear_high = Highs'(1) << clear_index_i[IndexWidth-1:LowWidth];
  assign set = set_i;
  for (genvar h = 0; h < Highs; h++) begin : gen_clear
    assign stays[h*Lows+:Lows] = ~left_i[1][h*Lows+:Lows] & ~(clear_high[h] ? clear_low : '0);
  end
  assign word_before = (turned(taken_i, highest_i) & ~left_i[0]) | set;
  assign word_after = (turned(taken_i, highest_i) & stays) | set;
  assign word = '{word_before, word_after};

  for (genvar a = 0; a < 2; a++) begin : gen_answer
    word_t notes;
    half_t half[2], mirror[2];
    logic swapped;
    (* keep *) logic [3:0] any;
    logic [3:0] quarter_note;
    (* keep *) logic [1:0] first;
    logic [1:0] first_turned;
    assign notes = turned(note_i[a], highest_i);
    for (genvar h = 0; h < 2; h++) begin : gen_half
      assign half[h] = word[a][h*Half+:Half];
      assign mirror[h] = {<<{half[h]}};
    end
    assign swapped = (circular_i ? mirror[0] : '0) > mirror[1];

    // Of the quarters 0 to 3, or 2, 3, 0, 1.
    always_comb begin
      first[1] = (any[1:0] == '0) || (swapped && any[3:2] != '0);
      first[0] = first[1] ? !any[2] : !any[0];
    end
    assign first_turned = first ^ {2{highest_i}};

    if (IndexWidth <= 2) begin : gen_bits
      assign any = word[a];
      assign quarter_note = notes;
      assign index[a] = first_turned;
    end else begin : gen_quarters
      (* keep *) logic [3:0][IndexWidth-3:0] offset;
      for (genvar q = 0; q < 4; q++) begin : gen_quarter
        logic [IndexWidth-3:0] straight;
        first_set #(
            .IndexWidth(IndexWidth - 2)
        ) u_first (
            .bits_i (word[a][q*Quarter+:Quarter]),
            .note_i (notes[q*Quarter+:Quarter]),
            .any_o  (any[q]),
            .index_o(straight),
            .note_o (quarter_note[q])
        );
        assign offset[q] = straight ^ {IndexWidth - 2{highest_i}};
      end
      assign index[a] = {first_turned, offset[first]};
    end
    assign note[a] = quarter_note[first];
  end

  assign index_before = index[0];
  assign index_after = index[1];
  assign index_o = (index_before & {IndexWidth{!emptied_i}}) | (index_after & {IndexWidth{emptied_i}});
  assign emptied_index_o = index_after;
  assign note_o = (note[0] && !emptied_i) || (note[1] && emptied_i);
endmodule
