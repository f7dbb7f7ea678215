// SPDX-License-Identifier: Apache-2.0
// Registers of 32 bits that packets read and change, one packet per cycle:
//
//   register' = predicate ? f(register, operand) : g(register, operand)
//
// all of it in the cycle of the request, so that packets of the same register may follow each other
// in every cycle and each sees the result of the previous one. Predicate and result are combinational.
//
// Software writes into a second memory. Two bits per register, one written by each side, select by
// their difference the memory that holds it: so each memory has one writer, and neither side
// ever waits. In the same cycle software's write comes after the packet's. After reset the registers are
// cleared, one per cycle; no access may come before ready_o.
module stateful_alu
  import action_pkg::*;
#(
    parameter int unsigned Registers = 256,
    localparam int unsigned IndexWidth = $clog2(Registers)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  valid_i,
    input  logic [IndexWidth-1:0] index_i,
    input  atom_t                 op_i,
    input  logic [31:0]           operand_i,
    output logic                  predicate_o,  // undefined without valid_i, as is result_o
    output logic [31:0]           result_o,

    output logic                  ready_o,
    input  logic                  write_i,
    input  logic [IndexWidth-1:0] software_index_i,
    input  logic [31:0]           write_data_i,
    output logic [31:0]           read_data_o        // combinational
);
  if (Registers < 2 || Registers > 256 || (Registers & (Registers - 1)) != 0) begin : gen_bad_registers
    $fatal(1, "stateful_alu: Registers is %0d; it must be a power of two from 2 to 256", Registers);
  end

  typedef logic [31:0] value_t;

  value_t packet_mem[Registers];
  value_t software_mem[Registers];
  logic packet_turn[Registers];
  logic software_turn[Registers];  // differs from packet_turn: software wrote last

  function automatic value_t updated(update_e update, value_t value, value_t operand, value_t constant);
    unique case (update)
      UpdateOperand: return operand;
      UpdateAdd: return value + operand;
      UpdateSubtract: return value - operand;
      UpdateMax: return value > operand ? value : operand;
      UpdateMin: return value < operand ? value : operand;
      UpdateConstant: return constant;
      UpdateIncrement: return value + 1'b1;
      default: return value;
    endcase
  endfunction

  // The register's value comes late: what needs it is kept in steps of one look-up table, where a mapper would take more, and a
  // comparison without it is done beside them. Both results are there when the predicate is.
  value_t value_d, right;
  logic less, operand_equal, operand_less;
  (* keep *) value_t value;
  (* keep *) logic [10:0] same;
  (* keep *) logic [1:0] equal;
  (* keep *) logic by_equal;  // the predicate depends on whether the sides are equal
  (* keep *) logic by_less;  // ... on which is less
  (* keep *) logic inverted;
  (* keep *) value_t if_true;
  (* keep *) value_t if_false;
  always_comb begin
    value = 'x;
    right = 'x;
    operand_equal = 'x;
    operand_less = 'x;
    by_equal = 'x;
    by_less = 'x;
    inverted = 'x;
    same = 'x;
    equal = 'x;
    less = 'x;
    predicate_o = 'x;
    if_true = 'x;
    if_false = 'x;
    value_d = 'x;
    result_o = 'x;
    if (valid_i) begin
      value = packet_turn[index_i] != software_turn[index_i] ? software_mem[index_i] : packet_mem[index_i];

      right = op_i.against == AgainstStateOperand ? operand_i : op_i.constant;
      operand_equal = operand_i == op_i.constant;
      operand_less = operand_i < op_i.constant;
      by_equal = op_i.compare inside {CompareEqual, CompareNotEqual};
      by_less = op_i.compare inside {CompareLess, CompareAtLeast};
      inverted = !(op_i.compare inside {CompareEqual, CompareLess});
      if (op_i.against == AgainstOperandConstant) begin
        inverted = ((by_equal && operand_equal) || (by_less && operand_less)) ^ inverted;
        by_equal = 1'b0;
        by_less = 1'b0;
      end

      for (int unsigned n = 0; n < 11; n++) same[n] = (33'(value) >> 3 * n & 33'h7) == (33'(right) >> 3 * n & 33'h7);
      equal = {&same[10:6], &same[5:0]};
      less = value < right;
      predicate_o = ((by_equal && equal == '1) || (by_less && less)) ^ inverted;

      if_true = updated(op_i.if_true, value, operand_i, op_i.constant);
      if_false = updated(op_i.if_false, value, operand_i, op_i.constant);
      value_d = predicate_o ? if_true : if_false;
      unique case (op_i.result)
        ResultNew: result_o = value_d;
        ResultPredicate: result_o = 32'(predicate_o);
        default: result_o = value;
      endcase
    end
  end

  assign read_data_o = packet_turn[software_index_i] != software_turn[software_index_i] ?
      software_mem[software_index_i] : packet_mem[software_index_i];

  logic [IndexWidth-1:0] clear_q, packet_index;
  logic ready_q, packet_write, next_packet_turn;
  assign ready_o = ready_q;
  assign packet_write = valid_i || !ready_q;
  assign packet_index = ready_q ? index_i : clear_q;
  assign next_packet_turn = packet_write && packet_index == software_index_i ? software_turn[software_index_i]
                                                                            : packet_turn[software_index_i];

  always_ff @(posedge clk_i) begin
    if (packet_write) begin
      packet_mem[packet_index] <= ready_q ? value_d : '0;
      packet_turn[packet_index] <= software_turn[packet_index];
    end
    if (write_i) begin
      software_mem[software_index_i]  <= write_data_i;
      software_turn[software_index_i] <= !next_packet_turn;
    end
    if (!ready_q) clear_q <= clear_q + 1'b1;
    if (clear_q == '1) ready_q <= 1'b1;
    if (rst_i) begin
      clear_q <= '0;
      ready_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (ready_q || !(valid_i || write_i))
      else $error("stateful_alu: an access came before the registers were cleared");
      both_write_one : cover (valid_i && write_i && index_i == software_index_i);
      one_behind_itself : cover (valid_i && packet_turn[index_i] != software_turn[index_i]);
    end
  end
endmodule
