// SPDX-License-Identifier: Apache-2.0
// The engine of the test's kind: joins every port of the tile to the one on its other side.
module sample_engine
  import girih_pkg::*, sample_pkg::*;
#(
    parameter int unsigned Channels = 2,
    parameter int unsigned Units = 4
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [Channels-1:0] in_valid_i,
    output logic  [Channels-1:0] in_ready_o,
    input  flit_t in_flit_i [Channels],

    output logic      [Channels-1:0] out_valid_o,
    input  logic      [Channels-1:0] out_ready_i,
    output flit_t     out_flit_o [Channels],
    output next_key_t out_key_o [Channels],

    input  logic           s_axis_tvalid,
    output logic           s_axis_tready,
    input  logic [  W-1:0] s_axis_tdata,
    input  logic [W/8-1:0] s_axis_tkeep,
    input  logic           s_axis_tlast,
    input  logic           s_axis_tuser,

    output logic           m_axis_tvalid,
    input  logic           m_axis_tready,
    output logic [  W-1:0] m_axis_tdata,
    output logic [W/8-1:0] m_axis_tkeep,
    output logic           m_axis_tlast,
    output logic           m_axis_tuser,

    input  timestamp_t now_i,
    input  sched_pkg::credit_t credit_i [Units],
    output sched_pkg::credit_t credit_o,

    input  logic        window_valid_i,
    input  logic        window_write_i,
    input  logic [17:0] window_addr_i,
    input  logic [31:0] window_data_i,
    input  tenant_t     window_tenant_i,
    output logic        window_done_o,
    output logic        window_error_o,
    output logic [31:0] window_data_o,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,
    input  logic    [1:0] control_interrupt_i,
    output interrupt_t    interrupt_o,

    input  cfg_t   cfg_i,
    output event_t event_o
);
  localparam int unsigned TenantBits = $bits(tenant_t), Tenants = 1 << TenantBits;
  assign in_ready_o = out_ready_i;
  assign out_valid_o = in_valid_i;
  for (genvar p = 0; p < Channels; p++) begin : gen_port
    assign out_flit_o[p] = in_flit_i[p];
    assign out_key_o[p] = next_key_t'(p);
  end

  assign s_axis_tready = m_axis_tready;
  assign m_axis_tvalid = s_axis_tvalid;
  assign m_axis_tdata  = s_axis_tdata;
  assign m_axis_tkeep  = s_axis_tkeep;
  assign m_axis_tlast  = s_axis_tlast;
  assign m_axis_tuser  = s_axis_tuser;

  assign credit_o = credit_i[Units-1];
  assign event_o.mark_control_refused = 1'b0;
  assign interrupt_o = '{frame: s_axis_tvalid && s_axis_tready && s_axis_tlast && !s_axis_tuser, refused: s_axis_tvalid && s_axis_tready && s_axis_tlast && s_axis_tuser};
  assign event_o.mark_given = credit_i[0].give;
  assign event_o.in_frames = s_axis_tvalid && s_axis_tready && s_axis_tlast;
  assign event_o.out_frames = m_axis_tvalid && m_axis_tready && m_axis_tlast;

  // A word for each tenant, at 4 times its number, that only it and the operator may touch, and another one at 0x20000 from there. Slow for odd ones.
  logic [31:0] words[2*Tenants];
  logic [TenantBits:0] word;
  logic waited_q;
  tenant_t owner;
  assign owner = window_addr_i[TenantBits+1:2];
  assign word = {window_addr_i[17], owner};
  assign window_done_o = window_valid_i && (at_request || !owner[0] || waited_q);
  assign window_error_o = (32'(window_addr_i[16:0]) >= 4 * Tenants && !at_request && !at_interrupts) || (window_tenant_i != '0 && window_tenant_i != owner);
  assign at_interrupts = window_addr_i == 18'h500 && window_tenant_i == '0;  // those that it gets
  assign window_data_o = at_interrupts ? 32'(control_interrupt_i) : at_request ? {control_answer_q.tag, control_answer_q.status, control_answer_q.data[27:0]} : words[word];

  // At 0x400 to 0x4fc, a write makes a request: {write, tag, 13 bits of data, node, 8 bits of offset}, the data being those
  // bits; a read gives the last answer.
  logic at_request, at_interrupts, asks_q;
  ctrl_request_t request_q;
  ctrl_answer_t control_answer_q;
  assign at_request = window_addr_i[17:8] == 10'h4 && window_tenant_i == '0;
  assign control_valid_o = asks_q;
  assign control_request_o = request_q;
  always_ff @(posedge clk_i) begin
    if (control_ready_i) asks_q <= 1'b0;
    if (window_done_o && window_write_i && at_request) begin
      asks_q <= 1'b1;
      request_q <= '{
          write: window_data_i[31],
          tag: window_data_i[30:29],
          node: window_data_i[15:8],
          offset: 16'(window_data_i[7:0]),
          data: 32'(window_data_i[28:16])
      };
    end
    if (control_answer_valid_i) control_answer_q <= control_answer_i;
    if (rst_i) asks_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    waited_q <= window_valid_i && !window_done_o;
    if (window_done_o && window_write_i && !window_error_o && !at_request) words[word] <= window_data_i;
    if (rst_i) waited_q <= 1'b0;
  end

  logic unused;
  assign unused = ^{now_i, cfg_i};
endmodule
