// SPDX-License-Identifier: Apache-2.0
// Proves stream_writer, by induction. The bytes of all ranges that come are a sequence, and those that its requests write are the same:
//   - each byte that comes is written once, in order, at its number, and into the buffer of its range; nothing else is written;
//   - a request ends its range exactly if it has the range's last byte;
//   - no request is empty, or crosses the end of a piece; it has as many flits as its bytes take, and waits unchanged until it is taken;
//   - a range's first request, and no other, is ordered, and only if the last range of its buffer had another generation;
//   - once a message is over and no request has been offered for some cycles, all has been written.
// The solver chooses a byte, which is followed by its ordinal in the sequence, and a buffer.
//
// That there is room for the words is another proof, stream_writer_room_proof. Here they find room in a queue of a few, however late requests are taken.
module stream_writer_proof
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Connections = 2,
    parameter int unsigned Queue = 4  // words in the RAM of the queue, in the place of Depth
) (
    input logic clk_i,
    input logic clear_i,
    input logic [15:0] clear_index_i,
    input logic moves_i,
    input logic moves_last_i,
    input logic begins_i,
    input stretch_t range_i,
    input logic write_i,
    input seq_t addr_i,
    input logic [W-1:0] data_i,
    input logic [EmptyWidth:0] begin_i,
    input logic [EmptyWidth:0] end_i,
    input logic ask_ready_i,

    input logic track_i,
    input lane_t track_lane_i,
    input connection_t follow_connection_i,
    input logic follow_sent_i
);
  logic rst, ask_valid, ask_last;
  request_t ask;
  logic [W-1:0] ask_data;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );
  stream_writer #(
      .Connections(Connections)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .clear_i,
      .clear_index_i,
      .offers_i(1'b0),
      .offers_flits_i('0),
      .moves_i,
      .moves_last_i,
      .room_o(),
      .begins_i,
      .range_i,
      .write_i,
      .addr_i,
      .data_i,
      .begin_i,
      .end_i,
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .ask_last_o(ask_last),
      .ask_data_o(ask_data)
  );
  stream_check #(
      .T(logic [$bits(request_t)+W:0])
  ) u_ask_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(ask_valid),
      .ready_i(ask_ready_i),
      .data_i({ask, ask_last, ask_data})
  );

  localparam int unsigned MostBytes = MaxFrameFlits * FlitBytes;  // of a message
  typedef logic [$clog2(4*Queue*FlitBytes)-1:0] ordinal_t;  // of a byte in the sequences
  typedef logic [$clog2(Connections)-1:0] id_t;
  typedef logic [$clog2(2*Queue):0] count_t;

  // Each flit of a message with bytes to be written says which of its bytes those are, all of which are before the end of the message. A cycle without a
  // flit to be written follows the message.
  logic moving_q, writing_q, ended_q;  // there are flits to move; they are of such a message; the last of these has just moved
  seq_t next_addr_q;
  length_t start, stop, start_q, stop_q;  // the range, from the first byte of the next flit on
  stretch_t range_q, range;
  function automatic logic [EmptyWidth:0] in_flit(length_t bytes);
    return bytes > length_t'(FlitBytes) ? (EmptyWidth + 1)'(FlitBytes) : (EmptyWidth + 1)'(bytes);
  endfunction
  assign range = begins_i ? range_i : range_q;
  assign start = begins_i ? length_t'(seq_t'(range_i.addr - addr_i)) : start_q;
  assign stop = begins_i ? start + range_i.bytes : stop_q;
  always_ff @(posedge clk_i) begin
    ended_q <= write_i && moves_last_i;
    if (moves_i) begin
      moving_q  <= !moves_last_i;
      writing_q <= write_i;
    end
    if (write_i) begin
      range_q <= range;
      next_addr_q <= addr_i + seq_t'(FlitBytes);
      start_q <= start > length_t'(FlitBytes) ? start - length_t'(FlitBytes) : '0;
      stop_q <= stop > length_t'(FlitBytes) ? stop - length_t'(FlitBytes) : '0;
    end
    if (rst) begin
      moving_q <= 1'b0;
      ended_q  <= 1'b0;
      assume (!write_i && !begins_i && !moves_i);
    end else begin
      assume (!u_dut.push || u_dut.stored);  // there is room, as stream_writer_room_proof shows
      assume (!write_i || (moves_i && !ended_q));
      if (moves_i) assume (write_i == (moving_q ? writing_q : begins_i));
      if (begins_i) begin
        assume (write_i && !moving_q && range_i.bytes != '0 && 32'(range_i.bytes) <= MostBytes);
        assume (32'(seq_t'(range_i.addr - addr_i)) + 32'(range_i.bytes) <= MostBytes);
      end
      if (write_i) begin
        assume (begins_i || addr_i == next_addr_q);
        assume (begin_i == in_flit(start) && end_i == in_flit(stop));
        assume (!moves_last_i || stop <= length_t'(FlitBytes));
      end
    end
  end

  // The sequence that comes.
  typedef struct packed {
    ordinal_t ordinal;
    stretch_t range;
    seq_t addr;
    logic [7:0] value;
    logic last;  // of its range
  } byte_t;
  logic tracks, tracking_q, passes;
  ordinal_t given_q, written_q, ahead;
  length_t gives;
  byte_t byte_q;
  assign gives = write_i ? length_t'(end_i) - length_t'(begin_i) : '0;
  assign tracks = track_i && !tracking_q && write_i && (EmptyWidth + 1)'(track_lane_i) >= begin_i && (EmptyWidth + 1)'(track_lane_i) < end_i;
  always_ff @(posedge clk_i) begin
    given_q <= given_q + ordinal_t'(gives);
    if (passes) tracking_q <= 1'b0;
    if (tracks) begin
      tracking_q <= 1'b1;
      byte_q.ordinal <= given_q + ordinal_t'(track_lane_i) - ordinal_t'(begin_i);
      byte_q.range <= range;
      byte_q.addr <= addr_i + seq_t'(track_lane_i);
      byte_q.value <= data_i[8*track_lane_i+:8];
      byte_q.last <= stop == length_t'(track_lane_i) + 1'b1;
    end
    if (rst) begin
      given_q <= '0;
      tracking_q <= 1'b0;
    end
  end
  function automatic logic is_same_stream(stretch_t a, stretch_t b);
    return a.connection == b.connection && a.tenant == b.tenant && a.generation == b.generation && a.sent == b.sent;
  endfunction

  // The sequence that requests write: their bytes are those of words from an address on.
  logic open_q, leaves;  // a part of the request has left
  request_t opened_q, request;
  seq_t at_q, at;
  length_t rest_q, rest, here;
  function automatic length_t in_word(seq_t addr);
    return length_t'(FlitBytes) - length_t'(lane_t'(addr));
  endfunction
  assign request = open_q ? opened_q : ask;
  assign at = open_q ? at_q : ask.piece.addr;
  assign rest = open_q ? rest_q : ask.piece.bytes;
  assign here = rest < in_word(at) ? rest : in_word(at);
  assign leaves = ask_valid && ask_ready_i;
  assign ahead = byte_q.ordinal - written_q;
  assign passes = leaves && tracking_q && ahead < ordinal_t'(here);
  logic [2:0] quiet_q;
  logic first_q;  // no request of its range has left
  always_ff @(posedge clk_i) begin
    if (leaves) begin
      written_q <= written_q + ordinal_t'(here);
      opened_q <= request;
      open_q <= !ask_last;
      at_q <= at + seq_t'(in_word(at));
      rest_q <= rest - here;
      first_q <= ask_last && request.ends;
    end
    quiet_q <= ask_valid || write_i || (moving_q && writing_q) ? '0 : quiet_q == '1 ? '1 : quiet_q + 1'b1;
    if (rst) begin
      written_q <= '0;
      open_q <= 1'b0;
      first_q <= 1'b1;
      quiet_q <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst && ask_valid) begin
      if (!open_q) begin
        assert (ask.writes && ask.piece.bytes != '0);
        assert (32'(ask.piece.addr % PieceBytes) + 32'(ask.piece.bytes) <= PieceBytes);
      end
      assert (ask_last == (rest <= in_word(at)));
      assert (seq_t'(ask.piece.addr + seq_t'(ask.piece.bytes)) == seq_t'(at + seq_t'(rest)));  // it says in each flit where it ends
      assert (ordinal_t'(here) <= given_q - written_q);
      if (tracking_q && ahead < ordinal_t'(here)) begin
        assert (byte_q.addr == at + seq_t'(ahead));
        assert (ask_data[8*lane_t'(byte_q.addr)+:8] == byte_q.value);
        assert (is_same_stream(request.piece, byte_q.range));
        assert (byte_q.last == (request.ends && length_t'(ahead) + 1'b1 == rest));
      end
    end
    if (!rst && quiet_q >= 3'd4) assert (given_q == written_q);
  end

  // The generation of the last range of the buffer that is followed. Nothing is on its way while connections are cleared.
  id_t follow_q;
  logic follow_sent_q, cleared_q, has_left_q;
  generation_t generation_q;
  always_ff @(posedge clk_i) begin
    has_left_q <= leaves;
    if (leaves && !open_q && first_q && id_t'(ask.piece.connection) == follow_q && ask.piece.sent == follow_sent_q) generation_q <= ask.piece.generation;
    if (clear_i && id_t'(clear_index_i) == follow_q) begin
      cleared_q <= 1'b1;
      generation_q <= '0;
    end
    if (rst) begin
      follow_q <= id_t'(follow_connection_i);
      follow_sent_q <= follow_sent_i;
      cleared_q <= 1'b0;
      has_left_q <= 1'b0;
    end else begin
      // Until it is noted, the generation is in a register of its own.
      if (cleared_q) begin
        if (u_dut.noted_q && u_dut.noted_id_q == follow_q && u_dut.noted_sent_q == follow_sent_q) assert (u_dut.noted_generation_q == generation_q);
        else assert ((follow_sent_q ? u_dut.sent_by[follow_q] : u_dut.received_by[follow_q]) == generation_q);
      end
      assert (has_left_q || !u_dut.noted_q);
      if (clear_i) assume (given_q == written_q && !write_i && !has_left_q);
      if (ask_valid && !open_q && !first_q) assert (!ask.ordered);
      if (ask_valid && !open_q && first_q && cleared_q && id_t'(ask.piece.connection) == follow_q && ask.piece.sent == follow_sent_q) begin
        assert (ask.ordered == (ask.piece.generation != generation_q));
      end
    end
  end

  // Invariants for the induction. Words in the order of their age: the one that left last, up to two in the skid buffer, the head of the queue, those in its
  // RAM, of which one is the word that came last. Twins of the queue and the skid buffer have the ordinal of each word's first byte.
  typedef struct packed {
    stretch_t left;
    logic begins;
    logic [W-1:0] data;
  } word_t;
  typedef struct packed {
    ordinal_t ordinal;
    word_t word;
  } link_t;
  function automatic length_t bytes_of(stretch_t left);
    return left.bytes < in_word(left.addr) ? left.bytes : in_word(left.addr);
  endfunction
  function automatic logic is_next(link_t a, link_t b);
    is_next = b.ordinal == a.ordinal + ordinal_t'(bytes_of(a.word.left)) && b.word.begins == (a.word.left.bytes <= in_word(a.word.left.addr));
    if (!b.word.begins) begin
      is_next &= is_same_stream(a.word.left, b.word.left) && b.word.left.addr == a.word.left.addr + seq_t'(in_word(a.word.left.addr));
      is_next &= b.word.left.bytes == a.word.left.bytes - in_word(a.word.left.addr);
    end
  endfunction
  // The byte that is followed is so far behind the first one of this stretch, and in these data.
  function automatic logic is_byte(ordinal_t behind, stretch_t left, logic [W-1:0] data);
    return byte_q.addr == left.addr + seq_t'(behind) && is_same_stream(left, byte_q.range) && data[8*lane_t'(byte_q.addr)+:8] == byte_q.value
        && byte_q.last == (length_t'(behind) + 1'b1 == left.bytes);
  endfunction
  ordinal_t pushed_q;  // of the next word
  // A word, with so many words from it to the last one. Its bytes are before those of the next word.
  function automatic logic is_right(link_t a, count_t words);
    ordinal_t behind;
    behind = byte_q.ordinal - a.ordinal;
    is_right = a.word.left.bytes != '0 && 32'(a.word.left.bytes) <= MostBytes;
    is_right &= pushed_q - a.ordinal >= ordinal_t'(bytes_of(a.word.left)) && pushed_q - a.ordinal <= ordinal_t'(FlitBytes) * ordinal_t'(words);
    if (tracking_q && behind < ordinal_t'(bytes_of(a.word.left))) is_right &= is_byte(behind, a.word.left, a.word.data);
  endfunction

  logic twin_valid, twin_ready;
  ordinal_t twin_next, twin_head;
  fifo_block #(
      .T(ordinal_t),
      .Depth(Queue)
  ) u_ordinals (
      .clk_i,
      .rst_i(rst),
      .in_offer_i(u_dut.push),
      .in_valid_i(u_dut.push),
      .in_ready_o(),
      .in_data_i(pushed_q),
      .out_valid_o(twin_valid),
      .out_ready_i(twin_ready),
      .out_data_o(twin_next)
  );
  skid_buffer #(
      .T(ordinal_t)
  ) u_ordinals_head (
      .clk_i,
      .rst_i(rst),
      .in_valid_i(twin_valid),
      .in_ready_o(twin_ready),
      .in_data_i(twin_next),
      .out_valid_o(),
      .out_ready_i(ask_ready_i),
      .out_data_o(twin_head)
  );
  localparam int unsigned PtrBits = $clog2(Queue);
  typedef logic [PtrBits:0] ptr_t;
  link_t gone_q, last_q, head, skid, next;
  link_t [Queue-1:0] slot;
  logic [Queue-1:0][PtrBits-1:0] place;  // in the RAM's part of the queue, if there are so many
  logic any_gone_q, any_last_q, has_skid;
  ptr_t from, stored;
  assign from = u_dut.u_words.read_ptr_q;
  assign stored = u_dut.u_words.write_ptr_q - u_dut.u_words.read_ptr_q;
  assign has_skid = u_dut.u_head.gen_cut.skid_valid_q;
  assign head = {twin_head, u_dut.head};
  assign skid = {u_ordinals_head.gen_cut.skid_data_q, u_dut.u_head.gen_cut.skid_data_q};
  assign next = {twin_next, u_dut.next};
  for (genvar i = 0; i < int'(Queue); i++) begin : gen_slot
    assign slot[i] = {u_ordinals.u_ram.mem[i], u_dut.u_words.u_ram.mem[i]};
    assign place[i] = PtrBits'(i) - from[PtrBits-1:0];
  end
  always_ff @(posedge clk_i) begin
    if (leaves) begin
      gone_q <= head;
      any_gone_q <= 1'b1;
    end
    if (u_dut.push) begin
      last_q <= {pushed_q, u_dut.word};
      any_last_q <= 1'b1;
      pushed_q <= pushed_q + ordinal_t'(bytes_of(u_dut.left));
    end
    if (rst) begin
      any_gone_q <= 1'b0;
      any_last_q <= 1'b0;
      pushed_q <= '0;
    end
  end

  // The flit in the first register, and the bytes of earlier ones that wait for the rest of their word.
  seq_t addr_1_q;
  logic [EmptyWidth:0] begin_1_q, end_1_q;
  ordinal_t given_1_q, given_2, carried, behind_pushed, behind_1;
  logic [FlitBytes-1:0] placed_here, placed_next, carried_lanes;
  length_t here_1;
  always_ff @(posedge clk_i) begin
    addr_1_q  <= addr_i;
    begin_1_q <= begin_i;
    end_1_q   <= end_i;
    given_1_q <= given_q;
  end
  function automatic seq_t word_of(seq_t addr);
    return addr & ~seq_t'(FlitBytes - 1);
  endfunction
  stretch_t left;
  assign left = u_dut.left;
  assign here_1 = u_dut.write_q ? length_t'(end_1_q) - length_t'(begin_1_q) : '0;
  assign given_2 = u_dut.write_q ? given_1_q : given_q;
  assign carried = given_2 - pushed_q;
  assign behind_pushed = byte_q.ordinal - pushed_q;
  assign behind_1 = byte_q.ordinal - given_1_q;
  always_comb begin
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      placed_here[i] = i >= 32'(lane_t'(addr_1_q)) + 32'(begin_1_q) && i < 32'(lane_t'(addr_1_q)) + 32'(end_1_q);
      placed_next[i] = i + FlitBytes >= 32'(lane_t'(addr_1_q)) + 32'(begin_1_q) && i + FlitBytes < 32'(lane_t'(addr_1_q)) + 32'(end_1_q);
      carried_lanes[i] = i >= 32'(lane_t'(left.addr)) && i < 32'(lane_t'(left.addr)) + 32'(carried);
    end
  end

  count_t words;
  assign words = count_t'(stored) + count_t'(u_dut.next_valid);
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      // The twins.
      assert (u_ordinals.write_ptr_q == u_dut.u_words.write_ptr_q && u_ordinals.read_ptr_q == u_dut.u_words.read_ptr_q);
      assert (u_ordinals.full_q == u_dut.u_words.full_q && u_ordinals.ram_empty_q == u_dut.u_words.ram_empty_q);
      assert (u_ordinals.out_valid_q == u_dut.u_words.out_valid_q);
      if (u_dut.next_valid) assert (u_ordinals.bypassed_q == u_dut.u_words.bypassed_q);
      assert (u_ordinals_head.gen_cut.out_valid_q == u_dut.u_head.gen_cut.out_valid_q);
      assert (u_ordinals_head.gen_cut.skid_valid_q == u_dut.u_head.gen_cut.skid_valid_q);

      // The words.
      if (ask_valid) assert (is_right(head, words + count_t'(has_skid) + 1'b1) && head.ordinal == written_q);
      else assert (written_q == (u_dut.next_valid ? next.ordinal : pushed_q));
      if (ask_valid) assert (any_gone_q ? is_next(gone_q, head) : head.word.begins);
      if (has_skid) assert (is_right(skid, words + 1'b1) && is_next(head, skid));
      if (u_dut.next_valid) begin
        assert (is_right(next, words));
        if (has_skid) assert (is_next(skid, next));
        else if (ask_valid) assert (is_next(head, next));
        else assert (any_gone_q ? is_next(gone_q, next) : next.word.begins);
        if (stored != '0) assert (is_next(next, slot[PtrBits'(from)]));
        else assert (next == last_q);
      end else if (has_skid) begin
        assert (skid == last_q);
      end else if (ask_valid) begin
        assert (head == last_q);
      end else begin
        assert (any_gone_q == any_last_q && (!any_gone_q || gone_q == last_q));
      end
      for (int unsigned i = 0; i < Queue; i++) begin
        if (ptr_t'(place[i]) < stored) assert (is_right(slot[i], count_t'(stored) - count_t'(place[i])));
        if (ptr_t'(place[i]) + 1'b1 < stored) assert (is_next(slot[i], slot[(i+1)%Queue]));
        if (ptr_t'(place[i]) + 1'b1 == stored) assert (slot[i] == last_q);
      end
      if (ask_valid || u_dut.next_valid) assert (any_last_q);
      if (any_last_q) assert (pushed_q == last_q.ordinal + ordinal_t'(bytes_of(last_q.word.left)));
      else assert (!any_gone_q && pushed_q == '0);
      assert (ordinal_t'(given_q - pushed_q) <= ordinal_t'(2 * FlitBytes));
      if (tracking_q) assert (ahead < given_q - written_q);
      if (any_gone_q) begin
        assert (written_q == gone_q.ordinal + ordinal_t'(bytes_of(gone_q.word.left)));
        assert (open_q == (rest_q != '0) && first_q == (!open_q && gone_q.word.left.bytes <= in_word(gone_q.word.left.addr)));
        assert (at_q == gone_q.word.left.addr + seq_t'(in_word(gone_q.word.left.addr)));
        if (open_q) begin
          assert (rest_q == stream_access_pkg::piece_of(gone_q.word.left) - bytes_of(gone_q.word.left));
          assert (opened_q.ends == (gone_q.word.left.bytes == stream_access_pkg::piece_of(gone_q.word.left)) && is_same_stream(opened_q.piece, gone_q.word.left));
          assert (length_t'(u_dut.flits_q) == (rest_q + length_t'(FlitBytes - 1)) >> EmptyWidth);
        end
      end else begin
        assert (written_q == '0 && !open_q && first_q);
      end
      assert (u_dut.open_q == open_q);

      // What has come, and is in no word yet.
      if (u_dut.write_q) begin
        assert (begin_1_q <= end_1_q && end_1_q <= (EmptyWidth + 1)'(FlitBytes) && given_q == given_1_q + ordinal_t'(here_1));
        assert (u_dut.placed_q.here == placed_here && u_dut.placed_q.next == placed_next);
        if (here_1 != '0) assert (addr_1_q + seq_t'(begin_1_q) == left.addr + seq_t'(carried));
        if (carried != '0) assert (word_of(addr_1_q) == word_of(left.addr));
        if (end_1_q < (EmptyWidth + 1)'(FlitBytes) || u_dut.last_q) assert (left.bytes == length_t'(carried) + here_1);
        if (moving_q) assert (next_addr_q == addr_1_q + seq_t'(FlitBytes));
        if (tracking_q && behind_1 < ordinal_t'(here_1)) assert (is_byte(behind_pushed, left, u_dut.data_q));
      end else begin
        assert (!u_dut.last_q && !u_dut.begins_q);
      end
      assert (u_dut.carried_q == carried_lanes && 32'(carried) + 32'(lane_t'(left.addr)) <= FlitBytes);
      if (tracking_q && behind_pushed < carried) assert (is_byte(behind_pushed, left, u_dut.carry_q));
      if (u_dut.flush_q) assert (!u_dut.write_q && left.bytes == length_t'(carried));
      if (u_dut.begins_q || !(moving_q && writing_q || u_dut.write_q || u_dut.flush_q)) begin
        assert (carried == '0 && (!any_last_q || (u_dut.left_q.bytes == '0 && !u_dut.starts_q)));
      end
      if (any_last_q && !u_dut.starts_q) begin
        assert (u_dut.left_q.addr == last_q.word.left.addr + seq_t'(in_word(last_q.word.left.addr)));
        assert (u_dut.left_q.bytes == last_q.word.left.bytes - bytes_of(last_q.word.left));
        assert (is_same_stream(u_dut.left_q, last_q.word.left));
      end
      if (any_last_q && (u_dut.starts_q || u_dut.begins_q)) assert (last_q.word.left.bytes <= in_word(last_q.word.left.addr));
      if (u_dut.begins_q) assert (!u_dut.flush_q && (!any_last_q || !u_dut.starts_q));
      if (moving_q && writing_q || u_dut.write_q || u_dut.flush_q) begin
        assert (u_dut.begins_q || u_dut.starts_q || any_last_q);
        assert (is_same_stream(left, range_q) && 32'(left.bytes) <= MostBytes);
        if (u_dut.starts_q) assert (left.bytes != '0);
      end
      if (u_dut.begins_q) assert (left.bytes != '0);
      if (u_dut.write_q) assert (u_dut.last_q == !moving_q && writing_q);
      if (moving_q && writing_q) begin
        assert (start_q <= stop_q && 32'(stop_q) <= MostBytes && left.bytes == length_t'(carried) + here_1 + stop_q - start_q);
        if (start_q != stop_q) assert (left.addr + seq_t'(carried) + seq_t'(here_1) == next_addr_q + seq_t'(start_q));
        if (start_q != '0) assert (carried == '0 && here_1 == '0);
        if (!u_dut.write_q && carried != '0) assert (word_of(next_addr_q) == word_of(left.addr));
      end
      if (ended_q) assert (u_dut.last_q);

      // The end.
      if (quiet_q != '0) assert (!u_dut.write_q && !(moving_q && writing_q));
      if (quiet_q >= 3'd2) assert (!u_dut.flush_q && given_q == pushed_q);
      if (quiet_q >= 3'd3) assert (!u_dut.next_valid || ask_valid);
    end
  end
endmodule
