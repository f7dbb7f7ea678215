// SPDX-License-Identifier: Apache-2.0
// The queue from which a packet would be evicted: in the service whose tenants above their guarantees hold the
// most cells, the queue of such a tenant with the highest rank at its tail.
//
// One queue is examined per cycle, so the choice of the service is up to some Services * Tenants cycles old, and that
// of the queue 2 * Tenants + 1 cycles. Whether a packet of the queue may be evicted is exact in the cycle of use. While
// the rank of the tail is unknown, its last known rank is used.
//
// The cells of a queue are the difference of two memories, cells that arrived and cells that left, with one
// writer each.
module admission_victim
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned TenantWidth = Tenants > 1 ? $clog2(Tenants) : 1,
    localparam int unsigned QueueWidth = $clog2(Queues)
) (
    input logic clk_i,
    input logic rst_i,

    output logic ready_o,  // low only after reset, until the memories are cleared

    input logic                  come_valid_i,
    input logic [QueueWidth-1:0] come_queue_i,
    input cells_t                come_cells_i,
    input logic                  leave_valid_i,
    input logic [QueueWidth-1:0] leave_queue_i,
    input cells_t                leave_cells_i,

    input logic  [Queues-1:0] evictable_i,
    input logic  [Queues-1:0] circular_i,
    input logic  [Queues-1:0] tail_valid_i,
    input logic  [Queues-1:0] tail_overdue_i,
    input rank_t              overdue_rank_i[Services],
    output logic [QueueWidth-1:0] tail_queue_o,
    input rank_t              tail_rank_i,  // of this queue

    output logic                    valid_o,
    output logic [ServiceWidth-1:0] service_o,
    output logic [  QueueWidth-1:0] queue_o,
    output rank_t                   rank_o,
    output logic                    circular_o  // ranks of the queue wrap
);
  if (Queues < 2) begin : gen_bad_queues
    $fatal(1, "admission_victim: there are %0d queues; there must be at least 2", Queues);
  end

  // ---- Cells of each queue.
  cells_t came[Queues];
  cells_t went[Queues];
  logic clearing_q;
  logic [QueueWidth-1:0] scan_q, scan_d;
  cells_t held;
  assign ready_o = !clearing_q;
  assign held = came[scan_q] - went[scan_q];

  always_ff @(posedge clk_i) begin
    if (clearing_q) came[scan_q] <= '0;
    else if (come_valid_i) came[come_queue_i] <= came[come_queue_i] + come_cells_i;
    if (clearing_q) went[scan_q] <= '0;
    else if (leave_valid_i) went[leave_queue_i] <= went[leave_queue_i] + leave_cells_i;
  end

  // ---- The service that holds the most cells: one queue per cycle.
  logic [ServiceWidth-1:0] scan_service_q, best_service_q, fullest_q;
  logic [TenantWidth-1:0] scan_tenant_q;
  logic last_tenant, last_queue, fullest_valid_q, better;
  logic scan_evictable_q;  // as of the previous cycle, because whether a queue has entries is late
  cells_t sum_q, sum, best_q;
  assign last_tenant = scan_tenant_q == TenantWidth'(Tenants - 1);
  assign last_queue = scan_q == QueueWidth'(Queues - 1);
  assign scan_d = last_queue ? '0 : scan_q + 1'b1;
  assign sum = sum_q + (scan_evictable_q ? held : '0);
  assign better = last_tenant && sum > best_q;

  always_ff @(posedge clk_i) begin
    scan_q <= scan_d;
    scan_evictable_q <= evictable_i[scan_d];
    scan_tenant_q <= last_tenant ? '0 : scan_tenant_q + 1'b1;
    if (last_tenant) scan_service_q <= last_queue ? '0 : scan_service_q + 1'b1;
    sum_q <= last_tenant ? '0 : sum;
    if (better) begin
      best_q <= sum;
      best_service_q <= scan_service_q;
    end
    if (last_queue) begin
      best_q <= '0;
      fullest_valid_q <= better || best_q != '0;
      fullest_q <= better ? scan_service_q : best_service_q;
      clearing_q <= 1'b0;
    end
    if (rst_i) begin
      scan_q <= '0;
      scan_tenant_q <= '0;
      scan_service_q <= '0;
      sum_q <= '0;
      best_q <= '0;
      fullest_valid_q <= 1'b0;
      clearing_q <= 1'b1;
    end
    if (clearing_q) begin
      sum_q <= '0;
      best_q <= '0;
      fullest_valid_q <= 1'b0;
    end
  end

  // ---- Its tenant with the highest rank: one tenant per cycle. A queue is read in one cycle (look), compared in the next (seen).
  typedef struct packed {
    logic last;  // of the service's tenants
    logic [ServiceWidth-1:0] service;
    logic [QueueWidth-1:0] number;  // of the queue
    logic evictable;
    logic circular;
    logic tail_valid;
    rank_t rank;
  } seen_t;
  logic [ServiceWidth-1:0] look_service_q;
  logic [TenantWidth-1:0] look_tenant_q;
  logic [QueueWidth-1:0] look_queue, found_queue_q;
  logic look_last, valid_q, candidate, is_victim, higher, found_valid_q, found_circular_q;
  rank_t seen_rank, found_rank_q;
  seen_t seen_q;
  assign look_queue = QueueWidth'(look_service_q * Tenants) + QueueWidth'(look_tenant_q);
  assign tail_queue_o = look_queue;
  assign look_last = look_tenant_q == TenantWidth'(Tenants - 1);
  assign is_victim = valid_q && queue_o == seen_q.number;
  assign candidate = seen_q.evictable && (seen_q.tail_valid || is_victim);
  assign seen_rank = seen_q.tail_valid ? seen_q.rank : rank_o;
  assign higher = candidate && (!found_valid_q || leaves_before(found_rank_q, seen_rank, seen_q.circular));

  always_ff @(posedge clk_i) begin
    look_tenant_q <= look_last ? '0 : look_tenant_q + 1'b1;
    if (look_last) look_service_q <= fullest_q;
    seen_q <= '{
        last: look_last,
        service: look_service_q,
        number: look_queue,
        evictable: fullest_valid_q && evictable_i[look_queue],
        circular: circular_i[look_queue],
        tail_valid: tail_valid_i[look_queue],
        rank: tail_overdue_i[look_queue] ? overdue_rank_i[look_service_q] : tail_rank_i
    };
    if (higher) begin
      found_valid_q <= 1'b1;
      found_queue_q <= seen_q.number;
      found_rank_q  <= seen_rank;
      found_circular_q <= seen_q.circular;
    end
    if (seen_q.last) begin
      found_valid_q <= 1'b0;
      valid_q <= higher || found_valid_q;
      service_o <= seen_q.service;
      queue_o <= higher ? seen_q.number : found_queue_q;
      rank_o <= higher ? seen_rank : found_rank_q;
      circular_o <= higher ? seen_q.circular : found_circular_q;
    end
    if (rst_i) begin
      look_tenant_q <= '0;
      look_service_q <= '0;
      seen_q.last <= 1'b0;
      seen_q.evictable <= 1'b0;
      found_valid_q <= 1'b0;
      valid_q <= 1'b0;
    end
  end
  assign valid_o = valid_q && evictable_i[queue_o];

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      victim_has_gone : cover (valid_q && !evictable_i[queue_o]);
      tail_is_unknown : cover (seen_q.evictable && !seen_q.tail_valid);
      comes_and_leaves : cover (come_valid_i && leave_valid_i && come_queue_i == leave_queue_i);
      count_wraps : cover (!clearing_q && come_valid_i && came[come_queue_i] > -come_cells_i);
    end
  end
endmodule
