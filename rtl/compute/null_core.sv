// SPDX-License-Identifier: Apache-2.0
// The smallest engine: passes its input to its output, one cycle later.
module null_core
  import girih_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready,
    input  logic [        W-1:0] s_axis_tdata,
    input  logic [FlitBytes-1:0] s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  descriptor_t          s_desc_i,

    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    output logic [        W-1:0] m_axis_tdata,
    output logic [FlitBytes-1:0] m_axis_tkeep,
    output logic                 m_axis_tlast,
    output descriptor_t          m_desc_o
);
  assign s_axis_tready = m_axis_tready || !m_axis_tvalid;

  always_ff @(posedge clk_i) begin
    if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready && s_axis_tvalid) begin
      m_axis_tdata <= s_axis_tdata;
      m_axis_tkeep <= s_axis_tkeep;
      m_axis_tlast <= s_axis_tlast;
      m_desc_o <= s_desc_i;
    end
    if (rst_i) m_axis_tvalid <= 1'b0;
  end
endmodule
