// SPDX-License-Identifier: Apache-2.0
// Chooses one of N flits. Built of 4:1 multiplexers in a row, each one look-up table per bit: the first
// has four inputs, each further one takes in three more. Seven inputs cost two tables per bit.
module flit_mux
  import girih_pkg::*;
#(
    parameter int unsigned N = 7,
    localparam int unsigned SelectWidth = N > 1 ? $clog2(N) : 1
) (
    input  flit_t                   from_i  [N],
    input  logic  [SelectWidth-1:0] select_i,
    output flit_t                   flit_o
);
  localparam int unsigned Stages = N > 4 ? 1 + (N - 4 + 2) / 3 : 1;

  for (genvar s = 0; s < int'(Stages); s++) begin : gen_stage
    // Ways 0 to 3 of the stage; of all but the first stage way 0 is the stage before.
    localparam int unsigned First = s == 0 ? 0 : 1 + 3 * s;
    (* keep *) logic [1:0] way;  // kept, or synthesis spreads its decoding over all bits
    flit_t ways[4], chosen;

    for (genvar w = 0; w < 4; w++) begin : gen_way
      localparam int unsigned Input = s == 0 ? w : First + w - 1;
      if (s > 0 && w == 0) begin : gen_before
        assign ways[w] = gen_stage[s-1].chosen;
      end else if (Input < N) begin : gen_from
        assign ways[w] = from_i[Input];
      end else begin : gen_none
        assign ways[w] = from_i[0];
      end
    end
    if (s == 0) begin : gen_first
      assign way = 2'(select_i);
    end else begin : gen_further
      always_comb begin
        way = '0;
        for (int unsigned w = 1; w < 4; w++) if (32'(select_i) == First + w - 1) way = 2'(w);
      end
    end
    assign chosen = way[1] ? (way[0] ? ways[3] : ways[2]) : (way[0] ? ways[1] : ways[0]);
  end
  assign flit_o = gen_stage[Stages-1].chosen;
endmodule
