// SPDX-License-Identifier: Apache-2.0
// Keeps ranks that go by the clock (Slack, Shaped) from getting so old that they compare as future ones: a head that
// is LateLevels late is moved from the PIFO's tree to the list of overdue entries of its queue. To the
// rest of the scheduler overdue entries have the rank OverdueLevels before now, which is earlier than all others. It is the same for all of a
// service, so whoever looks at the end of a queue chooses between it and the tree's.
//
// Each queue can have an entry moved every six cycles, and all queues together one every four or five. So even a full PIFO whose entries
// are all in one queue and late at the same time is done in 6 * Entries cycles. Within that time no entry may
// get so late that it compares as a future one: least_shift in policy_pkg ensures that.
module rank_ageing
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input service_policy_t policy_i[Services],
    input level_t now_level_i[Services],

    // Of the PIFO.
    input logic  [Queues-1:0] overdue_i,
    input logic  [Queues-1:0] treed_i,
    input logic  [Queues-1:0] tree_head_valid_i,
    input rank_t              tree_head_rank_i [Queues],
    input logic  [Queues-1:0] tree_tail_valid_i,

    // The ends of the queues, overdue entries included.
    output logic [Queues-1:0] head_valid_o,
    output logic [Queues-1:0] due_o,  // its head may leave, if its rank is valid (Shaped)
    output logic [Queues-1:0] tail_valid_o,
    output rank_t overdue_rank_o[Services],

    // Move the head of this queue; never in a cycle with busy_i, in which another entry is popped. With hold_o no pop may be
    // decided for the next cycle.
    input  logic                  busy_i,
    output logic                  hold_o,
    output logic                  age_valid_o,
    output logic [QueueWidth-1:0] age_queue_o,
    output logic [    Queues-1:0] age_one_o     // the same, one-hot
);
  logic [Queues-1:0] late_q;
  for (genvar s = 0; s < Services; s++) begin : gen_service
    logic by_clock;
    assign by_clock = policy_i[s].policy inside {Slack, Shaped};
    always_ff @(posedge clk_i) begin
      overdue_rank_o[s] <= by_clock ? {now_level_i[s] - level_t'(OverdueLevels), 1'b0} : '0;
    end

    for (genvar t = 0; t < Tenants; t++) begin : gen_queue
      localparam int unsigned Q = s * Tenants + t;
      rank_t passed;
      assign passed = passed_of(tree_head_rank_i[Q], now_level_i[s]);
      assign head_valid_o[Q] = overdue_i[Q] || tree_head_valid_i[Q];
      assign due_o[Q] = overdue_i[Q] || !passed[RankWidth-1];
      assign tail_valid_o[Q] = treed_i[Q] ? tree_tail_valid_i[Q] : overdue_i[Q];
      always_ff @(posedge clk_i) begin
        late_q[Q] <= by_clock && tree_head_valid_i[Q] && !passed[RankWidth-1] && passed[RankWidth-2:1] >= (LevelWidth - 1)'(LateLevels);
        if (rst_i) late_q[Q] <= 1'b0;
      end
    end
  end

  // An entry moves in at most one cycle of four. The queue of the next move is chosen ahead: the one that was found late
  // (candidate_q), or else that of the last move, as soon as its next head is known and late. A head found late is still the head as
  // long as it stays known.
  logic [Queues-1:0] next_q, other_q, chosen, candidate_q;
  logic [QueueWidth-1:0] candidate_queue;
  logic [1:0] pace_q;
  logic next_late, next_known;  // the head of the queue of the next move is known, and late
  logic choose, wanted, again, load, candidate_valid_q, settled_q;  // settled_q: other_q is without the queue that is next now
  any_set #(
      .Width(Queues)
  ) u_late (
      .bits_i(next_q & late_q & tree_head_valid_i),
      .any_o (next_late)
  );
  any_set #(
      .Width(Queues)
  ) u_known (
      .bits_i(next_q & tree_head_valid_i),
      .any_o (next_known)
  );
  assign wanted = pace_q == '0 && next_late;
  assign age_valid_o = wanted && !busy_i;
  assign age_one_o = age_valid_o ? next_q : '0;

  // The entry behind one that was moved is known five cycles later and is most likely late, too. The port is kept free for it.
  logic [4:0] moved_q;
  assign again = moved_q[4] && next_known;
  assign hold_o = (wanted && busy_i) || again;
  assign load = settled_q && !candidate_valid_q && other_q != '0;
  assign choose = (age_valid_o || (next_q & late_q) == '0) && candidate_valid_q;

  // Services take turns, and the tenants of each.
  logic [Services-1:0] service_late, service_chosen;
  arbiter_round_robin #(
      .N(Services)
  ) u_service (
      .clk_i,
      .rst_i,
      .request_i(service_late),
      .advance_i(load),
      .grant_o(service_chosen)
  );
  for (genvar s = 0; s < Services; s++) begin : gen_turn
    logic [Tenants-1:0] tenant_chosen;
    assign service_late[s] = |other_q[s*Tenants+:Tenants];
    arbiter_round_robin #(
        .N(Tenants)
    ) u_tenant (
        .clk_i,
        .rst_i,
        .request_i(other_q[s*Tenants+:Tenants]),
        .advance_i(load && service_chosen[s]),
        .grant_o(tenant_chosen)
    );
    assign chosen[s*Tenants+:Tenants] = service_chosen[s] ? tenant_chosen : '0;
  end

  always_comb begin
    candidate_queue = '0;
    for (int unsigned q = 0; q < Queues; q++) if (candidate_q[q]) candidate_queue |= QueueWidth'(q);
  end

  always_ff @(posedge clk_i) begin
    other_q <= late_q & ~next_q;
    settled_q <= !candidate_valid_q;
    if (load) candidate_q <= chosen;
    candidate_valid_q <= load || (candidate_valid_q && !choose);
    if (choose) begin
      next_q <= candidate_q;
      age_queue_o <= candidate_queue;
    end
    if (age_valid_o || pace_q != '0) pace_q <= pace_q + 1'b1;
    moved_q <= {moved_q[3:0], age_valid_o};
    if (rst_i) begin
      candidate_valid_q <= 1'b0;
      settled_q <= 1'b0;
      next_q <= '0;
      pace_q <= '0;
      moved_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(next_q) && (next_q == '0 || next_q[age_queue_o]));
      assert (!candidate_valid_q || $onehot(candidate_q) && (candidate_q & next_q) == '0);
      candidate_is_late_no_more : cover (choose && (candidate_q & late_q) == '0);
      several_are_late : cover (!$onehot0(late_q));
      late_and_out_of_turn : cover (late_q != '0 && pace_q != '0);
      head_went_meanwhile : cover (|(next_q & late_q & ~tree_head_valid_i) && pace_q == '0);
      moves_when_the_port_is_free : cover (wanted && busy_i);
      moved_again_at_once : cover (age_valid_o && !choose);
    end
  end
endmodule
