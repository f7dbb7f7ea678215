// SPDX-License-Identifier: Apache-2.0
// Proves memory_replies, by induction, for accesses that are not atomic and take at most half of the slots: each request has exactly
// one reply, in order, with its status and data, as soon as the memory has answered it and its turn has come; a transaction
// never has the ID of another in flight. The memory answers its requests in any order.
module memory_replies_proof
  import girih_pkg::*, memory_access_pkg::*, memory_types_pkg::*, axi_pkg::*;
#(
    parameter int unsigned Slots = 4
) (
    input logic clk_i,
    input logic owed_valid_i,
    input owed_t owed_i,
    input logic r_valid_i,
    input read_t r_i,
    input logic b_valid_i,
    input done_t b_i,
    input logic out_ready_i
);
  localparam int unsigned SlotBits = $clog2(Slots);
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [SlotBits:0] ptr_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  slots_t free;
  id_t next_id;
  logic unused_idle, unused_busy, unused_read_valid, unused_read_failed, unused_write_done;
  logic [W-1:0] unused_read_data;
  logic out_valid, out_last, out_brings;
  reply_t out_reply;
  status_e out_status;
  logic [W-1:0] out_data;
  memory_replies #(
      .Slots(Slots)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .owed_valid_i,
      .owed_i,
      .free_o(free),
      .next_id_o(next_id),
      .idle_o(unused_idle),
      .requester_i('0),
      .busy_requester_o(unused_busy),
      .r_valid_i,
      .r_i,
      .b_valid_i,
      .b_i,
      .read_valid_o(unused_read_valid),
      .read_data_o(unused_read_data),
      .read_failed_o(unused_read_failed),
      .write_done_o(unused_write_done),
      .atomic_i(1'b0),
      .atomic_done_i(1'b0),
      .atomic_id_i('0),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_reply_o(out_reply),
      .out_status_o(out_status),
      .out_last_o(out_last),
      .out_brings_o(out_brings),
      .out_data_o(out_data)
  );

  function automatic logic is_read(input owed_t entry);
    return entry.status == StatusOk && entry.reply.op == OpRead;
  endfunction

  function automatic logic is_access(input owed_t entry);
    return entry.reply.op inside {OpRead, OpWrite, OpMasked} && entry.slots != '0 &&
        32'(entry.slots) <= (is_read(entry) ? Slots / 2 : 1);
  endfunction

  // By ID: the beats that a read still brings, the writes without an answer.
  logic [Slots-1:0][SlotBits:0] left_q;
  logic [Slots-1:0] writing_q;
  slot_t place, r_id, b_id;
  assign place = next_id[SlotBits-1:0];
  assign r_id = r_i.id[SlotBits-1:0];
  assign b_id = b_i.id[SlotBits-1:0];
  always_ff @(posedge clk_i) begin
    if (owed_valid_i) assume (is_access(owed_i) && owed_i.slots <= free);
    if (r_valid_i) assume (32'(r_i.id) < Slots && left_q[r_id] != '0 && r_i.last == (left_q[r_id] == ptr_t'(1)));
    if (b_valid_i) assume (32'(b_i.id) < Slots && writing_q[b_id]);
    if (owed_valid_i && is_read(owed_i)) left_q[place] <= ptr_t'(owed_i.slots);
    if (owed_valid_i && owed_i.status == StatusOk && !is_read(owed_i)) writing_q[place] <= 1'b1;
    if (r_valid_i) left_q[r_id] <= left_q[r_id] - 1'b1;
    if (b_valid_i) writing_q[b_id] <= 1'b0;
    if (rst) begin
      left_q <= '0;
      writing_q <= '0;
    end
  end

  // A cycle later the answers count: of each transaction where its next beat goes and the worst that was said, and what each
  // slot holds.
  logic r_valid_q, b_valid_q;
  read_t r_q;
  done_t b_q;
  slot_t r_id_q, b_id_q;
  logic [Slots-1:0][SlotBits-1:0] place_q;
  logic [Slots-1:0][1:0] said_q;
  logic [Slots-1:0][W-1:0] data_q;
  logic [Slots-1:0] filled_q;
  assign r_id_q = r_q.id[SlotBits-1:0];
  assign b_id_q = b_q.id[SlotBits-1:0];
  always_ff @(posedge clk_i) begin
    r_valid_q <= r_valid_i && !rst;
    r_q <= r_i;
    b_valid_q <= b_valid_i && !rst;
    b_q <= b_i;
    if (r_valid_q) begin
      place_q[r_id_q] <= place_q[r_id_q] + 1'b1;
      data_q[place_q[r_id_q]] <= r_q.data;
      filled_q[place_q[r_id_q]] <= 1'b1;
      if (r_q.resp > said_q[r_id_q]) said_q[r_id_q] <= r_q.resp;
    end
    if (b_valid_q) said_q[b_id_q] <= b_q.resp;
    if (owed_valid_i) begin
      place_q[place] <= place;
      said_q[place]  <= '0;
    end
    if (rst) filled_q <= '0;
  end

  logic [Slots-1:0][SlotBits:0] left;  // and those that count from the next cycle on
  logic [Slots-1:0] writing;
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    assign left[s] = left_q[s] + ptr_t'(r_valid_q && r_id_q == slot_t'(s));
    assign writing[s] = writing_q[s] || (b_valid_q && b_id_q == slot_t'(s));
  end

  // The oldest request, and the part of its reply that has not left.
  owed_t oldest;
  ptr_t owed;  // requests
  slot_t first, head;
  logic going, answered, leaves, fails;
  status_e status, status_q;
  assign oldest = u_dut.u_owed.out_data_o;
  assign owed = u_dut.u_owed.write_ptr_q - u_dut.u_owed.read_ptr_q;
  assign head = u_dut.head_q[SlotBits-1:0];
  assign first = head;  // while nothing of it has left
  slots_t sent;  // flits of the oldest reply
  assign sent = u_dut.number_q - 1'b1;
  assign going = sent != '0;
  assign answered = oldest.status != StatusOk || (left[first] == '0 && !writing[first]);
  always_comb begin
    status = oldest.status;
    if (oldest.status == StatusOk && said_q[first] == 2'd2) status = StatusSlave;
    if (oldest.status == StatusOk && said_q[first] == 2'd3) status = StatusDecode;
    if (going) status = status_q;
  end
  assign fails = status != StatusOk;
  assign leaves = (out_ready_i || !out_valid) && owed != '0 && (going || answered);

  typedef struct packed {
    reply_t reply;
    status_e status;
    logic last;
    logic brings;
  } leaving_t;
  leaving_t leaving_q;
  logic valid_q, holds_q;
  logic [W-1:0] leaving_data_q, held_q;
  logic [SlotBits+1:0] unanswered_q;  // requests whose reply has not been taken to its end
  always_ff @(posedge clk_i) begin
    if (leaves) status_q <= status;
    if (out_ready_i || !out_valid) begin
      valid_q <= leaves && !(going && fails);
      leaving_q <= '{
          reply: oldest.reply,
          status: status,
          last: fails || u_dut.number_q == oldest.slots,
          brings: !fails && oldest.reply.op == OpRead
      };
      leaving_data_q <= data_q[head];
    end
    unanswered_q <= unanswered_q + $bits(unanswered_q)'(owed_valid_i) - $bits(unanswered_q)'(out_valid && out_ready_i && out_last);
    holds_q <= out_valid && !out_ready_i && !rst;
    held_q <= out_data;
    if (rst) begin
      valid_q <= 1'b0;
      unanswered_q <= '0;
    end
  end

  // Every request, from the oldest on, with the slots that it has.
  logic [Slots-1:0] live, bad_entry, answers_wrong, data_wrong;
  ptr_t ends;
  logic [2*SlotBits+1:0] taken;  // slots of all, also of what has left
  always_comb begin
    live = '0;
    bad_entry = '0;
    answers_wrong = '0;
    data_wrong = '0;
    taken = '0;
    ends = u_dut.head_q - ptr_t'(sent);
    for (int unsigned i = 0; i < Slots; i++) begin
      if (ptr_t'(i) < owed) begin
        automatic owed_t entry = u_dut.u_owed.mem[slot_t'(u_dut.u_owed.read_ptr_q+ptr_t'(i))];
        automatic slot_t at = ends[SlotBits-1:0];
        automatic ptr_t come = ptr_t'(entry.slots) - left[at];
        automatic logic began = i == 0 && going;
        bad_entry[i] = !is_access(entry);
        if (!began) begin
          live[at] = 1'b1;
          if (is_read(entry)) begin
            answers_wrong[i] = writing[at] || 32'(left[at]) > 32'(entry.slots) ||
                u_dut.done_q[at] != (left[at] == '0) || u_dut.started_q[at] != (left[at] != '0 && come != '0) ||
                place_q[at] != slot_t'(at + slot_t'(come)) || (u_dut.started_q[at] && u_dut.next_slot[at] != place_q[at]) ||
                (come != '0 ? u_dut.r_errors[at] != said_q[at] : said_q[at] != '0);
          end else begin
            answers_wrong[i] = left[at] != '0 || u_dut.started_q[at] || (entry.status != StatusOk && writing[at]) ||
                u_dut.done_q[at] != !writing[at] ||
                (entry.status == StatusOk && !writing[at] && u_dut.b_errors[at] != said_q[at]);
          end
        end
        for (int unsigned j = 0; j < Slots / 2; j++) begin
          if (is_read(entry) && ptr_t'(j) < (began ? ptr_t'(entry.slots) : come)) data_wrong[i] |= !filled_q[slot_t'(at+slot_t'(j))];
        end
        ends += ptr_t'(entry.slots);
        taken += $bits(taken)'(entry.slots);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises.
      if (owed_valid_i) assert (left[place] == '0 && !writing[place]);
      assert (out_valid == valid_q);
      if (out_valid) assert ({out_reply, out_status, out_last, out_brings} == leaving_q);
      if (out_valid && out_brings) assert (out_data == leaving_data_q);
      if (holds_q) assert (out_data == held_q);
      assert (unanswered_q == $bits(unanswered_q)'(owed) + $bits(unanswered_q)'(out_valid && out_last) - $bits(unanswered_q)'(going && fails));

      // Invariants for the induction.
      assert (u_dut.r_valid_q == r_valid_q && u_dut.b_valid_q == b_valid_q && u_dut.r_q == r_q && u_dut.b_q == b_q);
      if (r_valid_q) assert (32'(r_q.id) < Slots && r_q.last == (left_q[r_id_q] == '0));
      if (b_valid_q) assert (32'(b_q.id) < Slots && !writing_q[b_id_q]);
      assert (32'(taken) <= Slots + 32'(sent));
      assert (ends == u_dut.tail_q && 32'(owed) <= Slots && bad_entry == '0 && answers_wrong == '0 && data_wrong == '0);
      assert (u_dut.going_q == going && (!going || (owed != '0 && sent < oldest.slots && u_dut.status_q == status_q)));
      for (int unsigned s = 0; s < Slots; s++) begin
        if (!live[s]) assert (left[s] == '0 && !writing[s] && !u_dut.done_q[s] && !u_dut.started_q[s]);
        assert (32'(left_q[s]) <= Slots / 2);
        if (filled_q[s]) assert (u_dut.u_data.mem[s] == data_q[s]);
      end
    end
  end
endmodule
