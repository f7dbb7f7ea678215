// SPDX-License-Identifier: Apache-2.0
// Who gets into the queues. Decides in the cycle in which the packet stands on the output of rank_stage.
module admission
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Tenants = 4,
    parameter int unsigned Entries = 1024,
    parameter int unsigned Channels = 2,
    parameter int unsigned ChannelCells = 1024,  // of each channel's buffer
    parameter int unsigned MaxPacketCells = 71,
    parameter int unsigned LosslessPackets = 4,  // room kept for that many of the largest size
    localparam int unsigned Queues = Services * Tenants,
    localparam int unsigned SlotWidth = $clog2(Entries),
    localparam int unsigned QueueWidth = $clog2(Queues)
) (
    input logic clk_i,
    input logic rst_i,

    input tenant_policy_t policy_i[Tenants],
    input cells_t headroom_i,  // free cells per channel and free entries kept for what is on its way
    input logic [Queues-1:0] circular_i,

    // From rank_stage, and its answer in the same cycle.
    input  logic                                in_valid_i,
    input  admission_request_t                  in_request_i,
    input  rank_t                               in_rank_i,
    input  logic                                in_beyond_i,
    output logic                                accept_o,     // push it, write the slot table
    output logic               [ SlotWidth-1:0] slot_o,       // for the packet accepted
    output logic               [QueueWidth-1:0] queue_o,
    output logic                                discard_o,    // dropped: free its cells

    // Every packet popped, when the slot table has told what it is.
    input logic                           release_valid_i,
    input logic                           release_evicted_i,
    input logic           [SlotWidth-1:0] release_slot_i,
    input service_t                       release_service_i,
    input tenant_t                        release_tenant_i,
    input cells_t                         release_cells_i,
    input logic                           release_lossless_i,

    // Pop the highest of this queue.
    output logic                  evict_valid_o,
    input  logic                  evict_ready_i,
    output logic [QueueWidth-1:0] evict_queue_o,

    // State of the packet buffers and of the PIFO.
    input cells_t              free_cells_i[Channels],
    input logic   [Queues-1:0] tail_valid_i,
    input rank_t               tail_rank_i [  Queues],

    // Tokens of lossless messages: one taken when a new one enters a channel, one given back when it
    // has left the region of the chains.
    output logic                lossless_ready_o,
    input  logic [Channels-1:0] lossless_enter_i,
    input  logic                lossless_leave_i,

    // For drop_counters: what became of the arrival, and of the packet released.
    output logic        arrival_valid_o,
    output fate_event_t arrival_event_o,
    output logic        departure_valid_o,
    output fate_event_t departure_event_o,

    output cells_t used_cells_o  [Tenants],
    output cells_t used_entries_o[Tenants]
);
endmodule
