// SPDX-License-Identifier: Apache-2.0
// First step of the parser: a ternary match of the bytes around the first EtherTypes. It gives the shift
// of the following headers (by tags, and by the network header's options), the halfwords that
// the second step examines, and its state. The lowest entry that matches wins; without one,
// the result is 0.
//
//   cycle 0: compare all entries      cycle 1: choose, add the shifts: valid_o and the result (combinational)
//
// With Cut = 0 both are done in cycle 0.
module parser_front
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
#(
    parameter int unsigned Bytes = 64,  // of the flits that the step sees
    parameter bit Cut = TimingMhz >= 250,
    localparam int unsigned MissingWidth = $clog2(Bytes)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                              write_i,
    input logic         [$clog2(Fronts)-1:0] index_i,
    input front_entry_t                      entry_i,

    input logic                            valid_i,  // 0: nothing matches
    input logic [FrontHalfwords-1:0][15:0] seen_i,   // element 0 first on the wire
    input logic [    MissingWidth-1:0] missing_i,  // bytes of these flits that the frame does not have

    output logic        valid_o,
    output front_step_t step_o
);
  typedef struct packed {
    logic [3:0] state;
    logic [15:0] headers;
    logic optional;
    halfword_t shift_l3;
    halfword_t shift_l4;  // without the length that the frame gives
    logic length_valid;
    logic [2:0] length_at;
    place_t [Probes-1:0] probe;
  } result_t;

  logic [Fronts-1:0] valid_q;
  logic [FrontHalfwords*16-1:0] value_q[Fronts], mask_q[Fronts];
  logic [MissingWidth-1:0] may_miss_q[Fronts];  // what is missing is known late, so it is compared as it comes
  result_t result[Fronts];

  // Cycle 0. The length is compared by a carry chain. The conditions let the simulator skip the work.
  logic [Fronts-1:0] fits;
  logic [Fronts-1:0] reaches;  // the frame is long enough
  logic [FrontHalfwords-1:0][3:0] lengths;
  for (genvar i = 0; i < int'(Fronts); i++) begin : gen_reaches
    logic [MissingWidth-1:0] unused_difference;
    assign {reaches[i], unused_difference} = {1'b0, may_miss_q[i]} + {1'b0, ~missing_i} + (MissingWidth + 1)'(1);
  end
  always_comb begin
    fits = '0;
    for (int unsigned i = 0; i < Fronts; i++) begin
      if (valid_i && valid_q[i]) fits[i] = reaches[i] && ((seen_i ^ value_q[i]) & mask_q[i]) == '0;
    end
    for (int unsigned i = 0; i < FrontHalfwords; i++) lengths[i] = seen_i[i][11:8];
  end

  logic [Fronts-1:0] hits;
  logic [FrontHalfwords-1:0][3:0] hit_lengths;
  if (Cut) begin : gen_cut
    always_ff @(posedge clk_i) begin
      valid_o <= valid_i && !rst_i;
      if (valid_i) begin
        hits <= fits;
        hit_lengths <= lengths;
      end
    end
  end else begin : gen_wire
    assign valid_o = valid_i;
    assign hits = fits;
    assign hit_lengths = lengths;
  end

  // Cycle 1. The lowest set bit is found by a carry chain.
  logic [Fronts-1:0] first;
  logic [$clog2(Fronts)-1:0] winner;
  result_t found;
  halfword_t from_frame;
  always_comb begin
    first = '0;
    winner = '0;
    found = '0;
    from_frame = '0;
    step_o = '0;
    if (valid_o && |hits) begin
      first = hits & ~(hits - 1'b1);
      for (int unsigned i = 0; i < Fronts; i++) winner |= {$clog2(Fronts) {first[i]}} & ($clog2(Fronts))'(i);
      found = result[winner];
      if (found.length_valid) from_frame = halfword_t'({hit_lengths[found.length_at], 1'b0});
      step_o.state = found.state;
      step_o.headers = found.headers;
      step_o.optional = found.optional;
      step_o.shift_l3 = found.shift_l3;
      step_o.shift_l4 = found.shift_l4 + from_frame;
      for (int unsigned p = 0; p < Probes; p++) begin
        step_o.probe[p] = halfword_at(found.probe[p], step_o.shift_l3, step_o.shift_l4);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      value_q[index_i] <= entry_i.value;
      mask_q[index_i] <= entry_i.mask;
      may_miss_q[index_i] <= entry_i.need == '0 ? '1 : MissingWidth'(Bytes - 32'(entry_i.need));
      valid_q[index_i] <= entry_i.valid && 32'(entry_i.need) <= Bytes;
      result[index_i] <= '{
          state: entry_i.state,
          headers: entry_i.headers,
          optional: entry_i.optional,
          shift_l3: entry_i.shift,
          shift_l4: entry_i.shift - (entry_i.length_valid ? halfword_t'({entry_i.length_least, 1'b0}) : '0),
          length_valid: entry_i.length_valid,
          length_at: entry_i.length_at,
          probe: entry_i.probe
      };
    end
    if (rst_i) valid_q <= '0;
  end
endmodule
