// SPDX-License-Identifier: Apache-2.0
// Gives an engine the payloads of messages, aligned to byte 0, while their headers (the bytes before
// desc.payload_offset) bypass it.
//
//   in -> strip -> m_axis .. engine .. s_axis -> insert -> out
//    \----------------- header queue --------------/
//
// Two cycles to the engine and one from it. A message that ends where its payload would start is one beat without
// bytes. The engine sees, and may change, the payload's length in desc.length.
// A message is void if its header is longer than HeaderBytes, or the message is shorter than its header.
module payload_window
  import girih_pkg::*, axis_pkg::*, compute_pkg::*;
#(
    parameter int unsigned HeaderBytes = 128,
    parameter int unsigned InFlight = 64
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  beat_t       in_beat_i,
    input  descriptor_t in_desc_i,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output descriptor_t          m_desc_o,

    input  logic                  s_axis_tvalid,
    output logic                  s_axis_tready,
    input  logic [         W-1:0] s_axis_tdata,
    input  logic [EmptyWidth-1:0] s_empty_i,      // what tkeep would say: the invalid bytes of a last beat
    input  logic                  s_none_i,       // or that it has no bytes
    input  logic                  s_axis_tlast,
    input  logic                  s_axis_tuser,
    input  descriptor_t           s_desc_i,

    output logic        out_valid_o,
    input  logic        out_ready_i,
    output beat_t       out_beat_o,
    output descriptor_t out_desc_o
);
  if (HeaderBytes < 1 || HeaderBytes > 255) begin : gen_bad_header
    $fatal(1, "payload_window: HeaderBytes is %0d; it must be from 1 to 255", HeaderBytes);
  end

  // Messages that a realigner holds: one in its output, one in its carry, one that is arriving.
  localparam int unsigned Held = 4;
  localparam int unsigned K = (HeaderBytes + FlitBytes - 1) / FlitBytes;  // flits of the longest header
  localparam int unsigned PtrWidth = $clog2(InFlight);

  // The fields of a message that are kept beside its header.
  typedef struct packed {
    offset_t bytes;  // of the header
    logic length_known;
    logic void_;
  } header_t;

  logic in_take, in_first_q;
  header_t in_header;
  assign in_take = in_valid_i && in_ready_o;
  always_comb begin
    in_header.length_known = in_desc_i.length != '0;
    in_header.bytes = in_desc_i.payload_offset;
    in_header.void_ = in_header.length_known && length_t'(in_desc_i.payload_offset) > in_desc_i.length;
    if (32'(in_desc_i.payload_offset) > HeaderBytes) begin
      in_header.bytes = offset_t'(HeaderBytes);
      in_header.void_ = 1'b1;
    end
  end

  // Header queue: memory n holds flit n of each header. Never full: it has as many entries as there can be
  // messages within the engine.
  header_t headers[InFlight], s_header_q;
  /* verilator lint_off UNUSEDSIGNAL */  // whole flits; the last one may have more than a header
  logic [K-1:0][W-1:0] header;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [PtrWidth-1:0] write_q, read_q, read_next;
  logic [$clog2(K+1)-1:0] flit_q;
  logic header_pop;
  assign read_next = header_pop ? read_q + 1'b1 : read_q;
  for (genvar k = 0; k < int'(K); k++) begin : gen_flit
    logic [W-1:0] mem[InFlight];
    always_ff @(posedge clk_i) begin
      if (in_take && 32'(flit_q) == k) mem[write_q] <= in_beat_i.data;
    end
    assign header[k] = mem[read_q];
  end
  always_ff @(posedge clk_i) begin
    if (in_take && in_first_q) headers[write_q] <= in_header;
    if (in_take) begin
      in_first_q <= in_beat_i.last;
      if (in_beat_i.last) flit_q <= '0;
      else if (32'(flit_q) != K) flit_q <= flit_q + 1'b1;
      if (in_beat_i.last) write_q <= write_q + 1'b1;
    end
    // One cycle ahead. A header is written at least two cycles before its answer comes.
    s_header_q <= headers[read_next];
    read_q <= read_next;
    if (rst_i) begin
      in_first_q <= 1'b1;
      flit_q <= '0;
      write_q <= '0;
      read_q <= '0;
    end
  end

  // To the engine.
  descriptor_t payload_desc;
  always_comb begin
    payload_desc = in_desc_i;
    if (in_header.length_known) payload_desc.length = in_header.void_ ? '0 : in_desc_i.length - length_t'(in_header.bytes);
  end

  beat_t payload;
  logic payload_none, in_desc_ready, m_desc_valid;
  realign_strip #(
      .Width(W)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i(in_beat_i.data),
      .in_empty_i(in_beat_i.empty),
      .in_last_i(in_beat_i.last),
      .bytes_i(in_desc_i.payload_offset),  // more than the header's bytes for a message that is void
      .out_valid_o(m_axis_tvalid),
      .out_ready_i(m_axis_tready),
      .out_data_o(payload.data),
      .out_empty_o(payload.empty),
      .out_none_o(payload_none),
      .out_last_o(payload.last)
  );
  assign payload.bad = 1'b0;
  assign m_axis_tdata = payload.data;
  assign m_axis_tkeep = payload_none ? '0 : keep_of(payload.last, payload.empty);
  assign m_axis_tlast = payload.last;

  fifo #(
      .T(descriptor_t),
      .Depth(Held)
  ) u_descriptors (
      .clk_i,
      .rst_i,
      .in_valid_i(in_take && in_first_q),
      .in_ready_o(in_desc_ready),
      .in_data_i(payload_desc),
      .out_valid_o(m_desc_valid),
      .out_ready_i(m_axis_tvalid && m_axis_tready && m_axis_tlast),
      .out_data_o(m_desc_o)
  );

  // From the engine, which does not wait for what the insert does in this cycle.
  typedef struct packed {
    descriptor_t desc;
    logic void_;
    logic last;
    logic none;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } answer_t;
  logic answer_valid, answer_ready;
  answer_t answer;
  ready_register #(
      .T(answer_t)
  ) u_answer (
      .clk_i,
      .rst_i,
      .in_valid_i(s_axis_tvalid),
      .in_ready_o(s_axis_tready),
      .in_data_i('{desc: s_desc_i, void_: s_axis_tuser, last: s_axis_tlast, none: s_none_i, empty: s_empty_i, data: s_axis_tdata}),
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .out_data_o(answer)
  );

  // Header beats leave while the first payload beat is offered, so the data beside them is taken when that beat is offered.
  logic first_q, noted_q, take, note, note_ready, end_ready, note_valid, end_valid, out_none, engine_void;
  header_t out_header;
  descriptor_t noted_desc;
  assign take = answer_valid && answer_ready;
  assign header_pop = take && first_q;
  assign note = answer_valid && first_q && !noted_q;
  always_ff @(posedge clk_i) begin
    if (take) first_q <= answer.last;
    if (answer_valid) noted_q <= first_q && !take;
    if (rst_i) begin
      first_q <= 1'b1;
      noted_q <= 1'b0;
    end
  end

  realign_insert #(
      .Width(W),
      .HeaderBytes(HeaderBytes)
  ) u_insert (
      .clk_i,
      .rst_i,
      .in_valid_i(answer_valid),
      .in_ready_o(answer_ready),
      .in_data_i(answer.data),
      .in_empty_i(answer.empty),
      .in_none_i(answer.none),
      .in_last_i(answer.last),
      .bytes_i(s_header_q.bytes),
      .header_i((HeaderBytes * 8)'(header)),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(out_beat_o.data),
      .out_empty_o(out_beat_o.empty),
      .out_none_o(out_none),
      .out_last_o(out_beat_o.last)
  );

  logic out_end;
  assign out_end = out_valid_o && out_ready_i && out_beat_o.last;
  fifo #(
      .T(logic [$bits(header_t)+$bits(descriptor_t)-1:0]),
      .Depth(Held)
  ) u_notes (
      .clk_i,
      .rst_i,
      .in_valid_i(note),
      .in_ready_o(note_ready),
      .in_data_i({s_header_q, answer.desc}),
      .out_valid_o(note_valid),
      .out_ready_i(out_end),
      .out_data_o({out_header, noted_desc})
  );
  fifo #(
      .T(logic),
      .Depth(Held)
  ) u_ends (
      .clk_i,
      .rst_i,
      .in_valid_i(take && answer.last),
      .in_ready_o(end_ready),
      // If the length is not known, a message without a payload and one cut within its header look the same.
      .in_data_i(answer.void_ || (first_q && answer.none && !s_header_q.length_known)),
      .out_valid_o(end_valid),
      .out_ready_i(out_end),
      .out_data_o(engine_void)
  );
  assign out_beat_o.bad = engine_void || out_header.void_ || out_none;
  always_comb begin
    out_desc_o = noted_desc;
    out_desc_o.length = out_header.length_known ? noted_desc.length + length_t'(out_header.bytes) : '0;
  end

  logic unused;
  assign unused = &{1'b0, in_beat_i.bad, payload.bad};  // `bad` bypasses the engine with the order of messages

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!in_take || !in_first_q || in_desc_ready)
      else $error("payload_window: the strip holds more messages than it should");
      assert (!m_axis_tvalid || m_desc_valid)
      else $error("payload_window: a payload without a descriptor");
      assert (!note || note_ready)
      else $error("payload_window: the insert holds more messages than it should");
      assert (!(take && answer.last) || end_ready)
      else $error("payload_window: the insert holds more ends than it should");
      assert (!out_valid_o || (note_valid && (!out_beat_o.last || end_valid)))
      else $error("payload_window: a message leaves without its header");
      header_beyond_the_window : cover (in_take && in_first_q && 32'(in_desc_i.payload_offset) > HeaderBytes);
      header_beyond_the_message : cover (in_take && in_first_q && in_header.length_known && in_header.void_);
      no_payload : cover (m_axis_tvalid && payload_none);
      engine_voids : cover (take && answer.last && answer.void_);
      engine_empties : cover (take && first_q && answer.none);
      headers_wrap_while_held_back : cover (in_take && in_beat_i.last && write_q == '1 && out_valid_o && !out_ready_i);
    end
  end
endmodule
