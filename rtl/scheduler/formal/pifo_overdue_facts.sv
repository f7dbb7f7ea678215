// SPDX-License-Identifier: Apache-2.0
// For proofs, bound into pifo_overdue: its promises, and invariants from which they follow by induction over one cycle.
// Inputs say for each slot whether it is in a list, of which queue, and how many older ones are there; and how many each list has:
// all without the operation of this cycle.
//
// Relies on: an entry is taken only from a list with entries, and append_alone_i is true.
module pifo_overdue_facts #(
    parameter int unsigned Queues = 2,
    parameter int unsigned Entries = 4,
    parameter bit Invariants = 1'b1,  // not only the promises
    localparam int unsigned QueueWidth = Queues > 1 ? $clog2(Queues) : 1,
    localparam int unsigned SlotWidth = $clog2(Entries)
) (
    input logic check_i,  // they hold now
    input logic [Entries-1:0] here_i,
    input logic [Entries-1:0][QueueWidth-1:0] queue_i,
    input logic [Entries-1:0][SlotWidth:0] older_i,
    input logic [Queues-1:0][SlotWidth:0] count_i
);
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [SlotWidth-1:0] slot_t;

  // The promises.
  slot_t  slot;
  queue_t queue;
  assign slot  = pifo_overdue.slot_o;
  assign queue = pifo_overdue.queue_i;
  always_comb begin
    if (check_i && pifo_overdue.take_i) begin
      assert (here_i[slot] && queue_i[slot] == queue);
      assert (older_i[slot] == (pifo_overdue.take_last_i ? count_i[queue] - 1'b1 : '0));
    end
  end

  if (Invariants) begin : gen_invariants
    // Invariants: the ends of each list, and the links between its slots.
    for (genvar q = 0; q < Queues; q++) begin : gen_queue
      slot_t oldest, newest;
      assign oldest = pifo_overdue.oldest[q];
      assign newest = pifo_overdue.newest[q];
      always_comb begin
        if (check_i) begin
          assert (32'(count_i[q]) <= $countones(here_i));
          if (count_i[q] != '0) begin
            assert (here_i[oldest] && queue_i[oldest] == queue_t'(q) && older_i[oldest] == '0);
            assert (here_i[newest] && queue_i[newest] == queue_t'(q) && older_i[newest] == count_i[q] - 1'b1);
          end
        end
      end
    end

    for (genvar s = 0; s < Entries; s++) begin : gen_slot
      slot_t newer, older;
      assign newer = pifo_overdue.newer[s];
      assign older = pifo_overdue.older[s];
      always_comb begin
        if (check_i && here_i[s]) begin
          assert (older_i[s] < count_i[queue_i[s]]);
          if (older_i[s] != '0) assert (here_i[older] && queue_i[older] == queue_i[s] && older_i[older] == older_i[s] - 1'b1);
          if (older_i[s] != count_i[queue_i[s]] - 1'b1) begin
            assert (here_i[newer] && queue_i[newer] == queue_i[s] && older_i[newer] == older_i[s] + 1'b1);
          end
          for (int unsigned o = 0; o < s; o++) begin
            if (here_i[o] && queue_i[o] == queue_i[s]) assert (older_i[o] != older_i[s]);
          end
        end
      end
    end
  end
endmodule
