// SPDX-License-Identifier: Apache-2.0
// The lowest or the highest taken position in one word of the tree, and the note at that position; combinational.
//
// taken_i may lack the latest operations, so they are applied to it here: an earlier pop cleared the bits of left_i, the previous
// pop cleared bit clear_index_i if emptied_i is set, and after that the previous push set the bits of set_i. emptied_i arrives late
// in the cycle. Both answers are therefore computed, and emptied_i selects one of them. Each has its own left_i, so that synthesis
// does not compute one word from the other. The selections are written as ANDs and ORs, because synthesis turns a multiplexer behind
// two comparisons or sums into one behind a multiplexer, which then waits for emptied_i.
//
// The highest position is the lowest one of the reversed word. set_i, left_i and clear_index_i come from registers and are
// already given for the reversed word, in which a position has all its bits inverted.
//
// The search is a chain of carries for each bit of the answer, which the first group of positions decides of which one is taken.
//
// Circular: the taken positions span less than half of the word and may wrap around its end. If both halves have
// taken positions, the half whose first offset is greater comes first; otherwise its positions would be half a word or more
// from those of the other. The half with the greater first offset is the lesser number when its bits are reversed. The
// halves are compared in parallel with the search, in which each has its own chains, and the last step selects the half.
module pifo_find #(
    parameter int unsigned IndexWidth = 6,  // at least 2
    parameter bit Circular = 1'b1,  // 0: circular_i is never set
    localparam int unsigned Width = 1 << IndexWidth
) (
    input logic [     Width-1:0] taken_i,
    input logic [     Width-1:0] set_i,
    input logic [     Width-1:0] left_i[2],      // the same twice; 1: if emptied_i
    input logic                  clear_i,
    input logic [IndexWidth-1:0] clear_index_i,
    input logic                  emptied_i,
    input logic [     Width-1:0] note_i,         // without what the previous pop changes: its own note is set, or cleared if emptied_i

    input  logic                  highest_i,
    input  logic                  circular_i,
    output logic [IndexWidth-1:0] index_o,
    output logic [IndexWidth-1:0] emptied_index_o,  // the answer if emptied_i is set
    output logic                  note_o
);
  localparam int unsigned Parts = Circular ? 2 : 1;  // each has its own chains
  localparam int unsigned Part = Width / Parts;
  localparam int unsigned GroupBits = IndexWidth > 2 ? 2 : 1;
  localparam int unsigned GroupSize = 1 << GroupBits;
  localparam int unsigned Groups = Part / GroupSize;
  localparam int unsigned OffsetWidth = Circular ? IndexWidth - 1 : IndexWidth;  // in a part
  localparam int unsigned LowWidth = IndexWidth / 2;
  localparam int unsigned Lows = 1 << LowWidth;
  localparam int unsigned Highs = Width / Lows;
  typedef logic [Width-1:0] word_t;
  typedef logic [Part-1:0] part_t;
  typedef logic [IndexWidth-1:0] index_t;

  function automatic word_t turned(word_t word, logic highest);
    return highest ? {<<{word}} : word;
  endfunction

  // What is kept is one look-up table per bit; a mapper takes more levels.
  (* keep *) logic [Lows-1:0] clear_low;
  (* keep *) logic [Highs-1:0] clear_high;
  word_t cleared;
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
    assign cleared[h*Lows+:Lows] = clear_high[h] ? clear_low : '0;
    assign stays[h*Lows+:Lows] = ~left_i[1][h*Lows+:Lows] & ~cleared[h*Lows+:Lows];
  end
  assign word_before = (turned(taken_i, highest_i) & ~left_i[0]) | set;
  assign word_after = (turned(taken_i, highest_i) & stays) | set;
  assign word = '{word_before, word_after};

  for (genvar a = 0; a < 2; a++) begin : gen_answer
    word_t notes;
    part_t part[Parts];
    logic [Parts-1:0] some;  // it has a taken position
    logic [Parts-1:0][OffsetWidth-1:0] offset;
    logic [Parts-1:0] part_note;
    assign notes = a == 0 ? turned(note_i, highest_i) | cleared : turned(note_i, highest_i) & ~cleared;
    for (genvar h = 0; h < Parts; h++) begin : gen_part
      assign part[h] = word[a][h*Part+:Part];

      // Group 0 is the last of the chain, so it is at the highest bit.
      logic [Groups-1:0] any;
      logic [OffsetWidth+1:0][Groups-1:0] value;  // the answer if the group is the first with a taken position
      for (genvar g = 0; g < Groups; g++) begin : gen_group
        localparam int unsigned Place = Groups - 1 - g;
        logic [GroupSize-1:0] bits, note_bits;
        logic [GroupBits-1:0] lowest;
        logic lowest_note;
        assign bits = part[h][g*GroupSize+:GroupSize];
        assign note_bits = notes[h*Part+g*GroupSize+:GroupSize];
        if (GroupBits == 2) begin : gen_four
          assign lowest = {!bits[0] && !bits[1], !bits[0] && (bits[1] || !bits[2])};
          assign lowest_note = (bits[0] || bits[1]) ? (bits[0] ? note_bits[0] : note_bits[1]) : (bits[2] ? note_bits[2] : note_bits[3]);
        end else begin : gen_two
          assign lowest = !bits[0];
          assign lowest_note = bits[0] ? note_bits[0] : note_bits[1];
        end
        assign any[Place] = |bits;
        for (genvar b = 0; b < OffsetWidth; b++) begin : gen_bit
          if (b < GroupBits) begin : gen_in_group
            assign value[b][Place] = lowest[b] ^ highest_i;
          end else begin : gen_of_group
            assign value[b][Place] = 1'((g >> (b - GroupBits)) & 1) ^ highest_i;
          end
        end
        assign value[OffsetWidth][Place] = lowest_note;
        assign value[OffsetWidth+1][Place] = 1'b1;
      end

      logic [OffsetWidth+1:0] answer;
      for (genvar b = 0; b < OffsetWidth + 2; b++) begin : gen_chain
        first_value #(
            .Places(Groups)
        ) u_first (
            .set_i  (any),
            .value_i(value[b]),
            .value_o(answer[b])
        );
      end
      assign {some[h], part_note[h], offset[h]} = answer;
    end
    if (Circular) begin : gen_halves
      part_t mirror[2];
      logic swapped, upper;
      for (genvar h = 0; h < 2; h++) begin : gen_mirror
        assign mirror[h] = {<<{part[h]}};
      end
      assign swapped = (circular_i ? mirror[0] : '0) > mirror[1];
      assign upper = !some[0] || (swapped && some[1]);
      assign index[a] = {upper ^ highest_i, (offset[0] & {OffsetWidth{!upper}}) | (offset[1] & {OffsetWidth{upper}})};
      assign note[a] = (part_note[0] && !upper) || (part_note[1] && upper);
    end else begin : gen_whole
      assign index[a] = offset[0];
      assign note[a] = part_note[0];
      logic unused;
      assign unused = &{1'b0, some, circular_i};
    end
  end

  assign index_before = index[0];
  assign index_after = index[1];
  assign index_o = (index_before & {IndexWidth{!emptied_i}}) | (index_after & {IndexWidth{emptied_i}});
  assign emptied_index_o = index_after;
  assign note_o = (note[0] && !emptied_i) || (note[1] && emptied_i);
endmodule
