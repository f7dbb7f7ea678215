// SPDX-License-Identifier: Apache-2.0
// The interrupts of a tile: the events since software last cleared them, and which of them raise the interrupt.
//
//   word 0  pending: bit i is 1 from the cycle after event i until a write with a 1 in bit i
//   word 1  enable: interrupt_o is 1 while a pending event has a 1 here; 0 after reset
//
// An event in the cycle of a write that clears it stays pending, so none is lost. interrupt_o follows both registers one
// cycle later.
module interrupt_source #(
    parameter int unsigned Events = 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Events-1:0] event_i,

    input  logic        write_i,
    input  logic        word_i,
    input  logic [31:0] data_i,
    output logic [31:0] pending_o,
    output logic [31:0] enable_o,

    output logic interrupt_o
);
  if (Events < 1 || Events > 32) begin : gen_bad_events
    $fatal(1, "interrupt_source: Events is %0d; it must be from 1 to 32", Events);
  end

  logic [Events-1:0] pending_q, enable_q, cleared;
  assign cleared   = write_i && !word_i ? data_i[Events-1:0] : '0;
  assign pending_o = 32'(pending_q);
  assign enable_o  = 32'(enable_q);

  if (Events < 32) begin : gen_unused
    logic unused;
    assign unused = ^data_i[31:Events];
  end

  always_ff @(posedge clk_i) begin
    pending_q <= (pending_q & ~cleared) | event_i;
    if (write_i && word_i) enable_q <= data_i[Events-1:0];
    interrupt_o <= (pending_q & enable_q) != '0;
    if (rst_i) begin
      pending_q <= '0;
      enable_q <= '0;
      interrupt_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) cleared_as_it_happens : cover ((cleared & event_i & pending_q) != '0);
  end
endmodule
