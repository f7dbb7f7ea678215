// SPDX-License-Identifier: Apache-2.0
// Proves async_fifo, as crossing_track says, and that a pointer that crosses is a Gray code straight from a register; its own
// assertions say that it changes by one bit at a time. The clocks are free inputs.
module async_fifo_proof #(
    parameter int unsigned Depth = 4,
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
  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth:0] ptr_t;

  logic in_ready, out_valid, out_data;

  async_fifo #(
      .T(logic),
      .Depth(Depth),
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

  function automatic ptr_t binary(ptr_t gray);
    ptr_t value;
    for (int unsigned b = 0; b <= AddrWidth; b++) value[b] = ^(gray >> b);
    return value;
  endfunction

  ptr_t write_seen[Stages], read_seen[Stages];
  for (genvar s = 0; s < Stages; s++) begin : gen_seen
    assign write_seen[s] = binary(u_dut.u_write_gray.stage_q[s]);
    assign read_seen[s]  = binary(u_dut.u_read_gray.stage_q[s]);
  end

  logic inside_it, data;
  logic [AddrWidth+1:0] place;

  crossing_track #(
      .Depth (Depth),
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
      .write_ptr_i(u_dut.write_ptr_q),
      .write_seen_i(write_seen),
      .out_clk_i,
      .out_rst_i,
      .out_valid_i(out_valid),
      .out_ready_i,
      .out_data_i(out_data),
      .pop_i(u_dut.pop),
      .pop_data_i(u_dut.mem[u_dut.read_ptr_q[AddrWidth-1:0]]),
      .out_clear_i(u_dut.out_clear),
      .out_state_i(u_dut.out_state),
      .out_state_seen_i(u_dut.u_in_clear.u_seen.stage_q),
      .read_ptr_i(u_dut.read_ptr_q),
      .read_seen_i(read_seen),
      .inside_o(inside_it),
      .place_o(place),
      .data_o(data)
  );

  always_comb begin
    assert (binary(u_dut.write_gray_q) == u_dut.write_ptr_q);
    assert (binary(u_dut.read_gray_q) == u_dut.read_ptr_q);
    if (inside_it) assert (u_dut.mem[place[AddrWidth-1:0]] == data);
  end
endmodule
