// SPDX-License-Identifier: Apache-2.0
// Watches registers of other tiles for a program. It reads them in turn, at least `pace_i` cycles apart, and makes an event when one has grown by its step
// or more since its watch started, or since the last event. A watch has at most one waiting event; until that is in the event's register, the watched register is
// not read again. Its growth meanwhile belongs to the next event, so nothing is lost. A register that cannot be read ends its watch, with an event.
module control_watch
  import girih_pkg::*, core_map_pkg::*;
#(
    parameter int unsigned Watches = 16
) (
    input logic clk_i,
    input logic rst_i,
    input logic running_i,  // 0: the core is in reset, and has no watches
    input logic [15:0] pace_i,

    // Of the program: a watch is started with the step, or ended.
    input logic        set_valid_i,
    input logic [ 7:0] set_number_i,  // beyond the last watch: ignored
    input logic [31:0] set_step_i,
    input logic [31:0] set_at_i,  // node and offset, or WatchNone

    output logic         read_valid_o,
    input  logic         read_ready_i,
    output logic  [23:0] read_at_o,
    input  logic         answer_valid_i,
    input  ctrl_status_e answer_status_i,
    input  logic  [31:0] answer_data_i,

    output logic        event_valid_o,  // holds until it is taken, or its watch is set anew
    output logic [ 7:0] event_number_o,
    output logic        event_failed_o,
    output logic [31:0] event_value_o,
    input  logic        event_take_i
);
  if (Watches < 1 || Watches > 64) begin : gen_bad_watches
    $fatal(1, "control_watch: Watches is %0d; it must be from 1 to 64", Watches);
  end
  localparam int unsigned Bits = Watches > 1 ? $clog2(Watches) : 1;
  typedef logic [Bits-1:0] number_t;
  typedef enum logic [2:0] {
    Look,  // at the next watch
    Ask,
    Wait,
    Weigh,
    Compare,
    Tell,
    Rest
  } state_e;

  function automatic number_t after(input number_t number);
    after = number == number_t'(Watches - 1) ? '0 : number + 1'b1;
  endfunction

  logic [Watches-1:0] on_q, bad_q, known_q, told_q, failed_q;  // bad: its address is not that of a register; known: its base has been read
  logic [23:0] at_q[Watches];
  logic [31:0] step_q[Watches], base_q[Watches], value_q[Watches];

  // The current watch.
  state_e state_q;
  number_t number_q, set, shown_q;
  logic void_q;  // the watch was set anew, or the core reset, in the meantime
  logic [23:0] at_now_q;
  logic [31:0] step_now_q, base_now_q, data_q, growth_q;
  ctrl_status_e status_q;
  logic enough_q;
  logic [15:0] rest_q;
  logic sets, tells, learns;
  assign set = number_t'(set_number_i);
  assign sets = set_valid_i && 32'(set_number_i) < Watches;
  assign read_valid_o = state_q == Ask && !void_q;
  assign read_at_o = at_now_q;
  assign learns = state_q == Tell && !void_q && status_q == CtrlOkay && (!known_q[number_q] || enough_q);
  assign tells = state_q == Tell && !void_q && (status_q != CtrlOkay || (known_q[number_q] && enough_q));

  // The event that is shown to the program, and the watch that may be the next one.
  logic event_q, event_failed_q;
  number_t event_number_q;
  logic [31:0] event_value_q;
  logic shows;
  assign shows = !event_q && told_q[shown_q] && !(sets && set == shown_q);
  assign event_valid_o = event_q;
  assign event_number_o = 8'(event_number_q);
  assign event_failed_o = event_failed_q;
  assign event_value_o = event_value_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Look: begin
        at_now_q <= at_q[number_q];
        step_now_q <= step_q[number_q];
        base_now_q <= base_q[number_q];
        void_q <= 1'b0;
        status_q <= CtrlNoNode;
        if (on_q[number_q] && !told_q[number_q]) state_q <= bad_q[number_q] ? Tell : Ask;
        else number_q <= after(number_q);
      end
      Ask: if (void_q) state_q <= Tell;
      else if (read_ready_i) state_q <= Wait;
      Wait:
      if (answer_valid_i) begin
        data_q   <= answer_data_i;
        status_q <= answer_status_i;
        state_q  <= Weigh;
      end
      Weigh: begin
        growth_q <= data_q - base_now_q;
        state_q  <= Compare;
      end
      Compare: begin
        enough_q <= growth_q >= step_now_q;
        state_q  <= Tell;
      end
      Tell: begin
        rest_q  <= pace_i;
        state_q <= Rest;
      end
      default: begin
        rest_q <= rest_q - 1'b1;
        if (rest_q <= 16'd1) begin
          number_q <= after(number_q);
          state_q  <= Look;
        end
      end
    endcase

    if (learns) begin
      base_q[number_q] <= data_q;
      known_q[number_q] <= 1'b1;
    end
    if (tells) begin
      value_q[number_q] <= status_q == CtrlOkay ? growth_q : 32'(status_q);
      told_q[number_q] <= 1'b1;
      failed_q[number_q] <= status_q != CtrlOkay;
      if (status_q != CtrlOkay) on_q[number_q] <= 1'b0;
    end

    if (event_take_i) event_q <= 1'b0;
    if (!event_q) begin
      shown_q <= after(shown_q);
      event_number_q <= shown_q;
      event_failed_q <= failed_q[shown_q];
      event_value_q <= value_q[shown_q];
    end
    if (shows) begin
      event_q <= 1'b1;
      told_q[shown_q] <= 1'b0;
    end

    if (sets) begin
      at_q[set] <= set_at_i[23:0];
      bad_q[set] <= set_at_i[31:24] != '0 || set_at_i[1:0] != '0;
      step_q[set] <= set_step_i;
      on_q[set] <= set_at_i != WatchNone;
      known_q[set] <= 1'b0;
      told_q[set] <= 1'b0;
      if (set == number_q) void_q <= 1'b1;
      if (event_q && set == event_number_q) event_q <= 1'b0;
    end
    if (!running_i) begin
      on_q <= '0;
      told_q <= '0;
      event_q <= 1'b0;
      void_q <= 1'b1;
    end
    if (rst_i) begin
      state_q  <= Look;
      number_q <= '0;
      shown_q  <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      set_while_it_is_read : cover (sets && set == number_q && state_q == Wait);
      set_while_its_event_waits : cover (sets && event_q && set == event_number_q);
    end
  end
endmodule
