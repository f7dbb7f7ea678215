// SPDX-License-Identifier: Apache-2.0
// Passes a stream on with some bits of each byte inverted, those of the configuration when a datagram starts. Combinational
// without stages: its ready is that of its output.
module axis_inverter
  import girih_pkg::W, girih_pkg::FlitBytes;
#(
    parameter int unsigned Stages = 1
) (
    input logic aclk,
    input logic aresetn,
    input logic [7:0] inverted,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast
);
  typedef struct packed {
    logic [W-1:0] data;
    logic [FlitBytes-1:0] keep;
    logic last;
  } beat_t;
  logic [Stages:0] valid, ready;
  beat_t [Stages:0] beat;
  assign valid[0] = s_axis_tvalid;
  assign s_axis_tready = ready[0];
  logic inside_q;
  logic [7:0] now, now_q;
  assign now = inside_q ? now_q : inverted;
  assign beat[0] = {s_axis_tdata ^ {FlitBytes{now}}, s_axis_tkeep, s_axis_tlast};
  always_ff @(posedge aclk) begin
    if (s_axis_tvalid) begin  // also while it waits: what is offered stays
      inside_q <= !(s_axis_tready && s_axis_tlast);
      now_q <= now;
    end
    if (!aresetn) inside_q <= 1'b0;
  end
  for (genvar i = 0; i < int'(Stages); i++) begin : gen_stage
    stream_register #(
        .T(beat_t)
    ) u_register (
        .clk_i(aclk),
        .rst_i(!aresetn),
        .in_valid_i(valid[i]),
        .in_ready_o(ready[i]),
        .in_data_i(beat[i]),
        .out_valid_o(valid[i+1]),
        .out_ready_i(ready[i+1]),
        .out_data_o(beat[i+1])
    );
  end
  assign m_axis_tvalid = valid[Stages];
  assign ready[Stages] = m_axis_tready;
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tlast} = beat[Stages];
endmodule
