// SPDX-License-Identifier: Apache-2.0
// How many flits each channel still has to send, so that pops are committed as late as possible: only when a
// packet popped now reaches the link just in time. While a long packet is on the link, no packet is popped that
// a better one could still overtake.
//
// A popped packet is charged to every channel until its slot has been read, when its channel and length are
// known. The charge is the longest of its service's last packets, halved for each packet since: too low a charge
// commits packets too early, too high a charge leaves bubbles among short packets.
// Lengths that become known and flits that are sent are registered, and count a cycle later.
//
// The channel of a packet cannot be chosen: with several channels, pops continue while any channel for which they
// may be runs low. Another channel then takes one packet behind the one on its link, and up to Packets as long as it
// has fewer than Ahead flits to send.
module channel_backlog
  import girih_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Channels = 2,
    parameter int unsigned Low = 8,  // flits that cover the latency from pop to link
    parameter int unsigned Ahead = MaxFrameFlits > 1 ? MaxFrameFlits / 2 : 1,
    parameter int unsigned Packets = 8,
    localparam int unsigned ServiceWidth = Services > 1 ? $clog2(Services) : 1,
    localparam int unsigned ChargeWidth = $clog2(Low + 1)
) (
    input logic clk_i,
    input logic rst_i,

    output logic [Channels-1:0] low_o,  // packets for this channel are welcome; from registers
    output logic                open_o,  // every channel could take a packet

    input  logic [   Services-1:0] pop_i,     // one-hot
    output logic [ChargeWidth-1:0] charge_o,  // combinational from pop_i; returned as known_charge_i

    input logic                    known_i,
    input logic [ServiceWidth-1:0] known_service_i,
    input logic [ ChargeWidth-1:0] known_charge_i,
    input logic [    Channels-1:0] known_channel_i,  // one-hot
    input length_t                 known_flits_i,

    input logic [Channels-1:0] sent_i,  // a flit has left by the channel
    input logic [Channels-1:0] sent_last_i
);
  localparam int unsigned WorkWidth = $clog2(Ahead + (Low + 1) * (MaxFrameFlits + Low) + 1);
  localparam int unsigned PacketsWidth = $clog2(Packets + Low + 1);
  typedef logic [WorkWidth-1:0] work_t;
  typedef logic [PacketsWidth-1:0] packets_t;
  typedef logic [ChargeWidth-1:0] charge_t;

  logic known_q;
  logic [ServiceWidth-1:0] known_service_q;
  logic [Channels-1:0] known_channel_q, sent_q, sent_last_q;
  length_t known_flits_q;
  always_ff @(posedge clk_i) begin
    known_q <= known_i;
    known_service_q <= known_service_i;
    known_channel_q <= known_channel_i;
    known_flits_q <= known_flits_i;
    sent_q <= sent_i;
    sent_last_q <= sent_last_i;
    if (rst_i) begin
      known_q <= 1'b0;
      sent_q  <= '0;
    end
  end

  charge_t [Services-1:0] recent_q;
  charge_t flits, recent, charge_q;
  assign flits = known_flits_q > length_t'(Low) ? charge_t'(Low) : charge_t'(known_flits_q);
  assign recent = recent_q[known_service_q] >> 1;

  logic [Channels-1:0] open;

  always_comb begin
    charge_o = '0;
    for (int unsigned s = 0; s < Services; s++) charge_o |= pop_i[s] ? recent_q[s] : '0;
  end
  assign open_o = &open;

  always_ff @(posedge clk_i) begin
    if (known_q) recent_q[known_service_q] <= flits > recent ? flits : recent;
    charge_q <= charge_o;
    if (rst_i) begin
      recent_q <= {Services{charge_t'(Low)}};
      charge_q <= '0;
    end
  end

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    work_t work_q, expected_q;  // work_q: flits known; expected_q: and the charges, except that of the previous cycle
    packets_t packets_q;
    work_t change_q;  // flits that became known, less their charge
    work_t given, sent, due;
    logic add, few, near, fills, low_q;
    logic [Services-1:0] stays_low;  // if a packet of the service is popped, which is known late
    assign add = known_q && known_channel_q[c];
    assign given = add ? work_t'(known_flits_q) : '0;
    assign sent = work_t'(sent_q[c]);
    assign due = expected_q + work_t'(charge_q) + change_q - sent;
    assign few = due >> ChargeWidth == '0;  // Low fits in a charge
    assign near = few && charge_t'(due) < charge_t'(Low);
    for (genvar s = 0; s < Services; s++) begin : gen_service
      assign stays_low[s] = few && charge_t'(due) < charge_t'(Low) - recent_q[s];
    end
    any_set #(
        .Width(Services)
    ) u_fills (
        .bits_i(pop_i & ~stays_low),
        .any_o (fills)
    );
    assign low_o[c] = low_q;
    assign open[c] = packets_q <= packets_t'(1) || (packets_q < packets_t'(Packets) && work_q < work_t'(Ahead));

    always_ff @(posedge clk_i) begin
      work_q <= work_q + given - sent;
      expected_q <= due;
      change_q <= (known_i && known_channel_i[c] ? work_t'(known_flits_i) : '0) - (known_i ? work_t'(known_charge_i) : '0);
      low_q <= near && !fills;
      packets_q <= packets_q + packets_t'(add) - packets_t'(sent_q[c] && sent_last_q[c]);
      if (rst_i) begin
        work_q <= '0;
        expected_q <= '0;
        change_q <= '0;
        low_q <= 1'b1;
        packets_q <= '0;
      end
      if (!rst_i) begin
        assert (!sent_q[c] || work_q != '0)
        else $error("channel_backlog: more flits left than were charged");
        assert (!sent_q[c] || !sent_last_q[c] || packets_q != '0)
        else $error("channel_backlog: more packets left than were charged");
        assert (expected_q >= work_q)
        else $error("channel_backlog: a charge was settled twice");
        has_enough : cover (!low_o[c]);
        has_all_it_may : cover (!open[c]);
        charged_and_settled : cover (pop_i != '0 && known_q);
        another_runs_low : cover (!low_o[c] && |low_o);
      end
    end
  end
endmodule
