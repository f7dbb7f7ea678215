// SPDX-License-Identifier: Apache-2.0
// The rank of a packet under its service's policy. One packet per cycle, two cycles; the payload
// passes beside. accept_i says, in the cycle in which a packet is on the output, whether it
// was taken: only then is its class charged, and the packet behind it already knows.
module rank_stage
  import policy_pkg::*;
#(
    parameter type T = logic [7:0],
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4
) (
    input logic clk_i,
    input logic rst_i,

    input time_t now_i,
    input service_policy_t policy_i[Services],

    // The table of classes. What is read is what the address holds, in the same cycle.
    input  logic        class_write_i,
    input  logic [ 8:0] class_addr_i,   // {service, class, word}
    input  logic [31:0] class_data_i,
    output logic [31:0] class_data_o,

    input  logic          in_valid_i,
    output logic          in_ready_o,   // low only after reset, until the state is cleared
    input  rank_request_t in_request_i,
    input  T              in_payload_i,

    output logic  out_valid_o,
    input  logic  accept_i,
    output rank_t out_rank_o,
    output logic  out_beyond_o,  // shaped, and its time is more than half a circle away: no room for it
    output T      out_payload_o,

    // Each packet that is dequeued for service (not those evicted).
    input logic     dequeued_valid_i,
    input service_t dequeued_service_i,
    input tenant_t  dequeued_tenant_i,
    input rank_t    dequeued_rank_i,

    output logic [Services*Tenants-1:0] circular_o  // queues whose ranks wrap
);
endmodule
