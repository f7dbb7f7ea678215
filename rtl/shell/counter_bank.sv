// SPDX-License-Identifier: Apache-2.0
// 64-bit counters of pulses, in distributed memory behind one adder.
//
// Each counter has a small count of pending pulses. A sweep visits one counter per cycle and adds its pending
// count to its total. At most one pulse per cycle can come between two visits, so the pending count
// never overflows and no pulse is lost. Pending counts are stored as bit planes (bit p of all counters in
// one word): the same logic, but far fewer operations for a simulator.
//
//   cycle 0: read total[index], take pending[index]     cycle 1: add, write back
//
// The read port waits for the sweep, so a low word is ready after at most Counters + 1 cycles, exact to
// the cycle. Reading it latches the high word for the next read. One read at a time; word_i holds until done_o.
//
// With Snapshot, take_i copies the values of all counters in one cycle, pulses of that cycle included, to a second memory,
// which old_i selects for reads. From then on pulses go to a second set of pending counts, and one sweep of the first set
// completes the copy. taken_o comes at the end of that sweep; take_i holds until then.
module counter_bank #(
    parameter int unsigned Counters = 16,
    parameter bit Snapshot = 1'b0,
    localparam int unsigned IndexWidth = Counters > 1 ? $clog2(Counters) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Counters-1:0] event_i,

    input  logic                take_i,
    output logic                taken_o,

    input  logic                read_i,
    input  logic                old_i,  // of the snapshot; holds as word_i does
    input  logic [IndexWidth:0] word_i,  // {counter, 1 for the high word}
    output logic                done_o,
    output logic [        31:0] data_o
);
  if (Counters < 2) begin : gen_bad_counters
    $fatal(1, "counter_bank: Counters is %0d; the sweep needs at least two", Counters);
  end

  // After a snapshot, a counter's second visit comes up to two sweeps after the pulses changed sets.
  localparam int unsigned Sets = Snapshot ? 2 : 1;
  localparam int unsigned Planes = $clog2(Sets * Counters + 1);
  localparam logic [IndexWidth-1:0] LastIndex = IndexWidth'(Counters - 1);

  logic [63:0] total[Counters];

  // Cycle 0. visit_q is index_q, one-hot.
  logic [Counters-1:0] visit_q;
  logic [IndexWidth-1:0] index_q;
  logic cleared_q;  // 0 during the first sweep, in which the totals are not yet written
  logic [Counters-1:0] pending_q[Sets][Planes];
  logic [Counters-1:0] pending_d[Sets][Planes];
  logic [Counters-1:0] overflow[Sets];
  logic [Planes-1:0] taken;
  logic filled, swept;  // the set that takes pulses, and that of the sweep

  always_comb begin
    taken = '0;
    for (int unsigned s = 0; s < Sets; s++) begin
      logic [Counters-1:0] pulses, visit;
      pulses = Sets == 1 || filled == s[0] ? event_i : '0;
      visit = Sets == 1 || swept == s[0] ? visit_q : '0;
      overflow[s] = pulses;
      for (int unsigned p = 0; p < Planes; p++) begin
        if (Sets == 1 || swept == s[0]) taken[p] = pending_q[s][p][index_q];
        pending_d[s][p] = (pending_q[s][p] ^ overflow[s]) & ~visit;
        overflow[s] &= pending_q[s][p];
      end
      pending_d[s][0] |= pulses & visit;
      overflow[s] &= ~visit;
    end
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
    for (int unsigned s = 0; s < Sets; s++) for (int unsigned p = 0; p < Planes; p++) pending_q[s][p] <= pending_d[s][p];

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
      for (int unsigned s = 0; s < Sets; s++) for (int unsigned p = 0; p < Planes; p++) pending_q[s][p] <= '0;
    end
  end

  // The snapshot.
  logic [31:0] old_word;
  if (Snapshot) begin : gen_snapshot
    localparam int unsigned LeftWidth = $clog2(Counters + 1);
    logic filled_q, swept_q, copies_q, there_q;
    logic [LeftWidth-1:0] left_q;  // visits of the sweep that makes the copy
    logic [63:0] copy[Counters];
    logic [63:0] copied;
    assign filled = filled_q;
    assign swept = swept_q;
    assign taken_o = copies_q && left_q == '0;
    assign copied = copy[word_i[IndexWidth:1]];
    always_comb begin
      old_word = '0;
      if (there_q) old_word = word_i[0] ? copied[63:32] : copied[31:0];
    end

    always_ff @(posedge clk_i) begin
      copies_q <= left_q != '0;
      if (copies_q) copy[add_index_q] <= sum;
      if (left_q != '0) left_q <= left_q - 1'b1;
      if (left_q == LeftWidth'(1)) swept_q <= filled_q;
      if (taken_o) there_q <= 1'b1;
      if (take_i && left_q == '0 && !copies_q) begin
        left_q   <= LeftWidth'(Counters);
        filled_q <= !filled_q;
      end
      if (rst_i) begin
        left_q   <= '0;
        copies_q <= 1'b0;
        filled_q <= 1'b0;
        swept_q  <= 1'b0;
        there_q  <= 1'b0;
      end
    end
  end else begin : gen_no_snapshot
    logic unused;
    assign unused = &{take_i, old_i, filled, swept};
    assign {filled, swept, taken_o} = '0;
    assign old_word = '0;
  end

  // The read port.
  logic waiting_q, old;
  logic [31:0] high_q;
  assign old = Snapshot && old_i;
  assign done_o = waiting_q && (old || word_i[0] || (add_valid_q && add_index_q == word_i[IndexWidth:1]));
  always_comb begin
    data_o = word_i[0] ? high_q : sum[31:0];
    if (old) data_o = old_word;
  end

  always_ff @(posedge clk_i) begin
    if (read_i) waiting_q <= 1'b1;
    else if (done_o) waiting_q <= 1'b0;
    if (done_o && !word_i[0] && !old) high_q <= sum[63:32];
    if (rst_i) begin
      waiting_q <= 1'b0;
      high_q <= '0;  // it may be read before any low word
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      for (int unsigned s = 0; s < Sets; s++) begin
        assert (overflow[s] == '0)
        else $error("counter_bank: a pulse was lost");
      end
      assert (!(read_i && waiting_q))
      else $error("counter_bank: a read came before the last one was done");
    end
  end
endmodule
