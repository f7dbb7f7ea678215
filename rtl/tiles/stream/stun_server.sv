// SPDX-License-Identifier: Apache-2.0
// STUN over AXI4-Stream (RFC 8489): tells a client the address and port from which its request came, after any NATs on the
// way. Answers binding requests without authentication with one attribute, XOR-MAPPED-ADDRESS; to everything else it gives a
// void answer (m_axis_tuser). Attributes of the request are not read.
// One request at a time: a cycle for each beat of the request, one more, and one for each beat of the answer.
module stun_server #(
    parameter int unsigned DataWidth = 512,  // 128 to 1,024
    localparam int unsigned Bytes = DataWidth / 8
) (
    input logic aclk,
    input logic aresetn,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [DataWidth-1:0] s_axis_tdata,
    input  logic [    Bytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  logic [         47:0] s_axis_tid,     // the client: address, port

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [DataWidth-1:0] m_axis_tdata,
    output logic [    Bytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser
);
  localparam int unsigned HeaderBytes = 20, AnswerBytes = 32;
  localparam int unsigned HeaderBeats = (HeaderBytes + Bytes - 1) / Bytes;
  localparam int unsigned AnswerBeats = (AnswerBytes + Bytes - 1) / Bytes;
  localparam int unsigned LastBytes = AnswerBytes - (AnswerBeats - 1) * Bytes;
  localparam logic [15:0] BindingRequest = 16'h0001, BindingResponse = 16'h0101, XorMappedAddress = 16'h0020;
  localparam logic [31:0] Cookie = 32'h2112a442;

  // The header, in the order of the wire: its first byte is the most significant.
  typedef struct packed {
    logic [15:0] kind;
    logic [15:0] length;
    logic [31:0] cookie;
    logic [95:0] transaction;
  } header_t;
  // verilator lint_off ASCRANGE
  typedef logic [0:HeaderBytes-1][7:0] bytes_t;
  typedef logic [0:AnswerBytes-1][7:0] answer_t;
  // verilator lint_on ASCRANGE

  bytes_t header_q;
  header_t header;
  logic [15:0] before_q, bytes;  // of the request: before its last beat, all
  logic [Bytes-1:0] keep_q;
  logic [1:0] beat_q;  // of the header; saturates at HeaderBeats
  logic ended_q, answering_q, good_q;
  logic [1:0] answer_beat_q;
  logic [47:0] client_q;
  assign header = header_q;

  // A datagram has no holes, so the place of its last byte counts those of the beat, in fewer steps than a sum.
  logic [15:0] in_beat;
  always_comb begin
    in_beat = '0;
    for (int unsigned b = 0; b < Bytes; b++) if (keep_q[b] && (b == Bytes - 1 || !keep_q[(b+1)%Bytes])) in_beat |= 16'(b + 1);
  end
  assign bytes = before_q + in_beat;

  assign s_axis_tready = !ended_q && !answering_q;
  always_ff @(posedge aclk) begin
    if (s_axis_tvalid && s_axis_tready) begin
      for (int unsigned b = 0; b < HeaderBytes; b++) if (32'(beat_q) == b / Bytes) header_q[b] <= s_axis_tdata[8*(b%Bytes)+:8];
      before_q <= beat_q == '0 ? '0 : before_q + 16'(Bytes);
      keep_q <= s_axis_tkeep;
      client_q <= s_axis_tid;
      ended_q <= s_axis_tlast;
      if (s_axis_tlast) beat_q <= '0;
      else if (32'(beat_q) != HeaderBeats) beat_q <= beat_q + 1'b1;
    end
    if (ended_q) begin
      ended_q <= 1'b0;
      answering_q <= 1'b1;
      good_q <= header.kind == BindingRequest && header.cookie == Cookie && header.length[1:0] == '0
          && 17'(header.length) + 17'(HeaderBytes) == 17'(bytes);
    end
    if (m_axis_tvalid && m_axis_tready) begin
      answer_beat_q <= m_axis_tlast ? '0 : answer_beat_q + 1'b1;
      answering_q <= !m_axis_tlast;
    end
    if (!aresetn) begin
      beat_q <= '0;
      answer_beat_q <= '0;
      ended_q <= 1'b0;
      answering_q <= 1'b0;
    end
  end

  answer_t answer;
  assign answer = {
    BindingResponse,
    16'd12,
    Cookie,
    header.transaction,
    XorMappedAddress,
    16'd8,
    16'h0001,  // IPv4
    client_q[15:0] ^ Cookie[31:16],
    client_q[47:16] ^ Cookie
  };
  always_comb begin
    m_axis_tdata = '0;
    for (int unsigned b = 0; b < AnswerBytes; b++) if (32'(answer_beat_q) == b / Bytes) m_axis_tdata[8*(b%Bytes)+:8] = answer[b];
  end
  assign m_axis_tvalid = answering_q;
  assign m_axis_tlast = !good_q || 32'(answer_beat_q) == AnswerBeats - 1;
  assign m_axis_tuser = !good_q;
  assign m_axis_tkeep = good_q ? '1 >> (m_axis_tlast ? Bytes - LastBytes : 0) : '0;
endmodule
