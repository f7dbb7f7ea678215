// SPDX-License-Identifier: Apache-2.0
// Holds back the changes of a tile's configuration and node table while a master of the control network writes several of
// their words. Each master has its own hold, so none can end another's. A hold ends when its master ends it, or Cycles
// after the last start of a hold: a master that loses its right in the middle cannot hold the tile for ever.
module change_hold
  import girih_pkg::*;
#(
    parameter int unsigned Cycles = 2 ** 21  // more than sixteen accesses to windows that do not answer
) (
    input logic clk_i,
    input logic rst_i,

    input logic         write_i,
    input ctrl_master_t master_i,
    input logic         hold_i,  // 1 starts the master's hold, 0 ends it

    output logic [2**$bits(ctrl_master_t)-1:0] held_o,  // by master
    output logic hold_o
);
  if (Cycles < 2) begin : gen_bad_cycles
    $fatal(1, "change_hold: Cycles is %0d; a hold lasts at least 2 cycles", Cycles);
  end

  logic [2**$bits(ctrl_master_t)-1:0] held_q;
  logic [$clog2(Cycles)-1:0] left_q;
  assign held_o = held_q;
  assign hold_o = held_q != '0;

  always_ff @(posedge clk_i) begin
    if (hold_o) left_q <= left_q - 1'b1;
    if (hold_o && left_q == '0) held_q <= '0;
    if (write_i) begin
      held_q[master_i] <= hold_i;
      if (hold_i) left_q <= ($bits(left_q))'(Cycles - 1);
    end
    if (rst_i) held_q <= '0;
  end
endmodule
