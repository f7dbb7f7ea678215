// SPDX-License-Identifier: Apache-2.0
// Sends the requests for stream buffers in a tile of memory, and says of each reply what it is for: replies come in the order of the requests, of which up to
// Outstanding wait for theirs. The three askers take turns; each request has room for its reply, so replies are always taken.
//
// The bytes of connection c received from the peer are at base + 2 * c * Ring, in a ring of Ring bytes, and those to be sent to it are in
// the next ring.
module stream_requests
  import girih_pkg::*, stream_access_pkg::*;
#(
    parameter int unsigned Connections = 1024,
    parameter int unsigned Ring = 8192,
    parameter int unsigned Outstanding = 64
) (
    input logic clk_i,
    input logic rst_i,

    // A write, whose flits come one after the other, and reads.
    input  logic             write_valid_i,
    output logic             write_ready_o,
    input  request_t         write_i,
    input  logic             write_last_i,
    input  logic     [W-1:0] write_data_i,
    input  logic     [  1:0] read_valid_i,
    output logic     [  1:0] read_ready_o,
    input  request_t         read_i[2],

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input  logic  reply_in_valid_i,
    output logic  reply_in_ready_o,
    input  flit_t reply_in_flit_i,

    output logic     reply_valid_o,   // a flit of a reply
    output request_t reply_o,         // to this request,
    output place_t   reply_place_o,   // which has this place in the stream
    output logic     reply_last_o,
    output logic     reply_failed_o,
    output logic [W-1:0] reply_data_o,

    input  logic [27:0] base_i,  // the first page
    output logic made_o,
    output logic used_o,
    output logic failed_o
);
  localparam int unsigned RingBits = $clog2(Ring);
  localparam int unsigned IdBits = $clog2(Connections);

  // Choose; the flits of a write are not parted.
  logic open_q, ready, ask_valid, first, owed_ready;
  logic [2:0] asks, grant;
  request_t ask;
  assign asks = {read_valid_i, write_valid_i} & {3{owed_ready}};
  arbiter_round_robin #(
      .N(3)
  ) u_turns (
      .clk_i,
      .rst_i,
      .request_i(asks),
      .advance_i(ready && !open_q),
      .grant_o  (grant)
  );
  assign first = !open_q;
  assign ask_valid = open_q ? write_valid_i : |grant;
  assign write_ready_o = ready && (open_q || grant[0]);
  assign read_ready_o = {2{ready && !open_q}} & grant[2:1];
  assign ask = open_q || grant[0] ? write_i : grant[1] ? read_i[0] : read_i[1];
  always_ff @(posedge clk_i) begin
    if (write_valid_i && write_ready_o) open_q <= !write_last_i;
    if (rst_i) open_q <= 1'b0;
  end

  flit_t flit;
  logic [IdBits+RingBits:0] offset;  // from the base
  assign offset = {ask.piece.connection[IdBits-1:0], ask.piece.sent, ask.piece.addr[RingBits-1:0]};
  always_comb begin
    flit = '0;
    flit.desc.tenant = ask.piece.tenant;
    flit.desc.memory_op = ask.writes ? memory_access_pkg::OpWrite : memory_access_pkg::OpRead;
    flit.desc.memory_ordered = ask.ordered;
    flit.desc.memory_addr = {base_i, $clog2(memory_access_pkg::PageBytes)'(0)} + $bits(flit.desc.memory_addr)'(offset);
    flit.desc.memory_bytes = $bits(flit.desc.memory_bytes)'(ask.piece.bytes);
    flit.last = !ask.writes || write_last_i;
    flit.empty = '0;
    flit.data = write_data_i;
    // A write ends with its last byte.
    if (flit.last && ask.writes) flit.empty = EmptyWidth'(-(ask.piece.addr[EmptyWidth-1:0] + EmptyWidth'(ask.piece.bytes)));
  end
  skid_buffer #(
      .T(flit_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_valid_i (ask_valid),
      .in_ready_o (ready),
      .in_data_i  (flit),
      .out_valid_o,
      .out_ready_i,
      .out_data_o (out_flit_o)
  );

  // Replies.
  logic owed, replied, begins, fails;
  place_t place, place_q;  // of this flit of a reply, and of the next one
  request_t due;
  assign made_o = ask_valid && ready && first;
  fifo #(
      .T(request_t),
      .Depth(Outstanding)
  ) u_owed (
      .clk_i,
      .rst_i,
      .in_valid_i (made_o),
      .in_ready_o (owed_ready),
      .in_data_i  (ask),
      .out_valid_o(owed),
      .out_ready_i(replied),
      .out_data_o (due)
  );
  assign reply_in_ready_o = 1'b1;
  assign replied = reply_in_valid_i && reply_in_flit_i.last;
  assign begins = reply_in_valid_i && reply_in_flit_i.first;
  assign fails = begins && (memory_access_pkg::status_e'(reply_in_flit_i.desc.memory_status) != memory_access_pkg::StatusOk || reply_in_flit_i.bad);
  assign used_o = replied;
  assign place = reply_in_flit_i.first ? due.piece.addr[31:EmptyWidth] : place_q;
  always_ff @(posedge clk_i) begin
    if (reply_in_valid_i) place_q <= place + 1'b1;
    reply_valid_o <= reply_in_valid_i;
    reply_o <= due;
    reply_place_o <= place;
    reply_last_o <= reply_in_flit_i.last;
    reply_failed_o <= fails;
    reply_data_o <= reply_in_flit_i.data;
    failed_o <= fails;
    if (rst_i) begin
      reply_valid_o <= 1'b0;
      failed_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (owed || !reply_in_valid_i)
      else $error("stream_requests: a reply to no request");
    end
  end

  logic unused;
  assign unused = &{1'b0, reply_in_flit_i.desc, reply_in_flit_i.empty, ask.slot, ask.ends, ask.piece};
endmodule
