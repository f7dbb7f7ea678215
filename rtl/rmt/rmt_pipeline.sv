// SPDX-License-Identifier: Apache-2.0
// The match-action pipeline: frames in, messages with their descriptors out.
//
//   flits --+--> parser --> stage 0 --> ... --> stage n-1 --> deparser --> out
//           +----------------- buffer --------------------------^
//
// 5 + 3 * Stages cycles from a frame's flit to the message's (parser 4, a stage 3, deparser 1), with
// Cut = 0 4 + 2 * Stages (3, 2, 1); more only if the parser has to wait for a later flit; one frame per cycle. There is no
// back-pressure at the input: a frame is accepted if the buffer has room for one of the largest size, otherwise it is dropped whole.
module rmt_pipeline
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
#(
    parameter int unsigned BufferFlits = 1 << $clog2(2 * MaxFrameFlits),
    parameter int unsigned Stages = 1,
    parameter bit [MaxStages-1:0][1:0] Kinds = '0,  // of each stage: 0 exact, 1 ternary, 2 longest prefix
    parameter bit [MaxStages-1:0][15:0] Entries = {MaxStages{16'd256}},
    parameter bit [MaxStages-1:0][7:0] KeyHalves = {MaxStages{8'd8}},
    parameter bit Cut = TimingMhz >= 250
) (
    input logic clk_i,
    input logic rst_i,

    input logic  in_valid_i,
    input flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    // Room for a frame of the largest size; without it the next frame is dropped.
    output logic room_o,
    output logic accepted_o,  // for a cycle, with a frame's first flit: it is not dropped for want of room
    output logic parsed_o,    // for a cycle, for each frame accepted, in order: default_i is taken for it

    input  pipeline_default_t default_i,
    input  window_request_t   window_i,
    output window_response_t  window_o,
    output pipeline_event_t   event_o
);
  if (BufferFlits < MaxFrameFlits) begin : gen_bad_buffer
    $fatal(1, "rmt_pipeline: BufferFlits is %0d; a frame of the largest size takes %0d", BufferFlits, MaxFrameFlits);
  end
  if (Stages < 1 || Stages > MaxStages) begin : gen_bad_stages
    $fatal(1, "rmt_pipeline: Stages is %0d; it must be from 1 to %0d", Stages, MaxStages);
  end

  localparam int unsigned UsedWidth = $clog2(BufferFlits) + 1;

  // Accepted frames. Whether one fits is known a cycle before it comes; room that is freed meanwhile does not count.
  localparam logic [UsedWidth-1:0] MostUsed = UsedWidth'(BufferFlits - MaxFrameFlits);
  logic taking_q, fits_q, take;
  logic [UsedWidth-1:0] used;
  assign take = in_valid_i && (in_flit_i.first ? fits_q : taking_q);
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_flit_i.first) taking_q <= fits_q;
    /* verilator lint_off UNSIGNED */  // MostUsed is 0 if the buffer has room for one frame
    fits_q <= take ? used < MostUsed : used <= MostUsed;
    /* verilator lint_on UNSIGNED */
    if (rst_i) fits_q <= 1'b1;
  end

  assign room_o = fits_q;
  assign accepted_o = take && in_flit_i.first;
  logic parsed;
  assign parsed_o = parsed;

  window_response_t [MaxStages:0] response;
  logic [Stages:0] phv_valid;
  logic [Stages-1:0] early_valid;
  path_t [Stages-1:0] early_path;
  phv_t phv[Stages+1], key_phv[Stages+1];
  phv_t parsed_phv;
  logic edits_write;
  path_t edits_path;
  path_edits_t edits;
  parser #(
      .Cut(Cut)
  ) u_parser (
      .clk_i,
      .rst_i,
      .in_valid_i(take),
      .in_flit_i,
      .out_valid_o(parsed),
      .out_phv_o(parsed_phv),
      .window_i,
      .window_o(response[MaxStages]),
      .edits_write_o(edits_write),
      .edits_path_o(edits_path),
      .edits_o(edits)
  );
  always_comb begin
    phv[0] = parsed_phv;
    phv[0].desc.port = default_i.port;
    phv[0].desc.tenant = default_i.tenant;
    phv[0].desc.exit = address_of(default_i.exit);
    phv[0].desc.lossless = default_i.lossless;
    phv[0].may_be_lossless = default_i.lossless;
  end
  assign phv_valid[0] = parsed;
  assign key_phv[0] = phv[0];

  for (genvar s = 0; s < int'(MaxStages); s++) begin : gen_stage
    if (s < int'(Stages)) begin : gen_here
      window_request_t request;
      always_comb begin
        request = window_i;
        request.valid = window_i.valid && 32'(window_i.addr[13:11]) == 32'(WindowStage0) + s;
      end
      match_stage #(
          .Kind(32'(Kinds[s])),
          .Entries(32'(Entries[s])),
          .KeyHalves(32'(KeyHalves[s])),
          .Cut      (Cut)
      ) u_stage (
          .clk_i,
          .rst_i,
          .phv_valid_i(phv_valid[s]),
          .phv_i(phv[s]),
          .key_phv_i(key_phv[s]),
          .phv_valid_o(phv_valid[s+1]),
          .phv_o(phv[s+1]),
          .key_phv_o(key_phv[s+1]),
          .early_valid_o(early_valid[s]),
          .early_path_o(early_path[s]),
          .window_i(request),
          .window_o(response[s]),
          .hit_o(event_o.mark_hit[s]),
          .miss_o(event_o.mark_miss[s])
      );
    end else begin : gen_none
      assign response[s] = '0;
      assign event_o.mark_hit[s] = 1'b0;
      assign event_o.mark_miss[s] = 1'b0;
    end
  end

  // Only the parser and the stages answer in the window.
  always_comb begin
    window_o = '0;
    for (int unsigned i = 0; i <= MaxStages; i++) window_o |= response[i];
    if (window_i.valid && 32'(window_i.addr[13:11]) > 32'(WindowStage0) + Stages - 1) begin
      window_o.done  = 1'b1;
      window_o.error = 1'b1;
    end
  end

  drop_e dropped;
  deparser #(
      .BufferFlits(BufferFlits),
      .Cut(Cut)
  ) u_deparser (
      .clk_i,
      .rst_i,
      .beat_valid_i(take),
      .beat_i(in_flit_i),
      .used_o(used),
      .early_valid_i(early_valid[Stages-1]),
      .early_path_i(early_path[Stages-1]),
      .phv_valid_i(phv_valid[Stages]),
      .phv_i(phv[Stages]),
      .edits_write_i(edits_write),
      .edits_path_i(edits_path),
      .edits_i(edits),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .out_key_o,
      .made_mirrored_o(event_o.made_mirrored),
      .dropped_o(dropped),
      .edited_o(event_o.mark_edited),
      .truncated_o(event_o.mark_truncated)
  );
  logic unused;
  assign unused = &{1'b0, key_phv[Stages], early_valid, early_path};

  assign event_o.in_frames = in_valid_i && in_flit_i.first;
  assign event_o.drop_overflow = in_valid_i && in_flit_i.first && !fits_q;
  assign event_o.drop_runt = dropped == DropRunt;
  assign event_o.drop_action = dropped == DropAction;
  assign event_o.drop_meter = dropped == DropMeter;
endmodule
