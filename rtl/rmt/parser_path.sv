// SPDX-License-Identifier: Apache-2.0
// Second step of the parser: a ternary match of the probed halfwords. The lowest entry wins that
// matches and for which the frame is long enough. While more of the frame is to come, a halfword that
// has not come may still match, and an entry that needs more is waited for, so a frame waits only if
// what decides it, or what its path takes, is still on its way. Combinational but for the entries.
module parser_path
  import rmt_pkg::*, parser_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic                write_i,
    input path_t               index_i,
    input path_entry_t         entry_i,

    input  front_step_t                          front_i,
    input  logic [HeaderBytes/2-1:0][15:0] window_i,
    input  logic [                    6:0]       halfwords_i,
    input  logic                                 complete_i,
    output logic                                 decided_o,
    output logic                                 found_o,
    output path_t                                path_o
);
  logic [Paths-1:0] valid_q;
  logic [Probes*16+3:0] value_q[Paths], mask_q[Paths];
  extent_t need_q[Paths];

  // What has not come is unknown as long as it may come.
  logic [Probes-1:0][15:0] probe, known;
  logic [Probes-1:0] absent;
  for (genvar p = 0; p < int'(Probes); p++) begin : gen_probe
    assign probe[p] = window_i[front_i.probe[p]];
    assign absent[p] = 7'(front_i.probe[p]) >= halfwords_i;
    assign known[p] = {16{!absent[p] || complete_i}};
  end

  // How much there is from each base; -1 and less is far too much as an unsigned number, so the base
  // itself is checked by the carry.
  logic [3:0][7:0] room;
  assign room[BaseFrame] = {1'b0, halfwords_i};
  assign room[BaseL3] = {1'b0, halfwords_i} - 8'(front_i.shift_l3);
  assign room[BaseL4] = {1'b0, halfwords_i} - 8'(front_i.shift_l4);
  assign room[BaseOptional] = {1'b0, halfwords_i};

  logic [Paths-1:0] possible, enough;
  for (genvar i = 0; i < int'(Paths); i++) begin : gen_match
    logic [7:0] spare;
    logic [Probes-1:0] wanted;
    for (genvar p = 0; p < int'(Probes); p++) begin : gen_wanted
      assign wanted[p] = |mask_q[i][16*p+:16];
    end
    assign spare = room[need_q[i].base] - 8'(need_q[i].halfwords);
    assign enough[i] = !spare[7];
    logic unused;
    assign unused = &{1'b0, spare[6:0]};
    assign possible[i] = valid_q[i] && (({front_i.state, probe} ^ value_q[i]) & mask_q[i] & {4'hf, known}) == '0
        && !(complete_i && (|(wanted & absent) || !enough[i]));
  end

  path_t winner;
  always_comb begin
    winner = '0;
    for (int i = int'(Paths) - 1; i >= 0; i--) if (possible[i]) winner = path_t'(i);
  end
  assign found_o = |possible;
  assign path_o = winner;
  assign decided_o = complete_i || (found_o && enough[winner]);

  logic unused;
  assign unused = &{1'b0, front_i.headers, front_i.optional};

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      valid_q[index_i] <= entry_i.valid;
      value_q[index_i] <= {entry_i.state, entry_i.value};
      mask_q[index_i] <= {entry_i.state_mask, entry_i.mask};
      need_q[index_i] <= entry_i.need;
    end
    if (rst_i) valid_q <= '0;
  end
endmodule
