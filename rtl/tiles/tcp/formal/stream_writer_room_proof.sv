// SPDX-License-Identifier: Apache-2.0
// Proves, by induction, that stream_writer has room for all words that come, however late its requests are taken, if a message is offered only while room_o
// is up, and never in the cycle behind another.
module stream_writer_room_proof
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic offers_i,
    input length_t offers_flits_i,
    input logic moves_i,
    input logic moves_last_i,
    input logic begins_i,
    input stretch_t range_i,
    input logic write_i,
    input seq_t addr_i,
    input logic [EmptyWidth:0] begin_i,
    input logic [EmptyWidth:0] end_i,
    input logic ask_ready_i
);
  logic rst, room;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );
  stream_writer #(
      .Connections(2),
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .clear_i(1'b0),
      .clear_index_i('0),
      .offers_i,
      .offers_flits_i,
      .moves_i,
      .moves_last_i,
      .room_o(room),
      .begins_i,
      .range_i,
      .write_i,
      .addr_i,
      .data_i('0),
      .begin_i,
      .end_i,
      .ask_valid_o(),
      .ask_ready_i,
      .ask_o(),
      .ask_last_o(),
      .ask_data_o()
  );

  // All flits that were offered move, a message with its last one; a cycle without a flit to be written follows a message with such flits.
  typedef logic [$clog2(2*Depth):0] count_t;
  count_t flits_q, messages_q;  // that have been offered, and have not moved
  logic offered_q, ended_q;
  always_ff @(posedge clk_i) begin
    flits_q <= flits_q + (offers_i ? count_t'(offers_flits_i) : '0) - count_t'(moves_i);
    messages_q <= messages_q + count_t'(offers_i) - count_t'(moves_i && moves_last_i);
    offered_q <= offers_i;
    ended_q <= write_i && moves_last_i;
    if (rst) begin
      flits_q <= '0;
      messages_q <= '0;
      offered_q <= 1'b0;
      ended_q <= 1'b0;
      assume (!write_i && !moves_i && !offers_i);
    end else begin
      if (offers_i) assume (room && !offered_q && offers_flits_i != '0 && 32'(offers_flits_i) <= MaxFrameFlits);
      assume (!write_i || (moves_i && !ended_q));
      if (moves_i) begin
        assume (flits_q != '0);
        if (!moves_last_i) assume (flits_q > messages_q);  // each of the others has a flit or more
        else if (messages_q == count_t'(1)) assume (flits_q == count_t'(1));
      end
    end
  end

  // A word comes for each flit that has moved, and one for the end of its message.
  logic [$clog2(Depth):0] in_ram;
  count_t words, pending;
  assign in_ram = u_dut.u_words.write_ptr_q - u_dut.u_words.read_ptr_q;
  assign words = count_t'(in_ram) + count_t'(u_dut.next_valid);
  assign pending = count_t'(u_dut.write_q) + count_t'(u_dut.last_q) + count_t'(u_dut.flush_q);
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (u_dut.stored || !u_dut.push);

      // Invariants for the induction.
      assert (flits_q >= messages_q && (messages_q != '0 || flits_q == '0));
      assert (u_dut.words_q == words && u_dut.coming_q == flits_q + messages_q && 32'(flits_q) + 32'(messages_q) <= Depth);
      assert (words + flits_q + messages_q + pending <= count_t'(Depth));
      if (room && !offered_q) assert (words + flits_q + messages_q + pending <= count_t'(Depth - MaxFrameFlits - 1));
      assert ((u_dut.write_q || !u_dut.last_q) && ended_q == u_dut.last_q);
    end
  end
endmodule
