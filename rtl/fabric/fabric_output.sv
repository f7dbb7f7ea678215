// SPDX-License-Identifier: Apache-2.0
// Control of one output of a router or crossbar: whose flit it carries in this cycle. The output
// belongs to one input from the cycle in which a message is first offered until its last flit has
// left (wormhole), so an offer never changes while it waits, and messages are never interleaved.
// Free outputs go round robin. Combinational from inputs to output; the multiplexer of the data
// is the caller's, steered by select_o.
module fabric_output #(
    parameter int unsigned Inputs = 4,
    localparam int unsigned SelectWidth = Inputs > 1 ? $clog2(Inputs) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [Inputs-1:0] request_i,  // the first flit of a message for this output waits
    input  logic [Inputs-1:0] valid_i,    // a flit waits
    input  logic [Inputs-1:0] last_i,     // ... and it is the last one
    output logic [Inputs-1:0] take_o,     // that flit leaves in this cycle

    output logic [SelectWidth-1:0] select_o,
    output logic                   out_valid_o,
    input  logic                   out_ready_i
);
  logic [Inputs-1:0] owner_q, winner, grant;
  logic busy;

  assign busy = |owner_q;

  arbiter_round_robin #(
      .N(Inputs)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i,
      .advance_i(!busy),
      .grant_o(winner)
  );

  assign grant = busy ? owner_q : winner;
  assign out_valid_o = |(grant & valid_i);
  assign take_o = grant & valid_i & {Inputs{out_ready_i}};

  always_comb begin
    select_o = '0;
    for (int unsigned i = 0; i < Inputs; i++) if (grant[i]) select_o |= SelectWidth'(i);
  end

  always_ff @(posedge clk_i) begin
    owner_q <= |(take_o & last_i) ? '0 : grant;
    if (rst_i) owner_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(owner_q));
      assert ((request_i & ~valid_i) == '0);
    end
  end
endmodule
