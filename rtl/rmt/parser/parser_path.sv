// SPDX-License-Identifier: Apache-2.0
// Second step of the parser: a ternary match of the probed halfwords. Of the entries that match and for which the frame
// is long enough, the lowest wins. Until the frame has ended, a halfword that has not arrived may still match, and
// an entry that needs more bytes may still get them. So a frame waits only for bytes that can change the result or
// that its path extracts. Combinational, except for the stored entries.
module parser_path
  import rmt_pkg::*, parser_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic                write_i,
    input path_t               index_i,
    input path_entry_t         entry_i,

    input  logic                                 valid_i,      // 0: nothing is found
    input  front_step_t                          front_i,
    input  logic [HeaderBytes/2-1:0][15:0] window_i,
    input  logic [                    6:0]       halfwords_i,
    input  logic                                 complete_i,
    output logic                                 decided_o,
    output logic                                 found_o,
    output path_t                                path_o
);
  logic [Paths-1:0] valid_q;
  logic [3:0] state_q[Paths], state_mask_q[Paths];
  logic [Probes-1:0][15:0] value_q[Paths], mask_q[Paths];
  logic [Probes-1:0] wanted_q[Paths];  // the probes that the mask covers
  extent_t need_q[Paths];

  // Halfwords that have arrived from each base on; negative if the base itself has not.
  logic signed [7:0] room[4];
  assign room[BaseFrame] = {1'b0, halfwords_i};
  assign room[BaseL3] = {1'b0, halfwords_i} - 8'(front_i.shift_l3);
  assign room[BaseL4] = {1'b0, halfwords_i} - 8'(front_i.shift_l4);
  assign room[BaseOptional] = {1'b0, halfwords_i};

  (* keep *) logic [Probes-1:0][15:0] probe;
  for (genvar p = 0; p < int'(Probes); p++) begin : gen_probe
    logic [1:0][15:0] pair;
    parser_pick u_pick (
        .valid_i,
        .window_i,
        .at_i    (front_i.probe[p]),
        .pair_o  (pair)
    );
    assign probe[p] = pair[1];
    logic unused_second;
    assign unused_second = &{1'b0, pair[0]};
  end

  // A halfword that has not arrived is unknown as long as it may still arrive.
  logic [Probes-1:0] absent, known;
  always_comb begin
    for (int unsigned p = 0; p < Probes; p++) absent[p] = 7'(front_i.probe[p]) >= halfwords_i;
    known = ~absent | {Probes{complete_i}};
  end

  // The probes come late in the cycle. So an entry's other conditions are computed apart, and the comparison is cut into steps of one
  // look-up table each, where a mapper would take more: two bits, bytes. A carry chain tells whether all bytes fit.
  // The conditions let the simulator skip unused entries, and cycles without a frame; it compares a halfword at once.
  logic [Paths-1:0] misfits, ample, lacking;  // ample: it fits, and lacks nothing
  for (genvar i = 0; i < int'(Paths); i++) begin : gen_path
    logic may;
    (* keep *) logic [Probes-1:0][7:0] pairs;
    logic [Probes-1:0][1:0] bytes;
    logic [15:0] differs;
    logic [2*Probes+1:0] unused_sum;
    always_comb begin
      may = 1'b0;
      lacking[i] = 1'b0;
      differs = 'x;
      pairs = 'x;
      bytes = 'x;
      if (valid_i && valid_q[i] && ((front_i.state ^ state_q[i]) & state_mask_q[i]) == '0) begin
        lacking[i] = room[need_q[i].base] < $signed(8'(need_q[i].halfwords));
        may = !(complete_i && (|(wanted_q[i] & absent) || lacking[i]));
        for (int unsigned p = 0; p < Probes; p++) begin
          differs = (probe[p] ^ value_q[i][p]) & mask_q[i][p];
          pairs[p] = ~(differs[15:8] | differs[7:0]);
          bytes[p] = {&pairs[p][7:4], &pairs[p][3:0]} | {2{!known[p]}};
        end
      end
    end
    // The constant bit passes the carry on, and tells it: its sum is 0 with a carry.
    assign {ample[i], unused_sum[2*Probes+1], misfits[i], unused_sum[2*Probes:0]} =
        {1'b0, !lacking[i], 1'b1, may, bytes} + (2 * Probes + 4)'(1);
  end

  // The lowest entry that fits: of each four, of each four of these, and of all. What is kept is one look-up table.
  localparam int unsigned Fours = Paths / 4, Sixteens = Paths / 16;
  if (Sixteens * 16 != Paths || Sixteens < 2) begin : gen_bad_paths
    $fatal(1, "parser_path: there are %0d paths; the search is one of a multiple of 16, from 32 on", Paths);
  end
  typedef logic [1:0] quarter_t;
  (* keep *) logic [Fours-1:0] four_any;
  (* keep *) quarter_t [Fours-1:0] four_place;
  (* keep *) logic [Sixteens-1:0][2:0] sixes;  // of which there is one in the first six of a sixteen, the next, and the last four
  (* keep *) logic [Sixteens-1:0] sixteen_any;
  quarter_t [Sixteens-1:0] sixteen_place, sixteen_four;  // the place, and the four that it is in

  function automatic quarter_t lowest(logic [2:0] any);
    return any[0] ? 2'd0 : any[1] ? 2'd1 : any[2] ? 2'd2 : 2'd3;
  endfunction

  always_comb begin
    for (int unsigned f = 0; f < Fours; f++) begin
      four_any[f] = ~&misfits[4*f+:4];
      four_place[f] = lowest(~misfits[4*f+:3]);
    end
    for (int unsigned s = 0; s < Sixteens; s++) begin
      sixes[s] = {~&misfits[16*s+12+:4], ~&misfits[16*s+6+:6], ~&misfits[16*s+:6]};
      sixteen_any[s] = |sixes[s];
      sixteen_four[s] = lowest(four_any[4*s+:3]);
      sixteen_place[s] = four_any[4*s] ? four_place[4*s] : four_any[4*s+1] ? four_place[4*s+1] :
          four_any[4*s+2] ? four_place[4*s+2] : four_place[4*s+3];
    end
    path_o = '0;
    for (int s = int'(Sixteens) - 1; s >= 0; s--) begin
      if (sixteen_any[s]) path_o = {($bits(path_t) - 4)'(s), sixteen_four[s], sixteen_place[s]};
    end
  end
  assign found_o = |sixteen_any;

  // Whether it is ample.
  logic [Paths-1:0] fits_down, ample_down;  // by falling index
  logic enough;
  for (genvar i = 0; i < int'(Paths); i++) begin : gen_down
    assign fits_down[Paths-1-i] = !misfits[i];
    assign ample_down[Paths-1-i] = ample[i];
  end
  first_value #(
      .Places(Paths)
  ) u_enough (
      .set_i  (fits_down),
      .value_i(ample_down),
      .value_o(enough)
  );
  assign decided_o = complete_i || enough;

  logic unused;
  assign unused = &{1'b0, front_i.headers, front_i.optional};

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      valid_q[index_i] <= entry_i.valid;
      state_q[index_i] <= entry_i.state;
      state_mask_q[index_i] <= entry_i.state_mask;
      value_q[index_i] <= entry_i.value;
      mask_q[index_i] <= entry_i.mask;
      for (int unsigned p = 0; p < Probes; p++) wanted_q[index_i][p] <= |entry_i.mask[p];
      need_q[index_i] <= entry_i.need;
    end
    if (rst_i) valid_q <= '0;
  end
endmodule
