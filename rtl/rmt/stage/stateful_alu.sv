// SPDX-License-Identifier: Apache-2.0
// Registers of 32 bits that packets read and change, one packet per cycle:
//
//   register' = predicate ? f(register, operand) : g(register, operand)
//
//   cycle 0: read the register, decode     cycle 1: compare, change: predicate and result (combinational)
//
// Packets of the same register may follow each other in every cycle, and each sees the result of the previous one: a value that
// a packet has just read is forwarded from the write of the one before. With Cut = 0 everything is in cycle 0.
//
// Software writes into a second memory. Two bits per register, one written by each side, select by
// their difference the memory that holds it: so each memory has one writer, and neither side
// ever waits. A packet sees a value that software writes in its cycle 0; software's write comes after a packet's in the same cycle.
// After reset the registers are cleared, one per cycle; no access may come before ready_o.
module stateful_alu
  import girih_pkg::TimingMhz, action_pkg::*;
#(
    parameter int unsigned Registers = 256,
    parameter bit Cut = TimingMhz >= 250,
    localparam int unsigned IndexWidth = $clog2(Registers)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  valid_i,
    input  logic [IndexWidth-1:0] index_i,
    input  atom_t                 op_i,
    input  logic [31:0]           operand_i,
    output logic                  predicate_o,  // a cycle later; undefined without a packet, as is result_o
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

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [31:0] value_t;

  (* ram_style = "distributed" *) value_t packet_mem[Registers];
  (* ram_style = "distributed" *) value_t software_mem[Registers];
  logic packet_turn[Registers];
  logic software_turn[Registers];  // differs from packet_turn: software wrote last

  // One of the two ways to change a register: to `fixed`, or to value + (0, operand or -operand) + carry. A maximum or a minimum
  // chooses between the two by comparison; the sum is then the value itself.
  typedef struct packed {
    logic replaces;  // always by fixed
    logic maximum;  // ... if the operand is greater
    logic minimum;  // ... if the value is greater
    logic constant;  // fixed is the constant; else the operand
    logic adds;
    logic negates;
    logic carry;
  } change_t;

  typedef struct packed {
    index_t index;
    logic by_equal;  // the predicate depends on whether the sides are equal
    logic by_less;  // ... on which is less
    logic inverted;
    result_e result;
    change_t if_true;
    change_t if_false;
    value_t value;  // before the change
    value_t right;  // with which the predicate compares it
    value_t operand;
    value_t constant;
  } step_t;

  function automatic change_t change_of(update_e update);
    change_of.replaces = update inside {UpdateOperand, UpdateConstant};
    change_of.maximum = update == UpdateMax;
    change_of.minimum = update == UpdateMin;
    change_of.constant = update == UpdateConstant;
    change_of.adds = update inside {UpdateAdd, UpdateSubtract};
    change_of.negates = update == UpdateSubtract;
    change_of.carry = update inside {UpdateSubtract, UpdateIncrement};
  endfunction

  function automatic value_t changed(change_t change, logic greater, value_t value, value_t operand,
                                     value_t constant);
    logic unused_carry, fixed;
    value_t sum;
    {sum, unused_carry} = {value, 1'b1} + {(operand & {32{change.adds}}) ^ {32{change.negates}}, change.carry};
    fixed = change.replaces || (change.maximum && !greater) || (change.minimum && greater);
    return !fixed ? sum : change.constant ? constant : operand;
  endfunction

  // Cycle 0. A comparison without the register is done here.
  logic busy;  // an operation in cycle 1
  step_t given, step;
  value_t value_d;
  logic operand_holds, operand_differs;
  unequal #(
      .Width($bits(value_t))
  ) u_operand_differs (
      .left_i   (operand_i),
      .right_i  (op_i.constant),
      .unequal_o(operand_differs)
  );
  always_comb begin
    given = 'x;
    operand_holds = 'x;
    if (valid_i) begin
      given.index = index_i;
      given.by_equal = op_i.compare inside {CompareEqual, CompareNotEqual};
      given.by_less = op_i.compare inside {CompareLess, CompareAtLeast};
      given.inverted = !(op_i.compare inside {CompareEqual, CompareLess});
      operand_holds = (given.by_equal && !operand_differs) || (given.by_less && operand_i < op_i.constant);
      if (op_i.against == AgainstOperandConstant) begin
        given.inverted = operand_holds ^ given.inverted;
        given.by_equal = 1'b0;
        given.by_less = 1'b0;
      end
      given.result = op_i.result;
      given.if_true = change_of(op_i.if_true);
      given.if_false = change_of(op_i.if_false);
      given.right = op_i.against == AgainstStateOperand ? operand_i : op_i.constant;
      given.operand = operand_i;
      given.constant = op_i.constant;
      given.value = packet_turn[index_i] != software_turn[index_i] ? software_mem[index_i] : packet_mem[index_i];
      if (Cut) begin
        if (busy && step.index == index_i) given.value = value_d;
        if (write_i && software_index_i == index_i) given.value = write_data_i;
      end
    end
  end

  if (Cut) begin : gen_cut
    always_ff @(posedge clk_i) begin
      busy <= valid_i && !rst_i;
      if (valid_i) step <= given;
    end
  end else begin : gen_wire
    assign busy = valid_i;
    assign step = given;
  end

  // Cycle 1. Both results are there when the predicate is.
  logic less, greater;
  (* keep *) logic [10:0] same;
  (* keep *) logic [1:0] equal;
  (* keep *) value_t if_true;
  (* keep *) value_t if_false;
  always_comb begin
    same = 'x;
    equal = 'x;
    less = 'x;
    greater = 'x;
    predicate_o = 'x;
    if_true = 'x;
    if_false = 'x;
    value_d = 'x;
    result_o = 'x;
    if (busy) begin
      for (int unsigned n = 0; n < 11; n++) same[n] = (33'(step.value) >> 3 * n & 33'h7) == (33'(step.right) >> 3 * n & 33'h7);
      equal = {&same[10:6], &same[5:0]};
      less = step.value < step.right;
      predicate_o = ((step.by_equal && equal == '1) || (step.by_less && less)) ^ step.inverted;

      greater = step.operand < step.value;
      if_true = changed(step.if_true, greater, step.value, step.operand, step.constant);
      if_false = changed(step.if_false, greater, step.value, step.operand, step.constant);
      value_d = predicate_o ? if_true : if_false;
      unique case (step.result)
        ResultNew: result_o = value_d;
        ResultPredicate: result_o = 32'(predicate_o);
        default: result_o = step.value;
      endcase
    end
  end

  assign read_data_o = packet_turn[software_index_i] != software_turn[software_index_i] ?
      software_mem[software_index_i] : packet_mem[software_index_i];

  index_t clear_q, packet_index;
  logic ready_q, packet_write, next_packet_turn;
  assign ready_o = ready_q;
  assign packet_write = busy || !ready_q;
  assign packet_index = ready_q ? step.index : clear_q;
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
      both_write_one : cover (busy && write_i && step.index == software_index_i);
      one_behind_itself : cover (valid_i && busy && step.index == index_i);
      read_while_software_writes : cover (valid_i && write_i && index_i == software_index_i);
      software_wrote_last : cover (valid_i && packet_turn[index_i] != software_turn[index_i]);
    end
  end
endmodule
