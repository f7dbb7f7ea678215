// SPDX-License-Identifier: Apache-2.0
// The queues of the scheduler: the PIFO with ageing, which uses the pop port in cycles in which nothing else is popped. The ports
// are those of pifo, but here the ends include overdue packets: where *_overdue_o is set, the rank of this end is overdue_rank_o of its service,
// not *_rank_o.
module scheduler_queues
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Entries = 1024,
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned QueueWidth = $clog2(Queues),
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_i,

    output logic ready_o,

    input service_policy_t policy_i[Services],
    input level_t now_level_i[Services],
    input logic [Queues-1:0] circular_i,

    input logic                  push_valid_i,
    input logic [QueueWidth-1:0] push_queue_i,
    input rank_t                 push_rank_i,
    input logic [ SlotWidth-1:0] push_slot_i,

    output logic                  hold_o,  // no pop may come in the next cycle
    input  logic                  pop_valid_i,
    input  logic [QueueWidth-1:0] pop_queue_i,
    input  logic [    Queues-1:0] pop_one_i,
    input  logic                  pop_highest_i,

    output logic                  popped_valid_o,
    output logic [ SlotWidth-1:0] popped_slot_o,
    output rank_t                 popped_rank_o,
    output logic [QueueWidth-1:0] popped_queue_o,
    output logic                  popped_highest_o,
    output logic                  popped_overdue_o,

    output logic [Queues-1:0] nonempty_o,  // without the entry that is popped in this cycle
    output logic [Queues-1:0] head_valid_o,
    output logic [Queues-1:0] head_overdue_o,
    output rank_t head_rank_o[Queues],
    output logic [Queues-1:0] due_o,  // the head may leave, if its rank is valid (Shaped)
    output logic [Queues-1:0] tail_valid_o,
    output logic [Queues-1:0] tail_overdue_o,
    input logic [QueueWidth-1:0] tail_queue_i,
    output rank_t tail_rank_o,  // of this queue
    output rank_t overdue_rank_o[Services]
);
  logic [Queues-1:0] overdue, treed, last, age_one, tree_head_valid, tree_tail_valid;
  logic age_valid;
  logic [QueueWidth-1:0] age_queue;
  assign head_overdue_o = overdue;
  assign tail_overdue_o = ~treed;
  assign nonempty_o = (overdue | treed) & ~(pop_one_i & last);

  pifo #(
      .Queues(Queues),
      .Entries(Entries),
      .RankWidth(RankWidth)
  ) u_pifo (
      .clk_i,
      .rst_i,
      .ready_o,
      .circular_i,
      .push_valid_i,
      .push_queue_i,
      .push_rank_i,
      .push_slot_i,
      .pop_valid_i(pop_valid_i || age_valid),
      .pop_queue_i(age_valid ? age_queue : pop_queue_i),
      .pop_one_i(pop_one_i | age_one),
      .pop_highest_i(pop_valid_i && pop_highest_i),
      .pop_age_i(age_valid),
      .popped_valid_o,
      .popped_slot_o,
      .popped_rank_o,
      .popped_queue_o,
      .popped_highest_o,
      .popped_overdue_o,
      .overdue_o(overdue),
      .treed_o(treed),
      .last_o(last),
      .head_valid_o(tree_head_valid),
      .head_rank_o,
      .tail_valid_o(tree_tail_valid),
      .tail_queue_i,
      .tail_rank_o
  );

  rank_ageing #(
      .Services(Services),
      .Tenants(Tenants)
  ) u_ageing (
      .clk_i,
      .rst_i,
      .policy_i,
      .now_level_i,
      .overdue_i(overdue),
      .treed_i(treed),
      .tree_head_valid_i(tree_head_valid),
      .tree_head_rank_i(head_rank_o),
      .tree_tail_valid_i(tree_tail_valid),
      .head_valid_o,
      .due_o,
      .tail_valid_o,
      .overdue_rank_o,
      .busy_i(pop_valid_i),
      .hold_o,
      .age_valid_o(age_valid),
      .age_queue_o(age_queue),
      .age_one_o(age_one)
  );
endmodule
