// SPDX-License-Identifier: Apache-2.0
// Queues ordered by rank that share Entries slots: a push and a pop in every cycle,
// of any queues and ranks. The order is exact: lowest (or highest) rank first, and among equals
// first in first out. A pop sees the pushes of earlier cycles, not that of its own.
//
// A rank is a leaf of a tree of two levels, and each leaf has a list of slots. The levels are stages
// of a pipeline that a push and a pop of the same cycle traverse side by side, the pop first:
//
//   cycle t    the root's word is read                             overdue_o, treed_o change
//   cycle t+1  root: the child with the lowest taken leaf
//   cycle t+2  leaf: the leaf in the child
//   cycle t+3  list: its first slot                                popped_*_o (PopLatency is 3)
//
// A stage learns from the next one, one cycle later, whether its pop left anything behind, in time
// for the following pop. After every pop a peek goes down the tree, but not to the list, for the rank
// that is now at that end of the queue: head_valid_o (tail_valid_o after a pop of the highest) is low for
// the four cycles after the last such pop. Pushes never lower it. What is said of tails is a cycle late, and their
// ranks are in memory: one is told in a cycle.
//
// Circular: the order is modulo 2^RankWidth. All ranks in the tree of a queue must be so close together that
// their upper halves (of RankWidth - RankWidth / 2 bits) differ by less than half of their range:
// 1984 of 4096 for ranks of 12 bits. For head_rank_o and tail_rank_o this includes the entries popped in
// the last four cycles. circular_i of a queue changes only while it is empty.
//
// Ageing: a pop with pop_age_i moves the lowest entry from the tree to the end of the queue's list of
// overdue entries (pifo_overdue) instead of giving it out. Overdue entries come before all others, in
// the order in which they were moved, however long they stay: a user that moves entries in time may use
// circular ranks for ever. Pops at either end see them in the next cycle. The rank of a popped overdue
// entry is not known. head_*_o and tail_*_o are those of the tree: overdue_o says that overdue entries are
// at the head, and also at the tail while treed_o is low.
//
// After reset the memories are cleared, for Queues * 2^(RankWidth - RankWidth / 2) cycles: no pushes
// until ready_o.
module pifo #(
    parameter int unsigned Queues = 8,
    parameter int unsigned Entries = 1024,
    parameter int unsigned RankWidth = 12,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic clk_i,
    input logic rst_i,

    output logic ready_o,

    input logic [Queues-1:0] circular_i,

    // Always taken; no slot is pushed that is already in the PIFO.
    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic [ SlotWidth-1:0] push_slot_i,

    // Only of a queue with overdue_o or treed_o.
    input logic                  pop_valid_i,
    input logic [QueueWidth-1:0] pop_queue_i,
    input logic [    Queues-1:0] pop_one_i,      // the same, one-hot; 0 without a pop: its user decides late in the cycle
    input logic                  pop_highest_i,
    input logic                  pop_age_i,      // only of a queue with treed_o, and with pop_highest_i low

    output logic                  popped_valid_o,
    output logic [ SlotWidth-1:0] popped_slot_o,
    output logic [ RankWidth-1:0] popped_rank_o,
    output logic [QueueWidth-1:0] popped_queue_o,
    output logic                  popped_highest_o,
    output logic                  popped_overdue_o,

    output logic [    Queues-1:0] overdue_o,           // it has overdue entries
    output logic [    Queues-1:0] treed_o,             // it has entries in the tree
    output logic [    Queues-1:0] last_o,              // it has one entry in all
    output logic [    Queues-1:0] head_valid_o,
    output logic [ RankWidth-1:0] head_rank_o [Queues],
    output logic [    Queues-1:0] tail_valid_o,  // as of the previous cycle, and so is tail_rank_o
    input  logic [QueueWidth-1:0] tail_queue_i,
    output logic [ RankWidth-1:0] tail_rank_o    // of this queue
);
  if (Queues < 1) begin : gen_bad_queues
    $fatal(1, "pifo: Queues is %0d; there must be at least one", Queues);
  end
  if (Entries < 2) begin : gen_bad_entries
    $fatal(1, "pifo: Entries is %0d; it must be at least 2", Entries);
  end
  if (RankWidth < 4) begin : gen_bad_rank_width
    $fatal(1, "pifo: RankWidth is %0d; it must be at least 4", RankWidth);
  end

  localparam int unsigned LeafWidth = RankWidth / 2;
  localparam int unsigned ChildWidth = RankWidth - LeafWidth;
  localparam int unsigned WordWidth = QueueWidth + ChildWidth;

  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [ChildWidth-1:0] child_t;
  typedef logic [LeafWidth-1:0] leaf_t;
  typedef logic [WordWidth-1:0] word_t;

  // Clearing.
  logic  ready_q;
  word_t clear_word_q;
  always_ff @(posedge clk_i) begin
    clear_word_q <= clear_word_q + 1'b1;
    if (clear_word_q == '1) ready_q <= 1'b1;
    if (rst_i) begin
      clear_word_q <= '0;
      ready_q <= 1'b0;
    end
  end
  assign ready_o = ready_q;

  // Cycle t: by queue.
  logic [Queues-1:0] push_here, pop_here, single, nonempty;  // trees

  // Cycle t+1: the root.
  typedef struct packed {
    logic take;
    logic append;
    logic alone;
  } overdue_t;  // operations on the lists of overdue entries
  logic push_root_valid_q, pop_root_valid, pop_root_last, pop_root_highest_q, pop_root_circular_q;
  queue_t push_root_queue_q, pop_root_queue_q;
  rank_t push_root_rank_q;
  slot_t push_root_slot_q;
  child_t pop_child, peek_child;
  overdue_t overdue_root;

  pifo_counts #(
      .Queues (Queues),
      .Entries(Entries)
  ) u_counts (
      .clk_i,
      .rst_i,
      .push_valid_i,
      .push_queue_i,
      .pop_i(pop_one_i),
      .pop_highest_i,
      .pop_age_i,
      .push_o(push_here),
      .pop_o(pop_here),
      .single_o(single),
      .popped_tree_o(pop_root_valid),
      .popped_last_o(pop_root_last),
      .popped_overdue_o(overdue_root.take),
      .popped_append_o(overdue_root.append),
      .popped_alone_o(overdue_root.alone),
      .overdue_o,
      .treed_o(nonempty),
      .only_o(last_o)
  );
  assign treed_o = nonempty;

  // Cycle t+2: the leaf, and the root for the peek.
  logic push_leaf_valid_q, pop_leaf_valid_q, pop_leaf_highest_q, pop_leaf_some_q;
  queue_t push_leaf_queue_q, pop_leaf_queue_q;
  rank_t  push_leaf_rank_q;
  slot_t  push_leaf_slot_q;
  child_t pop_leaf_child_q;
  leaf_t pop_leaf, pop_next_leaf, peek_leaf;
  overdue_t overdue_leaf_q;

  // Cycle t+3: the list, and the leaf for the peek. Cycle t+4: the peek's answer.
  queue_t pop_list_queue_q, peek_queue_q, found_queue_q;
  rank_t pop_list_rank_q, found_rank_q;
  logic pop_list_highest_q, peek_valid_q, peek_highest_q, found_valid_q, found_highest_q;
  child_t peek_child_q;
  logic pop_moved, push_takes, push_begins;
  (* keep *) logic pop_emptied;  // kept, because a mapper that merges it with what follows makes a longer path
  overdue_t overdue_list_q;
  logic list_valid;
  (* keep *) slot_t list_slot;  // kept, so that the choice between it and an overdue one is a look-up table of its own behind it
  slot_t overdue_slot;

  pifo_root #(
      .Queues(Queues),
      .Entries(Entries),
      .IndexWidth(ChildWidth)
  ) u_root (
      .clk_i,
      .rst_i,
      .clear_i(!ready_q),
      .clear_word_i(clear_word_q),
      .push_valid_i,
      .push_queue_i,
      .push_child_i(push_rank_i[RankWidth-1:LeafWidth]),
      .pop_queue_i,
      .pop_highest_i,
      .pop_valid_q_i(pop_root_valid),
      .pop_highest_q_i(pop_root_highest_q),
      .pop_circular_q_i(pop_root_circular_q),
      .pop_child_o(pop_child),
      .peek_child_o(peek_child)
  );

  pifo_leaf #(
      .WordWidth (WordWidth),
      .IndexWidth(LeafWidth),
      .Late(ChildWidth)
  ) u_leaf (
      .clk_i,
      .rst_i,
      .clear_i(!ready_q),
      .clear_word_i(clear_word_q),
      .pop_word_i({pop_root_queue_q, pop_child}),
      .pop_highest_i(pop_root_highest_q),
      .peek_word_i({pop_leaf_queue_q, peek_child}),
      .peek_highest_i(pop_leaf_highest_q),
      .push_valid_i(push_leaf_valid_q),
      .push_word_i({push_leaf_queue_q, push_leaf_rank_q[RankWidth-1:LeafWidth]}),
      .push_leaf_i(push_leaf_rank_q[LeafWidth-1:0]),
      .pop_valid_i(pop_leaf_valid_q),
      .pop_word_q_i({pop_leaf_queue_q, pop_leaf_child_q}),
      .pop_leaf_o(pop_leaf),
      .pop_next_leaf_o(pop_next_leaf),
      .peek_leaf_o(peek_leaf),
      .pop_moved_o(pop_moved),
      .pop_emptied_i(pop_emptied),
      .push_takes_o(push_takes),
      .push_begins_o(push_begins)
  );

  pifo_list #(
      .Entries  (Entries),
      .LeafWidth(QueueWidth + RankWidth),
      .Late(LeafWidth)
  ) u_list (
      .clk_i,
      .rst_i,
      .push_valid_i(push_leaf_valid_q),
      .push_leaf_i({push_leaf_queue_q, push_leaf_rank_q}),
      .push_slot_i(push_leaf_slot_q),
      .pop_valid_i(pop_leaf_valid_q),
      .pop_leaf_i({pop_leaf_queue_q, pop_leaf_child_q, pop_leaf}),
      .pop_next_leaf_i({pop_leaf_queue_q, pop_leaf_child_q, pop_next_leaf}),
      .push_takes_i(push_takes),
      .push_begins_i(push_begins),
      .pop_moved_i(pop_moved),
      .pop_emptied_o(pop_emptied),
      .pop_valid_o(list_valid),
      .pop_slot_o(list_slot)
  );

  pifo_overdue #(
      .Queues (Queues),
      .Entries(Entries)
  ) u_overdue (
      .clk_i,
      .queue_i(pop_list_queue_q),
      .append_i(overdue_list_q.append),
      .append_alone_i(overdue_list_q.alone),
      .append_slot_i(list_slot),
      .take_i(overdue_list_q.take),
      .take_last_i(pop_list_highest_q),
      .slot_o(overdue_slot)
  );

  assign popped_valid_o = (list_valid && !overdue_list_q.append) || overdue_list_q.take;
  assign popped_slot_o = overdue_list_q.take ? overdue_slot : list_slot;
  assign popped_overdue_o = overdue_list_q.take;

  assign popped_rank_o = pop_list_rank_q;
  assign popped_queue_o = pop_list_queue_q;
  assign popped_highest_o = pop_list_highest_q;

  // A peek is void if a later pop takes the entry that it would find. Another peek follows that pop.
  // pifo_end sees to a pop in the cycle before the answer.
  logic peek_void, leaf_void;
  assign leaf_void = pop_root_valid && pop_root_queue_q == pop_leaf_queue_q && (pop_root_last || pop_root_highest_q == pop_leaf_highest_q);
  assign peek_void = pop_root_valid && pop_root_queue_q == peek_queue_q && (pop_root_last || pop_root_highest_q == peek_highest_q);

  always_ff @(posedge clk_i) begin
    push_root_queue_q <= push_queue_i;
    push_root_rank_q <= push_rank_i;
    push_root_slot_q <= push_slot_i;
    pop_root_queue_q <= pop_queue_i;
    pop_root_highest_q <= pop_highest_i;
    pop_root_circular_q <= |(circular_i >> pop_queue_i & Queues'(1));

    push_leaf_queue_q <= push_root_queue_q;
    push_leaf_rank_q <= push_root_rank_q;
    push_leaf_slot_q <= push_root_slot_q;
    pop_leaf_queue_q <= pop_root_queue_q;
    pop_leaf_highest_q <= pop_root_highest_q;
    pop_leaf_child_q <= pop_child;
    pop_leaf_some_q <= nonempty[pop_root_queue_q];  // it leaves something to peek at

    pop_list_queue_q <= pop_leaf_queue_q;
    pop_list_highest_q <= pop_leaf_highest_q;
    pop_list_rank_q <= {pop_leaf_child_q, pop_leaf};
    peek_queue_q <= pop_leaf_queue_q;
    peek_highest_q <= pop_leaf_highest_q;
    peek_child_q <= peek_child;

    found_queue_q <= peek_queue_q;
    found_highest_q <= peek_highest_q;
    found_rank_q <= {peek_child_q, peek_leaf};

    overdue_leaf_q <= overdue_root;
    overdue_list_q <= overdue_leaf_q;

    push_root_valid_q <= push_valid_i;
    push_leaf_valid_q <= push_root_valid_q;
    pop_leaf_valid_q <= pop_root_valid;
    peek_valid_q <= pop_leaf_valid_q && pop_leaf_some_q && !leaf_void;
    found_valid_q <= peek_valid_q && !peek_void;
    if (rst_i) begin
      overdue_leaf_q <= '0;
      overdue_list_q <= '0;
      push_root_valid_q <= 1'b0;
      push_leaf_valid_q <= 1'b0;
      pop_leaf_valid_q <= 1'b0;
      peek_valid_q <= 1'b0;
      found_valid_q <= 1'b0;
    end
  end

  pifo_end #(
      .Queues(Queues),
      .RankWidth(RankWidth),
      .Highest(1'b0)
  ) u_head (
      .clk_i,
      .rst_i,
      .circular_i,
      .push_i(push_here),
      .push_queue_i,
      .push_rank_i,
      .empty_i(~nonempty),
      .single_i(single),
      .lost_i(pop_here & (pop_highest_i ? single : '1)),
      .found_valid_i(found_valid_q && !found_highest_q),
      .found_queue_i(found_queue_q),
      .found_rank_i(found_rank_q),
      .known_o(head_valid_o),
      .rank_o(head_rank_o)
  );

  pifo_tail #(
      .Queues(Queues),
      .RankWidth(RankWidth)
  ) u_tail (
      .clk_i,
      .rst_i,
      .circular_i,
      .push_i(push_here),
      .push_queue_i,
      .push_rank_i,
      .empty_i(~nonempty),
      .single_i(single),
      .lost_i(pop_here & (pop_highest_i ? '1 : single)),
      .found_valid_i(found_valid_q && found_highest_q),
      .found_queue_i(found_queue_q),
      .found_rank_i(found_rank_q),
      .known_o(tail_valid_o),
      .queue_i(tail_queue_i),
      .rank_o(tail_rank_o)
  );

  // The user's obligations: pops of entries that exist, pushes of free slots, and only after ready_o.
  logic [Entries-1:0] queued_q;
  count_t total_q;
  logic leaves;
  assign leaves = pop_valid_i && !pop_age_i;
  always_ff @(posedge clk_i) begin
    if (popped_valid_o) queued_q[popped_slot_o] <= 1'b0;
    if (push_valid_i) queued_q[push_slot_i] <= 1'b1;
    if (push_valid_i != leaves) total_q <= push_valid_i ? total_q + 1'b1 : total_q - 1'b1;
    if (rst_i) begin
      queued_q <= Entries'(0);
      total_q  <= '0;
    end
    if (!rst_i) begin
      assert (pop_one_i == (pop_valid_i ? Queues'(1) << pop_queue_i : '0));
      if (push_valid_i || pop_valid_i) assert (ready_q);
      if (push_valid_i) begin
        assert (!queued_q[push_slot_i]);
        assert (total_q < count_t'(Entries) || leaves);
      end
      if (popped_valid_o) assert (queued_q[popped_slot_o]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      full : cover (total_q == count_t'(Entries));
      full_pushed_and_popped : cover (total_q == count_t'(Entries) && push_valid_i && leaves);
      pushed_and_popped : cover (push_valid_i && pop_valid_i && push_queue_i == pop_queue_i);
      last_popped_and_one_pushed : cover (|(push_here & pop_here & single));
      last_ages : cover (pop_age_i && |(pop_here & single));
      overdue_taken : cover (overdue_root.take && !pop_root_highest_q);
      overdue_evicted : cover (overdue_root.take && pop_root_highest_q);
      peek_void_at_the_leaf : cover (pop_leaf_valid_q && leaf_void);
      peek_void_behind_the_leaf : cover (peek_valid_q && peek_void);
    end
  end
endmodule
