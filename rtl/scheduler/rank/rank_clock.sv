// SPDX-License-Identifier: Apache-2.0
// Virtual time of each queue under fair queueing: the level of the packet last dequeued. It never decreases,
// although a packet whose rank was computed before the last dequeue may be queued after it.
// It is in levels, with more bits than a rank, so that a class can be idle for a long time.
// One update per cycle, visible two cycles later.
module rank_clock
  import policy_pkg::*;
#(
    parameter int unsigned Queues = 32,
    localparam int unsigned QueueWidth = $clog2(Queues)
) (
    input logic clk_i,
    input logic rst_i,

    input logic clear_i,
    input logic [QueueWidth-1:0] clear_queue_i,

    input logic dequeued_valid_i,
    input logic [QueueWidth-1:0] dequeued_queue_i,
    input level_t dequeued_level_i,

    input logic [QueueWidth-1:0] queue_i,
    output time_t levels_o
);
  if (Queues < 2) begin : gen_bad_queues
    $fatal(1, "rank_clock: Queues is %0d; it must be at least 2", Queues);
  end

  time_t levels[Queues];
  assign levels_o = levels[queue_i];

  logic valid_q;
  logic [QueueWidth-1:0] queue_q;
  level_t level_q;
  time_t old, moved;
  level_t distance;
  logic wraps;
  assign old = levels[queue_q];
  assign {wraps, distance} = {1'b0, level_q} - {1'b0, level_t'(old)};
  assign moved = {old[TimeWidth-1:LevelWidth] + (TimeWidth - LevelWidth)'(wraps), level_q};

  always_ff @(posedge clk_i) begin
    if (clear_i) levels[clear_queue_i] <= '0;
    else if (valid_q && !distance[LevelWidth-1]) levels[queue_q] <= moved;
    valid_q  <= dequeued_valid_i;
    queue_q  <= dequeued_queue_i;
    level_q  <= dequeued_level_i;
    if (rst_i) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      level_wraps : cover (valid_q && wraps && !distance[LevelWidth-1]);
      stays : cover (valid_q && distance[LevelWidth-1]);
    end
  end
endmodule
