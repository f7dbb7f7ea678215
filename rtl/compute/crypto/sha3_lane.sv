// SPDX-License-Identifier: Apache-2.0
// SHA-3-512 of one packet at a time, over all its bytes but the last 64, which hold the digest. A round per
// cycle, 24 cycles for a block of 72 bytes (6 Gbps at 250 MHz); the next block is assembled meanwhile. A packet
// is buffered whole before it is hashed, because only its end shows where the message ends; further packets are
// taken as far as the buffer has room.
//
//   in --> buffer of beats --> words, padded --> block --> state, a round per cycle --> digest
module sha3_lane
  import girih_pkg::*, keccak_pkg::*;
#(
    parameter int unsigned BufferFlits = MaxFrameFlits < 2 ? 2 : 1 << $clog2(MaxFrameFlits)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic  [        W-1:0] in_data_i,
    input  logic                  in_last_i,
    input  length_t               in_length_i,  // with in_last_i: bytes of the packet

    output logic                  digest_valid_o,
    input  logic                  digest_ready_i,
    output logic [DigestBits-1:0] digest_o
);
  localparam int unsigned DigestBytes = DigestBits / 8;
  localparam int unsigned FlitWords = W / 64;

  if (BufferFlits < MaxFrameFlits) begin : gen_bad_buffer
    $fatal(1, "sha3_lane: BufferFlits is %0d; a packet of the largest size takes %0d", BufferFlits, MaxFrameFlits);
  end

  // Beats, and the lengths of the packets that are complete.
  logic beats_ready, lengths_ready, beat_valid, beat_pop, length_valid, length_pop;
  logic [W-1:0] beat;
  length_t length;
  assign in_ready_o = beats_ready && lengths_ready;
  fifo_block #(
      .T(logic [W-1:0]),
      .Depth(BufferFlits)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_offer_i(in_valid_i),
      .in_valid_i(in_valid_i && lengths_ready),
      .in_ready_o(beats_ready),
      .in_data_i(in_data_i),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_pop),
      .out_data_o(beat)
  );
  fifo #(
      .T(length_t),
      .Depth(16)
  ) u_lengths (
      .clk_i,
      .rst_i,
      .in_valid_i(in_valid_i && in_ready_o && in_last_i),
      .in_ready_o(lengths_ready),
      .in_data_i(in_length_i),
      .out_valid_o(length_valid),
      .out_ready_i(length_pop),
      .out_data_o(length)
  );

  // The message as words: 0x06 after its last byte, 0x80 in the last byte of its last block.
  typedef enum logic [1:0] {
    Idle,
    Feeding,
    Draining  // the rest of the packet: the place of the digest
  } feed_e;
  feed_e feed_q;
  length_t left_q;  // bytes of the message
  logic whole_q;  // they are at least those of a word
  length_t beats_q;  // beats of the packet
  logic [$clog2(FlitWords)-1:0] word_q;  // of the beat
  logic padded_q;
  lane_t [RateWords-1:0] block_q;
  logic [3:0] filled_q;
  logic block_full_q, block_last_q, block_take;

  logic [3:0] present;
  logic feed, pads, ends;
  lane_t word;
  assign present = whole_q ? 4'd8 : {1'b0, left_q[2:0]};
  assign feed = feed_q == Feeding && !(block_full_q && !block_take) && (beat_valid || present == '0);
  assign pads = !present[3] && !padded_q;
  assign ends = (padded_q || pads) && 32'(filled_q) == RateWords - 1;
  always_comb begin
    word = beat[64*word_q+:64] & ~({64{1'b1}} << {present, 3'b000});
    if (pads) word |= 64'h06 << {present, 3'b000};
    if (ends) word |= 64'h80 << 56;
  end

  assign length_pop = feed_q == Idle && length_valid;
  assign beat_pop = beat_valid && (feed_q == Draining || (feed && present[3] && 32'(word_q) == FlitWords - 1));

  always_ff @(posedge clk_i) begin
    if (block_take) block_full_q <= 1'b0;
    if (beat_pop) beats_q <= beats_q - 1'b1;
    case (feed_q)
      Idle:
      if (length_valid) begin
        feed_q <= Feeding;
        left_q <= length > length_t'(DigestBytes) ? length - length_t'(DigestBytes) : '0;
        whole_q <= length >= length_t'(DigestBytes + 8);
        beats_q <= length_t'((32'(length) + FlitBytes - 1) / FlitBytes);
        word_q <= '0;
        padded_q <= 1'b0;
        filled_q <= '0;
      end
      Feeding:
      if (feed) begin
        block_q <= {word, block_q[RateWords-1:1]};
        left_q <= left_q - length_t'(present);
        whole_q <= left_q >= length_t'(16);
        if (present[3]) word_q <= word_q + 1'b1;
        padded_q <= padded_q || pads;
        filled_q <= filled_q + 1'b1;
        if (32'(filled_q) == RateWords - 1) begin
          filled_q <= '0;
          block_full_q <= 1'b1;
          block_last_q <= ends;
          if (ends) feed_q <= Draining;
        end
      end
      default: if (beats_q == '0 || (beat_pop && beats_q == length_t'(1))) feed_q <= Idle;
    endcase
    if (rst_i) begin
      feed_q <= Idle;
      block_full_q <= 1'b0;
    end
  end

  // The permutation. The block joins the state in the first round.
  logic [4:0] round_q;
  logic running_last_q, last, step, finish;
  state_t state_q, state, state_d;
  logic first_block_q;
  assign block_take = round_q == '0 && block_full_q;
  assign last = round_q == '0 ? block_last_q : running_last_q;
  assign finish = 32'(round_q) == Rounds - 1 && running_last_q;
  assign step = round_q == '0 ? block_full_q : !(finish && digest_valid_o && !digest_ready_i);
  always_comb begin
    state = round_q == '0 && first_block_q ? '0 : state_q;
    if (round_q == '0) state[RateWords-1:0] ^= block_q;
    state_d = round(state, Constants[round_q]);
  end

  logic digest_valid_q;
  logic [DigestBits-1:0] digest_q;
  always_ff @(posedge clk_i) begin
    if (digest_ready_i) digest_valid_q <= 1'b0;
    if (step) begin
      state_q <= state_d;
      running_last_q <= last;
      round_q <= 32'(round_q) == Rounds - 1 ? '0 : round_q + 1'b1;
      if (32'(round_q) == Rounds - 1) first_block_q <= running_last_q;
      if (finish) begin
        digest_valid_q <= 1'b1;
        digest_q <= state_d[DigestBits/64-1:0];
      end
    end
    if (rst_i) begin
      round_q <= '0;
      first_block_q <= 1'b1;
      digest_valid_q <= 1'b0;
    end
  end
  assign digest_valid_o = digest_valid_q;
  assign digest_o = digest_q;
endmodule
