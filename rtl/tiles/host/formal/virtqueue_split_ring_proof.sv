// SPDX-License-Identifier: Apache-2.0
// Proves virtqueue_split_ring, by induction, with a driver that offers entries at any time, and a memory that carries out reads in order, each at any
// time between its request and its answer. The heads come out once and in order, each with the value that the driver had written before its index
// covered it, and no more of them than the index covers. Once the ring is quiet, all that were offered before the last look have come out, and
// with event indices memory holds the index at which the driver is to notify. What the driver says about interrupts is read after the question.
//
// The solver picks any index of the ring (m_i): what is shown of its entry holds for all. A slot whose entry is not offered, or has come out, holds
// anything.
module virtqueue_split_ring_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned MostSize = 4,  // of the ring
    parameter int unsigned Heads = 4  // as in the design
) (
    input logic clk_i,
    input place_t place_i,
    input logic [15:0] m_i,
    input logic [15:0] advance_i,  // of the driver's index
    input logic [15:0] value_i,  // of an entry that it writes
    input logic look_i,
    input logic check_i,
    input logic told_i,
    input logic ask_ready_i,
    input logic head_ready_i,
    input logic look_read_i,  // memory is read
    input logic ring_read_i,
    input logic [W-1:0] anything_i,
    input logic answer_i
);
  typedef logic [15:0] index_t;
  typedef struct packed {
    logic busy, read;  // requested and not answered; memory has been read
    ask_t ask;
    logic [W-1:0] data;
  } access_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic checked, tell, ask_valid, got, stop, head_valid;
  index_t said, tell_index, head;
  ask_t ask;
  split_read_e what, got_what;
  logic [W-1:0] got_data;
  virtqueue_split_ring u_dut (
      .clk_i,
      .rst_i(rst),
      .place_i,
      .look_i,
      .check_i,
      .checked_o(checked),
      .said_o(said),
      .tell_o(tell),
      .tell_index_o(tell_index),
      .told_i,
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .what_o(what),
      .got_i(got),
      .got_what_i(got_what),
      .got_data_i(got_data),
      .stop_o(stop),
      .head_valid_o(head_valid),
      .head_ready_i,
      .head_o(head)
  );

  // The queue and the picked index stay as they are.
  proof_constant #(
      .T(place_t)
  ) u_place (
      .clk_i,
      .value_i(place_i)
  );
  proof_constant #(
      .T(index_t)
  ) u_m (
      .clk_i,
      .value_i(m_i)
  );
  index_t mask;
  addr_t index_at, said_at, entries_at;
  assign mask = place_i.size - 1'b1;
  assign index_at = place_i.driver + 2;
  assign entries_at = place_i.driver + 4;
  assign said_at = place_i.event_index ? entries_at + addr_t'({place_i.size, 1'b0}) : place_i.driver;
  always_comb assume (place_i.size inside {1, 2, 4, 8} && place_i.size <= index_t'(MostSize) && !place_i.driver[0]);

  // The driver: never more than the ring's size beyond what has come out. It writes the picked entry again when its index passes it.
  index_t offered_q, given_q, value_q;
  logic pop, holds;  // the picked entry is offered and has not come out
  assign pop = head_valid && head_ready_i;
  assign holds = index_t'(m_i - given_q) < index_t'(offered_q - given_q);
  always_comb assume (advance_i <= place_i.size - index_t'(offered_q - given_q));
  always_ff @(posedge clk_i) begin
    if (index_t'(m_i - offered_q) < advance_i) value_q <= value_i;
    offered_q <= offered_q + advance_i;
    given_q   <= given_q + index_t'(pop);
    if (rst) begin
      offered_q <= place_i.start;
      given_q   <= place_i.start;
    end
  end

  // Memory: one read of the index or the flags, and one of entries.
  access_t look_q, ring_q;
  split_read_e look_what_q;
  logic look_older_q;  // of both
  logic look_first, look_reads, ring_reads, asks_look, asks_ring, got_look, got_ring;
  assign look_first = look_q.busy && (look_older_q || !ring_q.busy);
  assign look_reads = look_q.busy && !look_q.read && look_read_i && (look_first || ring_q.read);
  assign ring_reads = ring_q.busy && !ring_q.read && ring_read_i && (!look_first || look_q.read);
  assign asks_look = ask_valid && ask_ready_i && what != ReadEntries;
  assign asks_ring = ask_valid && ask_ready_i && what == ReadEntries;
  assign got_look = answer_i && look_first && look_q.read;
  assign got_ring = answer_i && !look_first && ring_q.busy && ring_q.read;
  assign got = got_look || got_ring;
  assign got_what = got_look ? look_what_q : ReadEntries;
  assign got_data = got_look ? look_q.data : ring_q.data;

  function automatic logic [W-1:0] contents(ask_t of);
    contents = anything_i;
    for (int unsigned h = 0; h < FlitBytes / 2; h++) begin
      if (2 * h < 32'(of.bytes)) begin
        if (of.addr + addr_t'(2 * h) == index_at) contents[16*h+:16] = offered_q;
        if (of.addr + addr_t'(2 * h) == entries_at + addr_t'({m_i & mask, 1'b0}) && holds) contents[16*h+:16] = value_q;
      end
    end
  endfunction
  always_ff @(posedge clk_i) begin
    if (look_reads) begin
      look_q.read <= 1'b1;
      look_q.data <= contents(look_q.ask);
    end
    if (ring_reads) begin
      ring_q.read <= 1'b1;
      ring_q.data <= contents(ring_q.ask);
    end
    if (got_look) look_q.busy <= 1'b0;
    if (got_ring) ring_q.busy <= 1'b0;
    if (asks_look) begin
      look_q <= '{busy: 1'b1, read: 1'b0, ask: ask, data: '0};
      look_what_q <= what;
      look_older_q <= !ring_q.busy || got_ring;
    end
    if (asks_ring) begin
      ring_q <= '{busy: 1'b1, read: 1'b0, ask: ask, data: '0};
      look_older_q <= look_q.busy && !got_look;
    end
    if (rst) begin
      look_q.busy <= 1'b0;
      ring_q.busy <= 1'b0;
    end
  end

  // What memory held when it was read, and what was asked for since.
  index_t look_offered_q, ring_offered_q;  // the driver's index
  logic ring_held_q;  // the picked entry
  index_t due_q;  // entries that were offered before the last look, and have not come out
  logic question_q, asked_q, heard_q;  // about interrupts: not answered; the read was requested after it; memory holds what was said
  index_t heard_said_q;
  index_t told_q;  // the index that memory holds
  logic was_told_q;
  logic [2:0] quiet_q;  // cycles
  logic quiet;
  logic says;  // this look reads what the driver says about interrupts
  assign says = look_q.ask.addr == said_at;
  assign quiet = !ask_valid && !look_q.busy && !ring_q.busy && !head_valid && !tell;
  always_comb begin
    if (check_i) assume (!question_q);
    if (told_i) assume (tell);
  end
  always_ff @(posedge clk_i) begin
    if (look_reads) begin
      look_offered_q <= offered_q;
      heard_q <= says;
    end
    if (ring_reads) begin
      ring_offered_q <= offered_q;
      ring_held_q <= holds;
    end
    due_q <= (look_i || told_i ? offered_q - given_q : due_q) - index_t'(pop && (look_i || told_i || due_q != '0));
    if (check_i) begin
      question_q <= 1'b1;
      asked_q <= 1'b0;
    end else if (checked) question_q <= 1'b0;
    if (asks_look && question_q) asked_q <= 1'b1;
    if (told_i) begin
      told_q <= tell_index;
      was_told_q <= 1'b1;
    end
    quiet_q <= !quiet ? '0 : quiet_q + 3'(quiet_q != '1);
    if (rst) begin
      due_q <= '0;
      question_q <= 1'b0;
      was_told_q <= 1'b0;
      quiet_q    <= '0;
    end
  end
  logic tell_waits_q;
  index_t tell_index_q;
  always_ff @(posedge clk_i) begin
    tell_waits_q <= tell && !told_i && !rst;
    tell_index_q <= tell_index;
  end

  // Entries between the next head and a stage.
  index_t in_heads, in_left, in_ring, mine;
  assign in_heads = index_t'(u_dut.u_heads.write_ptr_q - u_dut.u_heads.read_ptr_q) & index_t'(2 * Heads - 1);
  assign in_left = in_heads + index_t'(u_dut.left_q);
  assign in_ring = in_left + index_t'(u_dut.asked_q);  // if entries have been requested
  assign mine = m_i - given_q;
  function automatic logic is_mine(logic [W-1:0] entries, index_t at);
    is_mine = 1'b0;
    for (int unsigned h = 0; h < FlitBytes / 2; h++) if (index_t'(h) == at) is_mine = entries[16*h+:16] == value_q;
  endfunction
  // The room in a flit from an entry on, and in the ring.
  function automatic index_t room(addr_t at, index_t slot);
    room = index_t'(FlitBytes - 32'(at[EmptyWidth-1:0])) / 2;
    if (place_i.size - slot < room) room = place_i.size - slot;
  endfunction
  index_t base;
  assign base = given_q + in_left;  // of the entries that have been requested
  logic look_index;
  assign look_index = look_q.busy && look_what_q == ReadIndex;

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The promises.
      assert (!stop);
      if (head_valid) assert (offered_q != given_q);
      if (head_valid && m_i == given_q) assert (head == value_q);
      if (asks_ring) begin
        assert (!ring_q.busy || got_ring);
        assert (ask.bytes != '0 && 32'(ask.addr[EmptyWidth-1:0]) + 32'(ask.bytes) <= FlitBytes);
        assert (addr_t'(ask.addr - entries_at) + addr_t'(ask.bytes) <= addr_t'({place_i.size, 1'b0}));
      end
      if (asks_look) begin
        assert (!look_q.busy || got_look);
        assert (32'(ask.addr[EmptyWidth-1:0]) + 32'(ask.bytes) <= FlitBytes);
        assert (ask.addr == place_i.driver || ask.addr == index_at || ask.addr == said_at);
      end
      if (checked) assert (question_q && asked_q && got_look && heard_q && said == look_q.data[15:0]);
      if (tell_waits_q) assert (tell && tell_index == tell_index_q);
      if (quiet && quiet_q >= 3) assert (due_q == '0 && !question_q);
      if (quiet && quiet_q >= 4 && place_i.event_index) assert (was_told_q && told_q == given_q);

      // Invariants: the indices in their order.
      assert (index_t'(offered_q - given_q) <= place_i.size);
      assert (due_q <= index_t'(offered_q - given_q));
      assert (in_heads <= index_t'(Heads) && u_dut.left_q <= FlitBytes / 2);
      assert (u_dut.next_q == given_q + (u_dut.ring_q && !u_dut.guessed_q ? in_ring : in_left));
      assert (index_t'(u_dut.next_q - given_q) <= index_t'(offered_q - given_q));
      if (u_dut.known_q) assert (index_t'(u_dut.available_q - u_dut.next_q) <= index_t'(offered_q - u_dut.next_q));
      else assert (u_dut.next_q == given_q && given_q == place_i.start);

      // What is computed of them.
      assert (u_dut.fresh_q != 2'b10);
      if (u_dut.known_q) assert (u_dut.open_q <= place_i.size);
      if (u_dut.fresh_q[0]) begin
        assert (u_dut.open_q == (u_dut.known_q ? index_t'(u_dut.available_q - u_dut.next_q) : '0));
        assert (u_dut.to_end_q == place_i.size - (u_dut.next_q & mask));
        assert (u_dut.at_q == entries_at + addr_t'({u_dut.next_q & mask, 1'b0}));
      end
      if (u_dut.fresh_q[1]) begin
        assert (u_dut.none_q == (u_dut.open_q == '0) && u_dut.addr_q == u_dut.at_q);
        assert (u_dut.run_q != '0 && index_t'(u_dut.run_q) <= room(u_dut.addr_q, u_dut.next_q & mask) && (u_dut.none_q || index_t'(u_dut.run_q) <= u_dut.open_q));
        assert (u_dut.differs_q == (u_dut.told_q != u_dut.next_q || !u_dut.known_told_q) || u_dut.tell_q);
      end

      // What has been requested.
      assert (u_dut.said_at_q == said_at && u_dut.index_at_q == (u_dut.apart ? index_at : place_i.driver));
      assert (u_dut.looking_q == look_q.busy && u_dut.ring_q == (ring_q.busy || u_dut.came_q) && !(ring_q.busy && u_dut.came_q));
      if (look_q.busy) begin
        assert (look_what_q inside {ReadIndex, ReadFlags});
        assert (look_q.ask.bytes == (look_index && !u_dut.apart ? 4 : 2));
        assert (look_q.ask.addr == (!look_index ? said_at : u_dut.apart ? index_at : place_i.driver));
        if (u_dut.report_q) assert (says);
        if (look_q.read && look_index) assert ((u_dut.apart ? look_q.data[15:0] : look_q.data[31:16]) == look_offered_q);
        if (look_q.read && says) assert (heard_q);
        if (look_q.read) assert (index_t'(look_offered_q - u_dut.next_q) <= index_t'(offered_q - u_dut.next_q));
        if (look_q.read && u_dut.known_q) assert (index_t'(look_offered_q - u_dut.available_q) <= index_t'(offered_q - u_dut.available_q));
      end
      assert (question_q == (u_dut.check_q || (look_q.busy && u_dut.report_q)));
      if (look_q.busy && u_dut.report_q) assert (asked_q && !u_dut.check_q);
      if (u_dut.ring_q) begin
        assert (u_dut.asked_q != '0 && index_t'(u_dut.asked_q) <= room(entries_at + addr_t'({base & mask, 1'b0}), base & mask));
        if (u_dut.guessed_q) assert (u_dut.left_q == '0);
        if (u_dut.guessed_q && u_dut.came_q) assert (u_dut.fresh_q[0]);
      end
      if (u_dut.spent_q) assert (u_dut.left_q == '0);
      if (ring_q.busy) begin
        assert (ring_q.ask.addr == entries_at + addr_t'({base & mask, 1'b0}) && 32'(ring_q.ask.bytes) == 2 * 32'(u_dut.asked_q));
      end
      // An index that entries are taken by was read before them.
      if (u_dut.ring_q && u_dut.guessed_q && (u_dut.came_q || ring_q.read)) begin
        assert (index_t'(ring_offered_q - u_dut.next_q) <= index_t'(offered_q - u_dut.next_q));
        if (u_dut.known_q) assert (index_t'(u_dut.available_q - u_dut.next_q) <= index_t'(ring_offered_q - u_dut.next_q));
        if (ring_q.busy && look_first && look_q.busy) begin
          assert (look_q.read && index_t'(look_offered_q - u_dut.next_q) <= index_t'(ring_offered_q - u_dut.next_q));
        end
        if (mine >= in_left && mine < in_ring) assert (ring_held_q == (index_t'(m_i - u_dut.next_q) < index_t'(ring_offered_q - u_dut.next_q)));
      end
      if (ring_q.busy && look_q.busy && (look_first ? ring_q.read : look_q.read)) assert (look_first ? look_q.read : ring_q.read);

      // The picked entry.
      if (mine < in_heads) assert (u_dut.u_heads.mem[$clog2(Heads)'(index_t'(u_dut.u_heads.read_ptr_q)+mine)] == value_q);
      if (mine >= in_heads && mine < in_left) assert (is_mine(u_dut.entries_q, mine - in_heads));
      if (u_dut.ring_q && mine >= in_left && mine < in_ring) begin
        if (!u_dut.guessed_q) assert (holds);
        if ((u_dut.came_q || ring_q.read) && (ring_held_q || !u_dut.guessed_q)) assert (is_mine(u_dut.came_q ? u_dut.came_data_q : ring_q.data, mine - in_left));
      end

      // Nothing is forgotten.
      if (!u_dut.look_q) begin
        if (!look_index) assert (u_dut.known_q && due_q <= index_t'(u_dut.available_q - given_q));
        else if (look_q.read) assert (due_q <= index_t'(look_offered_q - given_q));
      end
      if (quiet && quiet_q >= 1) assert (!u_dut.came_q);
      if (quiet && quiet_q >= 2) assert (u_dut.left_q == '0 && u_dut.fresh_q[0]);
      if (quiet && quiet_q >= 3) assert (u_dut.fresh_q == 2'b11);
      if (u_dut.tell_q) assert (u_dut.known_told_q);
      else assert (u_dut.known_told_q == was_told_q && (!was_told_q || told_q == u_dut.told_q));
    end
  end
endmodule
