// SPDX-License-Identifier: Apache-2.0
// Proves cdc_handshake, as crossing_track says: it has room for one entry, and pointers of one bit. The clocks are free inputs.
module cdc_handshake_proof #(
    parameter int unsigned Stages = 2
) (
    input logic in_clk_i,
    input logic in_rst_i,
    input logic in_valid_i,
    input logic in_data_i,
    input logic out_clk_i,
    input logic out_rst_i,
    input logic out_ready_i,
    input logic track_i
);
  logic in_ready, out_valid, out_data;

  cdc_handshake #(
      .T(logic),
      .Stages(Stages)
  ) u_dut (
      .in_clk_i,
      .in_rst_i,
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .out_clk_i,
      .out_rst_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data)
  );

  logic [0:0] write_seen[Stages], read_seen[Stages];
  for (genvar s = 0; s < Stages; s++) begin : gen_seen
    assign write_seen[s] = u_dut.u_given.stage_q[s];
    assign read_seen[s]  = u_dut.u_taken.stage_q[s];
  end

  logic inside_it, data;
  logic [1:0] place;

  crossing_track #(
      .Depth (1),
      .Stages(Stages)
  ) u_track (
      .track_i,
      .in_clk_i,
      .in_rst_i,
      .in_valid_i,
      .in_ready_i(in_ready),
      .in_data_i,
      .in_clear_i(u_dut.in_clear),
      .in_state_i(u_dut.in_state),
      .in_state_seen_i(u_dut.u_out_clear.u_seen.stage_q),
      .write_ptr_i(u_dut.given_q),
      .write_seen_i(write_seen),
      .out_clk_i,
      .out_rst_i,
      .out_valid_i(out_valid),
      .out_ready_i,
      .out_data_i(out_data),
      .pop_i(u_dut.pop),
      .pop_data_i(u_dut.held_q),
      .out_clear_i(u_dut.out_clear),
      .out_state_i(u_dut.out_state),
      .out_state_seen_i(u_dut.u_in_clear.u_seen.stage_q),
      .read_ptr_i(u_dut.taken_q),
      .read_seen_i(read_seen),
      .inside_o(inside_it),
      .place_o(place),
      .data_o(data)
  );

  always_comb begin
    if (inside_it) assert (u_dut.held_q == data);
  end
endmodule
