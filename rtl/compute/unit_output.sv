// SPDX-License-Identifier: Apache-2.0
// The output of a unit: merges the messages that its engine has finished, with the descriptors that bypassed it, and
// those that are sent back, alternating by whole messages. One cycle, one flit per cycle.
//
// With Flits = 0 messages are cut through. Otherwise a message leaves a store of Flits flits when it is
// complete, so that a slow engine does not block the fabric.
//
// A message that the engine declares void is dropped if no flit of it has left: always with a store,
// otherwise if it is one flit long. A message that has started to leave ends with `bad`.
module unit_output
  import girih_pkg::*, compute_pkg::*, unit_pkg::*;
#(
    parameter int unsigned Flits = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        done_valid_i,
    output logic        done_ready_o,
    input  beat_t       done_beat_i,  // bad: void
    input  descriptor_t done_desc_i,
    // The oldest message within the engine. ended_*: whether it arrived void, known once the engine has taken its
    // end.
    input  logic        kept_valid_i,
    input  kept_t       kept_i,
    input  logic        ended_valid_i,
    input  logic        ended_bad_i,
    output logic        kept_taken_o,

    input  logic  detour_valid_i,
    output logic  detour_ready_o,
    input  flit_t detour_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  out_odd_o,  // the parity of its flow

    output logic drop_engine_o,
    output logic drop_aborted_o
);
  logic void_now, drop, done_take;
  flit_t restored_flit;
  assign void_now = done_beat_i.last && (done_beat_i.bad || ended_bad_i);
  assign restored_flit = '{
      desc: restored(done_desc_i, kept_i),
      first: 1'b0,  // the tile's sender sets it
      bad: void_now,
      last: done_beat_i.last,
      empty: done_beat_i.empty,
      data: done_beat_i.data
  };
  assign done_take = done_valid_i && done_ready_o;
  assign kept_taken_o = done_take && done_beat_i.last;
  assign drop_engine_o = done_take && drop && done_beat_i.bad;
  assign drop_aborted_o = done_take && drop && !done_beat_i.bad;

  logic valid, ready, waits;  // waits: as `valid`, or a message to drop, and sooner
  flit_t flit;
  if (Flits == 0) begin : gen_as_it_comes
    logic first_q, drop_q;
    always_ff @(posedge clk_i) begin
      if (done_take) first_q <= done_beat_i.last;
      drop_q <= done_valid_i && drop && !done_ready_o;
      if (rst_i) first_q <= 1'b1;
    end
    // A message that arrived void is passed on void; the first tile that stores it drops it. One to drop is known late in the cycle, so it
    // waits at most one cycle for an output that is held back.
    assign drop = done_beat_i.last && first_q && done_beat_i.bad;
    assign waits = done_valid_i;
    assign valid = done_valid_i && !drop;
    assign done_ready_o = ready || drop_q;
    assign flit = restored_flit;
  end else begin : gen_complete
    assign drop = void_now;
    assign waits = valid;
    logic unused_token, unused_fits;
    packet_store #(
        .token_t(logic),
        .Depth  (Flits),
        .Tokens (64)
    ) u_store (
        .clk_i,
        .rst_i,
        .in_valid_i(done_valid_i),
        .in_ready_o(done_ready_o),
        .in_flit_i(restored_flit),
        .commit_i(done_beat_i.last && !drop),
        .drop_i(drop),
        .token_i(1'b0),
        .out_valid_o(valid),
        .out_ready_i(ready),
        .out_flit_o(flit),
        .out_token_o(unused_token),
        .fits_o(unused_fits)
    );
  end

  // A source holds the output until the end of its message.
  logic halfway_q, detour_q, detour_now, move, out_valid_q, take;
  flit_t out_flit_q, chosen;
  assign detour_now = halfway_q ? detour_q : detour_valid_i && (!detour_q || !waits);
  assign move = out_ready_i || !out_valid_q;
  assign detour_ready_o = move && detour_now;
  assign ready = move && !detour_now;
  assign chosen = detour_now ? detour_flit_i : flit;
  assign take = move && (detour_now ? detour_valid_i : valid);
  assign out_valid_o = out_valid_q;
  assign out_flit_o = out_flit_q;

  always_ff @(posedge clk_i) begin
    if (move) out_valid_q <= take;
    if (take) begin
      out_flit_q <= chosen;
      out_odd_o <= ^chosen.desc.flow;
      halfway_q <= !chosen.last;
      detour_q <= detour_now;
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      halfway_q <= 1'b0;
      detour_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && done_valid_i) begin
      assert (kept_valid_i)
      else $error("unit_output: the engine answered a message that it was not given");
      assert (!done_beat_i.last || ended_valid_i)
      else $error("unit_output: the engine ended a message before it had taken its end");
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      both_want_out : cover (!halfway_q && detour_valid_i && valid);
      both_wait_while_held_back : cover (out_valid_q && !out_ready_i && detour_valid_i && valid);
      void_twice : cover (kept_taken_o && done_beat_i.bad && ended_bad_i);
    end
  end
endmodule
