// SPDX-License-Identifier: Apache-2.0
// Stores an engine's answers until they are complete, so that length and validity are known when they leave. An answer is void if the engine
// says so (s_axis_tuser with its last beat), if it is longer than a frame of the card can hold, or if its tkeep has holes, is partial before
// the last beat, or is 0 in the last of several beats. An answer that is void for such a reason leaves as one beat without bytes, and so does
// one of no bytes.
module stream_answer
  import girih_pkg::*, axis_pkg::*;
#(
    parameter int unsigned InFlight = 16,  // answers that wait
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits)  // of theirs
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tuser,

    // The descriptor of the datagram that is answered next. An answer waits for its datagram.
    input  logic        asked_valid_i,
    output logic        asked_ready_o,
    input  descriptor_t asked_i,

    // Whether the datagram whose answer leaves next was void, once that is known.
    input  logic end_valid_i,
    output logic end_ready_o,
    input  logic end_void_i,

    output logic                  m_axis_tvalid,
    input  logic                  m_axis_tready,
    output logic [         W-1:0] m_axis_tdata,
    output logic [EmptyWidth-1:0] m_empty_o,      // what tkeep would say: the invalid bytes of a last beat
    output logic                  m_none_o,       // or that it has no bytes
    output logic                  m_axis_tlast,
    output logic                  m_axis_tuser,   // in every beat of a void answer
    output descriptor_t           m_desc_o,       // the datagram's, with the answer's length

    output logic void_o  // pulse: an answer is void by itself
);
  localparam int unsigned BeatWidth = $clog2(MaxFrameFlits + 1);
  typedef logic [BeatWidth-1:0] beats_t;
  // A beat as it comes, void_ with the last one: of its tkeep what counts. And one that leaves.
  typedef struct packed {
    logic last;
    logic void_;
    logic none;  // no bytes
    logic right;  // all bytes, or in a last beat the first ones
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } answer_t;
  typedef struct packed {
    descriptor_t desc;
    logic last;
    logic void_;
    logic none;  // no bytes
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } back_t;

  // Behind a register, so that an engine may connect its ready with ours.
  answer_t offered;
  always_comb begin
    offered = '{last: s_axis_tlast, void_: s_axis_tuser, none: s_axis_tkeep == '0, right: &s_axis_tkeep, empty: empty_of(s_axis_tlast, s_axis_tkeep), data: s_axis_tdata};
    if (s_axis_tlast) offered.right = contiguous(s_axis_tkeep);
  end
  logic answer_valid, answer_ready, answer_end, answer_taken;
  answer_t answer;
  skid_buffer #(
      .T(answer_t)
  ) u_answer (
      .clk_i,
      .rst_i,
      .in_valid_i(s_axis_tvalid),
      .in_ready_o(s_axis_tready),
      .in_data_i(offered),
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .out_data_o(answer)
  );

  // Its bytes, and whether it is void. Beats beyond those of the largest frame are not stored, but for the last one, which is then
  // dropped with the others.
  typedef logic [$bits(length_t):0] bytes_t;  // also of whole flits, which can have more bytes than the largest frame that length_t holds
  localparam bytes_t FullFlit = bytes_t'(FlitBytes);
  logic first_q, broken_q, none, broken, long, fault, push, store_ready, result_ready, store_valid, store_pop;
  logic unused_token, unused_fits;
  beats_t beats_q;
  bytes_t bytes, bytes_q;
  flit_t store_in, stored;
  assign none = answer.last && first_q && answer.none;
  assign broken = (broken_q && !first_q) || !(answer.right || none);
  assign long = beats_q == beats_t'(MaxFrameFlits);
  assign bytes = none ? '0 : (first_q ? '0 : bytes_q) + FullFlit - bytes_t'(answer.empty);
  assign fault = answer.void_ || broken || long || 32'(bytes) + 32'(asked_i.payload_offset) > MaxFrameBytes;
  assign push = answer_valid && asked_valid_i && result_ready && !none && (answer.last || !long);
  assign answer_ready = asked_valid_i && result_ready && (none || (!answer.last && long) || store_ready);
  assign answer_end = answer_valid && answer_ready && answer.last;
  always_comb begin
    store_in = '0;
    store_in.last = answer.last;
    store_in.empty = answer.empty;
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
    result_in.desc = asked_i;
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
  back_t from, back;
  assign from_valid = result_valid && end_valid_i && (!result.stored || store_valid);
  assign from = '{
    desc: result.desc,
    last: !result.stored || stored.last,
    void_: result.void_ || end_void_i,
    none: !result.stored,
    empty: stored.empty,
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
      .out_valid_o(m_axis_tvalid),
      .out_ready_i(m_axis_tready),
      .out_data_o(back)
  );
  assign m_desc_o = back.desc;
  assign m_axis_tlast = back.last;
  assign m_axis_tuser = back.void_;
  assign m_empty_o = back.empty;
  assign m_none_o = back.none;
  assign m_axis_tdata = back.data;
  assign asked_ready_o = answer_end;
  assign end_ready_o = answer_taken;
  assign void_o = answer_end && fault;

  logic unused;
  assign unused = &{1'b0, unused_token, unused_fits, stored.first, stored.bad, stored.desc};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      ends_before_its_datagram : cover (answer_end && !end_valid_i);
      waits_for_its_datagram : cover (answer_valid && !asked_valid_i);
      of_no_bytes : cover (answer_end && none && !fault);
      with_holes : cover (answer_end && broken && !long);
      too_long : cover (answer_end && long);
      store_is_full : cover (push && !store_ready);
      to_a_void_datagram : cover (answer_taken && end_void_i && result.stored);
    end
  end
endmodule
