// SPDX-License-Identifier: Apache-2.0
// Chooses one of N flits, steered by way_i of a fabric_output. A tree of 4:1 multiplexers, each one look-up table
// per bit because its way comes from registers: seven inputs cost two tables per bit, sixteen five.
module flit_mux
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned N = 7,
    localparam int unsigned Stages = mux_stages(N)
) (
    input  flit_t                   from_i[N],
    input  logic  [Stages-1:0][1:0] way_i,
    output flit_t                   flit_o
);
  for (genvar n = 0; n < int'(4 * Stages + 1); n++) begin : gen_node
    // Kept, because a mapper that optimizes across the tree's levels takes half as many tables again.
    (* keep *) flit_t flit;
    if (n >= int'(Stages)) begin : gen_input
      assign flit = from_i[n-Stages<N?n-Stages : 0];
    end else begin : gen_stage
      assign flit = way_i[n][1] ? (way_i[n][0] ? gen_node[4*n+4].flit : gen_node[4*n+3].flit) :
          (way_i[n][0] ? gen_node[4*n+2].flit : gen_node[4*n+1].flit);
    end
  end
  assign flit_o = gen_node[0].flit;
endmodule
