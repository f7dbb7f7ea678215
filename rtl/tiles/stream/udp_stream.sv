// SPDX-License-Identifier: Apache-2.0
// Joins an engine with plain AXI4-Stream ports to UDP: the engine gets the payload of each datagram, aligned to byte 0,
// and what it answers goes back to the sender in a datagram.
//
//   in -> reply -> payload window -> m_axis .. engine .. s_axis -> store -> payload window -> out
//
// The engine gives one answer for each datagram, in order, when it likes: also before the datagram has ended. An answer is stored
// until it is complete, since its length is in the headers before it. It is void if the engine says so (s_axis_tuser with
// its last beat), if it is longer than a frame of the card has room for, or if its tkeep has holes, lacks bytes before the last beat, or is 0
// in a last beat behind others. A void answer leaves as a void message of headers alone, and so does
// the answer to a void datagram. A datagram or an answer without bytes is one beat without tkeep.
// A datagram whose headers are longer than HeaderBytes is void.
module udp_stream
  import girih_pkg::*, axis_pkg::*, compute_pkg::beat_t;
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
  localparam int unsigned BeatWidth = $clog2(MaxFrameFlits + 1);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [BeatWidth-1:0] beats_t;

  // The reply to each datagram, with its headers turned round; at most InFlight of them from here to the output.
  typedef struct packed {
    logic first;
    logic [47:0] peer;
    flit_t flit;
  } reply_t;
  logic turned_valid, turned_ready, reply_valid, reply_ready, reply_first, reply_take, take, room_q;
  reply_t turned, reply;
  flit_t reply_flit;
  logic [47:0] peer;
  udp_reply u_reply (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(turned_valid),
      .out_ready_i(turned_ready),
      .out_flit_o (turned.flit),
      .out_first_o(turned.first),
      .out_peer_o (turned.peer),
      .refused_o
  );
  skid_buffer #(
      .T(reply_t)
  ) u_turned (
      .clk_i,
      .rst_i,
      .in_valid_i(turned_valid),
      .in_ready_o(turned_ready),
      .in_data_i(turned),
      .out_valid_o(reply_valid),
      .out_ready_i(reply_ready),
      .out_data_o(reply)
  );
  assign {reply_first, peer, reply_flit} = reply;

  logic window_valid, window_ready, out_end;
  descriptor_t desc, desc_q;
  count_t held_q, held;
  assign window_valid = reply_valid && (!reply_first || room_q);
  assign reply_ready = window_ready && (!reply_first || room_q);
  assign reply_take = reply_valid && reply_ready;
  assign take = reply_take && reply_first;
  assign out_end = out_valid_o && out_ready_i && out_flit_o.last;
  assign desc = reply_first ? reply_flit.desc : desc_q;
  assign held = held_q + count_t'(take) - count_t'(out_end);
  always_ff @(posedge clk_i) begin
    if (take) desc_q <= reply_flit.desc;
    held_q <= held;
    room_q <= held != count_t'(InFlight);
    if (rst_i) begin
      held_q <= '0;
      room_q <= 1'b1;
    end
  end

  typedef struct packed {
    descriptor_t desc;
    logic last;
    logic void_;
    logic [FlitBytes-1:0] keep;
    logic [W-1:0] data;
  } back_t;
  logic to_valid, to_ready, to_take, to_first_q, back_valid, back_ready;
  descriptor_t to_desc, out_desc;
  beat_t out_beat;
  back_t back;
  payload_window #(
      .HeaderBytes(HeaderBytes),
      .InFlight(InFlight)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_beat_i('{bad: reply_flit.bad, last: reply_flit.last, empty: reply_flit.empty, data: reply_flit.data}),
      .in_desc_i(desc),
      .m_axis_tvalid(to_valid),
      .m_axis_tready(to_ready),
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_desc_o(to_desc),
      .s_axis_tvalid(back_valid),
      .s_axis_tready(back_ready),
      .s_axis_tdata(back.data),
      .s_axis_tkeep(back.keep),
      .s_axis_tlast(back.last),
      .s_axis_tuser(back.void_),
      .s_desc_i(back.desc),
      .out_valid_o,
      .out_ready_i,
      .out_beat_o(out_beat),
      .out_desc_o(out_desc)
  );
  assign m_axis_tvalid = to_valid;
  assign to_ready = m_axis_tready;
  assign to_take = to_valid && to_ready;
  always_comb begin
    out_flit_o = '{desc: out_desc, bad: out_beat.bad, last: out_beat.last, empty: out_beat.empty, data: out_beat.data};
    out_flit_o.desc.payload_sum_valid = 1'b0;
  end

  // What bypasses the engine in the order of the datagrams: the sender's address until the engine has the datagram; the descriptor until
  // it has answered; whether the datagram is void until the answer leaves. There is room for all that are inside.
  logic peer_ready, asked_ready, asked_valid, end_ready, end_valid, end_void, answer_end, answer_taken, peer_valid;
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
      .out_ready_i(answer_end),
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
      .out_ready_i(answer_taken),
      .out_data_o(end_void)
  );
  always_ff @(posedge clk_i) begin
    if (to_take) to_first_q <= m_axis_tlast;
    if (rst_i) to_first_q <= 1'b1;
  end

  // The answer, behind a register, so that an engine may connect its ready with ours. An answer waits for its datagram.
  typedef struct packed {
    logic last;
    logic void_;
    logic [FlitBytes-1:0] keep;
    logic [W-1:0] data;
  } answer_t;
  logic answer_valid, answer_ready;
  answer_t answer;
  skid_buffer #(
      .T(answer_t)
  ) u_answer (
      .clk_i,
      .rst_i,
      .in_valid_i(s_axis_tvalid),
      .in_ready_o(s_axis_tready),
      .in_data_i('{last: s_axis_tlast, void_: s_axis_tuser, keep: s_axis_tkeep, data: s_axis_tdata}),
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .out_data_o(answer)
  );

  // Its bytes, and whether it is void. Beats beyond those of the largest frame are not stored, but for the last one, which is then
  // dropped with the others.
  typedef logic [$bits(length_t):0] bytes_t;  // also of whole flits, which can have more bytes than the largest frame that length_t holds
  localparam bytes_t FullFlit = bytes_t'(FlitBytes);
  logic first_q, broken_q, whole, contiguous, none, broken, long, fault, push, store_ready, result_ready, store_valid, store_pop;
  logic unused_token, unused_fits;
  beats_t beats_q;
  bytes_t bytes, bytes_q;
  logic [EmptyWidth-1:0] empty;
  flit_t store_in, stored;
  assign whole = &answer.keep;
  assign contiguous = answer.keep[0] && (answer.keep & (answer.keep + 1'b1)) == '0;
  assign none = answer.last && first_q && answer.keep == '0;
  assign broken = (broken_q && !first_q) || !(answer.last ? contiguous || none : whole);
  assign long = beats_q == beats_t'(MaxFrameFlits);
  assign empty = empty_of(answer.last, answer.keep);
  assign bytes = none ? '0 : (first_q ? '0 : bytes_q) + FullFlit - bytes_t'(empty);
  assign fault = answer.void_ || broken || long || 32'(bytes) + 32'(asked.payload_offset) > MaxFrameBytes;
  assign push = answer_valid && asked_valid && result_ready && !none && (answer.last || !long);
  assign answer_ready = asked_valid && result_ready && (none || (!answer.last && long) || store_ready);
  assign answer_end = answer_valid && answer_ready && answer.last;
  always_comb begin
    store_in = '0;
    store_in.last = answer.last;
    store_in.empty = empty;
    store_in.data = answer.data;
  end
  always_ff @(posedge clk_i) begin
    if (answer_valid && answer_ready) begin
      first_q <= answer.last;
      broken_q <= broken;
      bytes_q <= bytes;
      if (answer.last) beats_q <= '0;
      else if (!long) beats_q <= beats_q + 1'b1;
    end
    if (rst_i) begin
      first_q <= 1'b1;
      beats_q <= '0;
    end
  end

  packet_store #(
      .token_t(logic),
      .Depth(Flits),
      .Tokens(InFlight)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i(push),
      .in_ready_o(store_ready),
      .in_flit_i(store_in),
      .commit_i(answer.last && !fault),
      .drop_i(answer.last && fault),
      .token_i(1'b0),
      .out_valid_o(store_valid),
      .out_ready_i(store_pop),
      .out_flit_o(stored),
      .out_token_o(unused_token),
      .fits_o(unused_fits)
  );

  typedef struct packed {
    logic stored;
    logic void_;
    descriptor_t desc;
  } result_t;
  result_t result_in, result;
  logic result_valid;
  always_comb begin
    result_in.stored = !none && !fault;
    result_in.void_ = fault;
    result_in.desc = asked;
    result_in.desc.length = fault ? '0 : length_t'(bytes);
  end
  fifo #(
      .T(result_t),
      .Depth(InFlight)
  ) u_results (
      .clk_i,
      .rst_i,
      .in_valid_i(answer_end),
      .in_ready_o(result_ready),
      .in_data_i(result_in),
      .out_valid_o(result_valid),
      .out_ready_i(answer_taken),
      .out_data_o(result)
  );

  // The answer leaves when it is complete and the end of its datagram has come.
  logic from_valid, from_ready;
  back_t from;
  assign from_valid = result_valid && end_valid && (!result.stored || store_valid);
  assign from = '{
    desc: result.desc,
    last: !result.stored || stored.last,
    void_: result.void_ || end_void,
    keep: result.stored ? keep_of(stored.last, stored.empty) : '0,
    data: stored.data
  };
  assign store_pop = from_valid && from_ready && result.stored;
  assign answer_taken = from_valid && from_ready && from.last;
  skid_buffer #(
      .T(back_t)
  ) u_back (
      .clk_i,
      .rst_i,
      .in_valid_i(from_valid),
      .in_ready_o(from_ready),
      .in_data_i(from),
      .out_valid_o(back_valid),
      .out_ready_i(back_ready),
      .out_data_o(back)
  );

  assign answered_o = out_end && !out_flit_o.bad;
  assign void_o = answer_end && fault;

  logic unused;
  assign unused = &{1'b0, unused_token, unused_fits, stored.bad, stored.desc};

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
      full : cover (reply_valid && reply_first && !room_q);
      answered_before_the_end : cover (answer_end && !end_valid);
      answer_waits_for_its_datagram : cover (answer_valid && !asked_valid);
      answer_of_no_bytes : cover (answer_end && none && !fault);
      answer_with_holes : cover (answer_end && broken && !long);
      answer_too_long : cover (answer_end && long);
      store_is_full : cover (push && !store_ready);
      void_datagram_answered : cover (answer_taken && end_void && result.stored);
    end
  end
endmodule
