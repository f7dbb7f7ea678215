// SPDX-License-Identifier: Apache-2.0
// The tenant of one service whose head rank is the lowest. Combinational; not valid while the head of a
// nonempty queue is not known. Equal ranks take turns.
module tenant_pick
  import policy_pkg::*;
#(
    parameter int unsigned Tenants = 4
) (
    input logic clk_i,
    input logic rst_i,

    input logic circular_i,
    input logic [Tenants-1:0] nonempty_i,
    input logic [Tenants-1:0] head_valid_i,
    input rank_t head_rank_i[Tenants],

    output logic    valid_o,
    output tenant_t tenant_o,
    output rank_t   rank_o,
    input  logic    advance_i  // the pick was used
);
endmodule
