// SPDX-License-Identifier: Apache-2.0
// Proves virtqueue_split_used, by induction, as long as no write is refused or fails: the words of the elements are written once each, in the order
// of the chains, each in its slot and with its value. An index is written behind all elements that it covers, never between chains that belong
// together, and as soon as the ring is quiet it covers all that it may. The driver is asked after each index that has come to memory, and is
// interrupted exactly if its event index lies among the elements since the question before, or, without event indices, if it does not forbid it.
//
// Memory carries out writes in the order of their requests. The solver picks any index of the ring (m_i): what is shown of its element holds for all.
module virtqueue_split_used_proof
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned MostSize = 4,  // of the ring
    parameter int unsigned Hold = 2,
    parameter int unsigned Writes = 4  // most that wait, as in the design
) (
    input logic clk_i,
    input place_t place_i,
    input logic [15:0] m_i,
    input logic halt_i,
    input logic used_valid_i,
    input used_t used_i,
    input logic checked_i,
    input logic [15:0] said_i,
    input logic tell_i,
    input logic [15:0] tell_index_i,
    input logic ask_ready_i,
    input logic data_ready_i,
    input logic done_i
);
  typedef logic [15:0] index_t;
  typedef logic [16:0] words_t;  // {index, second half} of an element
  typedef enum logic [1:0] {
    OfElements,
    OfIndex,
    OfEvent
  } kind_e;
  typedef enum logic [1:0] {
    Gather,
    Elements,
    Index,
    Tell
  } state_e;  // of the design
  typedef struct packed {
    kind_e  kind;
    index_t index;
  } written_t;

  // Reset is as long as the design needs to compute its addresses.
  logic rst;
  logic [2:0] begins_q;
  initial begins_q = '1;
  always_ff @(posedge clk_i) begins_q <= begins_q >> 1;
  assign rst = begins_q[0];

  logic busy, used_ready, check, interrupt, declined, told, ask_valid, data_valid;
  stop_e stop;
  shown_t unused_shown;
  index_t index;
  ask_t ask;
  write_t data;
  virtqueue_split_used #(
      .Hold(Hold)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .place_i,
      .halt_i,
      .busy_o(busy),
      .stop_o(stop),
      .index_o(index),
      .used_valid_i,
      .used_ready_o(used_ready),
      .used_i,
      .check_o(check),
      .checked_i,
      .said_i,
      .interrupt_o(interrupt),
      .declined_o(declined),
      .shown_o(unused_shown),
      .tell_i,
      .tell_index_i,
      .told_o(told),
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .refused_i(1'b0),
      .data_valid_o(data_valid),
      .data_ready_i,
      .data_o(data),
      .done_i,
      .done_error_i(1'b0)
  );
  stream_check #(
      .T(used_t),
      .Assume(1'b1)
  ) u_used_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(used_valid_i),
      .ready_i(used_ready),
      .data_i(used_i)
  );
  stream_check #(
      .T(ask_t)
  ) u_ask_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(ask_valid),
      .ready_i(ask_ready_i),
      .data_i(ask)
  );
  stream_check #(
      .T(write_t)
  ) u_data_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(data_valid),
      .ready_i(data_ready_i),
      .data_i(data)
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
  addr_t elements_at, index_at, event_at;
  assign mask = place_i.size - 1'b1;
  assign elements_at = place_i.device + 4;
  assign index_at = place_i.device + 2;
  assign event_at = elements_at + addr_t'({place_i.size, 3'd0});
  always_comb assume (place_i.size inside {1, 2, 4, 8} && place_i.size <= index_t'(MostSize) && place_i.device[1:0] == '0);
  function automatic addr_t word_at(words_t word);
    word_at = elements_at + addr_t'({word[16:1] & mask, word[0], 2'd0});
  endfunction

  // The chains. A driver has offered no more than the ring's size beyond the index that it sees.
  index_t come_q, whole_q, shown_q;  // of the next chain; behind the last one that the driver may see; that was written last
  logic picked, takes, has_q, more_q;  // the picked chain is here; it has come, and is not written; it belongs together with the next
  logic [1:0][31:0] element, element_q;
  assign takes = used_valid_i && used_ready;
  assign picked = used_valid_i && come_q == m_i;
  assign element = picked ? {32'(used_i.bytes), 32'(used_i.chain.id)} : element_q;
  always_comb begin
    if (used_valid_i) assume (index_t'(come_q - shown_q) < place_i.size);
  end

  // A write is there when its address and its data are.
  logic asked_q, given_q, happens;
  ask_t ask_q, of;
  write_t data_q, bytes;
  kind_e kind;
  assign of = asked_q ? ask_q : ask;
  assign bytes = given_q ? data_q : data;
  assign happens = (asked_q || (ask_valid && ask_ready_i)) && (given_q || (data_valid && data_ready_i));
  assign kind = of.addr == index_at ? OfIndex : of.addr == event_at ? OfEvent : OfElements;
  logic [15:0] half;  // what it holds if it has two bytes
  always_comb begin
    half = '0;
    for (int unsigned b = 0; b < FlitBytes; b += 2) if (of.addr[EmptyWidth-1:0] == lane_t'(b)) half = bytes.data[8*b+:16];
  end

  // Words of elements in it, the first one written_q.
  words_t written_q, count;
  logic [FlitBytes/4-1:0] bad_word;
  logic writes_end;  // of the picked element
  assign count = words_t'(of.bytes >> 2);
  always_comb begin
    bad_word = '0;
    writes_end = 1'b0;
    for (int unsigned w = 0; w < FlitBytes / 4; w++) begin
      words_t word;
      lane_t lane;
      word = written_q + words_t'(w);
      lane = of.addr[EmptyWidth-1:0] + lane_t'(4 * w);
      if (words_t'(w) < count) begin
        if (word_at(word) != of.addr + addr_t'(4 * w)) bad_word[w] = 1'b1;
        if (word[16:1] == m_i && !(word[0] ? has_q : has_q || picked)) bad_word[w] = 1'b1;
        for (int unsigned b = 0; b < FlitBytes; b += 4) begin
          if (lane == lane_t'(b) && word[16:1] == m_i && bytes.data[8*b+:32] != element[word[0]]) bad_word[w] = 1'b1;
        end
        if (word == {m_i, 1'b1}) writes_end = 1'b1;
      end
    end
  end

  // Writes that have not ended, the oldest first; the index in memory; what the driver is asked.
  written_t [Writes-1:0] waiting_q;
  logic [$clog2(Writes):0] waits_q;
  index_t memory_q, asked_from_q, asked_to_q;
  logic question_q, telling_q;
  logic [3:0] quiet_q;  // cycles
  logic quiet;
  assign quiet = !used_valid_i && !halt_i && !ask_valid && !data_valid && !busy && !check && !question_q;
  always_comb begin
    if (done_i) assume (waits_q != '0);
    if (checked_i) assume (question_q);
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      come_q <= come_q + 1'b1;
      if (!used_i.more) whole_q <= come_q + 1'b1;
      if (come_q == m_i) begin
        has_q <= 1'b1;
        more_q <= used_i.more;
        element_q <= element;
      end
    end
    asked_q <= (asked_q || (ask_valid && ask_ready_i)) && !happens;
    given_q <= (given_q || (data_valid && data_ready_i)) && !happens;
    ask_q   <= of;
    data_q  <= bytes;
    if (happens) begin
      if (kind == OfIndex) shown_q <= half;
      if (kind == OfElements) begin
        written_q <= written_q + count;
        if (writes_end) has_q <= 1'b0;
      end
    end
    for (int unsigned i = 0; i < Writes; i++) begin
      if (done_i) waiting_q[i] <= waiting_q[i+1<Writes?i+1 : i];
      if (happens && 32'(waits_q) - 32'(done_i) == i) waiting_q[i] <= '{kind: kind, index: half};
    end
    waits_q <= waits_q + $bits(waits_q)'(happens) - $bits(waits_q)'(done_i);
    if (done_i && waiting_q[0].kind == OfIndex) memory_q <= waiting_q[0].index;
    if (check) begin
      asked_from_q <= asked_to_q;
      asked_to_q <= memory_q;
      question_q <= 1'b1;
    end else if (checked_i) question_q <= 1'b0;
    if (happens && kind == OfEvent) telling_q <= 1'b1;
    if (told) telling_q <= 1'b0;
    quiet_q <= !quiet ? '0 : quiet_q + 4'(quiet_q != '1);
    if (rst) begin
      come_q <= place_i.start;
      whole_q <= place_i.start;
      shown_q <= place_i.start;
      has_q <= 1'b0;
      asked_q <= 1'b0;
      given_q <= 1'b0;
      written_q <= {place_i.start, 1'b0};
      waits_q <= '0;
      memory_q <= place_i.start;
      asked_to_q <= place_i.start;
      question_q <= 1'b0;
      telling_q <= 1'b0;
      quiet_q <= '0;
    end
  end

  // The request to notify stays until it is in memory, and goes down then.
  logic tell_waits_q, tell_ends_q;
  index_t tell_index_q;
  always_ff @(posedge clk_i) begin
    tell_waits_q <= tell_i && !told && !rst;
    tell_ends_q  <= told && !rst;
    tell_index_q <= tell_index_i;
    if (tell_waits_q) assume (tell_i && tell_index_i == tell_index_q);
    if (tell_ends_q) assume (!tell_i);
  end

  // The bytes in the flit that is being filled, the first word written_q.
  words_t next_word, held;  // the word that is put next; those in the flit
  logic [FlitBytes/4-1:0] bad_held;
  assign next_word = {u_dut.index_q, u_dut.half_q};
  assign held = words_t'(u_dut.bytes_q >> 2);
  always_comb begin
    bad_held = '0;
    for (int unsigned w = 0; w < FlitBytes / 4; w++) begin
      words_t word;
      lane_t lane;
      word = written_q + words_t'(w);
      lane = u_dut.first_q[EmptyWidth-1:0] + lane_t'(4 * w);
      if (words_t'(w) < held) begin
        if (word_at(word) != u_dut.first_q + addr_t'(4 * w)) bad_held[w] = 1'b1;
        for (int unsigned b = 0; b < FlitBytes; b += 4) begin
          if (lane == lane_t'(b) && word[16:1] == m_i && u_dut.data_q[8*b+:32] != element[word[0]]) bad_held[w] = 1'b1;
        end
      end
    end
  end
  function automatic logic [FlitBytes-1:0] strobe(addr_t at, bytes_t number);
    strobe = FlitBytes'((1 << number) - 1) << at[EmptyWidth-1:0];
  endfunction
  index_t last_shown;  // by the writes that have not ended, or in memory
  logic waits_event;
  always_comb begin
    last_shown = memory_q;
    waits_event = 1'b0;
    for (int unsigned i = 0; i < Writes; i++) begin
      if (i < 32'(waits_q) && waiting_q[i].kind == OfIndex) last_shown = waiting_q[i].index;
      if (i < 32'(waits_q) && waiting_q[i].kind == OfEvent) waits_event = 1'b1;
    end
  end
  index_t open;  // elements that have come and are not covered by the index
  assign open = come_q - shown_q;

  always_ff @(posedge clk_i) begin
    assert (begins_q inside {3'd0, 3'd1, 3'd3, 3'd7});
    if (begins_q <= 3) assert (u_dut.mask_q == mask && u_dut.elements_q == elements_at && u_dut.index_at_q == index_at);
    if (begins_q <= 1) assert (u_dut.tell_at_q == event_at);
    if (!rst) begin
      // The promises.
      assert (stop == StopNone && index == shown_q);
      if (happens) begin
        assert (bytes.last && of.bytes != '0 && 32'(of.addr[EmptyWidth-1:0]) + 32'(of.bytes) <= FlitBytes && bytes.strb == strobe(of.addr, of.bytes));
        if (kind != OfElements) assert (of.bytes == 2);
        if (kind == OfElements) assert (of.bytes[1:0] == '0 && bad_word == '0);
        if (kind == OfIndex) begin
          assert (half != shown_q && index_t'(half - shown_q) <= index_t'(written_q[16:1] - shown_q));
          if (half == index_t'(m_i + 1'b1)) assert (!more_q);
        end
        if (kind == OfEvent) assert (tell_i && half == tell_index_i && !telling_q);
      end
      if (takes && picked) assert (!has_q);
      assert (told == (done_i && waiting_q[0].kind == OfEvent));
      if (told) assert (tell_i);
      if (check) assert (!question_q);
      assert ((interrupt || declined) == checked_i && !(interrupt && declined));
      assert (interrupt == (checked_i && (place_i.event_index ? index_t'(said_i - asked_from_q) < index_t'(asked_to_q - asked_from_q) : !said_i[0])));
      if (quiet && 32'(quiet_q) > Hold + 1) assert (shown_q == whole_q && written_q == {come_q, 1'b0} && !tell_waits_q);
      if (quiet) assert (memory_q == shown_q && asked_to_q == memory_q);

      // Invariants: the indices in their order.
      assert (come_q == u_dut.index_q && whole_q == u_dut.shown_q && shown_q == u_dut.written_q);
      assert (open <= place_i.size && index_t'(whole_q - shown_q) <= open && index_t'(written_q[16:1] - shown_q) <= open);
      assert (written_q + held == next_word);
      if (u_dut.half_q) assert (used_valid_i);
      assert (has_q == (index_t'(m_i - written_q[16:1]) < index_t'(come_q - written_q[16:1])));
      if (index_t'(m_i - shown_q) < open) assert (more_q || index_t'(m_i - shown_q) < index_t'(whole_q - shown_q));
      if (whole_q != shown_q && index_t'(m_i + 1'b1) == whole_q) assert (!more_q);

      // The flit that is being filled.
      assert (u_dut.state_q inside {Gather, Elements, Index, Tell});
      assert (u_dut.at_q == word_at(next_word) && bad_held == '0);
      if (u_dut.apart_q && held != '0) assert (!u_dut.half_q && (come_q & mask) == '0);
      if (held != '0) begin
        assert (32'(u_dut.first_q[EmptyWidth-1:0]) + 32'(u_dut.bytes_q) <= FlitBytes && u_dut.strobe_q == strobe(u_dut.first_q, u_dut.bytes_q));
        if (!u_dut.apart_q) assert (u_dut.at_q == u_dut.first_q + addr_t'(u_dut.bytes_q));
      end else assert (u_dut.strobe_q == '0);
      assert (u_dut.bytes_q[1:0] == '0);
      if (u_dut.state_q == Elements) assert (held != '0);
      if (u_dut.state_q inside {Index, Tell}) assert (held == '0);
      if (u_dut.state_q inside {Gather, Tell} && held == '0 && !u_dut.half_q) assert (shown_q == whole_q);
      assert (32'(u_dut.held_q) <= Hold);
      if (u_dut.state_q == Gather && held != '0) assert (u_dut.held_q >= quiet_q || 32'(u_dut.held_q) == Hold);
      if (quiet && 32'(quiet_q) > Hold) assert (held == '0);
      if (u_dut.state_q == Index) assert (!u_dut.half_q && whole_q != shown_q);
      if (u_dut.telling_q) assert (tell_waits_q);
      assert (asked_q == u_dut.asked_q && given_q == u_dut.given_q && !(asked_q && given_q));
      if (u_dut.state_q == Gather) assert (!asked_q && !given_q);
      if (asked_q) assert (ask_q == u_dut.ask_o);
      if (given_q) assert (data_q == u_dut.data_o);
      assert (u_dut.telling_q == (telling_q || u_dut.state_q == Tell) && !(telling_q && u_dut.state_q == Tell));

      // The writes that have not ended.
      assert (u_dut.waiting_q == 6'(waits_q) && waits_q == u_dut.u_order.write_ptr_q - u_dut.u_order.read_ptr_q);
      assert (32'(waits_q) + 32'(u_dut.state_q != Gather) + 32'(u_dut.state_q == Elements) <= Writes);
      for (int unsigned i = 0; i < Writes; i++) begin
        if (i < 32'(waits_q)) begin
          automatic logic [$clog2(Writes)-1:0] at = u_dut.u_order.read_ptr_q[$clog2(Writes)-1:0] + $clog2(Writes)'(i);
          assert (waiting_q[i].kind == (u_dut.u_order.mem[at].what == Index ? OfIndex : u_dut.u_order.mem[at].what == Tell ? OfEvent : OfElements));
          if (waiting_q[i].kind == OfIndex) assert (waiting_q[i].index == u_dut.u_order.mem[at].index);
          if (waiting_q[i].kind == OfEvent) assert (telling_q);
          for (int unsigned j = 0; j < i; j++) if (waiting_q[i].kind == OfEvent) assert (waiting_q[j].kind != OfEvent);
        end
      end
      assert (last_shown == shown_q && waits_event == telling_q);
      assert (u_dut.known_q == memory_q && u_dut.asked_to_q == asked_to_q && (!question_q || u_dut.asked_from_q == asked_from_q));
      assert (u_dut.checking_q == question_q && (u_dut.due_q || memory_q == asked_to_q));
    end
  end
endmodule
