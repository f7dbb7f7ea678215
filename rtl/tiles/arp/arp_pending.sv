// SPDX-License-Identifier: Apache-2.0
// Holds messages that wait for the address of their neighbour: Slots neighbours, each with a part of one
// block RAM that is written and sent in order, so that no neighbour waits for another.
//
//   Free --open--> Wait --resolve--> Release --all sent--> Free
//                   |  \--request, Retries times more, every retry_cycles
//                   \--no answer--> Expire --all counted--> Free
//
// While no slot is free, a neighbour that has not answered two requests expires. Writing never
// waits: a message that does not fit, or turns out bad, is removed.
module arp_pending
  import girih_pkg::*, net_pkg::*, arp_types_pkg::*;
#(
    parameter int unsigned Slots = 4,
    parameter int unsigned Retries = 3
) (
    input logic clk_i,
    input logic rst_i,

    input logic [31:0] retry_cycles_i,

    // Slots that wait; combinational, at most one each
    input  neighbour_t       find_i,
    input  mac_t             find_requester_i,
    output logic [Slots-1:0] waiting_o,         // the slot that waits for it
    output logic             releasing_o,       // a slot is sending to it
    output logic             requester_o,       // this requester has a slot
    output logic [Slots-1:0] free_o,

    // A message will be written to a slot; open_new_i: to a free one. open_i may come late in the cycle, so offer_i is up
    // whenever it might come.
    input logic             offer_i,
    input logic             open_i,
    input logic             open_new_i,
    input logic [Slots-1:0] open_slot_i,
    input target_t          open_target_i,
    input mac_t             open_requester_i,  // the host that the message answers

    // Its flits
    input  logic             in_valid_i,
    input  logic [Slots-1:0] in_slot_i,
    input  flit_t            in_flit_i,
    output logic             full_o,      // pulse: it did not fit
    output logic             aborted_o,   // pulse: it was bad

    // The neighbour has answered
    input logic             resolve_i,
    input logic [Slots-1:0] resolve_slot_i,
    input mac_t             resolve_mac_i,

    output logic    request_valid_o,
    input  logic    request_ready_i,
    output target_t request_o,

    output logic  out_busy_o,  // there is something to send, now or soon
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output mac_t  out_mac_o,

    input  logic expire_hold_i,  // do not count now
    output logic expired_o       // pulse: one message was dropped
);
  if (Slots < 2 || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $fatal(1, "arp_pending: Slots is %0d; it must be a power of two, at least 2", Slots);
  end

  localparam int unsigned SlotFlits = MaxFrameFlits < 2 ? 2 : 1 << $clog2(MaxFrameFlits);
  localparam int unsigned PtrWidth = $clog2(SlotFlits);
  localparam int unsigned SlotWidth = $clog2(Slots);
  localparam int unsigned TryWidth = $clog2(Retries + 1);
  typedef logic [PtrWidth:0] ptr_t;
  typedef logic [SlotWidth-1:0] slot_t;

  typedef enum logic [1:0] {
    Free,
    Wait,
    Release,
    Expire
  } state_e;

  state_e state_q[Slots];
  target_t target_q[Slots];
  mac_t requester_q[Slots];
  mac_t mac_q[Slots];
  ptr_t fill_q[Slots];  // flits of whole messages
  ptr_t messages_q[Slots];
  logic [31:0] timer_q[Slots];
  logic [TryWidth-1:0] tries_q[Slots];

  logic [Slots-1:0] is_free, is_release, is_expire, doomed, asks_q, request_slot, drain_slot, expire_slot;
  function automatic logic [Slots-1:0] lowest(logic [Slots-1:0] set);
    lowest = set;
    for (int unsigned s = 1; s < Slots; s++) lowest[s] = set[s] && (set & ((Slots)'(1 << s) - 1'b1)) == '0;
  endfunction
  function automatic slot_t index(logic [Slots-1:0] one_hot);
    index = '0;
    for (int unsigned s = 0; s < Slots; s++) index |= one_hot[s] ? slot_t'(s) : '0;
  endfunction

  logic [Slots-1:0] released_match, requester_match, running;
  for (genvar s = 0; s < int'(Slots); s++) begin : gen_flags
    logic other, other_requester;
    any_set #(
        .Width(32)
    ) u_running (
        .bits_i(timer_q[s]),
        .any_o (running[s])
    );
    unequal #(
        .Width($bits(neighbour_t))
    ) u_other (
        .left_i   (target_q[s].neighbour),
        .right_i  (find_i),
        .unequal_o(other)
    );
    unequal #(
        .Width($bits(mac_t))
    ) u_other_requester (
        .left_i   (requester_q[s]),
        .right_i  (find_requester_i),
        .unequal_o(other_requester)
    );
    assign is_free[s] = state_q[s] == Free;
    assign is_release[s] = state_q[s] == Release;
    assign is_expire[s] = state_q[s] == Expire;
    assign doomed[s] = state_q[s] == Wait && !running[s]
        && (tries_q[s] == TryWidth'(Retries) || (tries_q[s] != '0 && is_free == '0));
    assign waiting_o[s] = state_q[s] == Wait && !doomed[s] && !other;
    assign released_match[s] = is_release[s] && !other;
    assign requester_match[s] = !is_free[s] && !other_requester;
  end
  assign requester_o = |requester_match;
  assign releasing_o = |released_match;
  assign free_o = lowest(is_free);
  assign request_slot = lowest(asks_q);
  assign drain_slot = lowest(is_release);
  assign expire_slot = lowest(is_expire);

  // Writing. The message being written extends past fill_q, which advances when the message is whole.
  logic appending_q;  // from open_i to the last flit
  logic overflow_q, overflow, keep;
  ptr_t write_q, write, filled;
  slot_t in_index;
  assign in_index = index(in_slot_i);
  always_comb begin
    filled = '0;
    for (int unsigned s = 0; s < Slots; s++) filled |= in_slot_i[s] ? fill_q[s] : '0;
  end
  assign write = in_flit_i.first ? filled : write_q;
  assign overflow = write[PtrWidth] || (!in_flit_i.first && overflow_q);  // SlotFlits, a power of two, is the most
  assign keep = in_valid_i && in_flit_i.last && !overflow && !in_flit_i.bad;
  assign aborted_o = in_valid_i && in_flit_i.last && in_flit_i.bad;
  assign full_o = in_valid_i && in_flit_i.last && overflow && !in_flit_i.bad;

  // Reading. The RAM's output register is the flit that is offered. Whether a slot is sending decides early in the cycle who has the
  // output, so it is worked out a cycle before.
  logic [Slots-1:0] release_d;
  logic releasing_q;
  logic draining_q, drain_start, drain_step, drain_end;
  slot_t drain_q, drain_next;
  ptr_t read_q;
  assign drain_start = !draining_q && |is_release;
  assign drain_next = draining_q ? drain_q : index(drain_slot);
  assign drain_step = draining_q && out_ready_i;
  assign drain_end = drain_step && read_q == fill_q[drain_q] - 1'b1;
  assign out_busy_o = releasing_q;
  assign out_valid_o = draining_q;
  assign out_mac_o = mac_q[drain_q];

  logic [PtrWidth-1:0] read_addr;
  assign read_addr = draining_q ? read_q[PtrWidth-1:0] + 1'b1 : '0;
  ram_simple_dual #(
      .T(flit_t),
      .Depth(Slots * SlotFlits)
  ) u_ram (
      .clk_i,
      .write_enable_i(in_valid_i && !overflow),
      .write_addr_i({in_index, write[PtrWidth-1:0]}),
      .write_data_i(in_flit_i),
      .read_enable_i(drain_start || (drain_step && !drain_end)),
      .read_addr_i({drain_next, read_addr}),
      .read_data_o(out_flit_o)
  );

  assign request_valid_o = |asks_q;
  always_comb begin
    request_o = '0;
    for (int unsigned s = 0; s < Slots; s++) request_o |= request_slot[s] ? target_q[s] : '0;
  end

  logic [Slots-1:0] expire_done;
  for (genvar s = 0; s < int'(Slots); s++) begin : gen_expire_done
    assign expire_done[s] = expire_slot[s] && messages_q[s] == '0;
  end
  assign expired_o = |expire_slot && expire_done == '0 && !expire_hold_i;

  for (genvar s = 0; s < int'(Slots); s++) begin : gen_slot
    logic open_new, resolve, kept;
    assign open_new = open_i && open_new_i && open_slot_i[s];
    assign resolve = resolve_i && resolve_slot_i[s] && state_q[s] == Wait;
    assign kept = keep && in_slot_i[s];
    assign release_d[s] = (resolve && fill_q[s] != '0) || (is_release[s] && !(drain_end && drain_q == slot_t'(s)));
    always_ff @(posedge clk_i) begin
      // The contents of a free slot have no meaning, so it loads every message.
      if (is_free[s]) begin
        if (offer_i) begin
          target_q[s] <= open_target_i;
          requester_q[s] <= open_requester_i;
          fill_q[s] <= '0;
          messages_q[s] <= '0;
        end
      end else if (kept) begin
        fill_q[s] <= write + 1'b1;
        messages_q[s] <= messages_q[s] + 1'b1;
      end else if (expired_o && expire_slot[s]) messages_q[s] <= messages_q[s] - 1'b1;
      if (resolve) mac_q[s] <= resolve_mac_i;

      if (request_ready_i && request_slot[s]) asks_q[s] <= 1'b0;
      if (running[s]) timer_q[s] <= timer_q[s] - 1'b1;
      unique case (state_q[s])
        Free: begin
          if (offer_i) begin
            timer_q[s] <= retry_cycles_i;
            tries_q[s] <= '0;
          end
          if (open_new) begin
            state_q[s] <= Wait;
            asks_q[s]  <= 1'b1;
          end
        end
        Wait:
        if (resolve) begin
          state_q[s] <= fill_q[s] == '0 ? Free : Release;
          asks_q[s]  <= 1'b0;
        end else if (doomed[s]) begin
          if (!(appending_q && in_slot_i[s])) begin
            state_q[s] <= Expire;
            asks_q[s]  <= 1'b0;
          end
        end else if (!running[s]) begin
          asks_q[s]  <= 1'b1;
          timer_q[s] <= retry_cycles_i;
          tries_q[s] <= tries_q[s] + 1'b1;
        end
        Release: if (drain_end && drain_q == slot_t'(s)) state_q[s] <= Free;
        Expire: if (expire_done[s]) state_q[s] <= Free;
      endcase
      if (rst_i) begin
        state_q[s] <= Free;
        asks_q[s]  <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      write_q <= overflow ? write : write + 1'b1;
      overflow_q <= overflow;
    end
    releasing_q <= |release_d;
    if (open_i) appending_q <= 1'b1;
    else if (in_valid_i && in_flit_i.last) appending_q <= 1'b0;

    if (drain_start) begin
      draining_q <= 1'b1;
      drain_q <= drain_next;
      read_q <= '0;
    end else if (drain_step) begin
      read_q <= read_q + 1'b1;
      draining_q <= !drain_end;
    end
    if (rst_i) begin
      releasing_q <= 1'b0;
      appending_q <= 1'b0;
      draining_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (releasing_q == |is_release);
      assert (!in_valid_i || (appending_q && state_q[in_index] == Wait))
      else $error("arp_pending: a message is written to a slot that does not wait");
      assert (!drain_end || out_flit_o.last)
      else $error("arp_pending: the messages of a slot end without a last flit");
    end
  end
endmodule
