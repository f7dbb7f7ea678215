// SPDX-License-Identifier: Apache-2.0
// Credits of every unit: permission to send it one message more. A unit's balance is the credits it
// is configured with less its outstanding ones: + a message sent (consume) or pushed to it by another
// unit (cancel), - a message let go of (give). It may go below 0, because pushed messages do not ask.
//
// The best unit of a service is the enabled one with most credits, the lowest index among equals:
// the one that is chosen falls behind at once, so equals take turns under load. A service with
// affinity has all messages of a flow go to one unit, the k-th of its enabled ones, k from the flow.
//
// best_* and the checks *_ok_o come from registers and include everything up to the last cycle's
// consume; a credit that a unit gives in cycle t counts in cycle t + 2.
module credit_manager
  import girih_pkg::*, sched_pkg::*;
#(
    parameter int unsigned Units = 8,
    parameter int unsigned Services = 8,
    parameter int unsigned LosslessSlots = 2,  // lossless messages that a unit has room for
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1,
    localparam int unsigned BalanceWidth = 11,
    localparam type unit_t = logic [UnitWidth-1:0],
    localparam type balance_t = logic signed [BalanceWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input credit_t credit_i[Units],

    input logic     [Units-1:0]      unit_enabled_i,
    input logic     [Units-1:0][3:0] unit_service_i,
    input logic     [Units-1:0][7:0] unit_credits_i,  // a change changes the balance by the difference
    input node_t    [Units-1:0]      unit_node_i,
    input logic     [Services-1:0]   affinity_i,

    input logic  consume_valid_i,    // only of a unit with credit_ok_o (and lossless_ok_o)
    input unit_t consume_unit_i,
    input logic  consume_lossless_i,

    output logic [Units-1:0] credit_ok_o,    // enabled, and has a credit in this cycle
    output logic [Units-1:0] lossless_ok_o,  // and room for a lossless message

    output logic  [Services-1:0] best_valid_o,        // the service has an enabled unit
    output logic  [Services-1:0] best_credit_ok_o,
    output logic  [Services-1:0] best_lossless_ok_o,  // the best unit has a credit and room for a lossless message
    output unit_t [Services-1:0] best_unit_o,
    output node_t [Services-1:0] best_node_o,

    // For the message whose flow is flow_i: as best_*, but where a service has affinity, its flow's unit.
    input  logic  [15:0]         flow_i,
    output logic  [Services-1:0] flow_credit_ok_o,
    output logic  [Services-1:0] flow_lossless_ok_o,
    output unit_t [Services-1:0] flow_unit_o,
    output node_t [Services-1:0] flow_node_o,

    output balance_t [Units-1:0] credits_o
);
endmodule
