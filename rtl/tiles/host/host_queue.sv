// SPDX-License-Identifier: Apache-2.0
// A virtqueue: starts and stops it, walks its ring, and returns its chains. The data are moved outside of this module, which gives the parts of
// chains, takes reports of used chains, and resets the data movers by clear_o. A mistake in the queue, or enable_i falling, stops it: nothing more is
// requested, and when everything requested has come, all state is cleared. After a mistake it stays stopped, with its reason, until enable_i falls.
module host_queue
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Chains = 32,
    parameter bit Writes = 1'b0,
    parameter bit Answers = 1'b0,
    parameter int unsigned LeastBytes = 1,
    parameter int unsigned MostBytes = 65535,
    parameter int unsigned LongBytes = MostBytes  // if frames may be cut into segments
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        enable_i,
    input  place_t      place_i,
    input  logic        kick_i,
    output logic        active_o,
    output stop_e       reason_o,  // StopNone: nothing has stopped it
    output stop_e       stopped_o,  // for a cycle, when it is stopped
    output logic [15:0] index_o,  // the index to start from again
    output notice_t     notice_o,

    output logic  clear_o,
    output logic  halt_o,
    input  logic  busy_i,
    input  stop_e stop_i,
    output logic        size_valid_o,  // of a chain, before its parts; only if Writes
    input  logic        size_ready_i,
    output chain_size_t size_o,
    output logic  part_valid_o,
    input  logic  part_ready_i,
    output part_t part_o,
    input  logic  used_valid_i,
    output logic  used_ready_o,
    input  used_t used_i,

    // Reads and writes of the rings.
    output logic         read_valid_o,
    input  logic         read_ready_i,
    output ask_t         read_o,
    input  logic         read_refused_i,
    input  logic         came_i,
    input  logic         came_error_i,
    input  logic [W-1:0] came_data_i,
    output logic         write_valid_o,
    input  logic         write_ready_i,
    output ask_t         write_o,
    input  logic         write_refused_i,
    output logic         data_valid_o,
    input  logic         data_ready_i,
    output write_t       data_o,
    input  logic         done_i,
    input  logic         done_error_i
);
  typedef enum logic [1:0] {
    Off,
    On,
    Ending,
    Stopped
  } state_e;
  state_e state_q, state_d;
  logic halt_q, clear_q;  // separate registers, because they have many loads
  stop_e reason_q, reason_d;

  logic sound_q, sound_form, uneven, ring_busy, clear;
  stop_e ring_stop, ring_stop_q, stop;  // the ring's mistake is known a cycle later, in which the ring gives nothing
  always_ff @(posedge clk_i) sound_q <= sound_form && place_i.size != '0 && place_i.size <= 16'h8000 && place_i.descriptors[3:0] == '0 && place_i.device[1:0] == '0;
  assign sound_form = place_i.packed_ring ? place_i.driver[1:0] == '0 && 16'(place_i.start[14:0]) < place_i.size :
      !place_i.driver[0] && !uneven;
  any_set #(
      .Width($bits(place_i.size))
  ) u_uneven (
      .bits_i(place_i.size & (place_i.size - 1'b1)),  // not a power of two
      .any_o (uneven)
  );
  assign stop = ring_stop_q != StopNone ? ring_stop_q : stop_i;
  assign clear = rst_i || clear_q;
  assign clear_o = clear;
  assign halt_o = halt_q;
  assign active_o = state_q == On || state_q == Ending;
  assign reason_o = reason_q;
  always_comb begin
    stopped_o = state_q == On ? stop : StopNone;
    if (state_q == Off && enable_i && !sound_q) stopped_o = StopSetup;
  end

  // A block may count a request of the cycle before it was halted only two cycles later.
  logic [1:0] rests_q;
  always_comb begin
    state_d  = state_q;
    reason_d = reason_q;
    unique case (state_q)
      Off:
      if (enable_i) begin
        state_d  = sound_q ? On : Stopped;
        reason_d = sound_q ? StopNone : StopSetup;
      end
      On:
      if (stop != StopNone || !enable_i) begin
        state_d  = Ending;
        reason_d = stop;
      end
      Ending: if (&rests_q) state_d = reason_q == StopNone ? Off : Stopped;
      default: if (!enable_i) begin
        state_d  = Off;
        reason_d = StopNone;
      end
    endcase
  end
  always_ff @(posedge clk_i) begin
    rests_q <= {rests_q[0], state_q == Ending && !ring_busy && !busy_i};
    ring_stop_q <= clear ? StopNone : ring_stop;
    state_q <= state_d;
    reason_q <= reason_d;
    halt_q <= state_d != On;
    clear_q <= state_d == Off || state_d == Stopped;
    if (rst_i) begin
      state_q <= Off;
      reason_q <= StopNone;
      halt_q <= 1'b1;
      clear_q <= 1'b1;
      rests_q <= '0;
    end
  end

  logic [15:0] index, index_q;  // of the used ring; index_q survives clear
  assign index_o = index_q;
  always_ff @(posedge clk_i) begin
    if (active_o) index_q <= index;
    if (rst_i) index_q <= '0;
  end

  // Used chains wait here while the used ring is written, so that the data do not wait for that.
  logic due_valid, due_ready;
  used_t due;
  fifo #(
      .T(used_t),
      .Depth(Chains)
  ) u_due (
      .clk_i,
      .rst_i(clear),
      .in_valid_i(used_valid_i),
      .in_ready_o(used_ready_o),
      .in_data_i(used_i),
      .out_valid_o(due_valid),
      .out_ready_i(due_ready),
      .out_data_o(due)
  );

  virtqueue #(
      .Chains(Chains),
      .Writes(Writes),
      .Answers(Answers),
      .LeastBytes(LeastBytes),
      .MostBytes(MostBytes),
      .LongBytes(LongBytes)
  ) u_ring (
      .clk_i,
      .rst_i(clear),
      .place_i,
      .halt_i(halt_o),
      .kick_i,
      .busy_o(ring_busy),
      .stop_o(ring_stop),
      .index_o(index),
      .notice_o,
      .size_valid_o,
      .size_ready_i,
      .size_o,
      .part_valid_o,
      .part_ready_i,
      .part_o,
      .used_valid_i(due_valid),
      .used_ready_o(due_ready),
      .used_i(due),
      .read_valid_o,
      .read_ready_i,
      .read_o,
      .read_refused_i,
      .came_i,
      .came_error_i,
      .came_data_i,
      .write_valid_o,
      .write_ready_i,
      .write_o,
      .write_refused_i,
      .data_valid_o,
      .data_ready_i,
      .data_o,
      .done_i,
      .done_error_i
  );
endmodule
