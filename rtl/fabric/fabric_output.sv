// SPDX-License-Identifier: Apache-2.0
// Arbiter of one output of a router or crossbar. The output belongs to one
// input from the cycle in which a message is first offered until its last flit has left (wormhole), so
// an offer never changes while it waits, and messages are never interleaved. A free output is granted
// round robin, one cycle ahead: way_o comes from registers and steers the flit_mux of the data.
module fabric_output #(
    parameter int unsigned Inputs = 4,
    localparam int unsigned Stages = fabric_pkg::mux_stages(Inputs)
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [Inputs-1:0] request_d_i,  // in the next cycle a first flit for this output waits
    input  logic [Inputs-1:0] valid_i,      // a flit waits
    input  logic [Inputs-1:0] last_i,       // ... and it is the last one
    output logic [Inputs-1:0] grant_o,      // that flit, if there is one, leaves in this cycle

    output logic [Stages-1:0][1:0] way_o,  // selects the input that out_valid_o offers; otherwise undefined
    output logic                   out_valid_o,
    input  logic                   out_ready_i
);
  logic [Inputs-1:0] owner_q, winner;
  logic [Stages-1:0][1:0] way_q, way_d;
  logic free;  // in the next cycle

  assign free = owner_q == '0 || |(grant_o & valid_i & last_i);

  arbiter_round_robin #(
      .N(Inputs)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(request_d_i),
      .advance_i(free),
      .grant_o(winner)
  );

  assign way_o = way_q;
  assign out_valid_o = |(owner_q & valid_i);
  assign grant_o = owner_q & {Inputs{out_ready_i}};

  logic [Inputs-1:0][Stages-1:0][1:0] way_of;  // constants, which a simulator works out once
  for (genvar i = 0; i < int'(Inputs); i++) begin : gen_input
    for (genvar s = 0; s < int'(Stages); s++) begin : gen_stage
      localparam logic [1:0] Way = fabric_pkg::mux_way(Inputs, s, i);
      assign way_of[i][s] = Way;
    end
  end

  always_comb begin
    way_d = '0;
    for (int unsigned i = 0; i < Inputs; i++) way_d |= way_of[i] & {$bits(way_d) {winner[i]}};
  end

  always_ff @(posedge clk_i) begin
    if (free) begin
      owner_q <= winner;
      way_q <= way_d;
    end
    if (rst_i) owner_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(owner_q));
      for (int unsigned i = 0; i < Inputs; i++) if (owner_q[i]) assert (way_q == way_of[i]);
      hands_over_at_once : cover (free && owner_q != '0 && winner != '0 && winner != owner_q);
      keeps_it_for_the_next : cover (free && owner_q != '0 && winner == owner_q);
      owner_has_no_flit_and_others_wait : cover (owner_q != '0 && !out_valid_o && |(request_d_i & ~owner_q));
      others_wait_while_held_back : cover (out_valid_o && !out_ready_i && |(request_d_i & ~owner_q));
    end
  end
endmodule
