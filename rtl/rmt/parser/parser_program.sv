// SPDX-License-Identifier: Apache-2.0
// The parser's part of the window: a control register, and the registers through which a program is loaded.
//
// spec/windows.yaml has their places. While the parser is off, frames pass without words and headers.
// An entry is staged, then stored with a write of {entry_kind_e[9:8], index[7:0]}, and changes in one cycle. A whole
// program takes many, so it is loaded while the parser is off. Only the operator may access it.
module parser_program
  import girih_pkg::*, rmt_pkg::*, parser_pkg::*, parser_window_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  window_request_t  window_i,
    output window_response_t window_o,

    output logic                      on_o,
    output logic                      front_write_o,
    output logic                      path_write_o,
    output logic                      action_write_o,
    output path_t                     index_o,
    output front_entry_t              front_o,
    output path_entry_t               path_o,
    output path_action_t              action_o
);
  localparam int unsigned StagingWords = 16;

  if ($bits(front_entry_t) > 32 * StagingWords || $bits(path_action_t) > 32 * StagingWords) begin : gen_bad_entry
    $fatal(1, "parser_program: an entry has more than %0d bits", 32 * StagingWords);
  end

  logic on_q;
  logic [StagingWords-1:0][31:0] staging_q;

  logic asked, control, commit, staging, good, write;
  entry_kind_e kind;
  assign asked = window_i.valid && window_i.addr[13:11] == WindowParser;
  assign control = window_i.addr[10:ControlLsb] == ControlPart[10:ControlLsb];
  assign commit = window_i.addr[10:CommitLsb] == CommitPart[10:CommitLsb];
  assign staging = window_i.addr[10:StagingLsb] == StagingPart[10:StagingLsb];
  assign kind = entry_kind_e'(window_i.data[9:8]);

  logic known;
  always_comb begin
    unique case (kind)
      EntryFront: known = window_i.data[7:0] < 8'(Fronts);
      EntryPath, EntryAction: known = window_i.data[7:0] < 8'(Paths);
      default: known = 1'b0;
    endcase
  end
  assign good = window_i.tenant == '0 && (control || staging || (commit && window_i.write && known));
  assign write = asked && good && window_i.write;

  // An entry is written a cycle after its request; staging_q is still what it was.
  logic front_write_q, path_write_q, action_write_q;
  path_t index_q;
  assign front_write_o = front_write_q;
  assign path_write_o = path_write_q;
  assign action_write_o = action_write_q;
  assign index_o = index_q;
  assign front_o = front_entry_t'(staging_q);
  assign path_o = path_entry_t'(staging_q);
  assign action_o = path_action_t'(staging_q);
  assign on_o = on_q;

  always_comb begin
    window_o.done = asked;
    window_o.error = asked && !good;
    window_o.data = '0;
    if (asked && good && control) window_o.data = 32'(on_q);
    if (asked && good && staging) window_o.data = staging_q[window_i.addr[StagingWordMsb:StagingWordLsb]];
  end

  always_ff @(posedge clk_i) begin
    if (write && staging) staging_q[window_i.addr[StagingWordMsb:StagingWordLsb]] <= window_i.data;
    if (write && control) on_q <= window_i.data[0];
    front_write_q <= write && commit && kind == EntryFront;
    path_write_q <= write && commit && kind == EntryPath;
    action_write_q <= write && commit && kind == EntryAction;
    index_q <= path_t'(window_i.data[7:0]);
    if (rst_i) begin
      on_q <= 1'b0;
      front_write_q <= 1'b0;
      path_write_q <= 1'b0;
      action_write_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, window_i.addr[1:0]};
endmodule
