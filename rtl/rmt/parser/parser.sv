// SPDX-License-Identifier: Apache-2.0
// The programmable parser: makes packet header vectors (PHVs) from the first flits of frames.
//
//   flits -> [window, first step: two cycles] -> [second step] -> [words, descriptor] -> phv
//
// Four cycles, three with Cut = 0; one frame per cycle. A frame takes longer only if its path depends on bytes, or
// extracts bytes, that have not arrived yet. There is no back-pressure. Every frame gives one PHV, in
// order: a frame that fits no path has drop DropRunt, and no frame has words while the parser is off.
// The user sets port, tenant and exit of the descriptor.
module parser
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*;
#(
    parameter bit Cut = TimingMhz >= 250  // the first step takes two cycles
) (
    input logic clk_i,
    input logic rst_i,

    input logic  in_valid_i,
    input flit_t in_flit_i,

    output logic out_valid_o,
    output phv_t out_phv_o,

    input  window_request_t  window_i,
    output window_response_t window_o,

    output logic        edits_write_o,  // the deparser's part of the program
    output path_t       edits_path_o,
    output path_edits_t edits_o
);
  logic on, front_write, path_write, action_write;
  logic [$clog2(Paths)-1:0] index;
  front_entry_t front_entry;
  path_entry_t path_entry;
  path_action_t action;
  parser_program u_program (
      .clk_i,
      .rst_i,
      .window_i,
      .window_o,
      .on_o(on),
      .front_write_o(front_write),
      .path_write_o(path_write),
      .action_write_o(action_write),
      .index_o(index),
      .front_o(front_entry),
      .path_o(path_entry),
      .action_o(action)
  );
  assign edits_write_o = action_write;
  assign edits_path_o = index;
  assign edits_o = action.edits;

  logic here, complete, take;
  logic [HeaderBytes/2-1:0][15:0] window;
  logic [6:0] halfwords;
  timestamp_t timestamp;
  front_step_t front;
  parser_collect #(
      .Cut(Cut)
  ) u_collect (
      .clk_i,
      .rst_i,
      .write_i(front_write),
      .index_i(index[$clog2(Fronts)-1:0]),
      .entry_i(front_entry),
      .in_valid_i,
      .in_flit_i,
      .valid_o(here),
      .complete_o(complete),
      .window_o(window),
      .halfwords_o(halfwords),
      .timestamp_o(timestamp),
      .front_o(front),
      .take_i(take)
  );

  logic decided, found;
  path_t path;
  parser_path u_path (
      .clk_i,
      .rst_i,
      .write_i(path_write),
      .index_i(index),
      .entry_i(path_entry),
      .valid_i(here),
      .front_i(front),
      .window_i(window),
      .halfwords_i(halfwords),
      .complete_i(complete),
      .decided_o(decided),
      .found_o(found),
      .path_o(path)
  );
  assign take = here && (decided || !on);

  logic path_valid_q, on_q, found_q;
  path_t path_q;
  front_step_t front_q;
  timestamp_t timestamp_q;
  logic [HeaderBytes/2-1:0][15:0] window_q;
  always_ff @(posedge clk_i) begin
    path_valid_q <= take;
    if (here) begin  // and not only when the path is decided, which is known late in the cycle
      on_q <= on;
      found_q <= found;
      path_q <= path;
      front_q <= front;
      timestamp_q <= timestamp;
      window_q <= window;
    end
    if (rst_i) path_valid_q <= 1'b0;
  end

  phv_t phv;
  parser_extract u_extract (
      .clk_i,
      .write_i(action_write),
      .index_i(index),
      .entry_i(action),
      .valid_i(path_valid_q),
      .found_i(found_q),
      .on_i(on_q),
      .path_i(path_q),
      .front_i(front_q),
      .window_i(window_q),
      .timestamp_i(timestamp_q),
      .phv_o(phv)
  );

  always_ff @(posedge clk_i) begin
    out_valid_o <= path_valid_q;
    if (path_valid_q) out_phv_o <= phv;
    if (rst_i) out_valid_o <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      decided_before_the_end : cover (take && on && !complete);
      waits_for_more : cover (here && !take);
      no_path : cover (take && on && !found);
      switched_off : cover (take && !on);
    end
  end
endmodule
