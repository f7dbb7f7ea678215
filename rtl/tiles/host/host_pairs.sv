// SPDX-License-Identifier: Apache-2.0
// The pairs of virtqueues and the frames' paths: received flows are spread over the first queues of all pairs, and frames of their second queues
// leave in turn.
//
//   in --> host_steer --> host_receive --> writes        queue 0 of each pair: to the host
//   out <-- host_merge <-- host_send <---- reads         queue 1 of each pair: from the host
//
// With one pair there are neither host_steer nor host_merge.
module host_pairs
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Pairs = 1,
    parameter bit Steering = 1'b0,  // received messages are spread by their flow
    parameter int unsigned Chains = 32,
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter bit Segmentation = 1'b1,
    localparam int unsigned Queues = 2 * Pairs,
    localparam int unsigned Clients = 3 * Pairs  // of each pair three that read, and three that write
) (
    input logic clk_i,
    input logic rst_i,

    input  logic   [Queues-1:0]       enable_i,
    input  place_t [Queues-1:0]       place_i,
    input  logic   [Queues-1:0]       kick_i,
    input  coalesce_t                 coalesce_receive_i,
    input  coalesce_t                 coalesce_send_i,
    input  logic                      microsecond_i,  // for a cycle, each microsecond
    output logic   [Queues-1:0]       active_o,
    output stop_e  [Queues-1:0]       reason_o,
    output stop_e  [Queues-1:0]       stopped_o,
    output logic   [Queues-1:0][15:0] index_o,
    output logic   [Queues-1:0]       interrupt_o,
    input  steer_t                    steer_i,
    input  rss_t                      rss_i,

    output logic   [Clients-1:0] read_valid_o,
    input  logic   [Clients-1:0] read_ready_i,
    output ask_t   [Clients-1:0] read_o,
    input  logic   [Clients-1:0] read_refused_i,
    input  logic   [Clients-1:0] came_i,
    input  logic                 came_last_i,
    input  logic                 came_error_i,
    input  logic   [W-1:0]       came_data_i,
    output logic   [Clients-1:0] write_valid_o,
    input  logic   [Clients-1:0] write_ready_i,
    output ask_t   [Clients-1:0] write_o,
    input  logic   [Clients-1:0] write_refused_i,
    output logic   [Clients-1:0] data_valid_o,
    input  logic   [Clients-1:0] data_ready_i,
    output write_t [Clients-1:0] data_o,
    input  logic   [Clients-1:0] done_i,
    input  logic                 done_error_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,
    input  logic  in_right_i,  // with the last flit: its checksum is right
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    output logic [Queues-1:0]      frame_o,  // one has passed
    output logic [Queues-1:0][2:0] drops_o,
    output logic [ Pairs-1:0]      drop_room_o,
    output logic [ Pairs-1:0]      drop_late_o,
    output logic [ Pairs-1:0]      drop_void_o,
    output logic [ Pairs-1:0]      drop_small_o,
    output logic [ Pairs-1:0]      drop_stopped_o,
    output logic [ Pairs-1:0]      drop_offload_o,
    output logic [ Pairs-1:0]      cut_o
);
  // Cycles in which lossless messages for a pair may hold up those for others.
  localparam int unsigned LinkPatience = 1024;
  localparam int unsigned MostSteered = 16;  // messages in host_steer

  notice_t [Queues-1:0] notice;
  logic [Pairs-1:0] to_valid, to_ready, from_valid, from_ready;
  flit_t to_flit;
  logic to_right;
  flit_t [Pairs-1:0] from_flit;
  for (genvar p = 0; p < int'(Pairs); p++) begin : gen_pair
    localparam int unsigned Receive = 2 * p, Send = 2 * p + 1;
    localparam int unsigned ReceiveRing = 3 * p, SendRing = 3 * p + 1;
    localparam int unsigned ReceiveUsed = 3 * p, SendUsed = 3 * p + 2;
    host_receive #(
        .Chains(Chains),
        .Flits(Flits),
        .Patience(Pairs > 1 ? LinkPatience : 0)
    ) u_receive (
        .clk_i,
        .rst_i,
        .enable_i(enable_i[Receive]),
        .place_i(place_i[Receive]),
        .kick_i(kick_i[Receive]),
        .active_o(active_o[Receive]),
        .reason_o(reason_o[Receive]),
        .stopped_o(stopped_o[Receive]),
        .index_o(index_o[Receive]),
        .notice_o(notice[Receive]),
        .read_valid_o(read_valid_o[ReceiveRing]),
        .read_ready_i(read_ready_i[ReceiveRing]),
        .read_o(read_o[ReceiveRing]),
        .read_refused_i(read_refused_i[ReceiveRing]),
        .came_i(came_i[ReceiveRing]),
        .came_error_i,
        .came_data_i,
        .write_valid_o(write_valid_o[ReceiveUsed+:2]),
        .write_ready_i(write_ready_i[ReceiveUsed+:2]),
        .write_o(write_o[ReceiveUsed+:2]),
        .write_refused_i(write_refused_i[ReceiveUsed+:2]),
        .data_valid_o(data_valid_o[ReceiveUsed+:2]),
        .data_ready_i(data_ready_i[ReceiveUsed+:2]),
        .data_o(data_o[ReceiveUsed+:2]),
        .done_i(done_i[ReceiveUsed+:2]),
        .done_error_i,
        .in_valid_i(to_valid[p]),
        .in_ready_o(to_ready[p]),
        .in_flit_i(to_flit),
        .in_right_i(to_right),
        .used_o(frame_o[Receive]),
        .drop_room_o(drop_room_o[p]),
        .drop_late_o(drop_late_o[p]),
        .drop_void_o(drop_void_o[p]),
        .drop_small_o(drop_small_o[p]),
        .drop_stopped_o(drop_stopped_o[p])
    );
    assign drops_o[Receive] = 3'(drop_room_o[p]) + 3'(drop_late_o[p]) + 3'(drop_void_o[p]) + 3'(drop_small_o[p]) + 3'(drop_stopped_o[p]);

    host_send #(
        .Chains(Chains),
        .Segmentation(Segmentation)
    ) u_send (
        .clk_i,
        .rst_i,
        .enable_i(enable_i[Send]),
        .place_i(place_i[Send]),
        .kick_i(kick_i[Send]),
        .active_o(active_o[Send]),
        .reason_o(reason_o[Send]),
        .stopped_o(stopped_o[Send]),
        .index_o(index_o[Send]),
        .notice_o(notice[Send]),
        .read_valid_o(read_valid_o[SendRing+:2]),
        .read_ready_i(read_ready_i[SendRing+:2]),
        .read_o(read_o[SendRing+:2]),
        .read_refused_i(read_refused_i[SendRing+:2]),
        .came_i(came_i[SendRing+:2]),
        .came_last_i,
        .came_error_i,
        .came_data_i,
        .write_valid_o(write_valid_o[SendUsed]),
        .write_ready_i(write_ready_i[SendUsed]),
        .write_o(write_o[SendUsed]),
        .write_refused_i(write_refused_i[SendUsed]),
        .data_valid_o(data_valid_o[SendUsed]),
        .data_ready_i(data_ready_i[SendUsed]),
        .data_o(data_o[SendUsed]),
        .done_i(done_i[SendUsed]),
        .done_error_i,
        .out_valid_o(from_valid[p]),
        .out_ready_i(from_ready[p]),
        .out_flit_o(from_flit[p]),
        .made_o(frame_o[Send]),
        .drop_o(drop_offload_o[p]),
        .cut_o(cut_o[p])
    );
    assign drops_o[Send] = 3'(drop_offload_o[p]);
  end
  for (genvar q = 0; q < int'(Queues); q++) begin : gen_queue
    host_coalesce u_coalesce (
        .clk_i,
        .rst_i,
        .coalesce_i(q % 2 == 0 ? coalesce_receive_i : coalesce_send_i),
        .microsecond_i,
        .active_i(active_o[q]),
        .notice_i(notice[q]),
        .interrupt_o(interrupt_o[q])
    );
  end

  if (Pairs == 1) begin : gen_alone
    assign to_valid[0] = in_valid_i;
    assign in_ready_o = to_ready[0];
    assign to_flit = in_flit_i;
    assign to_right = in_right_i;
    assign out_valid_o = from_valid[0];
    assign from_ready[0] = out_ready_i;
    assign out_flit_o = from_flit[0];
    logic unused;
    assign unused = &{1'b0, steer_i, rss_i};
  end else begin : gen_several
    host_steer #(
        .Pairs(Pairs),
        .Steering(Steering)
    ) u_steer (
        .clk_i,
        .rst_i,
        .table_i(steer_i),
        .rss_i,
        .in_valid_i,
        .in_ready_o,
        .in_flit_i,
        .out_valid_o(to_valid),
        .out_ready_i(to_ready),
        .out_flit_o(to_flit)
    );
    // What is known of each message's checksum, beside host_steer.
    logic right_room, right_valid;
    fifo #(
        .T(logic),
        .Depth(MostSteered)
    ) u_right (
        .clk_i,
        .rst_i,
        .in_valid_i(in_valid_i && in_ready_o && in_flit_i.last),
        .in_ready_o(right_room),
        .in_data_i(in_right_i),
        .out_valid_o(right_valid),
        .out_ready_i(|(to_valid & to_ready) && to_flit.last),
        .out_data_o(to_right)
    );
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (right_room || !(in_valid_i && in_ready_o && in_flit_i.last))
        else $error("host_pairs: more messages are being steered than there is room for what is known of them");
        assert (right_valid || !(|to_valid && to_flit.last))
        else $error("host_pairs: nothing is known of a message's checksum");
      end
    end
    host_merge #(
        .Pairs(Pairs)
    ) u_merge (
        .clk_i,
        .rst_i,
        .in_valid_i(from_valid),
        .in_ready_o(from_ready),
        .in_flit_i(from_flit),
        .out_valid_o,
        .out_ready_i,
        .out_flit_o
    );
  end
endmodule
