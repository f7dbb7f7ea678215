// SPDX-License-Identifier: Apache-2.0
// Proves admission, by induction, for queues that give back what they were given: cells and entries are conserved (what
// the tenants hold is what was accepted and not released), no packet is both accepted and dropped,
// a packet that may not enter is not accepted, one within its tenant's guarantee is accepted while a slot is free, and a slot has
// one holder.
module admission_proof
  import policy_pkg::*;
#(
    parameter int unsigned Entries = 4
) (
    input logic clk_i,
    input logic in_valid_i,
    input admission_request_t in_request_i,
    input rank_t in_rank_i,
    input logic in_beyond_i,
    input logic release_i,
    input logic [$clog2(Entries)-1:0] release_slot_i,
    input logic evict_ready_i,
    input cells_t free_cells_i[1],
    input cells_t guarantee_i,
    input logic [3:0] tail_valid_i
);
  localparam int unsigned Services = 2;
  localparam int unsigned Tenants = 2;
  localparam int unsigned SlotWidth = $clog2(Entries);

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  tenant_policy_t policy[Tenants];
  cells_t guarantee_q;
  always_ff @(posedge clk_i) begin
    guarantee_q <= guarantee_i;
  end
  always_comb begin
    if (!rst) assume (guarantee_i == guarantee_q);
    assume (guarantee_i <= 8);
  end
  assign policy[0] = '{rights: '1, cells: guarantee_i, entries: guarantee_i, limit: '0, inverse_weight: '0};
  assign policy[1] = '{rights: '1, cells: '0, entries: '0, limit: '0, inverse_weight: '0};

  // The memories are cleared first. Lossless messages are outside the accounts.
  logic [2:0] age_q;
  always_ff @(posedge clk_i) begin
    if (age_q != 3'd5) age_q <= age_q + 1'b1;
    if (rst) age_q <= '0;
  end
  logic in_valid;
  assign in_valid = in_valid_i && age_q == 3'd5;
  always_comb begin
    if (in_valid) assume (!in_request_i.lossless && in_request_i.cells <= 2 && in_request_i.channel == '0);
  end

  // The holders of slots.
  logic [Entries-1:0] held_q;
  admission_request_t holder_q[Entries];
  logic leave;
  admission_request_t leaver;
  assign leaver = holder_q[release_slot_i];
  assign leave = release_i && held_q[release_slot_i];

  logic accept, discard, evict_valid, arrival_valid, departure_valid, ample, unused_evicting;
  logic [SlotWidth-1:0] slot;
  logic [1:0] queue, evict_queue;
  fate_event_t arrival, departure;
  cells_t used_cells[Tenants];
  cells_t used_entries[Tenants];
  logic [1:0] tail_queue;
  rank_t overdue_rank[2];
  assign overdue_rank = '{default: '0};

  // An eviction leaves as what it asked for, or waits.
  logic [3:0] nonempty;
  always_comb begin
    nonempty = '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (held_q[e]) nonempty[{holder_q[e].service[0], holder_q[e].tenant[0]}] = 1'b1;
    end
  end

  admission #(
      .Services(Services),
      .Tenants(Tenants),
      .Entries(Entries),
      .Channels(1),
      .ChannelCells(16),
      .MaxPacketCells(2),
      .LosslessPackets(1)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .policy_i(policy),
      .headroom_i(cells_t'(2)),
      .circular_i('0),
      .in_valid_i(in_valid),
      .in_request_i,
      .in_rank_i,
      .in_beyond_i,
      .accept_o(accept),
      .slot_o(slot),
      .queue_o(queue),
      .discard_o(discard),
      .release_valid_i(leave),
      .release_evicted_i(1'b0),
      .release_slot_i,
      .release_service_i(leaver.service),
      .release_tenant_i(leaver.tenant),
      .release_cells_i(leaver.cells),
      .release_lossless_i(1'b0),
      .evict_valid_o(evict_valid),
      .evict_ready_i(evict_ready_i && evict_valid),
      .evict_queue_o(evict_queue),
      .free_cells_i,
      .nonempty_i(nonempty),
      .tail_valid_i(tail_valid_i & nonempty),
      .tail_overdue_i('0),
      .overdue_rank_i(overdue_rank),
      .tail_queue_o(tail_queue),
      .tail_rank_i(rank_t'(tail_queue)),
      .demand_i(1'b0),
      .ample_o(ample),
      .evicting_o(unused_evicting),
      .arrival_valid_o(arrival_valid),
      .arrival_event_o(arrival),
      .departure_valid_o(departure_valid),
      .departure_event_o(departure),
      .used_cells_o(used_cells),
      .used_entries_o(used_entries)
  );

  always_ff @(posedge clk_i) begin
    if (accept) begin
      held_q[slot]   <= 1'b1;
      holder_q[slot] <= in_request_i;
    end
    if (leave) held_q[release_slot_i] <= 1'b0;
    if (rst) held_q <= '0;
  end

  cells_t cells[Tenants];
  cells_t entries[Tenants];
  always_comb begin
    for (int unsigned t = 0; t < Tenants; t++) begin
      cells[t]   = '0;
      entries[t] = '0;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (held_q[e] && holder_q[e].tenant == tenant_t'(t)) begin
          cells[t]   += holder_q[e].cells;
          entries[t] += cells_t'(1);
        end
      end
    end
  end

  logic below;
  assign below = in_request_i.tenant == '0 && used_cells[0] + in_request_i.cells <= guarantee_i
      && used_entries[0] < guarantee_i;

  always_comb begin
    if (!rst) begin
      for (int unsigned t = 0; t < Tenants; t++) begin
        assert (used_cells[t] == cells[t]);
        assert (used_entries[t] == entries[t]);
      end
      assert (!(accept && discard));
      assert (!accept || !held_q[slot]);
      if (in_valid) begin
        assert (accept == (arrival.fate == Accepted));
        assert (accept || discard || in_request_i.overflow);
        if (in_request_i.bad || in_request_i.overflow || in_request_i.homeless || in_request_i.service >= 2 || in_request_i.tenant >= 2)
          assert (!accept);
        else begin
          if (!in_request_i.entitled) assert (!accept);
          else if (below && !in_beyond_i && held_q != '1) assert (accept);
        end
      end else assert (!accept && !discard);
    end
  end

  // Invariants for the induction. A slot is held, was never used, or is in the queue of those that came back.
  logic [Entries-1:0] found;
  logic twice;
  logic [SlotWidth:0] queued;
  logic [SlotWidth-1:0] back;
  always_comb begin
    found = held_q;
    twice = 1'b0;
    queued = u_dut.u_slots.u_back.write_ptr_q - u_dut.u_slots.u_back.read_ptr_q;
    for (int unsigned e = 0; e < Entries; e++) begin
      if ((SlotWidth + 1)'(e) >= u_dut.u_slots.fresh_q) begin
        twice |= found[e];
        found[e] = 1'b1;
      end
    end
    back = u_dut.u_slots.u_back.out_data_o;
    if (u_dut.u_slots.u_back.out_valid_q) begin
      twice |= found[back];
      found[back] = 1'b1;
    end
    for (int unsigned i = 0; i < Entries; i++) begin
      back = u_dut.u_slots.u_back.u_ram.mem[SlotWidth'(u_dut.u_slots.u_back.read_ptr_q+(SlotWidth+1)'(i))];
      if ((SlotWidth + 1)'(i) < queued) begin
        twice |= found[back];
        found[back] = 1'b1;
      end
    end
  end

  always_comb begin
    if (!rst) begin
      assert (!twice && found == '1 && u_dut.u_slots.fresh_q <= (SlotWidth + 1)'(Entries));
      assert (queued == '0 || u_dut.u_slots.u_back.out_valid_q);
      assert (32'(queued) < Entries);
      assert (32'(u_dut.u_slots.free_o) == Entries - $countones(held_q));
      for (int unsigned e = 0; e < Entries; e++) begin
        if (held_q[e]) assert (holder_q[e].service < 2 && holder_q[e].tenant < 2 && holder_q[e].cells <= 2);
      end
      assert (age_q <= 3'd5);
      assert (u_dut.u_victim.clearing_q == (age_q < 3'd4));
      if (age_q < 3'd4) assert (u_dut.u_victim.scan_q == age_q[1:0]);
      if (age_q != 3'd5) assert (held_q == '0);
    end
  end
endmodule
