// SPDX-License-Identifier: Apache-2.0
// An engine with a service time: serves one message at a time and passes it on unchanged.
// The service of a message starts in the cycle in which it is offered, once the previous one has ended; its last
// beat is taken in the last cycle of its service, so its credit is given back then, and the service of the next
// message can start in the next cycle. Beats pass at the end of the service, without gaps.
//
// The mean service time of a message is message_time + length * byte_time cycles, with the configured
// distribution, and at least one cycle per beat; fractions of a cycle are carried over. A message of unknown
// length counts as one without bytes.
// While stall_i is up no message starts to pass.
module delay_core
  import girih_pkg::*, compute_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] message_time_i,  // these as in service_cfg_t
    input logic [17:0] byte_time_i,
    input logic [1:0] distribution_i,
    input logic [15:0] spread_i,
    input logic [15:0] slow_share_i,
    input logic [11:0] slow_factor_i,
    input logic [31:0] seed_i,
    input logic stall_i,

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
  localparam int unsigned Fraction = 16;
  typedef logic [20:0] cycles_t;

  typedef enum logic [1:0] {
    Offered,  // a message that is offered now starts its service
    Served,  // wait_q more cycles before its first beat passes
    Passing
  } state_e;

  state_e state_q;
  cycles_t wait_q, wait_now, cycles;
  logic [Fraction-1:0] fraction_q, fraction;

  logic time_valid, begins, passes, take;
  logic [35:0] message_time;
  logic [21:0] byte_time;
  service_time u_time (
      .clk_i,
      .rst_i,
      .cfg_i('{
          message_time: message_time_i,
          byte_time: byte_time_i,
          distribution: distribution_e'(distribution_i),
          spread: spread_i,
          slow_share: slow_share_i,
          slow_factor: slow_factor_i,
          seed: seed_i
      }),
      .valid_o(time_valid),
      .taken_i(begins),
      .message_time_o(message_time),
      .byte_time_o(byte_time)
  );
  assign {cycles, fraction} = 37'(message_time) + 37'(36'(s_desc_i.length) * 36'(byte_time)) + 37'(fraction_q);

  // The beats pass during the end of the service.
  cycles_t beats;
  assign beats = s_desc_i.length == '0 ? cycles_t'(1) : cycles_t'(flits_of(s_desc_i.length));
  always_comb begin
    if (state_q == Served) wait_now = wait_q;
    else wait_now = cycles > beats ? cycles - beats : '0;
  end

  assign begins = state_q == Offered && s_axis_tvalid && time_valid;
  assign passes = state_q == Passing || ((begins || state_q == Served) && wait_now == '0 && !stall_i);
  assign s_axis_tready = passes && (m_axis_tready || !m_axis_tvalid);
  assign take = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk_i) begin
    if (begins) fraction_q <= fraction;
    if (take) state_q <= s_axis_tlast ? Offered : Passing;
    else if (begins) state_q <= Served;
    if (begins || state_q == Served) wait_q <= wait_now == '0 ? '0 : wait_now - 1'b1;

    if (m_axis_tready || !m_axis_tvalid) m_axis_tvalid <= take;
    if (take) begin
      m_axis_tdata <= s_axis_tdata;
      m_axis_tkeep <= s_axis_tkeep;
      m_axis_tlast <= s_axis_tlast;
      m_desc_o <= s_desc_i;
    end
    if (rst_i) begin
      state_q <= Offered;
      fraction_q <= '0;
      m_axis_tvalid <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!take || state_q != Offered || begins)
      else $error("delay_core: a beat passes outside of a service");
    end
  end
endmodule
