// SPDX-License-Identifier: Apache-2.0
// 64-bit counters of pulses, in distributed memory behind one adder.
//
// Each counter has a small number of pending pulses. A sweep visits one counter per cycle and adds
// what is pending to its total. Between two visits at most one pulse per cycle can come, so pending
// never overflows and no pulse is lost. Pending counts are kept as bit planes (bit p of all counters in
// one word): the same logic, and far fewer operations for a simulator.
//
//   cycle 0: read total[index], take pending[index]     cycle 1: add, write back
//
// The read port waits for the sweep, so a low word is ready after at most Counters + 1 cycles, exact to
// the cycle. Reading it holds the high word for the next read. One read at a time; word_i holds until done_o.
module counter_bank #(
    parameter int unsigned Counters = 16,
    localparam int unsigned IndexWidth = Counters > 1 ? $clog2(Counters) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Counters-1:0] event_i,

    input  logic                read_i,
    input  logic [IndexWidth:0] word_i,  // {counter, 1 for the high word}
    output logic                done_o,
    output logic [        31:0] data_o
);
  if (Counters < 2) begin : gen_bad_counters
    $fatal(1, "counter_bank: Counters is %0d; the sweep needs at least two", Counters);
  end

  localparam int unsigned Planes = $clog2(Counters + 1);
  localparam logic [IndexWidth-1:0] LastIndex = IndexWidth'(Counters - 1);

  logic [63:0] total[Counters];

  // Cycle 0. visit_q is index_q, one-hot.
  logic [Counters-1:0] visit_q;
  logic [IndexWidth-1:0] index_q;
  logic cleared_q;  // 0 during the first sweep, in which the totals are not yet written
  logic [Counters-1:0] pending_q[Planes];
  logic [Counters-1:0] pending_d[Planes];
  logic [Counters-1:0] overflow;
  logic [Planes-1:0] taken;

  always_comb begin
    overflow = event_i;
    for (int unsigned p = 0; p < Planes; p++) begin
      taken[p] = pending_q[p][index_q];
      pending_d[p] = (pending_q[p] ^ overflow) & ~visit_q;
      overflow &= pending_q[p];
    end
    pending_d[0] |= event_i & visit_q;
  end

  // Cycle 1.
  logic [IndexWidth-1:0] add_index_q;
  logic add_valid_q;
  logic [63:0] base_q, sum;
  logic [Planes-1:0] taken_q;
  assign sum = base_q + 64'(taken_q);

  always_ff @(posedge clk_i) begin
    visit_q <= {visit_q[Counters-2:0], visit_q[Counters-1]};
    index_q <= index_q == LastIndex ? '0 : index_q + 1'b1;
    if (index_q == LastIndex) cleared_q <= 1'b1;
    for (int unsigned p = 0; p < Planes; p++) pending_q[p] <= pending_d[p];

    add_valid_q <= 1'b1;
    add_index_q <= index_q;
    taken_q <= taken;
    base_q <= cleared_q ? total[index_q] : '0;
    if (add_valid_q) total[add_index_q] <= sum;

    if (rst_i) begin
      visit_q <= Counters'(1);
      index_q <= '0;
      cleared_q <= 1'b0;
      add_valid_q <= 1'b0;
      for (int unsigned p = 0; p < Planes; p++) pending_q[p] <= '0;
    end
  end

  // The read port.
  logic waiting_q;
  logic [31:0] high_q;
  assign done_o = waiting_q && (word_i[0] || (add_valid_q && add_index_q == word_i[IndexWidth:1]));
  assign data_o = word_i[0] ? high_q : sum[31:0];

  always_ff @(posedge clk_i) begin
    if (read_i) waiting_q <= 1'b1;
    else if (done_o) waiting_q <= 1'b0;
    if (done_o && !word_i[0]) high_q <= sum[63:32];
    if (rst_i) begin
      waiting_q <= 1'b0;
      high_q <= '0;  // it may be read before any low word
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ((overflow & ~visit_q) == '0)
      else $error("counter_bank: a pulse was lost");
      assert (!(read_i && waiting_q))
      else $error("counter_bank: a read came before the last one was done");
    end
  end
endmodule
