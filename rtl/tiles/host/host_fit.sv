// SPDX-License-Identifier: Apache-2.0
// Finds the buffers for a message: it receives the sizes of chains in order, before their parts, and tells how many chains the next message takes
// (without mergeable_i, one). If even the most chains that a message can have are too small for it, the message is to be dropped, and the chains are
// kept for the next one; if the driver may still offer enough, the message waits.
//
// Two cycles for a message in one chain, and two more for each further chain.
module host_fit
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32  // that the queue has in flight; a message has at most this many, and at most MostLinks
) (
    input logic clk_i,
    input logic rst_i,

    input logic mergeable_i,
    input logic [15:0] slots_i,  // descriptors of the ring

    input  logic        size_valid_i,
    output logic        size_ready_o,
    input  chain_size_t size_i,

    input  logic   message_valid_i,  // until taken_i
    input  size_t  length_i,
    output logic   valid_o,
    output logic   none_o,  // no buffers can hold it
    output links_t chains_o,
    input  logic   taken_i
);
  if (Chains < 2 || Chains > MostChains || (Chains & (Chains - 1)) != 0) begin : gen_bad_chains
    $fatal(1, "host_fit: Chains is %0d; it must be a power of two from 2 to %0d", Chains, MostChains);
  end
  // While no more than this many descriptors wait, the queue has room for another chain of the greatest length.
  localparam int unsigned MostParts = 3 * MostLinks;
  localparam int unsigned Most = Chains < MostLinks ? Chains : MostLinks;
  localparam int unsigned Depth = 2 * Chains;
  typedef logic [$clog2(Depth):0] ptr_t;
  typedef logic [7:0] parts_t;
  typedef logic [17:0] sum_t;

  chain_size_t sizes_q[Depth];
  ptr_t write_q, base_q, scan_q;  // base_q: the first chain that is not yet assigned to a message
  chain_size_t size_q;  // at scan_q
  logic size_valid_q, decided_q, none_q;
  links_t chains_q;  // chains before the one at scan_q
  parts_t parts_q, parts, slots_q, slots;
  sum_t sum_q, sum;
  logic steps, enough, too_many;
  logic room_q;  // for one chain more than may come in this cycle
  assign size_ready_o = room_q;
  assign steps = message_valid_i && size_valid_q && !decided_q;
  assign sum = sum_q + sum_t'(size_q.bytes);
  assign parts = parts_q + parts_t'(size_q.links);
  assign slots = slots_q + parts_t'(size_q.slots);
  assign enough = sum >= sum_t'(length_i);
  assign too_many = !mergeable_i || 32'(chains_q) == Most - 1 || parts > parts_t'(MostParts) || 16'(slots) >= slots_i;
  assign valid_o = decided_q;
  assign none_o = none_q;
  assign chains_o = chains_q;

  always_ff @(posedge clk_i) begin
    if (size_valid_i && size_ready_o) begin
      sizes_q[write_q[$clog2(Depth)-1:0]] <= size_i;
      write_q <= write_q + 1'b1;
    end
    room_q <= ptr_t'(write_q - base_q) < ptr_t'(Depth - 1);
    size_q <= sizes_q[scan_q[$clog2(Depth)-1:0]];
    size_valid_q <= scan_q != write_q && !steps;
    if (steps) begin
      sum_q <= sum;
      parts_q <= parts;
      slots_q <= slots;
      chains_q <= chains_q + 1'b1;
      scan_q <= scan_q + 1'b1;
      if (enough) base_q <= scan_q + 1'b1;
      else if (too_many) scan_q <= base_q;
      decided_q <= enough || too_many;
      none_q <= !enough;
    end
    if (taken_i) begin
      decided_q <= 1'b0;
      sum_q <= '0;
      parts_q <= '0;
      slots_q <= '0;
      chains_q <= '0;
    end
    if (rst_i) begin
      room_q <= 1'b0;
      write_q <= '0;
      base_q <= '0;
      scan_q <= '0;
      size_valid_q <= 1'b0;
      decided_q <= 1'b0;
      sum_q <= '0;
      parts_q <= '0;
      slots_q <= '0;
      chains_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!taken_i || decided_q)
      else $error("host_fit: a message leaves that has no buffers yet");
      several : cover (steps && enough && chains_q != '0);
      not_at_all : cover (steps && !enough && too_many);
      waits_for_more : cover (message_valid_i && !decided_q && chains_q != '0 && scan_q == write_q);
    end
  end
endmodule
