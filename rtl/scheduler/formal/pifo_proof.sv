// SPDX-License-Identifier: Apache-2.0
// Proves pifo, by induction over one cycle: every pop takes the lowest (highest) rank of its queue, the first of equals, after
// PopLatency cycles; whether a queue has entries, and whether it has one, is right; the reported ends are right, and known again after the
// four cycles that follow a pop there; entries that were moved to the overdue ones come first, in the order of their moves.
//
// The model keeps for each slot its rank, its queue, and which slots came before it: into the queue, or to the overdue ones.
// It keeps which slots are in the trees and in the lists of overdue entries for this cycle and for the three before, because each stage of
// the pipeline works on what was there when its operations were given.
//
// What the stages promise is in the modules *_facts, and pifo_root_proof, pifo_leaf_proof, pifo_list_proof and pifo_overdue_proof show
// it. These sets of slots are the stages' models here. Groups of assertions, each in its own module, are shown one after the other:
// a step of the induction shows one after a cycle in which all hold, and those before it hold in the same cycle. What the stages'
// proofs assume (pifo_proof_relies) comes before the groups that use their promises.
//
// Circular ranks of a tree are close enough together, as pifo demands. Near: so are those that were popped in the last four cycles, and
// the reported ends are right too.
module pifo_proof #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4,
    parameter bit Near = 1'b1,
    parameter int unsigned Goal = 0,  // a group of assertions, or 0 for all
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic                  clk_i,
    input logic [    Queues-1:0] circular_i,
    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic [ SlotWidth-1:0] push_slot_i,
    input logic                  pop_valid_i,
    input logic [QueueWidth-1:0] pop_queue_i,
    input logic                  pop_highest_i,
    input logic                  pop_age_i
);
  localparam int unsigned LeafWidth = RankWidth / 2;
  localparam int unsigned ChildWidth = RankWidth - LeafWidth;
  localparam int unsigned Children = 1 << ChildWidth;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [ChildWidth-1:0] child_t;
  typedef logic [QueueWidth+RankWidth-1:0] place_t;
  typedef logic [Entries-1:0] set_t;
  typedef struct packed {
    set_t   pushed;
    set_t   popped;
    logic   pop;
    logic   tree;      // the pop takes from the tree, not from the list
    queue_t queue;     // of the pop
    logic   highest;
    logic   age;
    logic   circular;
  } operations_t;

  logic rst, ready, popped_valid, popped_highest, popped_overdue;
  slot_t  popped_slot;
  rank_t  popped_rank;
  queue_t popped_queue;
  logic [Queues-1:0] overdue, treed, last, head_valid, tail_valid;
  rank_t head_rank[Queues];
  rank_t tail_rank[Queues];
  logic [Queues-1:0] unused_tail_valid;
  rank_t unused_tail_rank;

  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  pifo #(
      .Queues(Queues),
      .Entries(Entries),
      .RankWidth(RankWidth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .ready_o(ready),
      .circular_i,
      .push_valid_i,
      .push_queue_i,
      .push_rank_i,
      .push_slot_i,
      .pop_valid_i,
      .pop_queue_i,
      .pop_one_i(pop_valid_i ? Queues'(1) << pop_queue_i : '0),
      .pop_highest_i,
      .pop_age_i,
      .popped_valid_o(popped_valid),
      .popped_slot_o(popped_slot),
      .popped_rank_o(popped_rank),
      .popped_queue_o(popped_queue),
      .popped_highest_o(popped_highest),
      .popped_overdue_o(popped_overdue),
      .overdue_o(overdue),
      .treed_o(treed),
      .last_o(last),
      .head_valid_o(head_valid),
      .head_rank_o(head_rank),
      .tail_valid_o(unused_tail_valid),
      .tail_queue_i('0),
      .tail_rank_o(unused_tail_rank)
  );

  // pifo_tail_proof shows that pifo_tail says what pifo_end does, a cycle later.
  pifo_end #(
      .Queues(Queues),
      .RankWidth(RankWidth),
      .Highest(1'b1)
  ) u_tail (
      .clk_i,
      .rst_i(rst),
      .circular_i,
      .push_i(u_dut.push_here),
      .push_queue_i,
      .push_rank_i,
      .empty_i(~u_dut.nonempty),
      .single_i(u_dut.single),
      .lost_i(u_dut.pop_here & (pop_highest_i ? '1 : u_dut.single)),
      .found_valid_i(u_dut.found_valid_q && u_dut.found_highest_q),
      .found_queue_i(u_dut.found_queue_q),
      .found_rank_i(u_dut.found_rank_q),
      .known_o(tail_valid),
      .rank_o(tail_rank)
  );

  // With a Goal, later_q is low in the first cycle of a step and set in the second. In the first, all groups are asserted; in the
  // second, this one. Its test turns the assertions of the groups before it, and the promises, into assumptions.
  localparam int unsigned Model = 1;
  localparam int unsigned Counts = 2;
  localparam int unsigned Stages = 3;
  localparam int unsigned Root = 4;  // what the proofs of the stages rely on
  localparam int unsigned Lists = 5;
  localparam int unsigned Overdue = 6;
  localparam int unsigned Finds = 7;
  localparam int unsigned Waits = 8;
  localparam int unsigned PeeksLowest = 9;
  localparam int unsigned PeeksHighest = 10;
  localparam int unsigned Lowest = 11;
  localparam int unsigned Highest = 12;
  localparam int unsigned Promises = 13;
  logic later_q, was_later_q;
  logic [13:1] check;
  logic check_facts;
  initial {later_q, was_later_q} = '0;
  always @(posedge clk_i) begin
    later_q <= 1'b1;
    was_later_q <= later_q;
  end
  always_comb begin
    if (Goal != 0) assume (!later_q || !was_later_q);
    for (int unsigned g = 1; g <= 13; g++) check[g] = !rst && (Goal == 0 || Goal >= g || !later_q);
    if (Goal == PeeksHighest) check[PeeksLowest] = !rst && !later_q;
    if (Goal == Highest) check[Lowest] = !rst && !later_q;
    // Nothing follows from these here.
    for (int unsigned g = Root; g <= Overdue; g++) check[g] = !rst && (Goal == 0 || (Goal == g && later_q));
    // What the stages rely on is shown without their promises.
    check_facts = !rst && (Goal == 0 || Goal == Finds || ((Goal == PeeksLowest || Goal == PeeksHighest) && !later_q));
  end

  // The model. Index 0 is of this cycle, 1 to 3 of the cycles before.
  set_t [3:0] tree_q, list_q;
  operations_t [3:0] done;
  operations_t [3:1] done_q;
  set_t [Entries-1:0] earlier_q;  // by slot: those that were here when it came
  set_t [Entries-1:0] older_q;  // by slot: those that were overdue when it became so
  rank_t [Entries-1:0] rank_q;
  queue_t [Entries-1:0] queue_q;
  place_t [Entries-1:0] place;  // queue and rank
  set_t [Queues-1:0] in_queue;
  set_t taken;  // pushed and not yet come out

  function automatic logic below(rank_t a, rank_t b, logic circular);
    rank_t distance;
    distance = a - b;
    return circular ? distance[RankWidth-1] : a < b;
  endfunction

  function automatic rank_t rank_of(set_t one);
    rank_of = '0;
    for (int unsigned s = 0; s < Entries; s++) rank_of |= one[s] ? rank_q[s] : '0;
  endfunction

  function automatic place_t place_of(set_t one);
    place_of = '0;
    for (int unsigned s = 0; s < Entries; s++) place_of |= one[s] ? place[s] : '0;
  endfunction

  // By circular order, by end, by slot: the slots that come before it at that end of a tree; the first of equals does.
  set_t [1:0][1:0][Entries-1:0] leading;
  // By end, by slot: those that come before it at that end of a list.
  set_t [1:0][Entries-1:0] aged_before;
  for (genvar a = 0; a < Entries; a++) begin : gen_before
    for (genvar b = 0; b < Entries; b++) begin : gen_slot
      for (genvar c = 0; c < 2; c++) begin : gen_order
        logic same;
        assign same = rank_q[a] == rank_q[b];
        assign leading[c][0][a][b] = a != b && (same ? earlier_q[a][b] : below(rank_q[b], rank_q[a], c == 1));
        assign leading[c][1][a][b] = a != b && (same ? earlier_q[a][b] : !below(rank_q[b], rank_q[a], c == 1));
      end
      assign aged_before[0][a][b] = older_q[a][b];
      assign aged_before[1][a][b] = older_q[b][a];
    end
  end

  // The slots of a set that no other of it comes before.
  function automatic set_t end_of(set_t set, set_t [Entries-1:0] first);
    for (int unsigned s = 0; s < Entries; s++) end_of[s] = set[s] && (set & first[s]) == '0;
  endfunction

  // Whether the ranks of a set of slots are close enough together for a circular order: by child, those that are not in the half that
  // begins with it.
  set_t [Children-1:0] outside;
  for (genvar c = 0; c < Children; c++) begin : gen_outside
    for (genvar s = 0; s < Entries; s++) begin : gen_slot
      assign outside[c][s] = child_t'(rank_q[s][RankWidth-1-:ChildWidth] - child_t'(c)) >= child_t'(Children / 2);
    end
  end
  function automatic logic is_narrow(set_t set);
    is_narrow = 1'b0;
    for (int unsigned c = 0; c < Children; c++) is_narrow |= (set & outside[c]) == '0;
  endfunction

  // The pop of each stage: whether it is from the tree, and which slot it takes.
  set_t [3:0] pop_tree, pop_list, wanted;
  logic [3:0] from_tree, from_list, moves, leaves, wanted_tree;
  set_t [3:0] tree_popped, list_popped, moved;
  for (genvar k = 0; k < 4; k++) begin : gen_stage
    assign pop_tree[k] = tree_q[k] & in_queue[done[k].queue];
    assign pop_list[k] = list_q[k] & in_queue[done[k].queue];
    assign wanted_tree[k] = done[k].age || pop_list[k] == '0 || (done[k].highest && pop_tree[k] != '0);
    assign wanted[k] = wanted_tree[k] ? end_of(pop_tree[k], leading[done[k].circular][done[k].highest])
        : end_of(pop_list[k], aged_before[done[k].highest]);
    assign moves[k] = done[k].pop && done[k].age;
    assign leaves[k] = done[k].pop && !done[k].age;
    assign from_tree[k] = done[k].pop && done[k].tree;
    assign from_list[k] = done[k].pop && !done[k].tree;
    assign tree_popped[k] = from_tree[k] ? done[k].popped : '0;
    assign list_popped[k] = from_list[k] ? done[k].popped : '0;
    assign moved[k] = moves[k] ? done[k].popped : '0;
  end
  assign done = {
    done_q,
    operations_t'{
      pushed: push_valid_i ? set_t'(1) << push_slot_i : '0,
      popped: wanted[0],
      pop: pop_valid_i,
      tree: wanted_tree[0],
      queue: pop_queue_i,
      highest: pop_highest_i,
      age: pop_age_i,
      circular: circular_i[pop_queue_i]
    }
  };

  assign taken = tree_q[0] | tree_q[1] | tree_q[2] | tree_q[3] | list_q[0] | list_q[1] | list_q[2] | list_q[3];
  for (genvar s = 0; s < Entries; s++) begin : gen_place
    assign place[s] = {queue_q[s], rank_q[s]};
  end
  for (genvar q = 0; q < Queues; q++) begin : gen_in_queue
    for (genvar s = 0; s < Entries; s++) begin : gen_slot
      assign in_queue[q][s] = queue_q[s] == queue_t'(q);
    end
  end

  always_ff @(posedge clk_i) begin
    done_q <= done[2:0];
    tree_q <= {tree_q[2:0], (tree_q[0] & ~tree_popped[0]) | done[0].pushed};
    list_q <= {list_q[2:0], (list_q[0] & ~list_popped[0]) | moved[0]};
    for (int unsigned s = 0; s < Entries; s++) begin
      if (done[0].pushed[s]) begin
        rank_q[s]  <= push_rank_i;
        queue_q[s] <= push_queue_i;
      end
      earlier_q[s] <= done[0].pushed[s] ? tree_q[0] | list_q[0] : earlier_q[s] & ~done[0].pushed;
      older_q[s]   <= moved[0][s] ? list_q[0] : older_q[s] & ~moved[0];
    end
    if (rst) begin
      done_q <= '0;
      tree_q <= '0;
      list_q <= '0;
    end
  end

  // By queue, by end: whether there was a pop there, or one of the last entry, 1 to 4 cycles ago.
  logic [Queues-1:0][1:0][4:1] ended;
  logic [Queues-1:0][1:0] ended_q;
  for (genvar q = 0; q < Queues; q++) begin : gen_ended
    for (genvar h = 0; h < 2; h++) begin : gen_end
      for (genvar k = 1; k < 4; k++) begin : gen_cycle
        assign ended[q][h][k] = from_tree[k] && done[k].queue == queue_t'(q) && (done[k].highest == (h == 1) || $onehot(pop_tree[k]));
      end
      assign ended[q][h][4] = ended_q[q][h];
      always_ff @(posedge clk_i) ended_q[q][h] <= !rst && ended[q][h][3];
    end
  end

  // Rules that the user obeys.
  logic [Queues-1:0] circular_q;
  set_t before_q;  // in the trees four cycles ago
  set_t near;
  assign near = Near ? tree_q[0] | tree_q[1] | tree_q[2] | tree_q[3] | before_q : tree_q[0];
  always_ff @(posedge clk_i) begin
    circular_q <= circular_i;
    before_q   <= rst ? '0 : tree_q[3];
  end
  always_comb begin
    assume (32'(push_queue_i) < Queues && 32'(pop_queue_i) < Queues);
    if (rst || !ready) assume (!push_valid_i && !pop_valid_i);
    if (pop_valid_i) assume (pop_tree[0] != '0 || (pop_list[0] != '0 && !pop_age_i));
    if (pop_valid_i && pop_age_i) assume (!pop_highest_i);
    if (push_valid_i) assume (32'(push_slot_i) < Entries && !taken[push_slot_i]);
    for (int unsigned q = 0; q < Queues; q++) begin
      if (circular_i[q] && !rst) assume (is_narrow(near & in_queue[q]));
      if (!rst && (tree_q[0] & in_queue[q]) != '0) assume (circular_i[q] == circular_q[q]);
    end
  end

  // The promises.
  always_comb begin
    if (check[Promises]) begin
      assert (popped_valid == leaves[3]);
      if (popped_valid) begin
        assert (set_t'(1) << popped_slot == done[3].popped);
        assert (popped_overdue == from_list[3]);
        if (!popped_overdue) assert (popped_rank == rank_q[popped_slot]);
        assert (popped_queue == done[3].queue);
        assert (popped_highest == done[3].highest);
      end
    end
  end

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    set_t tree, list;
    assign tree = tree_q[0] & in_queue[q];
    assign list = list_q[0] & in_queue[q];
    always_comb begin
      if (check[Promises]) begin
        assert (treed[q] == (tree != '0));
        assert (overdue[q] == (list != '0));
        assert (last[q] == ($countones(tree | list) == 1));
        if (!treed[q]) assert (!head_valid[q] && !tail_valid[q]);
        if (treed[q] && ended[q][0] == '0) assert (head_valid[q]);
        if (treed[q] && ended[q][1] == '0) assert (tail_valid[q]);
        // Circular ranks may be further from those that have just left than the ends allow.
        if (Near || !circular_i[q]) begin
          if (head_valid[q]) assert (head_rank[q] == rank_of(end_of(tree, leading[circular_i[q]][0])));
          if (tail_valid[q]) assert (tail_rank[q] == rank_of(end_of(tree, leading[circular_i[q]][1])));
        end
      end
    end
  end

  pifo_proof_model #(
      .Queues (Queues),
      .Entries(Entries)
  ) u_model (
      .check_i(check[Model])
  );
  pifo_proof_counts #(
      .Queues (Queues),
      .Entries(Entries)
  ) u_counts (
      .check_i(check[Counts])
  );
  pifo_proof_stages #(
      .Queues(Queues),
      .Entries(Entries),
      .RankWidth(RankWidth)
  ) u_stages (
      .check_i(check[Stages])
  );
  pifo_proof_relies #(
      .Queues(Queues),
      .Entries(Entries),
      .RankWidth(RankWidth)
  ) u_relies (
      .clk_i,
      .rst_i(rst),
      .check_i(check[Overdue:Root])
  );
  pifo_proof_finds #(
      .Queues(Queues),
      .Entries(Entries),
      .RankWidth(RankWidth)
  ) u_finds (
      .check_i(check[Finds])
  );
  for (genvar q = 0; q < Queues; q++) begin : gen_ends
    pifo_proof_end #(
        .Entries(Entries),
        .RankWidth(RankWidth),
        .Near(Near),
        .Queue(q),
        .Highest(1'b0)
    ) u_lowest (
        .clk_i,
        .check_waits_i(check[Waits]),
        .check_peeks_i(check[PeeksLowest]),
        .check_ranks_i(check[Lowest]),
        .known_i(u_dut.u_head.gen_queue[q].known_q),
        .any_i(u_dut.u_head.gen_queue[q].any_q),
        .alone_i(u_dut.u_head.gen_queue[q].alone_q),
        .lost_i(u_dut.u_head.gen_queue[q].lost_q),
        .rank_i(u_dut.u_head.gen_queue[q].rank_q),
        .pushed_i(u_dut.u_head.pushed_q[q]),
        .pushed_rank_i(u_dut.u_head.pushed_rank_q)
    );
    pifo_proof_end #(
        .Entries(Entries),
        .RankWidth(RankWidth),
        .Near(Near),
        .Queue(q),
        .Highest(1'b1)
    ) u_highest (
        .clk_i,
        .check_waits_i(check[Waits]),
        .check_peeks_i(check[PeeksHighest]),
        .check_ranks_i(check[Highest]),
        .known_i(u_tail.gen_queue[q].known_q),
        .any_i(u_tail.gen_queue[q].any_q),
        .alone_i(u_tail.gen_queue[q].alone_q),
        .lost_i(u_tail.gen_queue[q].lost_q),
        .rank_i(u_tail.gen_queue[q].rank_q),
        .pushed_i(u_tail.pushed_q[q]),
        .pushed_rank_i(u_tail.pushed_rank_q)
    );
  end

  function automatic logic [SlotWidth:0] count_of(place_t leaf);
    count_of = '0;
    for (int unsigned s = 0; s < Entries; s++) if (tree_q[3][s] && place[s] == leaf) count_of += 1'b1;
  endfunction

  // The models of the stages: entries below each child, in each leaf and in each list.
  logic [(1<<QueueWidth+RankWidth)-1:0] leaf_taken, leaf_single, leaf_moved_q;
  logic [(1<<QueueWidth+RankWidth)-1:0][SlotWidth:0] leaf_count;
  logic [Entries-1:0][SlotWidth:0] ahead, older;
  logic [Queues-1:0][SlotWidth:0] list_count;
  logic [Queues-1:0][Children-1:0][CountWidth-1:0] child_count;
  always_comb begin
    list_count  = '0;
    child_count = '0;
    ahead = '0;
    older = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      list_count[q] = (SlotWidth + 1)'($countones(list_q[3] & in_queue[q]));
      for (int unsigned c = 0; c < Children; c++) begin
        for (int unsigned s = 0; s < Entries; s++) begin
          if (tree_q[1][s] && in_queue[q][s] && rank_q[s][RankWidth-1-:ChildWidth] == child_t'(c)) child_count[q][c] += 1'b1;
        end
      end
    end
    for (int unsigned l = 0; l < 1 << (QueueWidth + RankWidth); l++) leaf_count[l] = count_of(place_t'(l));
    for (int unsigned s = 0; s < Entries; s++) begin
      for (int unsigned o = 0; o < Entries; o++) begin
        if (tree_q[3][o] && place[o] == place[s] && earlier_q[s][o]) ahead[s] += 1'b1;
        if (list_q[3][o] && queue_q[o] == queue_q[s] && older_q[s][o]) older[s] += 1'b1;
      end
    end
  end
  for (genvar l = 0; l < 1 << (QueueWidth + RankWidth); l++) begin : gen_leaf
    logic pushed_here, popped_here;
    assign leaf_taken[l] = leaf_count[l] != '0;
    assign leaf_single[l] = leaf_count[l] == (SlotWidth + 1)'(1);
    assign pushed_here = done[3].pushed != '0 && place_of(done[3].pushed) == place_t'(l);
    assign popped_here = from_tree[3] && place_of(done[3].popped) == place_t'(l);
    always_ff @(posedge clk_i) begin
      if (popped_here) leaf_moved_q[l] <= 1'b1;
      if (pushed_here && (!leaf_taken[l] || (leaf_single[l] && popped_here))) leaf_moved_q[l] <= 1'b0;
    end
  end

  bind pifo_root pifo_root_facts #(
      .Queues(Queues),
      .Entries(Entries),
      .IndexWidth(IndexWidth)
  ) u_facts (
      .check_i(pifo_proof.check_facts),
      .count_i(pifo_proof.child_count)
  );
  bind pifo_leaf pifo_leaf_facts #(
      .WordWidth (WordWidth),
      .IndexWidth(IndexWidth)
  ) u_facts (
      .check_i(pifo_proof.check_facts),
      .taken_i(pifo_proof.leaf_taken),
      .single_i(pifo_proof.leaf_single),
      .moved_i(pifo_proof.leaf_moved_q),
      .peek_valid_i(pifo_proof.u_dut.peek_valid_q),
      .peek_word_i({pifo_proof.u_dut.peek_queue_q, pifo_proof.u_dut.peek_child_q})
  );
  bind pifo_list pifo_list_facts #(
      .Entries  (Entries),
      .LeafWidth(LeafWidth)
  ) u_facts (
      .check_i(pifo_proof.check_facts),
      .any_i('0),
      .only_any_i(1'b0),
      .here_i (pifo_proof.tree_q[3]),
      .leaf_i (pifo_proof.place),
      .ahead_i(pifo_proof.ahead),
      .count_i(pifo_proof.leaf_count),
      .moved_i(pifo_proof.leaf_moved_q)
  );
  bind pifo_overdue pifo_overdue_facts #(
      .Queues (Queues),
      .Entries(Entries)
  ) u_facts (
      .check_i(pifo_proof.check_facts),
      .here_i (pifo_proof.list_q[3]),
      .queue_i(pifo_proof.queue_q),
      .older_i(pifo_proof.older),
      .count_i(pifo_proof.list_count)
  );
endmodule
