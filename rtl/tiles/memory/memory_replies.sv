// SPDX-License-Identifier: Apache-2.0
// The outstanding replies, in the order of their requests, and the store for their data. Each request takes slots in a ring, one
// for each flit of its reply, before the memory is accessed, so the memory's answers are always taken, in any order. The ID of a
// transaction is its first slot.
//
// A reply leaves when it is the oldest and all of it has arrived, so it never pauses. Its first flit reports a bus error; the reply then
// brings no data. Its slots become free one by one as its flits leave, so the status under its first slot is read only with
// the reply's first flit. Without an older reply, three cycles pass from the last answer on the bus to the reply's first flit.
module memory_replies
  import girih_pkg::*, memory_access_pkg::*, memory_types_pkg::*, axi_pkg::*;
#(
    parameter int unsigned Slots = 256
) (
    input logic clk_i,
    input logic rst_i,

    // A request begins. One that is not granted or malformed is done at once.
    input  logic   owed_valid_i,
    input  owed_t  owed_i,
    output slots_t free_o,
    output id_t    next_id_o,
    output logic   idle_o,
    input  node_t  requester_i,
    output logic   busy_requester_o,  // a request of this node had not been done, in the previous cycle

    // Answers of the bus, always taken; registered first.
    input  logic  r_valid_i,
    input  read_t r_i,
    input  logic  b_valid_i,
    input  done_t b_i,
    output logic  read_valid_o,  // the registered ones, for the atomic access
    output logic [W-1:0] read_data_o,
    output logic  read_failed_o,
    output logic  write_done_o,
    input  logic  atomic_i,  // the access goes on after its read
    input  logic  atomic_done_i,  // it ends without a write
    input  id_t   atomic_id_i,

    output logic    out_valid_o,
    input  logic    out_ready_i,
    output reply_t  out_reply_o,
    output status_e out_status_o,
    output logic    out_last_o,
    output logic    out_brings_o,  // out_data_o is the requester's
    output logic [W-1:0] out_data_o
);
  localparam int unsigned SlotBits = $clog2(Slots);
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [SlotBits:0] ptr_t;

  // The ring: head_q is the oldest slot that is taken, tail_q the next free one.
  ptr_t head_q, tail_q, head_d, tail_d;
  slots_t free_q;
  logic idle_q;
  assign free_o = free_q;
  assign next_id_o = id_t'(tail_q[SlotBits-1:0]);
  assign idle_o = idle_q;

  // The last request of each node. Stale values have no meaning, and expire at the latest with the contents of the ring.
  ptr_t latest[256];
  ptr_t behind;
  always_ff @(posedge clk_i) begin
    if (owed_valid_i) latest[owed_i.reply.src] <= tail_q;
  end
  assign behind = latest[requester_i] - head_q;
  always_ff @(posedge clk_i) busy_requester_o <= behind < tail_q - head_q;

  // Answers of the bus.
  logic r_valid_q, b_valid_q;
  read_t r_q;
  done_t b_q;
  assign read_valid_o = r_valid_q;
  assign read_data_o = r_q.data;
  assign read_failed_o = r_q.resp[1];
  assign write_done_o = b_valid_q;
  always_ff @(posedge clk_i) begin
    r_valid_q <= r_valid_i;
    r_q <= r_i;
    b_valid_q <= b_valid_i;
    b_q <= b_i;
    if (rst_i) begin
      r_valid_q <= 1'b0;
      b_valid_q <= 1'b0;
    end
  end

  // Where the next beat of each transaction goes, and the errors of those that have come; while started_q is down: to its
  // first slot, and none.
  logic [Slots-1:0] started_q, done_q;
  slot_t next_slot[Slots];
  logic [1:0] r_errors[Slots], b_errors[Slots];
  slot_t r_slot, r_id, b_id;
  logic started;
  logic [1:0] r_error;
  logic unused_id;
  assign unused_id = &{r_q.id, b_q.id, atomic_id_i};  // with few slots, high bits
  assign r_id = r_q.id[SlotBits-1:0];
  assign b_id = atomic_done_i ? atomic_id_i[SlotBits-1:0] : b_q.id[SlotBits-1:0];
  assign started = started_q[r_id];
  assign r_slot = started ? next_slot[r_id] : r_id;
  assign r_error = started ? worst(r_errors[r_id], r_q.resp) : r_q.resp;

  // OKAY and EXOKAY are not errors; DECERR outranks SLVERR.
  function automatic logic [1:0] worst(input logic [1:0] one, input logic [1:0] other);
    return one > other ? one : other;
  endfunction

  always_ff @(posedge clk_i) begin
    if (r_valid_q) begin
      next_slot[r_id] <= r_slot + 1'b1;
      r_errors[r_id]  <= r_error;
    end
    if (b_valid_q || atomic_done_i) b_errors[b_id] <= atomic_done_i ? '0 : b_q.resp;
  end

  // The oldest reply.
  owed_t owed;
  logic owed_there, unused_owed_ready;
  logic send, advance, last_flit;
  slots_t number_q;  // of its next flit, from 1
  fifo #(
      .T(owed_t),
      .Depth(Slots)
  ) u_owed (
      .clk_i,
      .rst_i,
      .in_valid_i(owed_valid_i),
      .in_ready_o(unused_owed_ready),
      .in_data_i(owed_i),
      .out_valid_o(owed_there),
      .out_ready_i(send && last_flit),
      .out_data_o(owed)
  );

  slot_t first;  // its first slot, until its first flit leaves
  logic going_q;  // a part of it has left
  status_e status_q;  // its status
  logic asked, brings;  // the memory was asked; the reply has data if nothing fails
  logic [1:0] error;
  status_e status;
  assign first = head_q[SlotBits-1:0];
  assign asked = owed.status == StatusOk;
  assign brings = asked && owed.reply.op inside {OpRead, OpAdd, OpSwap};
  always_comb begin
    error = '0;
    if (brings) error = r_errors[first];
    if (asked && owed.reply.op != OpRead) error = worst(error, b_errors[first]);
    status = owed.status;
    if (error[1]) status = error[0] ? StatusDecode : StatusSlave;
    if (going_q) status = status_q;
  end

  // A failed reply has one flit, and its other slots are passed over, one in a cycle.
  logic out_valid_q, pass, failed;
  assign failed = status != StatusOk;
  assign last_flit = number_q == owed.slots;
  assign advance = out_ready_i || !out_valid_q;
  assign send = owed_there && (going_q || done_q[first]) && advance;
  assign pass = failed && going_q;

  always_comb begin
    tail_d = tail_q;
    if (owed_valid_i) tail_d = tail_q + ptr_t'(owed_i.slots);
    head_d = head_q + ptr_t'(send);
  end

  always_ff @(posedge clk_i) begin
    head_q <= head_d;
    tail_q <= tail_d;
    free_q <= free_q - (owed_valid_i ? owed_i.slots : '0) + slots_t'(send);
    idle_q <= head_d == tail_d;
    if (send) number_q <= last_flit ? slots_t'(1) : number_q + 1'b1;
    if (send) going_q <= !last_flit;
    if (send) status_q <= status;
    if (advance) begin
      out_valid_q  <= send && !pass;
      out_reply_o  <= owed.reply;
      out_status_o <= status;
      out_last_o   <= last_flit || failed;
      out_brings_o <= brings && !failed;
    end

    if (r_valid_q) started_q[r_id] <= !r_q.last;
    if (r_valid_q && r_q.last && !atomic_i) done_q[r_id] <= 1'b1;
    if (b_valid_q || atomic_done_i) done_q[b_id] <= 1'b1;
    if (owed_valid_i && owed_i.status != StatusOk) done_q[tail_q[SlotBits-1:0]] <= 1'b1;
    if (send && !going_q) done_q[first] <= 1'b0;

    if (rst_i) begin
      head_q <= '0;
      tail_q <= '0;
      free_q <= slots_t'(Slots);
      idle_q <= 1'b1;
      number_q <= slots_t'(1);
      going_q <= 1'b0;
      started_q <= '0;
      done_q <= '0;
      out_valid_q <= 1'b0;
    end
  end

  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(Slots)
  ) u_data (
      .clk_i,
      .write_enable_i(r_valid_q),
      .write_addr_i(r_slot),
      .write_data_i(r_q.data),
      .read_enable_i(advance),
      .read_addr_i(head_q[SlotBits-1:0]),
      .read_data_o(out_data_o)
  );
  assign out_valid_o = out_valid_q;

  ptr_t taken;
  assign taken = tail_q - head_q;
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (free_q == slots_t'(Slots) - slots_t'(taken) && 32'(taken) <= Slots)
      else $error("memory_replies: %0d slots are free, from %0d to %0d", free_q, tail_q, head_q);
      assert (!owed_valid_i || free_q >= owed_i.slots)
      else $error("memory_replies: a request takes %0d slots of %0d", owed_i.slots, free_q);
    end
  end
endmodule
