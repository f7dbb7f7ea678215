// SPDX-License-Identifier: Apache-2.0
// The events of the tile's counters, from those of its queues; an event of several queues in one cycle is counted for
// each.
module host_events
  import virtio_net_pkg::*, host_access_pkg::*;
#(
    parameter int unsigned Pairs = 1,
    localparam int unsigned Queues = 2 * Pairs + 1  // with the control queue
) (
    input logic clk_i,
    input logic rst_i,

    input logic  [2*Pairs-1:0] frame_i,  // one has passed, to or from the host
    input stop_e [Queues-1:0] stopped_i,
    input logic  [ Pairs-1:0] room_i,
    input logic  [ Pairs-1:0] late_i,
    input logic  [ Pairs-1:0] void_i,
    input logic  [ Pairs-1:0] small_i,
    input logic  [ Pairs-1:0] stopped_drop_i,
    input logic  [ Pairs-1:0] offload_i,
    input logic  [ Pairs-1:0] cut_i,
    input logic  address_i,
    input logic  vlan_i,
    input logic  command_i,
    input logic  refused_i,

    output event_t event_o
);
  localparam int unsigned Reasons = 8;
  localparam stop_e [Reasons-1:0] Why = {StopSetup, StopBus, StopRefused, StopSize, StopFlags, StopChain, StopZero, StopIndex};
  logic [Pairs-1:0] used, made;
  logic [Reasons-1:0] stops;
  for (genvar p = 0; p < int'(Pairs); p++) begin : gen_pair
    assign used[p] = frame_i[2*p];
    assign made[p] = frame_i[2*p+1];
  end
  host_tally #(.N(Pairs)) u_used (.clk_i, .rst_i, .pulse_i(used), .pulse_o(event_o.used_frames));
  host_tally #(.N(Pairs)) u_made (.clk_i, .rst_i, .pulse_i(made), .pulse_o(event_o.made_frames));
  host_tally #(.N(Pairs)) u_room (.clk_i, .rst_i, .pulse_i(room_i), .pulse_o(event_o.drop_no_room));
  host_tally #(.N(Pairs)) u_late (.clk_i, .rst_i, .pulse_i(late_i), .pulse_o(event_o.drop_not_served));
  host_tally #(.N(Pairs)) u_void (.clk_i, .rst_i, .pulse_i(void_i), .pulse_o(event_o.drop_aborted));
  host_tally #(.N(Pairs)) u_small (.clk_i, .rst_i, .pulse_i(small_i), .pulse_o(event_o.drop_small_buffer));
  host_tally #(.N(Pairs)) u_stopped (.clk_i, .rst_i, .pulse_i(stopped_drop_i), .pulse_o(event_o.drop_stopped));
  host_tally #(.N(Pairs)) u_offload (.clk_i, .rst_i, .pulse_i(offload_i), .pulse_o(event_o.drop_bad_offload));
  host_tally #(.N(Pairs)) u_cut (.clk_i, .rst_i, .pulse_i(cut_i), .pulse_o(event_o.mark_cut));

  assign event_o.drop_other_address = address_i;
  assign event_o.drop_other_vlan = vlan_i;
  assign event_o.mark_commands = command_i;
  assign event_o.mark_commands_refused = refused_i;

  for (genvar r = 0; r < int'(Reasons); r++) begin : gen_reason
    logic [Queues-1:0] now_q;  // why a queue stops is known late
    always_ff @(posedge clk_i) begin
      for (int unsigned q = 0; q < Queues; q++) now_q[q] <= stopped_i[q] == Why[r];
      if (rst_i) now_q <= '0;
    end
    host_tally #(
        .N(Queues),
        .Bits(8)
    ) u_tally (
        .clk_i,
        .rst_i,
        .pulse_i(now_q),
        .pulse_o(stops[r])
    );
  end
  assign {event_o.mark_stop_setup, event_o.mark_stop_bus, event_o.mark_stop_refused, event_o.mark_stop_size,
          event_o.mark_stop_flags, event_o.mark_stop_chain, event_o.mark_stop_zero, event_o.mark_stop_index} = stops;
endmodule
