// SPDX-License-Identifier: Apache-2.0
// The part of an action that needs arithmetic: edits, the meter, the counter, the register.
//
//   cycle 0: fetch operands      cycle 1: edits, meter, counter; read the register      cycle 2: change it
//
// In cycle 1 set_phv_i is the packet with the fields that its action sets. In cycle 2 phv_o is, combinationally, the packet as it
// leaves; with Cut = 0 it does so in cycle 1.
//
// A meter's rank overrides the action's, a register's overrides both. A drop is final.
module action_settle
  import girih_pkg::*, rmt_pkg::*, action_pkg::*, match_pkg::*;
#(
    parameter int unsigned Meters = 64,
    parameter int unsigned Counters = 64,
    parameter int unsigned Registers = 256,
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,
    input logic rst_i,

    input  logic    valid_i,
    input  phv_t    phv_i,
    /* verilator lint_off UNUSEDSIGNAL */  // fields that need no arithmetic
    input  action_t action_i,
    input  logic [7:0] register_index_i,  // there may be fewer registers than an action can name
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic    set_valid_i,
    input  phv_t    set_phv_i,
    output logic    valid_o,
    output phv_t    phv_o,

    output logic              ready_o,  // the memories are cleared; no action may come before
    /* verilator lint_off UNUSEDSIGNAL */  // smaller memories use fewer bits
    input  logic       [  7:0] index_i,  // of software's access
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic       [127:0] staged_i,
    input  logic               meter_write_i,
    input  logic               meter_read_i,
    output logic               meter_done_o,
    output meter_cfg_t         meter_cfg_o,
    output logic       [ 47:0] packets_o,
    output logic       [ 47:0] bytes_o,
    input  logic               register_write_i,
    output logic       [ 31:0] register_o
);
  // Cycle 0.
  localparam int unsigned Groups = Sources / 4;
  sources_t sources;
  logic [Groups-1:0][31:0] operands;  // one of each four sources; the choice is completed in the next cycle
  always_comb begin
    sources = 'x;
    operands = 'x;
    if (valid_i && action_i.state.enable) begin
      sources = sources_of(phv_i);
      for (int unsigned g = 0; g < Groups; g++) operands[g] = sources[4*g+32'(action_i.state.source[1:0])];
    end
  end

  logic meter_q, count_q, state_q;
  word_edit_t [1:0] edits_q;
  logic [1:0][31:0] old;  // the words that are edited
  logic [$clog2(Meters)-1:0] meter_index_q;
  logic [$clog2(Counters)-1:0] count_index_q;
  logic [$clog2(Registers)-1:0] register_index_q;
  treatment_t [2:0] treatment_q;
  atom_t atom_q;
  target_e target_q;
  logic [Groups-1:0][31:0] operands_q;
  logic [2:0] group_q;
  part_e part_q;
  always_ff @(posedge clk_i) begin
    meter_q <= valid_i && action_i.meter_set;
    count_q <= valid_i && action_i.count_set;
    state_q <= valid_i && action_i.state.enable;
    if (valid_i) begin  // for any action, because the action is known late in the cycle
      edits_q <= action_i.edit;
      meter_index_q <= action_i.meter[$clog2(Meters)-1:0];
      treatment_q   <= action_i.treatment;
      count_index_q <= action_i.count[$clog2(Counters)-1:0];
      register_index_q <= register_index_i[$clog2(Registers)-1:0];
      atom_q <= action_i.state.atom;
      target_q <= action_i.state.target;
      operands_q <= operands;
      group_q <= action_i.state.source[4:2];
      part_q <= action_i.state.part;
    end
    if (rst_i) begin
      meter_q <= 1'b0;
      count_q <= 1'b0;
      state_q <= 1'b0;
    end
  end

  // Cycle 1.
  logic counters_ready, registers_ready;
  assign ready_o = counters_ready && registers_ready;
  colour_e colour;
  meter_bank #(
      .Meters(Meters)
  ) u_meters (
      .clk_i,
      .rst_i,
      .valid_i    (meter_q),
      .index_i    (meter_index_q),
      .length_i   (set_phv_i.desc.length),
      .colour_o   (colour),
      .cfg_write_i(meter_write_i),
      .cfg_read_i (meter_read_i),
      .cfg_index_i(index_i[$clog2(Meters)-1:0]),
      .cfg_i      (staged_i),
      .cfg_done_o (meter_done_o),
      .cfg_o      (meter_cfg_o)
  );

  action_counters #(
      .Counters(Counters)
  ) u_counters (
      .clk_i,
      .rst_i,
      .ready_o     (counters_ready),
      .valid_i     (count_q),
      .index_i     (count_index_q),
      .length_i    (set_phv_i.desc.length),
      .read_index_i(index_i[$clog2(Counters)-1:0]),
      .packets_o,
      .bytes_o
  );

  logic [31:0] chosen, operand;
  always_comb begin
    chosen = 32'(group_q) < Groups ? operands_q[group_q] : '0;
    unique case (part_q)
      PartHigh: operand = 32'(chosen[31:16]);
      PartLow: operand = 32'(chosen[15:0]);
      PartConstant: operand = atom_q.constant;
      default: operand = chosen;
    endcase
  end

  logic predicate;
  logic [31:0] result;
  stateful_alu #(
      .Registers(Registers),
      .Cut(Cut)
  ) u_registers (
      .clk_i,
      .rst_i,
      .ready_o         (registers_ready),
      .valid_i         (state_q),
      .index_i         (register_index_q),
      .op_i            (atom_q),
      .operand_i       (operand),
      .predicate_o     (predicate),
      .result_o        (result),
      .write_i         (register_write_i),
      .software_index_i(index_i[$clog2(Registers)-1:0]),
      .write_data_i    (staged_i[31:0]),
      .read_data_o     (register_o)
  );

  treatment_t treatment;
  phv_t settled;
  logic edits;
  assign edits = set_valid_i && (edits_q[0].op != EditNone || edits_q[1].op != EditNone);
  assign treatment = treatment_q[colour];
  always_comb begin
    settled = set_phv_i;
    old = 'x;
    if (edits) begin
      for (int unsigned e = 0; e < 2; e++) old[e] = set_phv_i.word[edits_q[e].number];
      settled = apply_pkg::with_edits(set_phv_i, edits_q, old);
    end
    if (meter_q) begin
      if (treatment.rank_set) begin
        settled.desc.rank_valid = 1'b1;
        settled.desc.rank = treatment.rank;
      end
      if (treatment.drop && settled.drop == DropNone) settled.drop = DropMeter;
    end
  end

  // Cycle 2.
  logic changes;
  target_e target;
  phv_t unchanged;
  if (Cut) begin : gen_cut
    always_ff @(posedge clk_i) begin
      valid_o <= set_valid_i && !rst_i;
      changes <= state_q && !rst_i;
      if (state_q) target <= target_q;
      if (set_valid_i) unchanged <= settled;
    end
  end else begin : gen_wire
    assign valid_o = set_valid_i;
    assign changes = state_q;
    assign target = target_q;
    assign unchanged = settled;
  end

  always_comb begin
    phv_o = unchanged;
    if (changes) begin
      unique case (target)
        TargetRank: begin
          phv_o.desc.rank_valid = 1'b1;
          phv_o.desc.rank = rank_t'(result);
        end
        TargetFlow: phv_o.desc.flow = flow_t'(result);
        TargetMeta: phv_o.meta = result;
        TargetDropIfTrue: if (predicate && phv_o.drop == DropNone) phv_o.drop = DropAction;
        TargetDropIfFalse: if (!predicate && phv_o.drop == DropNone) phv_o.drop = DropAction;
        default: ;
      endcase
    end
  end
endmodule
