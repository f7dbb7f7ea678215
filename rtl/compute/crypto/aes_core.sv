// SPDX-License-Identifier: Apache-2.0
// AES-256 in counter mode, as ESP uses it (RFC 3686): the payload starts with an initialization
// vector of eight bytes, which pass unchanged; the rest is encrypted or decrypted, which are the same
// operation. The counter block is {salt of the key, initialization vector, block number from 1}.
//
// Lanes blocks per cycle: at 250 MHz one lane is 32 Gbps, W / 128 lanes are the link's rate. The key's slot is
// {tenant, low bits of the hop's meta}, so no packet can use another tenant's key; a packet without a key
// leaves void (m_axis_tuser with its last beat).
//
//   s_axis --+--> queue of beats ----------------------+--> xor --> register --> m_axis
//            +--> counter blocks --> lanes --> gather --+
module aes_core
  import girih_pkg::*, aes_pkg::*;
#(
    parameter int unsigned Lanes = 1,
    parameter int unsigned TenantKeys = 4
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
    output descriptor_t          m_desc_o,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [13:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o
);
  localparam int unsigned Blocks = W / 128;  // in a beat
  localparam int unsigned Steps = Blocks / Lanes;  // cycles for a beat
  localparam int unsigned StepWidth = Steps > 1 ? $clog2(Steps) : 1;
  localparam int unsigned VectorBits = 64;
  localparam int unsigned SlotWidth = $clog2(TenantKeys << $bits(tenant_t));

  if (Lanes == 0 || Blocks % Lanes != 0) begin : gen_bad_lanes
    $fatal(1, "aes_core: Lanes is %0d; it must divide the %0d blocks of a beat", Lanes, Blocks);
  end

  typedef struct packed {
    descriptor_t desc;
    logic first;
    logic keyless;
    logic last;
    logic [FlitBytes-1:0] keep;
    logic [W-1:0] data;
  } beat_t;

  // Counter blocks: Steps cycles for each beat. The last half block of a beat's key stream belongs to
  // the next beat, because the vector shifts the text by eight bytes.
  logic first_q;
  logic [StepWidth-1:0] step_q;
  logic [31:0] number_q;
  logic [VectorBits-1:0] vector_q;
  word_t salt_q, salt;
  logic [SlotWidth-1:0] slot_q, slot, packet_slot;
  logic present, keyless_q;

  logic step, issue, beat_done, queue_ready, queue_valid, queue_pop;
  beat_t in_beat, out_beat;
  assign packet_slot = SlotWidth'(s_desc_i.tenant) * SlotWidth'(TenantKeys) + SlotWidth'(s_desc_i.chain[0].meta % 8'(TenantKeys));
  assign issue = s_axis_tvalid && queue_ready && step;
  // Of the last beat only the blocks that have bytes.
  logic [Steps:0] wanted;
  for (genvar i = 0; i <= int'(Steps); i++) begin : gen_wanted
    if (i < int'(Steps)) begin : gen_step
      assign wanted[i] = !s_axis_tlast || s_axis_tkeep[16*Lanes*i+VectorBits/8];
    end else begin : gen_end
      assign wanted[i] = 1'b0;
    end
  end
  assign beat_done = !wanted[32'(step_q)+1];
  assign s_axis_tready = queue_ready && step && beat_done;
  assign slot = first_q ? packet_slot : slot_q;

  // First byte of the message first: salt, vector, number in network order.
  logic [VectorBits-1:0] vector;
  logic [31:0] number;
  word_t packet_salt;
  assign vector = first_q ? s_axis_tdata[VectorBits-1:0] : vector_q;
  assign packet_salt = first_q ? salt : salt_q;
  assign number = first_q && step_q == '0 ? 32'd1 : number_q;

  always_ff @(posedge clk_i) begin
    if (issue) begin
      number_q <= number + Lanes;
      step_q <= beat_done ? '0 : step_q + 1'b1;
      if (beat_done) first_q <= s_axis_tlast;
      if (first_q) begin
        vector_q <= vector;
        salt_q <= salt;
        slot_q <= packet_slot;
        keyless_q <= !present;
      end
    end
    if (rst_i) begin
      first_q <= 1'b1;
      step_q <= '0;
    end
  end

  assign in_beat = '{
          desc: s_desc_i,
          first: first_q,
          keyless: first_q ? !present : keyless_q,
          last: s_axis_tlast,
          keep: s_axis_tkeep,
          data: s_axis_tdata
      };
  fifo #(
      .T(beat_t),
      .Depth(1 << $clog2(Rounds + 3))  // the most beats that can be in flight, of one step each
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_valid_i(s_axis_tvalid && s_axis_tready),
      .in_ready_o(queue_ready),
      .in_data_i(in_beat),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_pop),
      .out_data_o(out_beat)
  );

  logic [Rounds:0][SlotWidth-1:0] key_slots[Lanes];
  block_t [Rounds:0] keys[Lanes];
  aes_keys #(
      .TenantKeys(TenantKeys),
      .Readers(Lanes)
  ) u_keys (
      .clk_i,
      .rst_i,
      .window_valid_i,
      .window_write_i,
      .window_addr_i,
      .window_data_i,
      .window_tenant_i,
      .window_done_o,
      .window_error_o,
      .window_data_o,
      .packet_slot_i(packet_slot),
      .present_o(present),
      .salt_o(salt),
      .slot_i(key_slots),
      .key_o(keys)
  );

  logic [Lanes-1:0] lane_valid, lane_last;
  block_t [Lanes-1:0] lane_block;
  for (genvar l = 0; l < int'(Lanes); l++) begin : gen_lane
    logic [31:0] lane_number, network_number;
    assign lane_number = number + 32'(l);
    assign network_number = {<<8{lane_number}};
    aes_pipeline #(
        .SlotWidth(SlotWidth)
    ) u_pipeline (
        .clk_i,
        .rst_i,
        .step_i(step),
        .in_valid_i(issue),
        .in_block_i({network_number, vector, packet_salt}),
        .in_slot_i(slot),
        .in_last_i(beat_done),
        .out_valid_o(lane_valid[l]),
        .out_last_o(lane_last[l]),
        .out_block_o(lane_block[l]),
        .key_slot_o(key_slots[l]),
        .key_i(keys[l])
    );
  end

  // Gather the key stream of a beat; its last block comes straight from the lanes.
  logic [StepWidth-1:0] gathered_q;
  logic [W-1:0] stream;
  logic [VectorBits-1:0] carry_q;
  logic complete, advance;
  assign complete = lane_valid[0] && lane_last[0];
  for (genvar i = 0; i < int'(Steps); i++) begin : gen_gather
    block_t [Lanes-1:0] blocks_q;
    always_ff @(posedge clk_i) begin
      if (step && lane_valid[0] && 32'(gathered_q) == i) blocks_q <= lane_block;
    end
    assign stream[128*Lanes*i+:128*Lanes] = 32'(gathered_q) == i ? lane_block : blocks_q;
  end

  logic m_valid_q;
  beat_t m_q;
  logic [VectorBits-1:0] carry;
  assign advance = !m_valid_q || m_axis_tready;
  assign step = !complete || advance;
  assign queue_pop = complete && advance;
  assign carry = out_beat.first ? '0 : carry_q;

  always_ff @(posedge clk_i) begin
    if (step && lane_valid[0]) gathered_q <= complete ? '0 : gathered_q + 1'b1;
    if (advance) m_valid_q <= complete;
    if (queue_pop) begin
      m_q <= out_beat;
      m_q.data <= out_beat.data ^ {stream[W-VectorBits-1:0], carry};
      carry_q <= stream[W-1-:VectorBits];
    end
    if (rst_i) begin
      gathered_q <= '0;
      m_valid_q <= 1'b0;
    end
  end

  assign m_axis_tvalid = m_valid_q;
  assign m_axis_tdata = m_q.data;
  assign m_axis_tkeep = m_q.keep;
  assign m_axis_tlast = m_q.last;
  assign m_axis_tuser = m_q.keyless && m_q.last;
  assign m_desc_o = m_q.desc;

  logic unused;
  assign unused = &{1'b0, m_q.first, lane_valid, lane_last, wanted[0]};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!complete || queue_valid)
      else $error("aes_core: there is a key stream, but no beat");
    end
  end
endmodule
