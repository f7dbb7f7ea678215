// SPDX-License-Identifier: Apache-2.0
// The bytes of a flit that are part of its message, as valid_bytes tells them, each in one level of look-up tables. Combinational. A module of its own in the
// netlist too: a mapper that saves area around it makes each bit from the one beside it, in a chain.
(* keep_hierarchy *)
module valid_mask
  import girih_pkg::*, header_pkg::*;
(
    input  logic [EmptyWidth-1:0] empty_i,
    output logic [ FlitBytes-1:0] valid_o
);
  assign valid_o = valid_bytes(empty_i);
endmodule
