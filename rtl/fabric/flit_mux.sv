// SPDX-License-Identifier: Apache-2.0
// Chooses one of N flits, steered by way_i of a fabric_output. A row of 4:1 multiplexers, each one look-up table
// per bit because its way comes from registers: seven inputs cost two tables per bit.
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
  for (genvar s = 0; s < int'(Stages); s++) begin : gen_stage
    flit_t ways[4], chosen;
    for (genvar w = 0; w < 4; w++) begin : gen_way
      localparam int unsigned Input = 3 * s + w;
      if (s > 0 && w == 0) begin : gen_before
        assign ways[w] = gen_stage[s-1].chosen;
      end else begin : gen_input
        assign ways[w] = from_i[Input<N?Input : 0];
      end
    end
    assign chosen = way_i[s][1] ? (way_i[s][0] ? ways[3] : ways[2]) : (way_i[s][0] ? ways[1] : ways[0]);
  end
  assign flit_o = gen_stage[Stages-1].chosen;
endmodule
