// SPDX-License-Identifier: Apache-2.0
// A master of the control network: enables all interrupts of one tile, waits for its line, reads what is pending there
// and clears that. Only for tests.
module keeper_engine
  import girih_pkg::*, keeper_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,
    input  logic    [1:0] control_interrupt_i,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam logic [15:0] Pending = 16'h0c00, Enable = 16'h0c04;

  typedef enum logic [1:0] {
    Enables,
    Watches,
    Reads,
    Clears
  } state_e;
  state_e state_q;
  logic asked_q;  // the request of this state is under way
  logic [31:0] pending_q;

  logic answered;
  assign answered = control_answer_valid_i && asked_q;
  assign control_valid_o = state_q != Watches && !asked_q && cfg_i.watched != '0;
  assign control_request_o = '{
          write: state_q != Reads,
          tag: '0,
          node: cfg_i.watched,
          offset: state_q == Enables ? Enable : Pending,
          data: state_q == Enables ? '1 : pending_q
      };
  assign event_o.mark_control_refused = 1'b0;
  assign event_o.mark_cleared = answered && state_q == Clears && control_answer_i.status == CtrlOkay;

  always_ff @(posedge clk_i) begin
    if (control_valid_o && control_ready_i) asked_q <= 1'b1;
    if (answered) asked_q <= 1'b0;
    case (state_q)
      Enables: if (answered && control_answer_i.status == CtrlOkay) state_q <= Watches;
      Watches: if (control_interrupt_i != '0) state_q <= Reads;
      Reads:
      if (answered) begin
        pending_q <= control_answer_i.data;
        state_q   <= Clears;
      end
      // The line falls some cycles after the write, and the answer comes later than that.
      default: if (answered) state_q <= Watches;
    endcase
    if (rst_i) begin
      state_q <= Enables;
      asked_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^control_answer_i.tag;
endmodule
