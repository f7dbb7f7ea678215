// SPDX-License-Identifier: Apache-2.0
// The index of the register that an action names: its own, in which low bits may be the packet's. Combinational.
module action_index
  import match_pkg::*, action_pkg::*;
(
    input  logic       valid_i,    // 0: the output is undefined
    input  sources_t   sources_i,
    /* verilator lint_off UNUSEDSIGNAL */  // what is done with the register
    input  state_op_t  state_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic [7:0] index_o
);
  logic [7:0] from_packet;
  for (genvar b = 0; b < 8; b++) begin : gen_from_packet
    assign from_packet[b] = b < 32'(state_i.index_bits);
  end

  match_half #(
      .Bits(8)
  ) u_half (
      .valid_i,
      .sources_i,
      .number_i(state_i.index_half),
      .take_i  (from_packet),
      .other_i (state_i.index & ~from_packet),
      .half_o  (index_o)
  );
endmodule
