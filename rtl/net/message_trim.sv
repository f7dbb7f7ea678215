// SPDX-License-Identifier: Apache-2.0
// Cuts each message to the desc.length of its first flit (0: leaves it as it is). The path is combinational, so
// padding within the last flit, the usual case, costs no cycle. Where whole flits must be discarded, the last
// flit to keep is held until the original end has arrived, because `bad` there voids the message; it leaves in
// the cycle of that end.
// A message shorter than desc.length leaves unchanged but marked `bad`, with a pulse of short_o.
// keep_o has a bit for each byte of the flit that belongs to the message. It means the same as out_flit_o.empty, but is
// known earlier in the cycle, because it does not depend on whether the message is too short.
// in_ready_o depends on out_ready_i and on the flit; on its descriptor only by in_ends_i, which the user may compute earlier.
module message_trim
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    input  logic  in_ends_i,  // header_pkg::ends_at_once of the first flit's desc.length

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic [FlitBytes-1:0] keep_o,

    output logic short_o
);
  localparam length_t FullFlit = length_t'(FlitBytes);

  logic tail_q;  // held_q is the last flit to keep; further flits are discarded
  logic trim_q;
  length_t left_q;  // bytes still to keep
  logic ends_q;  // they end in the next flit, or have ended
  logic first_q;  // the next flit begins a message: it says so itself, but later in the cycle, and the hand-shake waits for it
  flit_t held_q;

  logic trim;
  length_t left, present;
  assign trim = first_q ? in_flit_i.desc.length != '0 : trim_q;
  assign left = first_q ? in_flit_i.desc.length : left_q;
  assign present = FullFlit - length_t'(in_flit_i.empty);  // of a last flit

  logic ends_here, hold, too_short;
  assign ends_here = first_q ? in_ends_i : ends_q;
  assign hold = ends_here && !in_flit_i.last;
  // In a first flit without a length `left` is 0, and no flit has less, so this need not wait for `trim`.
  assign too_short = (first_q || trim_q) && in_flit_i.last && present < left;

  logic take;
  always_comb begin
    if (tail_q) begin
      out_flit_o = held_q;
      out_flit_o.bad = in_flit_i.bad;
    end else begin
      out_flit_o = in_flit_i;
      out_flit_o.bad = in_flit_i.bad || too_short;
      if (ends_here && !too_short) out_flit_o.empty = EmptyWidth'(FullFlit - left);
    end
  end
  logic cuts;
  assign cuts = trim && left >> EmptyWidth == '0 && !tail_q;
  logic [FlitBytes-1:0] here, through_end;  // bytes that are in the flit; up to the one behind the last to keep
  valid_mask u_here (
      .empty_i(tail_q ? held_q.empty : in_flit_i.empty),
      .valid_o(here)
  );
  valid_mask u_through_end (
      .empty_i(~left[EmptyWidth-1:0]),
      .valid_o(through_end)
  );
  assign keep_o = here & (cuts ? through_end >> 1 : '1);

  assign out_valid_o = in_valid_i && !hold;
  assign in_ready_o = hold || out_ready_i;
  assign take = in_valid_i && in_ready_o;
  assign short_o = take && !tail_q && too_short;

  always_ff @(posedge clk_i) begin
    // Loads any flit that might be held: whether it is held is known late in the cycle.
    if (in_valid_i && !tail_q && !in_flit_i.last) begin
      held_q <= out_flit_o;
      held_q.last <= 1'b1;
    end
    if (take) begin
      if (!tail_q) begin
        trim_q <= trim;
        left_q <= left - FullFlit;
        ends_q <= trim && left <= 2 * FullFlit;
      end
      first_q <= in_flit_i.last;
      tail_q <= hold;
    end
    if (rst_i) begin
      first_q <= 1'b1;
      tail_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      flits_are_swallowed : cover (take && tail_q && !in_flit_i.last);
      cut_is_held_back : cover (in_valid_i && tail_q && in_flit_i.last && !out_ready_i);
      void_behind_the_cut : cover (take && tail_q && in_flit_i.last && in_flit_i.bad);
      short_is_held_back : cover (in_valid_i && !tail_q && too_short && !out_ready_i);
      short_and_void : cover (short_o && in_flit_i.bad);
      short_behind_the_first_flit : cover (short_o && !first_q);
    end
  end
endmodule
