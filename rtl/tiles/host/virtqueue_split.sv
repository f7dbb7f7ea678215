// SPDX-License-Identifier: Apache-2.0
// Walks a split virtqueue: finds in the available ring which chains the driver offers, reads their descriptors, up to Chains chains at a time, and
// gives the chains in the order of the ring, descriptor by descriptor.
//
//   virtqueue_split_ring: index of the available ring -> its entries -> heads
//   virtqueue_split_chains: heads -> descriptors (links behind one another) -> parts
//
// One read per cycle, answers in order; answers are processed from a register. A chain is given when all of it has been read and found good; the
// first mistake stops the queue (stop_o). No input but part_ready_i holds it back.
module virtqueue_split
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter int unsigned Links = 32,  // most parts of a chain
    parameter bit Writes = 1'b0,  // the device writes to its buffers
    parameter bit Answers = 1'b0,  // it reads the first buffers of a chain and writes to the others, of which there is at least one
    parameter int unsigned LeastBytes = 1,  // of a chain
    parameter int unsigned MostBytes = 65535,
    parameter int unsigned LongBytes = MostBytes  // if frames may be cut into segments
) (
    input logic clk_i,
    input logic rst_i,

    input  place_t place_i,
    input  logic   halt_i,  // requests nothing more
    output logic   busy_o,  // something requested has not come
    output stop_e  stop_o,  // for a cycle: the mistake

    input  logic look_i,  // the driver may have offered more
    input  logic check_i,  // asks what the driver says about interrupts now; one question at a time
    output logic checked_o,
    output logic [15:0] said_o,  // its flags, or the index that it waits for
    output logic tell_o,  // the driver is to notify when its index passes tell_index_o
    output logic [15:0] tell_index_o,
    input  logic told_i,  // the request is in memory

    output logic         ask_valid_o,
    input  logic         ask_ready_i,
    output ask_t         ask_o,
    input  logic         refused_i,
    input  logic         came_i,
    input  logic         came_error_i,
    input  logic [W-1:0] came_data_i,

    output logic        size_valid_o,  // of a chain that will be given; only if Writes
    input  logic        size_ready_i,
    output chain_size_t size_o,
    output logic  part_valid_o,
    input  logic  part_ready_i,
    output part_t part_o
);
  if (Chains < 2 || (Chains & (Chains - 1)) != 0) begin : gen_bad_chains
    $fatal(1, "virtqueue_split: Chains is %0d; it must be a power of two, at least 2", Chains);
  end
  if (Links < 2 || (Links & (Links - 1)) != 0) begin : gen_bad_links
    $fatal(1, "virtqueue_split: Links is %0d; it must be a power of two, at least 2", Links);
  end

  typedef logic [$clog2(Chains)-1:0] chain_t;
  typedef logic [15:0] index_t;
  typedef struct packed {
    split_read_e what;
    lane_t lane;
    chain_t chain;
  } asked_t;

  logic stopped_q;

  // Reads of the ring have priority over descriptors.
  logic ring_valid, ring_ready, chains_valid, chains_ready, asked_ready, asked_valid, asks;
  split_read_e ring_what;
  ask_t ring_ask;
  addr_t chains_addr;
  chain_t chains_chain;
  asked_t asking, asked;
  assign ask_valid_o = (ring_valid || chains_valid) && asked_ready && !halt_i && !stopped_q;
  assign ask_o = ring_valid ? ring_ask : '{addr: chains_addr, bytes: bytes_t'(DescriptorBytes)};
  assign asks = ask_valid_o && ask_ready_i;
  assign ring_ready = asks;
  assign chains_ready = asks && !ring_valid;
  assign asking = '{what: ring_valid ? ring_what : ReadDescriptor, lane: ask_o.addr[EmptyWidth-1:0], chain: chains_chain};
  fifo #(
      .T(asked_t),
      .Depth(2 * Chains)
  ) u_asked (
      .clk_i,
      .rst_i,
      .in_valid_i(asks),
      .in_ready_o(asked_ready),
      .in_data_i(asking),
      .out_valid_o(asked_valid),
      .out_ready_i(came_i),
      .out_data_o(asked)
  );

  // The answer of a read.
  logic came_q, error_q, got;
  asked_t came_for_q;
  logic [W-1:0] data_q;
  always_ff @(posedge clk_i) begin
    came_q <= came_i && asked_valid;
    error_q <= came_i && came_error_i;
    came_for_q <= asked;
    data_q <= came_data_i >> {asked.lane, 3'd0};
    if (rst_i) {came_q, error_q} <= '0;
  end
  assign got = came_q && !error_q && !stopped_q;
  logic unused;
  assign unused = &{1'b0, came_for_q.lane};

  logic head_valid, head_ready;
  index_t head;
  logic ring_stop;  // the driver offers more than its ring has
  virtqueue_split_ring u_ring (
      .clk_i,
      .rst_i,
      .place_i,
      .look_i,
      .check_i,
      .checked_o,
      .said_o,
      .tell_o,
      .tell_index_o,
      .told_i,
      .ask_valid_o(ring_valid),
      .ask_ready_i(ring_ready),
      .ask_o(ring_ask),
      .what_o(ring_what),
      .got_i(got && came_for_q.what != ReadDescriptor),
      .got_what_i(came_for_q.what),
      .got_data_i(data_q),
      .stop_o(ring_stop),
      .head_valid_o(head_valid),
      .head_ready_i(head_ready),
      .head_o(head)
  );

  stop_e chains_stop;
  virtqueue_split_chains #(
      .Chains(Chains),
      .Links(Links),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_chains (
      .clk_i,
      .rst_i,
      .place_i,
      .halt_i,
      .stopped_i(stopped_q),
      .stop_o(chains_stop),
      .head_valid_i(head_valid),
      .head_ready_o(head_ready),
      .head_i(head),
      .ask_valid_o(chains_valid),
      .ask_ready_i(chains_ready),
      .ask_addr_o(chains_addr),
      .ask_chain_o(chains_chain),
      .got_i(got && came_for_q.what == ReadDescriptor),
      .got_chain_i(came_for_q.chain),
      .got_data_i(data_q[8*DescriptorBytes-1:0]),
      .size_valid_o,
      .size_ready_i,
      .size_o,
      .part_valid_o,
      .part_ready_i,
      .part_o
  );

  stop_e stop;
  always_comb begin
    stop = chains_stop;
    if (ring_stop) stop = StopIndex;
    if (error_q) stop = StopBus;
    if (refused_i) stop = StopRefused;
    if (stopped_q) stop = StopNone;
  end
  assign stop_o = stop;

  logic [$clog2(2*Chains)+1:0] waiting_q;  // reads
  assign busy_o = waiting_q != '0;
  always_ff @(posedge clk_i) begin
    waiting_q <= waiting_q + $bits(waiting_q)'(asks) - $bits(waiting_q)'(came_i) - $bits(waiting_q)'(refused_i);
    if (stop != StopNone) stopped_q <= 1'b1;
    if (rst_i) begin
      waiting_q <= '0;
      stopped_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!came_i || asked_valid || stopped_q)
      else $error("virtqueue_split: what has not been asked for has come");
    end
  end
endmodule
