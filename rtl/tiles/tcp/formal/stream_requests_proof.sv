// SPDX-License-Identifier: Apache-2.0
// Proves stream_requests, by induction, with 16 connections and four requests that wait for replies:
//   - each request of an asker that it takes becomes one message: to the place of its bytes within the ring of their connection and direction, and in no
//     other ring, for the tenant of the connection; a write has its own flits, one behind the other, and ends with its last byte; a read has no bytes;
//   - what leaves is what was made, once and in order (the followed one of all flits);
//   - each flit of a reply comes with the request that it answers, in the order of the requests (the followed one of all), with its place in the stream, and
//     with a failure if the memory told of one;
//   - a request is taken only if there is room for it among those that wait.
module stream_requests_proof
  import girih_pkg::*, tcp_types_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Connections = 16,
    parameter int unsigned Ring = 8192,
    parameter int unsigned Outstanding = 4
) (
    input logic clk_i,
    input logic write_valid_i,
    input request_t write_i,
    input logic write_last_i,
    input logic [W-1:0] write_data_i,
    input logic [1:0] read_valid_i,
    input request_t read_0_i,
    input request_t read_1_i,
    input logic out_ready_i,
    input logic reply_valid_i,
    input flit_t reply_flit_i,
    input logic [27:0] base_i,
    input logic follow_request_i,
    input logic follow_flit_i
);
  localparam int unsigned CountWidth = $clog2(Outstanding) + 1;
  localparam int unsigned PtrWidth = $clog2(Outstanding);
  typedef logic [CountWidth-1:0] count_t;

  logic rst, write_ready, out_valid, reply_valid, reply_last, reply_failed, made, used, failed;
  logic [1:0] read_ready;
  request_t reads[2];
  request_t reply;
  flit_t out_flit;
  place_t reply_place;
  logic [W-1:0] reply_data;
  assign reads[0] = read_0_i;
  assign reads[1] = read_1_i;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );
  stream_requests #(
      .Connections(Connections),
      .Ring(Ring),
      .Outstanding(Outstanding)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .write_valid_i,
      .write_ready_o(write_ready),
      .write_i,
      .write_last_i,
      .write_data_i,
      .read_valid_i,
      .read_ready_o(read_ready),
      .read_i(reads),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit),
      .reply_in_valid_i(reply_valid_i),
      .reply_in_ready_o(),
      .reply_in_flit_i(reply_flit_i),
      .reply_valid_o(reply_valid),
      .reply_o(reply),
      .reply_place_o(reply_place),
      .reply_last_o(reply_last),
      .reply_failed_o(reply_failed),
      .reply_data_o(reply_data),
      .base_i,
      .made_o(made),
      .used_o(used),
      .failed_o(failed)
  );

  // What the askers take as accepted, and the request and flit that it means.
  logic takes_write, takes, begins, writing_q;
  logic [1:0] takes_read;
  request_t taken;
  assign takes_write = write_valid_i && write_ready;
  assign takes_read = read_valid_i & read_ready;
  assign begins = takes && !writing_q;
  assign takes = takes_write || takes_read != '0;
  assign taken = takes_write ? write_i : takes_read[0] ? read_0_i : read_1_i;

  // The askers, and the memory.
  place_t come_q;  // flits of this reply that have come
  request_t write_q;
  function automatic logic is_piece(request_t request);
    return 32'(request.piece.connection) < Connections && request.piece.bytes != '0 && request.piece.bytes <= to_piece_end(request.piece.addr);
  endfunction
  count_t count, ahead;
  logic tracking;
  request_t tracked;
  always_ff @(posedge clk_i) begin
    if (takes_write) begin
      writing_q <= !write_last_i;
      write_q   <= write_i;
    end
    if (rst) writing_q <= 1'b0;
    assume (write_i.writes && !read_0_i.writes && !read_1_i.writes);
    assume (is_piece(write_i) && is_piece(read_0_i) && is_piece(read_1_i));
    assume (!writing_q || write_i == write_q);  // of all flits of a write
    assume ((64'(base_i) << 12) + 2 * Connections * Ring <= 64'd1 << 40);  // the buffers are within the memory
    assume (!reply_valid_i || count != '0);
    assume (!rst || !reply_valid_i);
    assume (!reply_valid_i || reply_flit_i.first == (come_q == '0));
    assume (!reply_valid_i || reply_flit_i.last || 32'(come_q) < PieceFlits);
  end

  // Requests and replies.
  order_track #(
      .T(request_t),
      .CountWidth(CountWidth)
  ) u_order (
      .clk_i,
      .rst_i(rst),
      .push_i(begins),
      .push_data_i(taken),
      .pop_i(reply_valid_i && reply_flit_i.last),
      .pop_data_i(u_dut.due),
      .track_i(follow_request_i),
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(tracked)
  );

  // Flits that leave.
  localparam int unsigned FlitCountWidth = 2;
  logic [FlitCountWidth-1:0] flits, flits_ahead;
  logic flit_tracking;
  flit_t flit;
  order_track #(
      .T(flit_t),
      .CountWidth(FlitCountWidth)
  ) u_flits (
      .clk_i,
      .rst_i(rst),
      .push_i(takes),
      .push_data_i(u_dut.flit),
      .pop_i(out_valid && out_ready_i),
      .pop_data_i(out_flit),
      .track_i(follow_flit_i),
      .count_o(flits),
      .tracking_o(flit_tracking),
      .ahead_o(flits_ahead),
      .data_o(flit)
  );

  // The place of the bytes in memory: two rings for each connection.
  longint unsigned ring, first;
  assign ring  = (64'(base_i) << 12) + (2 * 64'(taken.piece.connection) + 64'(taken.piece.sent)) * Ring;
  assign first = ring + 64'(taken.piece.addr) % Ring;
  logic [EmptyWidth:0] behind;  // of the last flit of a write: where its bytes end
  assign behind = (EmptyWidth + 1)'(FlitBytes) - (EmptyWidth + 1)'(u_dut.flit.empty);

  place_t place_was_q;
  request_t due_was_q;
  logic valid_was_q, last_was_q, failed_was_q;
  logic [W-1:0] data_was_q;
  always_ff @(posedge clk_i) begin
    if (reply_valid_i) come_q <= reply_flit_i.last ? '0 : come_q + 1'b1;
    due_was_q <= u_dut.due;
    place_was_q <= place_t'(u_dut.due.piece.addr >> EmptyWidth) + come_q;
    valid_was_q <= reply_valid_i && !rst;
    last_was_q <= reply_flit_i.last;
    data_was_q <= reply_flit_i.data;
    failed_was_q <= reply_valid_i && come_q == '0
        && (memory_access_pkg::status_e'(reply_flit_i.desc.memory_status) != memory_access_pkg::StatusOk || reply_flit_i.bad);
    if (rst) come_q <= '0;
    if (rst) failed_was_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert (3'(takes_write) + 3'(takes_read[0]) + 3'(takes_read[1]) <= 3'd1);
      assert (made == begins);
      if (writing_q) assert (takes_read == '0);
      if (begins) assert (count != count_t'(Outstanding));
      if (takes) begin
        assert (u_dut.flit.desc.memory_op == (taken.writes ? memory_access_pkg::OpWrite : memory_access_pkg::OpRead));
        assert (64'(u_dut.flit.desc.memory_addr) == first && first + 64'(taken.piece.bytes) <= ring + Ring);
        assert (32'(u_dut.flit.desc.memory_bytes) == 32'(taken.piece.bytes));
        assert (u_dut.flit.desc.tenant == taken.piece.tenant && u_dut.flit.desc.memory_ordered == taken.ordered);
        assert (u_dut.flit.last == (!taken.writes || write_last_i));
        if (taken.writes) assert (u_dut.flit.data == write_data_i);
        if (taken.writes && write_last_i) assert (EmptyWidth'(behind) == EmptyWidth'(64'(taken.piece.addr) + 64'(taken.piece.bytes)) && behind != '0);
      end
      assert (reply_valid == valid_was_q);
      assert (used == (reply_valid_i && reply_flit_i.last));
      if (valid_was_q) assert (reply_data == data_was_q && reply == due_was_q && reply_place == place_was_q && reply_last == last_was_q && reply_failed == failed_was_q && failed == failed_was_q);

      // What induction needs.
      assert (32'(come_q) <= PieceFlits && u_dut.open_q == writing_q);
      if (come_q != '0) assert (count != '0 && u_dut.place_q == place_t'(u_dut.due.piece.addr >> EmptyWidth) + come_q);
      assert (count <= count_t'(Outstanding) && count_t'(u_dut.u_owed.write_ptr_q - u_dut.u_owed.read_ptr_q) == count);
      if (tracking) assert (u_dut.u_owed.mem[PtrWidth'(u_dut.u_owed.read_ptr_q+ahead)] == tracked);
      assert (out_valid == (flits != '0) && u_dut.ready == (flits != 2'd2) && flits <= 2'd2);
      if (flit_tracking) assert ((flits_ahead == '0 ? u_dut.u_out.gen_cut.out_data_q : u_dut.u_out.gen_cut.skid_data_q) == flit);
    end
  end
endmodule
