// SPDX-License-Identifier: Apache-2.0
// Last step of the parser: extracts the words and checksums that the path's action names, and starts the
// descriptor. Combinational, except for the stored actions.
module parser_extract
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
(
    input logic clk_i,

    input logic         write_i,
    input path_t        index_i,
    input path_action_t entry_i,

    input  logic                                      valid_i,    // 0: the outputs are undefined
    input  logic                                      found_i,    // 0: the frame fits no path
    input  logic                                      on_i,       // 0: extract nothing
    input  path_t                                     path_i,
    input  front_step_t                               front_i,
    input  logic [HeaderBytes/2-1:0][15:0]            window_i,
    input  timestamp_t                                timestamp_i,
    output phv_t                                      phv_o
);
  // Not a block RAM, which would need its address in the cycle before, where the path is known late.
  (* ram_style = "distributed" *) path_action_t mem[Paths];
  always_ff @(posedge clk_i) begin
    if (write_i) mem[index_i] <= entry_i;
  end
  path_action_t action;
  logic acts;  // the action is valid
  assign action = mem[path_i];
  assign acts = valid_i && on_i && found_i;

  // Words. A place at the window's end has no second half; programs do not use it there.
  logic [Words-1:0][1:0][15:0] half;
  logic [Words-1:0] word_valid;
  for (genvar w = 0; w < int'(Words); w++) begin : gen_word
    word_place_t word;
    logic [1:0][15:0] pair;
    assign word = action.edits.word[w];
    assign word_valid[w] = acts && |word.halves && (word.place.base != BaseOptional || front_i.optional);
    parser_pick u_pick (
        .valid_i (word_valid[w]),
        .window_i,
        .at_i    (halfword_at(word.place, front_i.shift_l3, front_i.shift_l4)),
        .pair_o  (pair)
    );
    for (genvar h = 0; h < 2; h++) begin : gen_half
      assign half[w][h] = word_valid[w] && word.halves[h] ? pair[h] : '0;
    end
  end

  logic [Sums-1:0][15:0] sum;
  for (genvar s = 0; s < int'(Sums); s++) begin : gen_sum
    logic there;
    logic [1:0][15:0] pair;
    assign there = acts && action.edits.sum[s].mode != SumNone;
    parser_pick u_pick (
        .valid_i (there),
        .window_i,
        .at_i    (halfword_at(action.edits.sum[s].place, front_i.shift_l3, front_i.shift_l4)),
        .pair_o  (pair)
    );
    assign sum[s] = there ? pair[1] : '0;
    logic unused_second;
    assign unused_second = &{1'b0, pair[0]};
  end

  function automatic offset_t offset(logic there, header_start_t start, halfword_t shift_l3, halfword_t shift_l4);
    halfword_t shift;
    shift = start.base == BaseL3 ? shift_l3 : start.base == BaseL4 ? shift_l4 : '0;
    offset = start.at + offset_t'({shift, 1'b0});
    if (!there || !start.valid) offset = '0;
  endfunction

  // A length that no frame can have stays too large, so that message_trim finds the frame short. The offsets are known before
  // the halfword that is added to them: whether the message ends before its payload begins is decided beside its length.
  offset_t l3_offset, l4_offset, payload_offset;
  logic [1:0][15:0] length_pair;
  (* keep *) logic [16:0] length_from;
  (* keep *) logic signed [18:0] spare_from;
  logic signed [18:0] spare;
  logic [16:0] length;
  logic length_good;
  assign l3_offset = offset(acts, action.l3, front_i.shift_l3, front_i.shift_l4);
  assign l4_offset = offset(acts, action.l4, front_i.shift_l3, front_i.shift_l4);
  assign payload_offset = offset(acts, action.payload, front_i.shift_l3, front_i.shift_l4);
  parser_pick u_length (
      .valid_i (acts),
      .window_i,
      .at_i    (halfword_at(action.length_at, front_i.shift_l3, front_i.shift_l4)),
      .pair_o  (length_pair)
  );
  assign length_from = 17'(l3_offset) + 17'(action.length_add);
  assign length = 17'(length_pair[1]) + length_from;
  assign spare_from = $signed({2'b0, length_from}) - $signed(19'(payload_offset));
  assign spare = spare_from + $signed(19'(length_pair[1]));
  assign length_good = acts && action.length_valid && !spare[18];

  // Each half is rotated differently, so that equal words in two places do not cancel. The sum is a tree of threes and of sixes, because
  // synthesis leaves a chain as it is.
  localparam int unsigned Threes = (2 * Words + 2) / 3, Sixes = (Threes + 5) / 6;
  flow_t flow;
  flow_t [3*Threes-1:0] part;
  (* keep *) flow_t [6*Sixes-1:0] three;
  (* keep *) flow_t [Sixes-1:0] six;
  for (genvar n = 0; n < 3 * Threes; n++) begin : gen_part
    if (n < 2 * int'(Words)) begin : gen_half
      localparam int unsigned Turn = (5 * (n / 2) + 3 * (n % 2)) % 16;
      (* keep *) logic joins;  // known before the half itself, so that three of them are one look-up table
      assign joins = word_valid[n/2] && action.edits.word[n/2].halves[n%2] && action.flow[n];
      assign part[n] = joins ? gen_word[n/2].pair[n%2] >> Turn | gen_word[n/2].pair[n%2] << (16 - Turn) : '0;
    end else begin : gen_none
      assign part[n] = '0;
    end
  end
  for (genvar t = 0; t < 6 * Sixes; t++) begin : gen_three
    if (t < Threes) begin : gen_sum
      assign three[t] = part[3*t] ^ part[3*t+1] ^ part[3*t+2];
    end else begin : gen_none
      assign three[t] = '0;
    end
  end
  for (genvar x = 0; x < Sixes; x++) begin : gen_six
    assign six[x] = (three[6*x] ^ three[6*x+1] ^ three[6*x+2]) ^ (three[6*x+3] ^ three[6*x+4] ^ three[6*x+5]);
  end
  always_comb begin
    flow = '0;
    for (int unsigned x = 0; x < Sixes; x++) flow = flow ^ six[x];
  end

  always_comb begin
    phv_o = '0;
    phv_o.word = half;
    phv_o.word_valid = word_valid;
    phv_o.headers = acts ? action.headers | front_i.headers : '0;
    phv_o.parse.path = found_i ? path_i : '0;
    phv_o.parse.shift_l3 = front_i.shift_l3;
    phv_o.parse.shift_l4 = front_i.shift_l4;
    phv_o.parse.sum = sum;
    phv_o.drop = on_i && !found_i ? DropRunt : DropNone;
    phv_o.desc.flow = flow;
    phv_o.desc.length = !length_good ? '0 : (length >> $bits(length_t)) != '0 ? '1 : length_t'(length);
    phv_o.desc = with_payload(with_transport(with_network(phv_o.desc, l3_offset), l4_offset), payload_offset);
    phv_o.desc.timestamp_valid = 1'b1;
    phv_o.desc.timestamp = timestamp_i;
  end

  logic unused;
  assign unused = &{1'b0, front_i.state, front_i.probe, action.edits.summed, length_pair[0], spare[17:0]};
endmodule
