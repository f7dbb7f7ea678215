// SPDX-License-Identifier: Apache-2.0
// First step of the parser: a ternary match of the bytes around the first EtherTypes. The result is by how
// much the following headers are shifted (by tags, and by the network header's options), which halfwords
// the second step examines, and its state. The lowest entry that matches wins; without one,
// the result is 0. Combinational but for the entries.
module parser_front
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic                              write_i,
    input logic         [$clog2(Fronts)-1:0] index_i,
    input front_entry_t                      entry_i,

    input  logic                                 valid_i,       // 0: nothing matches
    input  logic      [FrontHalfwords-1:0][15:0] seen_i,        // element 0 first on the wire
    input  logic      [               5:0]       bytes_i,       // of the frame; 63: 63 or more
    output logic      [               3:0]       state_o,
    output logic      [       Headers-1:0]       headers_o,
    output logic                                 optional_o,
    output halfword_t                            shift_l3_o,
    output halfword_t                            shift_l4_o,
    output halfword_t [        Probes-1:0]       probe_o        // from the start of the frame
);
  typedef struct packed {
    logic [3:0] state;
    logic [15:0] headers;
    logic optional;
    logic [5:0] shift;
    logic length_valid;
    logic [2:0] length_at;
    logic [3:0] length_least;
    place_t [Probes-1:0] probe;
  } result_t;

  logic [Fronts-1:0] valid_q;
  logic [FrontHalfwords*16-1:0] value_q[Fronts], mask_q[Fronts];
  logic [5:0] need_q[Fronts];
  result_t result[Fronts];

  // The conditions let the simulator skip the work.
  logic hit;
  logic [$clog2(Fronts)-1:0] winner;
  always_comb begin
    hit = 1'b0;
    winner = '0;
    if (valid_i) begin
      for (int unsigned i = 0; i < Fronts; i++) begin
        if (valid_q[i] && !hit && bytes_i >= need_q[i] && ((seen_i ^ value_q[i]) & mask_q[i]) == '0) begin
          hit = 1'b1;
          winner = ($clog2(Fronts))'(i);
        end
      end
    end
  end

  result_t found;
  logic [3:0] length;
  assign found = hit ? result[winner] : '0;
  assign length = seen_i[found.length_at][11:8] - found.length_least;
  assign state_o = found.state;
  assign headers_o = found.headers;
  assign optional_o = found.optional;
  assign shift_l3_o = found.shift;
  assign shift_l4_o = found.shift + (found.length_valid ? halfword_t'({length, 1'b0}) : '0);
  always_comb begin
    probe_o = '0;
    if (hit) begin
      for (int unsigned p = 0; p < Probes; p++) probe_o[p] = halfword_at(found.probe[p], shift_l3_o, shift_l4_o);
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      value_q[index_i] <= entry_i.value;
      mask_q[index_i] <= entry_i.mask;
      need_q[index_i] <= entry_i.need;
      valid_q[index_i] <= entry_i.valid;
      result[index_i] <= '{
          state: entry_i.state,
          headers: entry_i.headers,
          optional: entry_i.optional,
          shift: entry_i.shift,
          length_valid: entry_i.length_valid,
          length_at: entry_i.length_at,
          length_least: entry_i.length_least,
          probe: entry_i.probe
      };
    end
    if (rst_i) valid_q <= '0;
  end
endmodule
