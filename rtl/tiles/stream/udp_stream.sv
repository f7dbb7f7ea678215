// SPDX-License-Identifier: Apache-2.0
// Joins an engine with plain AXI4-Stream ports to UDP: the engine gets the payload of each datagram, aligned to byte 0,
// and its answer goes back to the sender in a datagram.
//
//   in -> udp_reply -> payload_window -> m_axis .. engine .. s_axis -> stream_answer -> payload_window -> out
//
// The engine gives one answer for each datagram, in order, at any time, even before the datagram has ended. An answer is stored
// until it is complete, because the headers before it hold its length. A void answer leaves as a void message of headers alone, and so
// does the answer to a void datagram. A datagram or an answer without bytes is one beat without tkeep.
// A datagram whose headers are longer than HeaderBytes is void.
module udp_stream
  import girih_pkg::*, compute_pkg::beat_t;
#(
    parameter int unsigned InFlight = 16,  // datagrams between input and output
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits)  // of answers
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output logic [         47:0] m_axis_tid,  // the sender: address, port

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tuser,

    output logic refused_o,   // a datagram was dropped: its sender would answer the answer
    output logic answered_o,
    output logic void_o       // an answer was void
);
  if (InFlight < 2 || InFlight > 64 || (InFlight & (InFlight - 1)) != 0) begin : gen_bad_in_flight
    $fatal(1, "udp_stream: InFlight is %0d; it must be a power of two from 2 to 64", InFlight);
  end

  localparam int unsigned HeaderBytes = 128;
  localparam int unsigned CountWidth = $clog2(InFlight + 1);
  typedef logic [CountWidth-1:0] count_t;

  // The reply to each datagram, with its headers turned round; at most InFlight of them from here to the output.
  logic reply_valid, reply_ready, reply_take, take, room_q;
  flit_t reply_flit;
  logic [47:0] peer;
  udp_reply #(
      .Cut(1'b1)
  ) u_reply (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(reply_valid),
      .out_ready_i(reply_ready),
      .out_flit_o (reply_flit),
      .out_peer_o (peer),
      .refused_o
  );

  logic window_valid, window_ready, out_end;
  count_t held_q, held;
  assign window_valid = reply_valid && (!reply_flit.first || room_q);
  assign reply_ready = window_ready && (!reply_flit.first || room_q);
  assign reply_take = reply_valid && reply_ready;
  assign take = reply_take && reply_flit.first;
  assign out_end = out_valid_o && out_ready_i && out_flit_o.last;
  assign held = held_q + count_t'(take) - count_t'(out_end);
  always_ff @(posedge clk_i) begin
    held_q <= held;
    room_q <= held != count_t'(InFlight);
    if (rst_i) begin
      held_q <= '0;
      room_q <= 1'b1;
    end
  end

  logic to_valid, to_ready, to_take, to_first_q, back_valid, back_ready, back_last, back_none, back_void;
  logic [W-1:0] back_data;
  logic [EmptyWidth-1:0] back_empty;
  descriptor_t to_desc, back_desc, out_desc;
  beat_t out_beat;
  payload_window #(
      .HeaderBytes(HeaderBytes),
      .InFlight(InFlight)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_beat_i('{bad: reply_flit.bad, last: reply_flit.last, empty: reply_flit.empty, data: reply_flit.data}),
      .in_desc_i(reply_flit.desc),  // it is read with the first flit
      .m_axis_tvalid(to_valid),
      .m_axis_tready(to_ready),
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_desc_o(to_desc),
      .s_axis_tvalid(back_valid),
      .s_axis_tready(back_ready),
      .s_axis_tdata(back_data),
      .s_empty_i(back_empty),
      .s_none_i(back_none),
      .s_axis_tlast(back_last),
      .s_axis_tuser(back_void),
      .s_desc_i(back_desc),
      .out_valid_o,
      .out_ready_i,
      .out_beat_o(out_beat),
      .out_desc_o(out_desc)
  );
  assign m_axis_tvalid = to_valid;
  assign to_ready = m_axis_tready;
  assign to_take = to_valid && to_ready;
  always_comb begin
    // The tile's sender sets `first`.
    out_flit_o = '{desc: out_desc, first: 1'b0, bad: out_beat.bad, last: out_beat.last, empty: out_beat.empty, data: out_beat.data};
    out_flit_o.desc.payload_sum_valid = 1'b0;
  end

  // Facts that bypass the engine in the order of the datagrams: the sender's address until the engine has the datagram, the descriptor until
  // it has answered, and whether the datagram is void until the answer leaves. There is room for all datagrams inside.
  logic peer_ready, asked_ready, asked_valid, end_ready, end_valid, end_void, asked_taken, end_taken, peer_valid;
  descriptor_t asked;
  fifo #(
      .T(logic [47:0]),
      .Depth(InFlight)
  ) u_peers (
      .clk_i,
      .rst_i,
      .in_valid_i(take),
      .in_ready_o(peer_ready),
      .in_data_i(peer),
      .out_valid_o(peer_valid),
      .out_ready_i(to_take && m_axis_tlast),
      .out_data_o(m_axis_tid)
  );
  fifo #(
      .T(descriptor_t),
      .Depth(InFlight)
  ) u_asked (
      .clk_i,
      .rst_i,
      .in_valid_i(to_take && to_first_q),
      .in_ready_o(asked_ready),
      .in_data_i(to_desc),
      .out_valid_o(asked_valid),
      .out_ready_i(asked_taken),
      .out_data_o(asked)
  );
  fifo #(
      .T(logic),
      .Depth(InFlight)
  ) u_ends (
      .clk_i,
      .rst_i,
      .in_valid_i(reply_take && reply_flit.last),
      .in_ready_o(end_ready),
      .in_data_i(reply_flit.bad),
      .out_valid_o(end_valid),
      .out_ready_i(end_taken),
      .out_data_o(end_void)
  );
  always_ff @(posedge clk_i) begin
    if (to_take) to_first_q <= m_axis_tlast;
    if (rst_i) to_first_q <= 1'b1;
  end

  stream_answer #(
      .InFlight(InFlight),
      .Flits(Flits)
  ) u_answer (
      .clk_i,
      .rst_i,
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tuser,
      .asked_valid_i(asked_valid),
      .asked_ready_o(asked_taken),
      .asked_i(asked),
      .end_valid_i(end_valid),
      .end_ready_o(end_taken),
      .end_void_i(end_void),
      .m_axis_tvalid(back_valid),
      .m_axis_tready(back_ready),
      .m_axis_tdata(back_data),
      .m_empty_o(back_empty),
      .m_none_o(back_none),
      .m_axis_tlast(back_last),
      .m_axis_tuser(back_void),
      .m_desc_o(back_desc),
      .void_o
  );

  assign answered_o = out_end && !out_flit_o.bad;

  // The cover points are those of the events of every kind with a stream. What waits for the output happens in the cycle after it was not ready.
  logic blocked_q;
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!take || peer_ready)
      else $error("udp_stream: more datagrams inside than there is room for");
      assert (!(to_take && to_first_q) || asked_ready)
      else $error("udp_stream: the engine has more datagrams than are inside");
      assert (!(reply_take && reply_flit.last) || end_ready)
      else $error("udp_stream: more ends than datagrams");
      assert (!m_axis_tvalid || peer_valid)
      else $error("udp_stream: a payload without its sender");
      full : cover (reply_valid && reply_flit.first && !room_q);
      refused : cover (refused_o);
      answered : cover (answered_o);
      void_answer : cover (void_o);
      refused_held_back : cover (refused_o && (blocked_q || !out_ready_i));
      answered_held_back : cover (answered_o && (blocked_q || !out_ready_i));
      void_answer_held_back : cover (void_o && (blocked_q || !out_ready_i));
    end
    blocked_q <= !rst_i && !out_ready_i;
  end
endmodule
