// SPDX-License-Identifier: Apache-2.0
// Passes values of type T, one at a time, from one clock to another: for values that change seldom and are too small for
// memory, such as configuration, requests and time. A value waits in a register of its own clock while a toggle bit
// crosses and another one comes back.
//
// A value is offered Stages + 1 edges of out_clk_i after it was taken; the next is taken Stages + 1 edges of in_clk_i after
// it has passed into the register of the output. Resets are those of async_fifo.
module cdc_handshake #(
    parameter type T = logic [7:0],
    parameter int unsigned Stages = 2
) (
    input  logic in_clk_i,
    input  logic in_rst_i,
    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_data_i,

    input  logic out_clk_i,
    input  logic out_rst_i,
    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_data_o
);
  // These registers cross, so no tool may merge them with others.
  (* keep = "true" *)
  logic given_q, taken_q;
  T held_q;
  cdc_pkg::state_t in_state, out_state;

  // The sending side.

  logic given_d, taken_seen;
  logic push, in_clear, in_open, in_open_next, ready_q;

  assign in_ready_o = ready_q;
  assign push = in_valid_i && ready_q && !in_rst_i;

  cdc_clear #(
      .Stages  (Stages),
      .Recovers(1'b1)
  ) u_in_clear (
      .clk_i(in_clk_i),
      .rst_i(in_rst_i),
      .state_i(out_state),
      .state_o(in_state),
      .clear_o(in_clear),
      .open_o(in_open),
      .open_next_o(in_open_next)
  );

  synchroniser #(
      .Stages(Stages)
  ) u_taken (
      .clk_i(in_clk_i),
      .in_i (taken_q),
      .out_o(taken_seen)
  );

  assign given_d = !in_clear && (given_q ^ push);

  always_ff @(posedge in_clk_i) begin
    given_q <= given_d;
    ready_q <= in_open_next && given_d == taken_seen;
    if (push) held_q <= in_data_i;
    if (in_rst_i) ready_q <= 1'b0;
  end

  // The receiving side.

  logic given_seen;
  logic pop, out_clear, out_open, out_open_next, valid_q;
  (* crossing = "data" *)
  T data_q;

  assign out_valid_o = valid_q;
  assign out_data_o = data_q;
  assign pop = out_open && given_seen != taken_q && (!valid_q || out_ready_i);

  cdc_clear #(
      .Stages(Stages)
  ) u_out_clear (
      .clk_i(out_clk_i),
      .rst_i(out_rst_i),
      .state_i(in_state),
      .state_o(out_state),
      .clear_o(out_clear),
      .open_o(out_open),
      .open_next_o(out_open_next)
  );

  synchroniser #(
      .Stages(Stages)
  ) u_given (
      .clk_i(out_clk_i),
      .in_i (given_q),
      .out_o(given_seen)
  );

  always_ff @(posedge out_clk_i) begin
    taken_q <= !out_clear && (taken_q ^ pop);
    if (pop) data_q <= held_q;
    if (pop) valid_q <= 1'b1;
    else if (out_ready_i) valid_q <= 1'b0;
    if (out_rst_i) valid_q <= 1'b0;
  end

  always_ff @(posedge in_clk_i) begin
    if (!in_rst_i && ready_q) assert (in_open);
    waits_for_the_other_side : cover (in_open && !ready_q && in_valid_i);
  end
  always_ff @(posedge out_clk_i) begin
    held_back : cover (out_valid_o && !out_ready_i);
    stopped_while_held_back : cover (out_valid_o && !out_ready_i && !out_open);
  end

  logic unused;
  assign unused = &{1'b0, out_open_next};
endmodule
