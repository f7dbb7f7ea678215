// SPDX-License-Identifier: Apache-2.0
// What became of packets: 64-bit counters by tenant, service and fate (policy_pkg::fate_e). Each input
// has memory of its own and takes an event in every cycle; a read gives the sum over the inputs.
module drop_counters
  import policy_pkg::*;
#(
    parameter int unsigned Inputs = 2,
    parameter int unsigned Tenants = 4
) (
    input logic clk_i,
    input logic rst_i,

    input logic        [Inputs-1:0] valid_i,
    input fate_event_t              event_i[Inputs],

    // One read at a time; the index holds until done. The high word is the one that belongs to the
    // last low word read.
    input  logic        read_i,
    input  logic [11:0] index_i,  // {tenant, service, fate, 1 for the high word}
    output logic        done_o,
    output logic [31:0] data_o
);
endmodule
