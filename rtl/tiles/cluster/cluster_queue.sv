// SPDX-License-Identifier: Apache-2.0
// The queue that the cores of a cluster share: block RAM of Flits flits. A message comes in if there is room for one of the largest size;
// else it is dropped whole, or waits if it is lossless. Cut-through, one cycle, one flit per cycle. With Flows the messages
// leave two cycles later, with a hash of their flow beside the first flit; messages without a flow count as one flow.
module cluster_queue
  import girih_pkg::*;
#(
    parameter int unsigned Flits = 1 << $clog2(2 * MaxFrameFlits),
    parameter bit Flows = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic        out_valid_o,
    input  logic        out_ready_i,
    output flit_t       out_flit_o,
    output logic [15:0] out_flow_o,   // 0 without Flows

    output logic drop_no_room_o
);
  if (Flits < 2 * MaxFrameFlits || (Flits & (Flits - 1)) != 0) begin : gen_bad_flits
    $fatal(1, "cluster_queue: Flits is %0d; it must be a power of two, at least %0d", Flits, 2 * MaxFrameFlits);
  end
  localparam int unsigned UsedBits = $clog2(Flits + 2);

  logic refusing_q, fits_q, refuse, take, push, pop;
  logic [UsedBits-1:0] used_q, used;
  assign refuse = in_flit_i.first ? !fits_q && !in_flit_i.desc.lossless : refusing_q;
  assign take = in_flit_i.first ? fits_q : !refusing_q;
  assign in_ready_o = refuse || take;
  assign push = in_valid_i && take;
  assign used = used_q + UsedBits'(push) - UsedBits'(pop);
  assign drop_no_room_o = in_valid_i && refuse && in_flit_i.last;

  logic queue_ready, queue_valid, queue_pop;
  flit_t queue_flit;
  assign pop = queue_valid && queue_pop;
  fifo_block #(
      .T(flit_t),
      .Depth(Flits)
  ) u_fifo (
      .clk_i,
      .rst_i,
      .in_offer_i(in_valid_i),
      .in_valid_i(push),
      .in_ready_o(queue_ready),
      .in_data_i(in_flit_i),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_pop),
      .out_data_o(queue_flit)
  );

  if (Flows) begin : gen_flows
    logic has_flow;
    logic [15:0] hash;
    flow_window #(
        .CutHeader(1'b1)
    ) u_flow (
        .clk_i,
        .rst_i,
        .in_valid_i(queue_valid),
        .in_ready_o(queue_pop),
        .in_flit_i(queue_flit),
        .out_valid_o,
        .out_ready_i,
        .out_flit_o,
        .has_flow_o(has_flow),
        .hash_o(hash)
    );
    assign out_flow_o = has_flow ? hash : '0;
  end else begin : gen_no_flows
    assign out_valid_o = queue_valid;
    assign queue_pop = out_ready_i;
    assign out_flit_o = queue_flit;
    assign out_flow_o = '0;
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) refusing_q <= refuse;
    used_q <= used;
    // Room is judged by the fill level of the previous cycle, with a flit to spare.
    fits_q <= used < UsedBits'(Flits - MaxFrameFlits);
    if (rst_i) begin
      used_q <= '0;
      fits_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!push || queue_ready)
      else $error("cluster_queue: a flit came in for which there is no room");
      lossless_waits : cover (in_valid_i && in_flit_i.first && !refuse && !take);
      refused : cover (drop_no_room_o);
    end
  end
endmodule
