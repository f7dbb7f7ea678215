// SPDX-License-Identifier: Apache-2.0
// Holds back the interrupts of a virtqueue (notification coalescing, virtio 1.2, 5.1.6.5.8): one that the driver wants comes when it has been asked about
// enough frames since the last one, or enough time after it has said so, whichever is first. Frames for which it wanted no interrupt, when none was held
// back, do not count. If the queue ends, an interrupt that is held back comes at once.
module host_coalesce
  import host_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  coalesce_t coalesce_i,
    input  logic      microsecond_i,  // for a cycle, each microsecond
    input  logic      active_i,
    input  notice_t   notice_i,
    output logic      interrupt_o
);
  logic [15:0] fresh_q, asked_q;  // frames in memory that were not asked about, and in the question: fewer than a ring has
  logic [16:0] frames_q, frames;  // in questions that were answered; no more are counted once the upper bit is set
  logic [15:0] left_q;  // microseconds
  logic held_q, enough_q, late_q, answered, holds;
  assign answered = notice_i.wanted || notice_i.declined;
  assign frames = answered && !frames_q[16] ? {1'b0, frames_q[15:0]} + 17'(asked_q) : frames_q;
  assign holds = coalesce_i.microseconds != '0 && active_i;
  assign interrupt_o = holds ? held_q && (enough_q || late_q) : held_q || notice_i.wanted;

  always_ff @(posedge clk_i) begin
    if (notice_i.asks) asked_q <= fresh_q;
    fresh_q <= (notice_i.asks ? '0 : fresh_q) + 16'(notice_i.shown);
    frames_q <= frames;
    if (interrupt_o || (notice_i.declined && !held_q)) frames_q <= '0;
    held_q <= (held_q || notice_i.wanted) && !interrupt_o;
    enough_q <= coalesce_i.frames != '0 && frames_q >= 17'(coalesce_i.frames);
    if (!held_q) left_q <= coalesce_i.microseconds;
    else if (microsecond_i && left_q != '0) left_q <= left_q - 1'b1;
    late_q <= held_q && left_q == '0;
    if (rst_i || !active_i) {fresh_q, asked_q, frames_q} <= '0;
    if (rst_i) begin
      held_q <= 1'b0;
      enough_q <= 1'b0;
      late_q <= 1'b0;
    end
  end
endmodule
