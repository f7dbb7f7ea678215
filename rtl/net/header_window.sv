// SPDX-License-Identifier: Apache-2.0
// Shows an engine the first HeaderBytes bytes of each message beside the message's first flit.
//
//   in -> [slot K-1] -> ... -> [slot 0] -> out        K = flits that HeaderBytes can span
//              \_____ header_o _____/
//
// header_o is in network order (first wire byte most significant) and valid only with
// a first flit; available_o is the number of its bytes that belong to the message. The first flit leaves when
// `need_i` bytes (a function of header_o, at most HeaderBytes) have come or the message has ended,
// so most packets leave after the one cycle of the register even where K > 1, and
// available_o < need_i beside out_valid_o marks a truncated message. One flit per cycle, no bubbles.
// in_ready_o depends on out_ready_i.
module header_window
  import girih_pkg::*;
#(
    parameter int unsigned HeaderBytes = 42
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    output logic [HeaderBytes*8-1:0] header_o,
    output offset_t                  available_o,  // at most HeaderBytes
    input  offset_t                  need_i
);
  if (HeaderBytes < 1 || HeaderBytes > 255) begin : gen_bad_header
    $fatal(1, "header_window: HeaderBytes is %0d; it must be from 1 to 255", HeaderBytes);
  end

  localparam int unsigned K = (HeaderBytes + FlitBytes - 1) / FlitBytes;

  flit_t [K-1:0] slot_q;
  logic [K-1:0] taken_q;  // slots that hold a flit: the lowest ones

  logic push, pop;
  assign push = in_valid_i && in_ready_o;
  assign pop = out_valid_o && out_ready_i;

  // The window ends at its last slot, at the last flit that has arrived, or at the message's end.
  logic complete, enough, full;
  length_t bytes;
  logic [K:0] taken;  // one more, for the slot behind the last
  assign taken = {1'b0, taken_q};
  assign full = taken_q[K-1];
  always_comb begin
    complete = 1'b0;
    enough = 1'b0;
    bytes = '0;
    for (int unsigned n = K; n > 0; n--) begin
      if (taken[n-1]) begin
        if (slot_q[n-1].last) complete = 1'b1;
        if (32'(need_i) <= n * FlitBytes) enough = 1'b1;
        if (slot_q[n-1].last || !taken[n]) bytes = length_t'(n * FlitBytes) - length_t'(slot_q[n-1].empty);
      end
    end
  end
  assign available_o = bytes > length_t'(HeaderBytes) ? offset_t'(HeaderBytes) : offset_t'(bytes);

  for (genvar b = 0; b < int'(HeaderBytes); b++) begin : gen_header
    assign header_o[8*(int'(HeaderBytes)-1-b)+:8] = slot_q[b/int'(FlitBytes)].data[8*(b%int'(FlitBytes))+:8];
  end

  // Where one flit holds the whole window, nothing ever waits.
  if (K == 1) begin : gen_no_wait
    logic unused;
    assign unused = &{1'b0, complete, enough};
    assign out_valid_o = taken_q[0];
  end else begin : gen_wait
    assign out_valid_o = taken_q[0] && (!slot_q[0].first || complete || full || enough);
  end
  assign out_flit_o = slot_q[0];
  assign in_ready_o = !full || out_ready_i;  // a full window always offers

  // Only the load enable of a slot depends on the late `pop`; its data select depends on registers alone, so
  // the wide multiplexers stay small. A slot behind the last flit may load anything.
  for (genvar i = 0; i < int'(K); i++) begin : gen_slot
    flit_t next;
    if (i + 1 < int'(K)) begin : gen_shift
      assign next = taken_q[i+1] ? slot_q[i+1] : in_flit_i;
    end else begin : gen_end
      assign next = in_flit_i;
    end
    always_ff @(posedge clk_i) begin
      if (pop || (in_valid_i && !taken_q[i] && (i == 0 || taken_q[i-(i>0)]))) slot_q[i] <= next;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push && !pop) taken_q <= K'({taken_q, 1'b1});
    if (pop && !push) taken_q <= taken[K:1];
    if (rst_i) begin
      taken_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && out_valid_o && slot_q[0].first) begin
      assert (need_i <= offset_t'(HeaderBytes))
      else $error("header_window: %0d bytes are needed, and the window has %0d", need_i, HeaderBytes);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      waits_for_bytes : cover (taken_q[0] && !out_valid_o);
      leaves_before_all_has_come : cover (pop && slot_q[0].first && !complete && !full);
      truncated : cover (pop && slot_q[0].first && available_o < need_i);
      truncated_and_held_back : cover (out_valid_o && !out_ready_i && slot_q[0].first && available_o < need_i);
      full_and_refilled : cover (full && push);
      full_and_refused : cover (full && in_valid_i && !in_ready_o);
    end
  end
endmodule
