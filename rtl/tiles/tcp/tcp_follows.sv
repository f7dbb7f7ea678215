// SPDX-License-Identifier: Apache-2.0
// Whether a sequence number is the one behind another: a == b + 1, which is a + ~b == 0, without a carry, in three levels of look-up tables.
// Combinational. A module of its own in the netlist too: a mapper that saves area makes a chain of the last two.
(* keep_hierarchy *)
module tcp_follows
  import tcp_types_pkg::*;
(
    input  seq_t a_i,
    input  seq_t b_i,
    output logic follows_o
);
  assign follows_o = (a_i ^ ~b_i) == ((a_i | ~b_i) << 1);
endmodule
