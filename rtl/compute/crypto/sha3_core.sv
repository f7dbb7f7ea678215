// SPDX-License-Identifier: Apache-2.0
// SHA-3-512 over payloads: the last 64 bytes of a payload are the digest of all bytes before them. With bit 0
// of the hop's meta 0 the digest is written there, with 1 it is compared, and a packet with a wrong digest
// leaves void (m_axis_tuser with its last beat), as does one that is too short for a digest.
//
// Lanes engines of 6 Gbps each take packets in turn; packets leave in the order in which they came.
//
//   s_axis --+--> lane 0 ... lane Lanes-1 --> digest ---+
//            +--> queue of beats ----------------------+--> write or compare --> m_axis
module sha3_core
  import girih_pkg::*, keccak_pkg::*;
#(
    parameter int unsigned Lanes = 4,
    parameter int unsigned BufferFlits = 1 << $clog2(4 * MaxFrameFlits)  // for packets in all lanes
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  descriptor_t          s_desc_i,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tuser,
    output descriptor_t          m_desc_o
);
  localparam int unsigned DigestBytes = DigestBits / 8;
  localparam int unsigned LaneWidth = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam int unsigned CountWidth = $clog2(FlitBytes) + 1;

  if (Lanes == 0) begin : gen_bad_lanes
    $fatal(1, "sha3_core: Lanes is 0; there must be at least one");
  end

  typedef struct packed {
    logic last;
    logic [FlitBytes-1:0] keep;
    logic [W-1:0] data;
  } beat_t;
  typedef struct packed {
    descriptor_t desc;
    length_t length;  // bytes
  } packet_t;

  // Every beat goes to the queue and to the lane whose turn it is.
  logic [LaneWidth-1:0] lane_q, out_lane_q;
  logic [Lanes-1:0] lane_ready, digest_valid, digest_ready;
  logic [DigestBits-1:0] digest[Lanes];
  logic beats_ready, packets_ready, move, beat_valid, beat_pop, packet_valid, packet_pop;
  logic [CountWidth-1:0] present;
  length_t bytes_q, bytes;
  beat_t beat;
  packet_t packet;

  assign s_axis_tready = lane_ready[lane_q] && beats_ready && packets_ready;
  assign move = s_axis_tvalid && s_axis_tready;
  always_comb begin
    present = '0;
    for (int unsigned i = 0; i < FlitBytes; i++) if (s_axis_tkeep[i]) present = CountWidth'(i + 1);
  end
  assign bytes = bytes_q + length_t'(present);

  always_ff @(posedge clk_i) begin
    if (move) begin
      bytes_q <= s_axis_tlast ? '0 : bytes;
      if (s_axis_tlast) lane_q <= 32'(lane_q) == Lanes - 1 ? '0 : lane_q + 1'b1;
    end
    if (rst_i) begin
      bytes_q <= '0;
      lane_q <= '0;
    end
  end

  for (genvar l = 0; l < int'(Lanes); l++) begin : gen_lane
    sha3_lane #(
        .BufferFlits(MaxFrameFlits < 2 ? 2 : 1 << $clog2(MaxFrameFlits))
    ) u_lane (
        .clk_i,
        .rst_i,
        .in_valid_i(move && 32'(lane_q) == l),
        .in_ready_o(lane_ready[l]),
        .in_data_i(s_axis_tdata),
        .in_last_i(s_axis_tlast),
        .in_length_i(bytes),
        .digest_valid_o(digest_valid[l]),
        .digest_ready_i(digest_ready[l]),
        .digest_o(digest[l])
    );
    assign digest_ready[l] = packet_pop && 32'(out_lane_q) == l;
  end

  fifo_block_registered #(
      .T(beat_t),
      .Depth(BufferFlits)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_offer_i(move),
      .in_valid_i(move),
      .in_ready_o(beats_ready),
      .in_data_i('{last: s_axis_tlast, keep: s_axis_tkeep, data: s_axis_tdata}),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_pop),
      .out_data_o(beat),
      .replace_i(1'b0),
      .replace_data_i('0)
  );
  fifo #(
      .T(packet_t),
      .Depth(64)
  ) u_packets (
      .clk_i,
      .rst_i,
      .in_valid_i(move && s_axis_tlast),
      .in_ready_o(packets_ready),
      .in_data_i('{desc: s_desc_i, length: bytes}),
      .out_valid_o(packet_valid),
      .out_ready_i(packet_pop),
      .out_data_o(packet)
  );

  // A packet starts when its digest is known. From the beat in which the digest starts, the lowest
  // W bits of place_q are the digest's bytes for the beat, and where_q is their byte mask.
  logic sending_q, verify_q, short_q, wrong_q, here_q;  // here: a beat with bytes of the digest, or behind them
  length_t start_q;  // beats before the digest
  logic [DigestBits+W-1:0] place_q;
  logic [DigestBytes+FlitBytes-1:0] where_q;
  descriptor_t desc_q;
  length_t message;
  logic [$clog2(FlitBytes)-1:0] shift;
  assign message = packet.length - length_t'(DigestBytes);
  assign shift = message[$clog2(FlitBytes)-1:0];
  assign packet_pop = !sending_q && packet_valid && digest_valid[out_lane_q];

  logic differs;
  logic [FlitBytes-1:0] replaced;
  logic [W-1:0] data;
  assign replaced = here_q ? where_q[FlitBytes-1:0] : '0;
  always_comb begin
    data = beat.data;
    differs = 1'b0;
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      if (replaced[i]) begin
        if (beat.data[8*i+:8] != place_q[8*i+:8]) differs = 1'b1;
        if (!verify_q) data[8*i+:8] = place_q[8*i+:8];
      end
    end
  end

  assign m_axis_tvalid = sending_q && beat_valid;
  assign m_axis_tdata = data;
  assign m_axis_tkeep = beat.keep;
  assign m_axis_tlast = beat.last;
  assign m_axis_tuser = beat.last && (short_q || (verify_q && (wrong_q || differs)));
  assign m_desc_o = desc_q;
  assign beat_pop = sending_q && m_axis_tready;

  always_ff @(posedge clk_i) begin
    if (packet_pop) begin
      sending_q <= 1'b1;
      verify_q <= packet.desc.chain[0].meta[0];
      short_q <= packet.length < length_t'(DigestBytes);
      wrong_q <= 1'b0;
      start_q <= message >> $clog2(FlitBytes);
      here_q <= packet.length >= length_t'(DigestBytes) && message >> $clog2(FlitBytes) == '0;
      place_q <= {W'(0), digest[out_lane_q]} << {shift, 3'b000};
      where_q <= {FlitBytes'(0), {DigestBytes{1'b1}}} << shift;
      desc_q <= packet.desc;
      out_lane_q <= 32'(out_lane_q) == Lanes - 1 ? '0 : out_lane_q + 1'b1;
    end else if (beat_valid && beat_pop) begin
      wrong_q <= wrong_q || differs;
      here_q <= start_q <= length_t'(1) && !short_q;
      if (start_q != '0) start_q <= start_q - 1'b1;
      else begin
        place_q <= place_q >> W;
        where_q <= where_q >> FlitBytes;
      end
      if (beat.last) sending_q <= 1'b0;
    end
    if (rst_i) begin
      sending_q <= 1'b0;
      out_lane_q <= '0;
    end
  end
endmodule
