// SPDX-License-Identifier: Apache-2.0
// Passes messages on unchanged, and records each flit with the cycle of its arrival, up to one flit per cycle. Messages of the tile `questions`
// are questions and not traffic; each is answered with records.
//
//   in -+-> record -> store ------+
//       |                                   v
//       +-> skid -+-- questions, whole -> answer -+-> out
//                 +-------------------------------+
//
// Traffic takes one cycle and leaves by its EtherType; an answer leaves by the key `answer`. While both wait, each gets half of the flits of the
// output. A question for which there is no room is dropped, so no message waits behind questions. A record's cycle counts from
// reset, like the card's register `cycles`.
module log_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, log_pkg::*, log_types_pkg::*;
#(
    parameter int unsigned Entries = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  // Input.
  logic came, in_asks, in_asks_q;
  logic [15:0] flits, flits_q, index_q;
  record_t record_q;
  logic record_valid_q;
  number_t cycle_q;
  descriptor_t desc, desc_q;
  assign came = in_valid_i && in_ready_o;
  assign in_asks = in_flit_i.first ? in_flit_i.desc.src == address_of(cfg_i.questions) : in_asks_q;
  assign flits = in_flit_i.first ? cfg_i.flits : flits_q;
  assign desc = in_flit_i.first ? in_flit_i.desc : desc_q;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (came) begin
      in_asks_q <= in_asks;
      flits_q <= flits;
      desc_q <= desc;
      if (in_flit_i.last) index_q <= '0;
      else if (index_q != '1) index_q <= index_q + 1'b1;
    end
    record_valid_q <= came && !in_asks && (index_q < flits || flits == '1);
    record_q <= '{
        cycle: cycle_q,
        source: 8'(desc.src),
        tenant: desc.tenant,
        port: desc.port,
        lossless: desc.lossless,
        void_message: in_flit_i.last && in_flit_i.bad,
        last: in_flit_i.last,
        first: in_flit_i.first,
        empty: in_flit_i.empty,
        data: in_flit_i.data
    };
    if (rst_i) begin
      cycle_q <= '0;
      index_q <= '0;
      record_valid_q <= 1'b0;
    end
  end

  number_t end_number, number;
  logic lost, read, read_valid, there;
  record_t found;
  log_store #(
      .Entries(Entries)
  ) u_store (
      .clk_i,
      .rst_i,
      .write_i(record_valid_q),
      .record_i(record_q),
      .overwrite_i(cfg_i.overwrite),
      .arm_i(cfg_i.flits != '0),
      .end_o(end_number),
      .lost_o(lost),
      .read_i(read),
      .number_i(number),
      .valid_o(read_valid),
      .there_o(there),
      .record_o(found)
  );

  // Traffic, and the way of questions.
  typedef struct packed {
    logic asks;
    next_key_t key;
    flit_t flit;
  } entry_t;
  entry_t entry;

  // The EtherType; in a tagged frame, the one after the tag. It is needed beside the first flit, which at 128 bits ends before it: there tagged
  // frames leave by the tag's EtherType. No frame has the key of answers. It passes a register, because the search for the next hop follows.
  next_key_t ethertype, key;
  assign ethertype = {in_flit_i.data[8*12+:8], in_flit_i.data[8*13+:8]};
  if (FlitBytes >= EthernetBytes + VlanBytes) begin : gen_tag
    next_key_t inner;
    assign inner = {in_flit_i.data[8*16+:8], in_flit_i.data[8*17+:8]};
    assign key = ethertype == EtherTypeVlan ? inner : ethertype;
  end else begin : gen_no_tag
    assign key = ethertype;
  end

  logic valid, ready;
  skid_buffer #(
      .T(entry_t)
  ) u_skid (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_data_i('{asks: in_asks, key: key == '0 ? next_key_t'(1) : key, flit: in_flit_i}),
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_data_o(entry)
  );

  // Registers on both sides keep the answer's paths away from those of traffic.
  logic question_valid, question_taken, made_valid, made_ready, answer_valid, answer_ready;
  logic asks, fits, refuses, refuses_q, unused_store_ready, unused_token;
  flit_t question, made, answer;
  assign asks = valid && entry.asks;
  assign refuses = entry.flit.first ? !fits : refuses_q;
  always_ff @(posedge clk_i) if (asks) refuses_q <= refuses;
  packet_store #(
      .token_t(logic),
      .Tokens (16)
  ) u_questions (
      .clk_i,
      .rst_i,
      .in_valid_i(asks && !refuses),
      .in_ready_o(unused_store_ready),
      .in_flit_i(entry.flit),
      .commit_i(entry.flit.last && !entry.flit.bad),
      .drop_i(entry.flit.last && entry.flit.bad),
      .token_i(1'b0),
      .out_valid_o(question_valid),
      .out_ready_i(question_taken),
      .out_flit_o(question),
      .out_token_o(unused_token),
      .fits_o(fits)
  );
  skid_buffer #(
      .T(flit_t)
  ) u_answers (
      .clk_i,
      .rst_i,
      .in_valid_i(made_valid),
      .in_ready_o(made_ready),
      .in_data_i(made),
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .out_data_o(answer)
  );
  log_answer u_answer (
      .clk_i,
      .rst_i,
      .in_valid_i(question_valid),
      .in_ready_o(question_taken),
      .in_flit_i(question),
      .out_valid_o(made_valid),
      .out_ready_i(made_ready),
      .out_flit_o(made),
      .end_i(end_number),
      .read_o(read),
      .number_o(number),
      .valid_i(read_valid),
      .there_i(there),
      .record_i(found),
      .cfg_i,
      .answered_o(event_o.mark_answered),
      .drop_reader_o(event_o.drop_reader),
      .drop_malformed_o(event_o.drop_malformed)
  );

  // Output: the choice is made in the cycle before, and holds until the message has left. ahead_q: the number of flits that answers are
  // ahead of traffic that waited for them. The key has a flip-flop of its own, so that the many loads of the flit's choice do not slow down
  // the search for the next hop; it has the other polarity, since synthesis merges equal flip-flops.
  localparam int unsigned AheadBits = $clog2(MaxFrameFlits + 1);
  logic passes, leaves, begun, begun_q, answers, answers_q, frames_q;
  logic [AheadBits-1:0] ahead, ahead_q;
  assign passes = valid && !entry.asks;
  assign leaves = out_valid_o && out_ready_i;
  assign answer_ready = out_ready_i && answers_q;
  assign ready = entry.asks || (out_ready_i && !answers_q);
  assign out_valid_o = answers_q ? answer_valid : passes;
  assign out_flit_o = answers_q ? answer : entry.flit;
  assign out_key_o = frames_q ? entry.key : '0;
  assign begun = out_valid_o ? !(out_ready_i && out_flit_o.last) : begun_q;
  assign answers = begun ? answers_q : (answer_valid || (made_valid && made_ready)) && !answers_q && (!passes || ahead == '0);
  always_comb begin
    ahead = ahead_q;
    if (leaves && answers_q && ahead_q != '1) ahead = ahead_q + 1'b1;
    else if (leaves && !answers_q && ahead_q != '0) ahead = ahead_q - 1'b1;
    if (!leaves && !valid) ahead = '0;
  end
  always_ff @(posedge clk_i) begin
    begun_q <= begun;
    ahead_q <= ahead;
    answers_q <= answers;
    frames_q <= !answers;
    if (rst_i) begin
      begun_q   <= 1'b0;
      answers_q <= 1'b0;
      frames_q  <= 1'b1;
      ahead_q   <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_i) assert (!answers_q || begun_q || answer_valid);
  end

  assign event_o.mark_recorded = record_valid_q && !lost;
  assign event_o.mark_lost = lost;
  assign event_o.drop_aborted = asks && !refuses && entry.flit.last && entry.flit.bad;
  assign event_o.drop_crowded = asks && refuses && entry.flit.last;
  assign event_o.mark_void = passes && ready && entry.flit.last && entry.flit.bad;
endmodule
