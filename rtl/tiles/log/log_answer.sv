// SPDX-License-Identifier: Apache-2.0
// Turns a question into its answer, in place: swaps addresses and ports, writes the number of the next record after the
// question, and fills the rest of the datagram with records. So an answer is never longer than its question, and the log
// cannot amplify traffic.
//
//   | Ethernet, IPv4, UDP | question | … | beside | data | beside | data | …
//   0                                   Head                               desc.length
//
// A record takes two flits: its fields (beside), and the recorded flit. The first record is read before the first flit leaves, and each
// other one while its predecessor leaves. So an answer takes a cycle for each of its flits, and four more.
module log_answer
  import girih_pkg::*, net_pkg::*, header_pkg::*, log_pkg::*, log_records_pkg::*, log_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input  number_t end_i,
    output logic    read_o,
    output number_t number_o,
    input  logic    valid_i,
    input  logic    there_i,
    input  record_t record_i,

    input  cfg_t cfg_i,
    output logic answered_o,
    output logic drop_reader_o,
    output logic drop_malformed_o
);
  localparam int unsigned HeadBytes = FlitBytes > LogHeadBytes ? FlitBytes : LogHeadBytes;
  localparam int unsigned HeadFlits = HeadBytes / FlitBytes;
  localparam int unsigned RecordWidth = $clog2(2 * FlitBytes);
  // Places in an untagged frame; in a tagged one, everything is VlanBytes further.
  localparam int unsigned AddressesAt = L3Untagged + Ipv4Addresses;
  localparam int unsigned PortsAt = L4First;
  localparam int unsigned QuestionAt = L4First + UdpBytes;

  // verilator lint_off ASCRANGE
  typedef logic [0:LogHeadBytes-1][7:0] head_t;
  typedef logic [0:LogHeadBytes-1] head_mask_t;
  // verilator lint_on ASCRANGE

  function automatic logic [LogWordBytes*8-1:0] swapped(logic [LogWordBytes*8-1:0] word);
    for (int unsigned b = 0; b < LogWordBytes; b++) swapped[8*b+:8] = word[8*(LogWordBytes-1-b)+:8];
  endfunction

  logic valid, ready;
  flit_t flit;
  head_t header;
  offset_t available;
  header_window #(
      .HeaderBytes(LogHeadBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o (flit),
      .header_o   (header),
      .available_o(available),
      .need_i     (offset_t'(LogHeadBytes))
  );

  // The datagram's contents. It is a question if it says so, its headers have no options, and the rest is room for whole records.
  logic has_tag, plain, whole, well_formed, allowed;
  question_t question, answer;
  ipv4_addr_t sender;
  assign has_tag = is_tagged(flit.desc.l3_offset);
  assign question = question_t'(swapped(has_tag ? header[QuestionAt+VlanBytes+:LogWordBytes] : header[QuestionAt+:LogWordBytes]));
  assign sender = has_tag ? header[AddressesAt+VlanBytes+:4] : header[AddressesAt+:4];
  assign plain = flit.desc.payload_offset == offset_t'(has_tag ? QuestionAt + VlanBytes : QuestionAt);
  assign whole = flit.desc.length > length_t'(HeadBytes) && flit.desc.length[RecordWidth-1:0] == RecordWidth'(HeadBytes);
  assign well_formed = plain && whole && available == offset_t'(LogHeadBytes) && question.talk == TalkQuestion && question.reserved == '0 && question.end_number == '0;
  assign allowed = ((sender ^ cfg_i.reader) & cfg_i.reader_mask) == '0 && sender != '0;

  logic refuse, refusing_q, drop, goes;
  assign refuse = !well_formed || !allowed;
  assign drop = flit.first ? refuse : refusing_q;
  assign drop_malformed_o = valid && ready && flit.first && !well_formed;
  assign drop_reader_o = valid && ready && flit.first && well_formed && !allowed;
  assign answered_o = valid && ready && flit.first && !refuse;

  // The head of the answer. Its end is taken before the first record is read, so a record with a lower number that is absent has been overwritten.
  number_t end_q;
  head_t edit;
  head_mask_t mask;
  always_comb begin
    answer = question;
    answer.talk = TalkAnswer;
    answer.end_number = end_q;
    edit = '0;
    mask = '0;
    if (has_tag) begin
      edit[AddressesAt+VlanBytes+:8] = {header[AddressesAt+VlanBytes+4+:4], header[AddressesAt+VlanBytes+:4]};
      edit[PortsAt+VlanBytes+:4] = {header[PortsAt+VlanBytes+2+:2], header[PortsAt+VlanBytes+:2]};
      edit[QuestionAt+VlanBytes+:LogWordBytes] = swapped(answer);
      mask[AddressesAt+VlanBytes+:8] = '1;
      mask[PortsAt+VlanBytes+:4] = '1;
      mask[QuestionAt+VlanBytes+:LogWordBytes] = '1;
    end else begin
      edit[AddressesAt+:8] = {header[AddressesAt+4+:4], header[AddressesAt+:4]};
      edit[PortsAt+:4] = {header[PortsAt+2+:2], header[PortsAt+:2]};
      edit[QuestionAt+:LogWordBytes] = swapped(answer);
      mask[AddressesAt+:8] = '1;
      mask[PortsAt+:4] = '1;
      mask[QuestionAt+:LogWordBytes] = '1;
    end
  end
  flit_t edited;
  header_edit #(
      .HeaderBytes(LogHeadBytes)
  ) u_edit (
      .clk_i,
      .flit_i (flit),
      .pass_i (valid && ready),
      .edit_i (edit),
      .mask_i (mask),
      .flit_o (edited)
  );

  // The records: half_q says which of a record's two flits is next; have, whether the next record has been read.
  logic [2:0] head_q;  // flits of the head that are still to pass
  logic in_head, half_q, have, have_q, asked_q, started_q, there_q, beside_passes;
  number_t number_q, next_q;  // of the record that is read, and of the next one
  logic [W-1:0] data_q;  // of the record whose other flit has left
  assign in_head = flit.first || head_q != '0;
  assign have = have_q || (asked_q && valid_i);
  assign goes = valid && !drop && (flit.first || !(in_head || half_q) ? have : 1'b1);
  assign out_valid_o = goes;
  // A refused question waits at most one cycle for an output that takes nothing.
  assign ready = drop ? refusing_q || out_ready_i : out_ready_i && goes;
  assign beside_passes = goes && out_ready_i && !in_head && !half_q;
  assign read_o = started_q && (beside_passes || (!asked_q && !have_q));
  assign number_o = next_q;

  beside_t beside;
  always_comb begin
    beside = '0;
    beside.number = number_q;
    if (there_i) begin
      beside.cycle = record_i.cycle;
      beside.source = record_i.source;
      beside.tenant = 6'(record_i.tenant);
      beside.port = record_i.port;
      beside.bytes = 8'(FlitBytes) - 8'(record_i.empty);
      beside.lossless = record_i.lossless;
      beside.void_message = record_i.void_message;
      beside.last = record_i.last;
      beside.first = record_i.first;
      beside.there = 1'b1;
    end
    out_flit_o = edited;
    if (!in_head) out_flit_o.data = half_q ? (there_q ? data_q : '0) : W'(beside);
    if (flit.first) out_flit_o.desc.payload_sum_valid = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (valid) refusing_q <= drop && !(ready && flit.last);
    if (asked_q && valid_i) begin
      asked_q <= 1'b0;
      have_q  <= 1'b1;
    end
    if (beside_passes) have_q <= 1'b0;
    if (read_o) begin
      asked_q  <= 1'b1;
      number_q <= next_q;
      next_q   <= next_q + 1'b1;
    end
    if (have && !half_q) begin
      there_q <= there_i;
      data_q  <= record_i.data;
    end
    if (valid && flit.first && !drop && !started_q) begin
      started_q <= 1'b1;
      next_q <= question.first;
      end_q <= end_i;
    end
    if (valid && ready) begin
      if (flit.first) begin
        head_q <= 3'(HeadFlits - 1);
        half_q <= 1'b0;
      end else if (in_head) begin
        head_q <= head_q - 1'b1;
      end else begin
        half_q <= !half_q;
      end
      if (flit.last) begin
        started_q <= 1'b0;
        asked_q <= 1'b0;
        have_q <= 1'b0;
      end
    end
    if (rst_i) begin
      refusing_q <= 1'b0;
      started_q <= 1'b0;
      asked_q <= 1'b0;
      have_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, header, cfg_i};
endmodule
