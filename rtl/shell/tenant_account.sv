// SPDX-License-Identifier: Apache-2.0
// Limits a tile that passes messages on: no more messages of a tenant, and no more lossless ones, leave than have
// come in. An engine may drop messages and may hold thousands of them in any order, so nothing more is known from
// outside about the tenant of the next one.
//
// A message counts as received from the cycle after its first flit was offered, and may leave from then on. An engine with
// P ports can exceed the limit by P - 1 messages, if all of them send in the same cycle.
module tenant_account
  import girih_pkg::*;
#(
    parameter int unsigned Ports = 1,
    parameter tenants_t Tenants = '1,  // of the card
    parameter bit Lossless = 1'b1,  // there may be lossless messages
    parameter int unsigned Bits = 17  // an engine holds fewer than 2^Bits messages
) (
    input logic clk_i,
    input logic rst_i,

    input logic  [Ports-1:0] in_valid_i,
    input logic  [Ports-1:0] in_ready_i,
    input flit_t [Ports-1:0] in_flit_i,

    // First flits that leave the engine and are not dropped.
    input logic    [Ports-1:0] out_first_i,
    input tenant_t [Ports-1:0] out_tenant_i,
    input logic    [Ports-1:0] out_lossless_i,

    output tenants_t tenants_o,  // tenants with a message inside
    output logic lossless_o  // a lossless message is inside
);
  typedef logic signed [Bits+1:0] count_t;
  localparam int unsigned N = 2 ** $bits(tenant_t) + 1;  // a count for each tenant; the last one is of lossless messages
  localparam bit [N-1:0] Counted = {Lossless, Tenants};

  // First flits that are offered for the first time.
  logic [Ports-1:0] known_q, came;
  for (genvar p = 0; p < Ports; p++) begin : gen_came
    assign came[p] = in_valid_i[p] && in_flit_i[p].first && !known_q[p];
  end
  always_ff @(posedge clk_i) begin
    known_q <= in_valid_i & ~in_ready_i;
    if (rst_i) known_q <= '0;
  end

  logic unused;
  assign unused = ^{out_tenant_i, out_lossless_i};  // some of them are not counted

  logic [N-1:0] has;
  assign {lossless_o, tenants_o} = has;

  for (genvar n = 0; n < N; n++) begin : gen_count
    if (Counted[n]) begin : gen_counted
      logic [Ports-1:0] in_match, out_match;
      for (genvar p = 0; p < Ports; p++) begin : gen_port
        if (n == N - 1) begin : gen_lossless
          assign in_match[p] = came[p] && in_flit_i[p].desc.lossless;
          assign out_match[p] = out_first_i[p] && out_lossless_i[p];
        end else begin : gen_tenant
          assign in_match[p] = came[p] && in_flit_i[p].desc.tenant == tenant_t'(n);
          assign out_match[p] = out_first_i[p] && out_tenant_i[p] == tenant_t'(n);
        end
      end

      // No engine holds this many messages, so it has dropped some: the count saturates.
      count_t count_q, count_d;
      logic full, inside_q;
      assign full = count_q[Bits+1:Bits] == 2'b01;
      assign has[n] = inside_q;
      assign count_d = count_q + (full ? '0 : count_t'($countones(in_match))) - count_t'($countones(out_match));
      always_ff @(posedge clk_i) begin
        count_q <= count_d;
        inside_q <= count_d > 0;
        if (rst_i) begin
          count_q <= '0;
          inside_q <= 1'b0;
        end
      end
    end else begin : gen_none
      assign has[n] = 1'b0;
    end
  end
endmodule
