// SPDX-License-Identifier: Apache-2.0
// Proves pifo for all operations of the first cycles: every pop takes the lowest (highest) rank of
// its queue, the first of equals, after PopLatency cycles; the counts are right; the reported ends
// are right; entries that were moved to the overdue ones come first, in the order of their moves. The model
// keeps for each slot what is in it and which slots came before it: into the queue, or to the overdue ones.
// RankMask and Fill restrict the inputs, so that the solver reaches more cycles.
module pifo_proof #(
    parameter int unsigned Queues = 1,
    parameter int unsigned Entries = 4,
    parameter int unsigned RankWidth = 4,
    parameter logic [RankWidth-1:0] RankMask = '1,  // bits of a rank that may be set
    parameter logic [Queues-1:0] Circular = '0,
    // 0: operations in any cycles. Else a push in each, and a pop in each once so many are here.
    parameter int unsigned Fill = 0,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned CountWidth = $clog2(Entries + 1)
) (
    input logic                  clk_i,
    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input logic [ RankWidth-1:0] push_rank_i,
    input logic [ SlotWidth-1:0] push_slot_i,
    input logic                  pop_valid_i,
    input logic [QueueWidth-1:0] pop_queue_i,
    input logic                  pop_highest_i,
    input logic                  pop_age_i
);
  localparam int unsigned ChildWidth = RankWidth - RankWidth / 2;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [RankWidth-1:0] rank_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [ChildWidth-1:0] child_t;
  typedef struct packed {
    logic   valid;
    slot_t  slot;
    rank_t  rank;
    queue_t queue;
    logic   highest;
    logic   overdue;
  } popped_t;

  logic rst, ready, popped_valid, popped_highest, popped_overdue;
  slot_t  popped_slot;
  rank_t  popped_rank;
  queue_t popped_queue;
  count_t count[Queues];
  logic [Queues-1:0] overdue, treed, last, head_valid, tail_valid;
  rank_t head_rank[Queues];
  rank_t tail_rank[Queues];

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
      .circular_i(Circular),
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
      .count_o(count),
      .overdue_o(overdue),
      .treed_o(treed),
      .last_o(last),
      .head_valid_o(head_valid),
      .head_rank_o(head_rank),
      .tail_valid_o(tail_valid),
      .tail_rank_o(tail_rank)
  );

  // The model.
  logic full_q;  // Fill entries have been here
  logic [Entries-1:0] here_q;  // pushed and not popped
  logic [Entries-1:0] aged_q;  // of those, overdue
  logic [Entries-1:0] taken_q;  // pushed and not yet come out
  logic [Entries-1:0][Entries-1:0] earlier_q;  // by slot: those that were here when it came
  rank_t [Entries-1:0] rank_q;
  queue_t [Entries-1:0] queue_q;
  popped_t due_q[3];  // entries due to come out in this cycle and in the next two

  function automatic logic below(rank_t a, rank_t b, logic circular);
    rank_t distance;
    distance = a - b;
    return circular ? distance[RankWidth-1] : a < b;
  endfunction

  // Whether slot a, of the two in one queue, leaves first.
  function automatic logic leaves_first(slot_t a, slot_t b, logic highest, logic circular);
    if (aged_q[a] != aged_q[b]) return aged_q[a] != highest;
    if (aged_q[a]) return earlier_q[b][a] != highest;
    if (rank_q[a] == rank_q[b]) return earlier_q[b][a];
    return below(rank_q[a], rank_q[b], circular) != highest;
  endfunction

  function automatic popped_t best(queue_t queue, logic highest, logic tree);
    popped_t found;
    found = '0;
    for (int unsigned s = 0; s < Entries; s++) begin
      if (here_q[s] && queue_q[s] == queue && !(tree && aged_q[s])
          && (!found.valid || leaves_first(slot_t'(s), found.slot, highest, Circular[queue]))) begin
        found.valid = 1'b1;
        found.slot  = slot_t'(s);
      end
    end
    found.rank = rank_q[found.slot];
    found.queue = queue;
    found.highest = highest;
    found.overdue = aged_q[found.slot];
    return found;
  endfunction

  popped_t wanted;
  assign wanted = best(pop_queue_i, pop_highest_i, pop_age_i);

  always_ff @(posedge clk_i) begin
    due_q[0] <= due_q[1];
    due_q[1] <= due_q[2];
    due_q[2] <= '0;
    if (due_q[0].valid) taken_q[due_q[0].slot] <= 1'b0;
    if (pop_valid_i && pop_age_i) begin
      aged_q[wanted.slot] <= 1'b1;
      for (int unsigned s = 0; s < Entries; s++) earlier_q[s][wanted.slot] <= 1'b0;
      earlier_q[wanted.slot] <= here_q & aged_q;
    end
    if (pop_valid_i && !pop_age_i) begin
      due_q[2] <= wanted;
      here_q[wanted.slot] <= 1'b0;
    end
    if (push_valid_i) begin
      here_q[push_slot_i] <= 1'b1;
      aged_q[push_slot_i] <= 1'b0;
      taken_q[push_slot_i] <= 1'b1;
      rank_q[push_slot_i] <= push_rank_i;
      queue_q[push_slot_i] <= push_queue_i;
      for (int unsigned s = 0; s < Entries; s++) earlier_q[s][push_slot_i] <= 1'b0;
      earlier_q[push_slot_i] <= here_q;
    end
    if (rst) begin
      here_q  <= '0;
      taken_q <= '0;
      due_q[0] <= '0;
      due_q[1] <= '0;
      due_q[2] <= '0;
    end
  end

  // Rules that the user obeys.
  always_ff @(posedge clk_i) begin
    if (rst || !ready) assume (!push_valid_i && !pop_valid_i);
    assume (push_queue_i < (QueueWidth + 1)'(Queues) && pop_queue_i < (QueueWidth + 1)'(Queues));
    if (pop_valid_i) assume (wanted.valid && !(pop_age_i && pop_highest_i));
    if (Fill > 0) begin
      full_q <= !rst && (full_q || here_q[Fill-1]);
      if (!rst && ready) assume (push_valid_i == !(&taken_q) && pop_valid_i == (full_q || here_q[Fill-1]));
    end
    if (push_valid_i) begin
      assume (!taken_q[push_slot_i]);
      // It makes no difference which free slot is used, so the solver need not try them all.
      assume ((Entries'(1) << push_slot_i) == (~taken_q & (taken_q + 1'b1)));
      assume ((push_rank_i & ~RankMask) == '0);
      for (int unsigned s = 0; s < Entries; s++) begin
        if (here_q[s] && !aged_q[s] && queue_q[s] == push_queue_i && Circular[push_queue_i]
            && !(pop_valid_i && wanted.slot == slot_t'(s))) begin
          assume (child_t'(rank_q[s][RankWidth-1-:ChildWidth] - push_rank_i[RankWidth-1-:ChildWidth])
                  != child_t'(1 << (ChildWidth - 1)));
        end
      end
    end
  end

  // The promises.
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (popped_valid == due_q[0].valid);
      if (popped_valid) begin
        assert (popped_slot == due_q[0].slot);
        assert (popped_overdue == due_q[0].overdue);
        if (!popped_overdue) assert (popped_rank == due_q[0].rank);
        assert (popped_queue == due_q[0].queue);
        assert (popped_highest == due_q[0].highest);
      end
    end
  end

  for (genvar q = 0; q < Queues; q++) begin : gen_queue
    count_t here, counted_q;
    logic [Entries-1:0] in_queue;
    popped_t lowest, highest;
    always_comb begin
      here = '0;
      for (int unsigned s = 0; s < Entries; s++) begin
        in_queue[s] = queue_q[s] == queue_t'(q);
        here += count_t'(here_q[s] && in_queue[s]);
      end
    end
    assign lowest  = best(queue_t'(q), 1'b0, 1'b1);
    assign highest = best(queue_t'(q), 1'b1, 1'b1);

    always_ff @(posedge clk_i) begin
      counted_q <= rst ? '0 : here;
      if (!rst) begin
        assert (count[q] == counted_q);
        assert (treed[q] == lowest.valid);
        assert (last[q] == (here == count_t'(1)));
        assert (overdue[q] == ((here_q & aged_q & in_queue) != '0));
        if (!treed[q]) assert (!head_valid[q] && !tail_valid[q]);
        // Circular ranks may be further from those that have just left than the ends allow.
        if (!Circular[q]) begin
          if (head_valid[q]) assert (head_rank[q] == lowest.rank);
          if (tail_valid[q]) assert (tail_rank[q] == highest.rank);
        end
      end
    end
  end
endmodule
