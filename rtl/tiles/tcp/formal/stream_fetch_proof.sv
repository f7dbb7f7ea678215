// SPDX-License-Identifier: Apache-2.0
// Proves stream_fetch, by induction, with two slots. The solver chooses a message, and one of its bytes:
//   - its requests cover its bytes once, in order, in the pieces that a memory takes; the last one ends it; none is made before the writes that had
//     begun when it came, nor the first one if its bytes are void;
//   - it leaves once, as it came, when all of its replies are here: then the byte has been written into its slot, unless it says that its bytes have failed,
//     and it has failed only if a reply did or its bytes were void;
//   - nothing is written over the byte, and its slot is not given away, until its bytes have been read.
// Messages leave in the order in which they came, because their pointers do.
//
// Replies come in the order of the requests, of which a few wait for theirs, a flit at a time; one that has failed may have fewer flits.
// That a read of the slot returns what was written is proved by stream_memory_proof.
module stream_fetch_proof
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Slots = 2,
    parameter int unsigned Owed = 3  // requests that wait for replies, at most
) (
    input logic clk_i,
    input logic in_valid_i,
    input logic [7:0] in_item_i,
    input stretch_t in_range_i,
    input count_t begun_i,
    input count_t done_i,
    input logic ask_ready_i,
    input logic void_i,
    input logic reply_valid_i,
    input logic reply_last_i,
    input logic reply_failed_i,
    input logic out_ready_i,
    input logic released_i,

    input logic follow_i,  // the message that comes now
    input length_t byte_i  // of it
);
  localparam int unsigned Most = MaxFrameBytes;
  localparam int unsigned Ring = 1 << $clog2(Most + 2 * FlitBytes);
  typedef logic [$clog2(Slots)-1:0] slot_t;
  typedef logic [$clog2(Slots):0] ptr_t;
  typedef logic [7:0] item_t;

  logic rst, in_ready, ask_valid, out_valid, out_failed;
  request_t ask, due;
  place_t place;
  item_t out_item;
  stretch_t out_range;
  slot_t out_slot;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );
  stream_fetch #(
      .item_t(item_t),
      .Slots(Slots),
      .Most(Most)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_item_i,
      .in_range_i,
      .begun_i,
      .done_i,
      .ask_valid_o(ask_valid),
      .ask_ready_i,
      .ask_o(ask),
      .checks_o(),
      .void_i,
      .reply_valid_i,
      .reply_i(due),
      .reply_place_i(place),
      .reply_data_i('0),
      .reply_last_i,
      .reply_failed_i,
      .waits_o(),
      .waits_range_o(),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_item_o(out_item),
      .out_range_o(out_range),
      .out_slot_o(out_slot),
      .out_failed_o(out_failed),
      .released_i,
      .read_valid_i('0),
      .read_slot_i('0),
      .read_addr_i('0),
      .read_data_o()
  );

  // Requests that wait for replies, the oldest first, and how many flits of its reply have come.
  request_t owed_q[Owed];
  logic [$clog2(Owed+1)-1:0] owed_count_q;
  place_t come_q;
  logic asked, replied;
  place_t flits;
  assign due = owed_q[0];
  assign asked = ask_valid && ask_ready_i;
  assign replied = reply_valid_i && reply_last_i;
  assign place = place_t'(due.piece.addr >> EmptyWidth) + come_q;
  function automatic place_t flits_of(stretch_t piece);
    seq_t last;
    last = piece.addr + seq_t'(piece.bytes) - 1'b1;
    return place_t'(last[$bits(seq_t)-1:EmptyWidth] - piece.addr[$bits(seq_t)-1:EmptyWidth]) + 1'b1;
  endfunction
  assign flits = flits_of(due.piece);
  always_ff @(posedge clk_i) begin
    if (replied) begin
      for (int unsigned i = 0; i + 1 < Owed; i++) owed_q[i] <= owed_q[i+1];
    end
    if (asked) owed_q[32'(owed_count_q)-32'(replied)] <= ask;
    owed_count_q <= owed_count_q + ($bits(owed_count_q))'(asked) - ($bits(owed_count_q))'(replied);
    if (reply_valid_i) come_q <= reply_last_i ? '0 : come_q + 1'b1;
    if (rst) begin
      owed_count_q <= '0;
      come_q <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst) assume (!in_valid_i && !reply_valid_i);
    assume (32'(in_range_i.bytes) <= Most && (in_range_i.bytes == '0 || byte_i < in_range_i.bytes));
    assume (!ask_ready_i || 32'(owed_count_q) < Owed);
    assume (!reply_valid_i || owed_count_q != '0);
    assume (!reply_valid_i || (reply_failed_i && come_q == '0 && (reply_last_i || flits != place_t'(1))) || (!reply_failed_i && reply_last_i == (come_q + 1'b1 == flits)));
  end

  // The message that is followed, from when it comes until its bytes have been read.
  logic follows_q, written_q, covered_q, was_void_q, was_failed_q, left_q;  // covered: the writes before it are done; was_void: its bytes were, in the last cycle
  ptr_t ptr_q;
  slot_t slot;
  item_t item_q;
  stretch_t range_q;
  count_t after_q;
  length_t byte_q, asked_q, answered_q;  // of its bytes: those requested, and those of requests whose replies are over
  logic take, mine_asked, mine_replied, hits;
  seq_t addr;  // of the byte
  count_t to_come;
  assign slot = slot_t'(ptr_q);
  assign take = in_valid_i && in_ready;
  assign mine_asked = asked && follows_q && slot_t'(ask.slot) == slot;
  assign mine_replied = reply_valid_i && follows_q && slot_t'(due.slot) == slot;
  assign addr = range_q.addr + seq_t'(byte_q);
  assign hits = mine_replied && !reply_failed_i && place % (Ring / FlitBytes) == addr[$bits(seq_t)-1:EmptyWidth] % (Ring / FlitBytes);
  assign to_come = after_q - done_i;
  always_ff @(posedge clk_i) begin
    if (take && follow_i && !follows_q) begin
      follows_q <= 1'b1;
      ptr_q <= u_dut.tail_q;
      item_q <= in_item_i;
      range_q <= in_range_i;
      after_q <= begun_i;
      byte_q <= byte_i;
      asked_q <= '0;
      answered_q <= '0;
      written_q <= 1'b0;
      covered_q <= 1'b0;
      was_failed_q <= 1'b0;
      left_q <= 1'b0;
    end
    if (follows_q) begin
      if (to_come == '0 || to_come[$bits(to_come)-1]) covered_q <= 1'b1;
      if (mine_asked) asked_q <= asked_q + ask.piece.bytes;
      if (mine_replied && reply_last_i) answered_q <= answered_q + due.piece.bytes;
      if (hits) written_q <= 1'b1;
      if (mine_replied && reply_failed_i) was_failed_q <= 1'b1;
      if (u_dut.asking_q && u_dut.ask_q == ptr_q && u_dut.reached_q && was_void_q) was_failed_q <= 1'b1;
      if (out_valid && out_ready_i && u_dut.out_q == ptr_q) left_q <= 1'b1;
      if (left_q && released_i) follows_q <= 1'b0;
    end
    was_void_q <= u_dut.asking_q && u_dut.ask_q == ptr_q && void_i;
    if (rst) follows_q <= 1'b0;
  end

  // The promises.
  always_ff @(posedge clk_i) begin
    if (!rst && follows_q) begin
      if (mine_asked) begin
        assert (covered_q && u_dut.ask_q == ptr_q && (asked_q != '0 || !was_void_q));
        assert (ask.piece.addr == range_q.addr + seq_t'(asked_q) && ask.piece.bytes != '0 && asked_q + ask.piece.bytes <= range_q.bytes);
        assert (ask.piece.connection == range_q.connection && ask.piece.sent == range_q.sent && ask.piece.tenant == range_q.tenant);
        assert (ask.piece.addr / PieceBytes == (ask.piece.addr + seq_t'(ask.piece.bytes) - 1'b1) / PieceBytes);
        assert (ask.ends == (asked_q + ask.piece.bytes == range_q.bytes) && !ask.writes);
      end
      if (out_valid && out_slot == slot) begin
        assert (!left_q && out_item == item_q && out_range == range_q);
        assert (out_failed || range_q.bytes == '0 || written_q);
        assert (!out_failed || was_failed_q);
      end
      // It is written once.
      assert (!(hits && written_q));
      if (take) assert (slot_t'(u_dut.tail_q) != slot);
      if (mine_replied) assert (!left_q && u_dut.out_q != ptr_q + 1'b1);
    end
  end

  // What induction needs. Of the pointers:
  ptr_t used, left, done;
  assign used = u_dut.tail_q - u_dut.head_q;
  assign left = u_dut.out_q - u_dut.head_q;
  assign done = u_dut.ask_q - u_dut.head_q;
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (32'(used) <= Slots && left <= done && done <= used && left == ptr_t'(u_dut.using_q));
      assert (!u_dut.asking_q || done != used);
      assert (!u_dut.reached_q || u_dut.asking_q);
      for (int unsigned i = 0; i < Owed; i++) begin
        if (i < 32'(owed_count_q)) assert (owed_q[i].piece.bytes != '0 && 32'(owed_q[i].piece.bytes) <= PieceBytes);
      end
      assert (32'(owed_count_q) <= Owed && (come_q == '0 || (owed_count_q != '0 && come_q < flits)));
    end
  end
  // Of each slot: its requests that wait for replies.
  for (genvar s = 0; s < int'(Slots); s++) begin : gen_slot
    logic [Owed-1:0] waits, ends;
    logic [Owed:0] later;  // from this request on, there is one of the slot
    ptr_t at;
    always_comb begin
      at = ptr_t'(slot_t'(slot_t'(s) - slot_t'(u_dut.head_q)));
      later = '0;
      for (int i = Owed - 1; i >= 0; i--) begin
        waits[i] = i < int'(owed_count_q) && owed_q[i].slot == 4'(s);
        ends[i] = waits[i] && owed_q[i].ends;
        later[i] = later[i+1] || waits[i];
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst) begin
        if (at >= used || at > done || at < left || (at < done && u_dut.here_q[s])) assert (waits == '0);
        else if (at == done) assert (ends == '0 && (waits == '0 || (u_dut.asking_q && u_dut.opened_q)));
        else assert (waits != '0);
        if (at < left) assert (u_dut.here_q[s]);
        if (at < used && at >= done) assert (!u_dut.here_q[s]);
        for (int unsigned i = 0; i < Owed; i++) begin
          if (waits[i] && ends[i]) assert (!later[i+1]);
          if (at < done && waits[i] && !later[i+1]) assert (ends[i]);
        end
      end
    end
  end
  // Of the message that is followed.
  ptr_t mine;
  length_t sum[Owed+1];  // of its bytes, those answered and those of its requests before this one
  logic [Owed-1:0] of_mine;
  logic passed, answered;  // its requests are over; the flit of the byte has come
  length_t from_piece;
  always_comb begin
    mine = ptr_q - u_dut.head_q;
    passed = mine < done;
    sum[0] = answered_q;
    for (int unsigned i = 0; i < Owed; i++) begin
      of_mine[i] = i < 32'(owed_count_q) && owed_q[i].slot == 4'(slot);
      sum[i+1] = sum[i] + (of_mine[i] ? owed_q[i].piece.bytes : '0);
    end
    answered = byte_q < answered_q;
    from_piece = length_t'(addr[$bits(seq_t)-1:EmptyWidth] - due.piece.addr[$bits(seq_t)-1:EmptyWidth]);
    if (of_mine[0] && !answered && byte_q < sum[1]) answered = place_t'(from_piece) < come_q;
  end
  always_ff @(posedge clk_i) begin
    if (!rst && follows_q) begin
      assert (mine < used && left_q == (mine < left));
      assert (u_dut.ranges[slot] == range_q && u_dut.items[slot] == item_q && u_dut.after[slot] == after_q && 32'(range_q.bytes) <= Most);
      assert (asked_q == sum[Owed] && answered_q <= asked_q && asked_q <= range_q.bytes);
      for (int unsigned i = 0; i < Owed; i++) begin
        if (of_mine[i]) begin
          assert (owed_q[i].piece.addr == range_q.addr + seq_t'(sum[i]) && owed_q[i].piece.bytes != '0);
          assert (owed_q[i].piece.bytes == piece_of(owed_q[i].piece) && sum[i+1] <= range_q.bytes);
          assert (sum[i+1] == range_q.bytes || owed_q[i].piece.bytes == to_piece_end(owed_q[i].piece.addr));
        end
      end
      if (asked_q != '0 && asked_q != range_q.bytes) assert ((range_q.addr + seq_t'(asked_q)) % PieceBytes == '0);
      if (answered_q != '0 && answered_q != range_q.bytes) assert ((range_q.addr + seq_t'(answered_q)) % PieceBytes == '0);
      if (mine == done && u_dut.asking_q) begin
        assert (u_dut.range_q == {range_q.connection, range_q.tenant, range_q.generation, range_q.sent, range_q.addr + seq_t'(asked_q), range_q.bytes - asked_q});
        assert (u_dut.opened_q == (asked_q != '0) && (asked_q == '0 || asked_q != range_q.bytes));
        assert (!u_dut.reached_q || (covered_q && u_dut.void_q == was_void_q));
      end
      if (mine > done || (mine == done && !u_dut.asking_q)) assert (asked_q == '0);
      if (passed) assert (asked_q == range_q.bytes || (asked_q == '0 && u_dut.failed_q[slot] && u_dut.here_q[slot]));
      assert (!u_dut.failed_q[slot] || was_failed_q);
      if (range_q.bytes != '0) assert (byte_q < range_q.bytes && (written_q ? answered : (!answered || u_dut.failed_q[slot])));
      else assert (!written_q);
    end
  end
endmodule
