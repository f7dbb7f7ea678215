// SPDX-License-Identifier: Apache-2.0
// For proofs, bound into pifo_root: its promises, and invariants from which they follow by induction over one cycle.
// count_i says how many entries are below each {queue, child}: without the push that is being written, and with the pop that goes to
// a child in this cycle. While the memories are being cleared, all are 0.
//
// Relies on: a pop only of a queue with entries, and never more than Entries of them, those of the last two cycles' pops included.
module pifo_root_facts #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4,
    parameter int unsigned IndexWidth = 2,
    parameter bit Invariants = 1'b1,  // not only the promises
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned WordWidth = QueueWidth + IndexWidth,
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic check_i,  // they hold now
    input logic [Queues-1:0][(1<<IndexWidth)-1:0][CountWidth-1:0] count_i
);
  localparam int unsigned Width = 1 << IndexWidth;
  typedef logic [Width-1:0] taken_t;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [CountWidth-1:0] count_t;

  // Whether the taken children are so close together that their circular order is defined.
  function automatic logic is_narrow(taken_t taken);
    is_narrow = 1'b0;
    for (int unsigned first = 0; first < Width; first++) begin
      logic fits;
      fits = 1'b1;
      for (int unsigned c = 0; c < Width; c++) begin
        if (taken[c] && (c - first) % Width >= Width / 2) fits = 1'b0;
      end
      if (fits) is_narrow = 1'b1;
    end
  endfunction

  // Whether a child is taken and no other taken one comes before it.
  function automatic logic is_end(taken_t taken, index_t child, logic highest, logic circular);
    index_t distance;
    is_end = taken[child];
    for (int unsigned c = 0; c < Width; c++) begin
      distance = highest ? child - index_t'(c) : index_t'(c) - child;
      if (taken[c] && !circular && (highest ? index_t'(c) > child : index_t'(c) < child)) is_end = 1'b0;
      if (taken[c] && circular && distance >= index_t'(Width / 2)) is_end = 1'b0;
    end
  endfunction

  function automatic taken_t turned(taken_t word, logic highest);
    return highest ? {<<{word}} : word;
  endfunction

  taken_t [Queues-1:0] taken;
  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    for (genvar c = 0; c < Width; c++) begin : gen_child
      assign taken[q][c] = count_i[q][c] != '0;
    end
  end

  // The pop that goes to a child, the one before it, and the push that is being written.
  logic pop, popped, pushed;
  queue_t pop_queue, popped_queue;
  assign pop = pifo_root.pop_valid_q_i;
  assign popped = pifo_root.pop_valid_q;
  assign pushed = pifo_root.push_valid_q;
  assign pop_queue = pifo_root.pop_queue_q;
  assign popped_queue = pifo_root.pop_queue;

  // The promises.
  always_comb begin
    if (check_i && pop) begin
      assert (taken[pop_queue][pifo_root.pop_child_o]);
      if (!pifo_root.pop_circular_q_i || is_narrow(taken[pop_queue])) begin
        assert (is_end(taken[pop_queue], pifo_root.pop_child_o, pifo_root.pop_highest_q_i, pifo_root.pop_circular_q_i));
      end
    end
    if (check_i && popped && taken[popped_queue] != '0) begin
      assert (taken[popped_queue][pifo_root.peek_child_o]);
      if (!pifo_root.pop_circular_q || is_narrow(taken[popped_queue])) begin
        assert (is_end(taken[popped_queue], pifo_root.peek_child_o, pifo_root.pop_highest_q, pifo_root.pop_circular_q));
      end
    end
  end

  if (Invariants) begin : gen_invariants
    // The child of the previous pop stays marked in the memories for one more cycle.
    taken_t marked[Queues];
    for (genvar q = 0; q < Queues; q++) begin : gen_marked
      assign marked[q] = pifo_root.taken_by_push[q] ^ pifo_root.left_by_pop[q];
      for (genvar c = 0; c < Width; c++) begin : gen_child
        localparam word_t Word = {queue_t'(q), index_t'(c)};
        logic cleared, leaving;
        count_t pushes, pops;
        assign cleared = !pifo_root.clear_i || Word < pifo_root.clear_word_i;
        assign leaving = pifo_root.pop_valid_q && pifo_root.pop_word_q == Word;
        assign pushes = pifo_root.u_pushes.gen_reader[0].u_ram.mem[Word];
        assign pops = pifo_root.u_pops.gen_reader[0].u_ram.mem[Word];
        always_comb begin
          if (check_i && cleared) begin
            assert (marked[q][c] == (taken[q][c] || leaving));
            assert (pushes == pifo_root.u_pushes.gen_reader[1].u_ram.mem[Word]);
            assert (count_t'(pushes - pops + 1'b1) == count_i[q][c] + count_t'(leaving));
          end
        end
      end
    end

    // Invariants: what was read is what the memories hold, or is turned into it.
    always_comb begin
      if (check_i) begin
        if (pushed) assert (pifo_root.pushes[1] == pifo_root.u_pushes.gen_reader[1].u_ram.mem[pifo_root.push_word_q]);
        if (pop) begin
          assert (pifo_root.word == marked[pop_queue]);
          assert (pifo_root.set_turned_q == turned(pifo_root.set_q ? pifo_root.set_one_q : '0, pifo_root.pop_highest_q_i));
          assert (pifo_root.left_turned_q == turned(pifo_root.left_q ? pifo_root.left_one_q : '0, pifo_root.pop_highest_q_i));
          assert (pifo_root.follows_q == (popped && popped_queue == pop_queue));
          assert (pifo_root.straight_q == !pifo_root.pop_highest_q_i);
        end
        if (popped) begin
          assert (pifo_root.pushes[0] == pifo_root.u_pushes.gen_reader[0].u_ram.mem[pifo_root.pop_word_q]);
          assert (pifo_root.pops[0] == pifo_root.u_pops.gen_reader[0].u_ram.mem[pifo_root.pop_word_q]);
          assert (pifo_root.peek_word_q == marked[popped_queue]);
          assert (pifo_root.peek_straight_q == !pifo_root.pop_highest_q);
        end
        if (pifo_root.clear_i) assert (!pushed && !popped);
      end
    end
  end
endmodule
