// SPDX-License-Identifier: Apache-2.0
// Proves the stream contract of router, in the middle of a mesh, for the messages that come in at
// Source while every other port does as it likes:
//   - every flit leaves once, unchanged, in the order in which it came, at one output per message;
//   - a message leaves by the output that dimension order (X, then Y) names;
//   - messages are not interleaved at an output;
//   - once an output offers a flit it keeps offering it until it is taken.
// The data of a flit is tagged with the port that it came in by. The router does not look at data,
// so this loses nothing. A path of a mesh is a chain of routers, and dimension order gives two tiles
// one path, so this is also the contract between two tiles.
module router_proof
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned Source = Local,
    parameter int unsigned Depth = 2
) (
    input logic clk_i,
    input directions_t in_valid_i,
    input flit_t in_flit_i[Directions],
    input directions_t out_ready_i,
    input logic track_i
);
  localparam logic [3:0] X = 1;
  localparam logic [3:0] Y = 1;
  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = PtrWidth + 1;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [2:0] tag_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  directions_t in_ready, out_valid, left;
  flit_t out_flit[Directions];
  router #(
      .X(X),
      .Y(Y),
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit)
  );
  assign left = out_valid & out_ready_i;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Directions; i++) assume (in_flit_i[i].data[2:0] == tag_t'(i));
  end

  // The flits of Source that leave in this cycle, wherever.
  directions_t left_source;
  flit_t left_flit;
  always_comb begin
    left_flit = '0;
    for (int unsigned o = 0; o < Directions; o++) begin
      left_source[o] = left[o] && out_flit[o].data[2:0] == tag_t'(Source);
      if (left_source[o]) left_flit |= out_flit[o];
    end
  end

  count_t count, ahead;
  logic tracking;
  flit_t data;
  order_track #(
      .T(flit_t),
      .CountWidth(CountWidth)
  ) u_track (
      .clk_i,
      .rst_i(rst),
      .push_i(in_valid_i[Source] && in_ready[Source]),
      .push_data_i(in_flit_i[Source]),
      .pop_i(|left_source),
      .pop_data_i(left_flit),
      .track_i,
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(data)
  );

  function automatic int unsigned output_for(node_t dst);
    if (dst[3:0] > X) output_for = East;
    else if (dst[3:0] < X) output_for = West;
    else if (dst[7:4] > Y) output_for = South;
    else if (dst[7:4] < Y) output_for = North;
    else output_for = Local;
  endfunction

  directions_t requests[Directions];  // [input][output]: what the flit at the head asks for

  // Which message is halfway out of each output.
  directions_t halfway_q;
  tag_t halfway_tag_q[Directions];
  for (genvar o = 0; o < Directions; o++) begin : gen_output
    localparam directions_t From = turns_into(o);
    tag_t tag;
    directions_t owner;  // the input that the router says has this output
    assign tag = out_flit[o].data[2:0];
    for (genvar i = 0; i < Directions; i++) begin : gen_from
      localparam int unsigned K = $countones(From & ~(directions_t'('1) << i));
      if (From[i]) begin : gen_path
        assign owner[i] = u_dut.u_switch.gen_output[o].gen_port.u_output.owner_q[K];
      end else begin : gen_none
        assign owner[i] = 1'b0;
      end
    end

    stream_check #(
        .T(flit_t)
    ) u_check (
        .clk_i,
        .rst_i(rst),
        .valid_i(out_valid[o]),
        .ready_i(out_ready_i[o]),
        .data_i(out_flit[o])
    );

    always_ff @(posedge clk_i) begin
      if (left[o]) begin
        halfway_q[o] <= !out_flit[o].last;
        halfway_tag_q[o] <= tag;
      end
      if (rst) halfway_q[o] <= 1'b0;
    end

    always_ff @(posedge clk_i) begin
      if (!rst) begin
        if (out_valid[o] && halfway_q[o]) assert (tag == halfway_tag_q[o]);
        if (out_valid[o] && !halfway_q[o] && tag == tag_t'(Source)) begin
          // Turns that dimension order never makes do not come from a mesh.
          for (int unsigned e = 0; e < Directions; e++) begin
            if (output_for(out_flit[o].desc.dst) == e && turns_into(e)[Source]) assert (o == e);
          end
        end
        // Invariants: who the router says owns the output.
        assert ($onehot0(owner));
        if (halfway_q[o]) assert (halfway_tag_q[o] < tag_t'(Directions));
        if (halfway_q[o]) assert (owner == directions_t'(1 << halfway_tag_q[o]));
        for (int unsigned i = 0; i < Directions; i++) begin
          if (owner[i] && !halfway_q[o]) assert (requests[i][o]);
        end
      end
    end
  end

  // Invariants: what lies in the queues, and what is known beside it about each flit.
  for (genvar i = 0; i < Directions; i++) begin : gen_input
    count_t inside_queue;
    directions_t halfway_out;  // outputs that a message of this input is halfway out of
    logic first[Depth+1];  // the k-th flit starts a message; the last entry is for one that comes
    flit_t flits[Depth];
    directions_t asks[Depth];
    logic lasts[Depth];
    assign inside_queue = count_t'(
        u_dut.u_switch.gen_input[i].gen_port.u_input.u_fifo.write_ptr_q - u_dut.u_switch.gen_input[i].gen_port.u_input.u_fifo.read_ptr_q);
    assign requests[i] = asks[0];
    for (genvar o = 0; o < Directions; o++) begin : gen_halfway
      assign halfway_out[o] = halfway_q[o] && halfway_tag_q[o] == tag_t'(i);
    end
    for (genvar k = 0; k < Depth; k++) begin : gen_flit
      assign flits[k] = u_dut.u_switch.gen_input[i].gen_port.u_input.u_fifo.mem[
          PtrWidth'(u_dut.u_switch.gen_input[i].gen_port.u_input.u_fifo.read_ptr_q+k)];
      if (k == 0) begin : gen_head
        assign asks[k] = u_dut.u_switch.gen_input[i].gen_port.u_input.head_q.request;
        assign lasts[k] = u_dut.u_switch.gen_input[i].gen_port.u_input.head_q.last;
      end else begin : gen_behind
        assign asks[k] = u_dut.u_switch.gen_input[i].gen_port.u_input.behind[
            PtrWidth'(u_dut.u_switch.gen_input[i].gen_port.u_input.read_ptr_q+k-1)].request;
        assign lasts[k] = u_dut.u_switch.gen_input[i].gen_port.u_input.behind[
            PtrWidth'(u_dut.u_switch.gen_input[i].gen_port.u_input.read_ptr_q+k-1)].last;
      end
      assign first[k+1] = flits[k].last;
    end
    assign first[0] = halfway_out == '0;

    always_ff @(posedge clk_i) begin
      if (!rst) begin
        assert (inside_queue <= count_t'(Depth));
        assert (u_dut.u_switch.gen_input[i].gen_port.u_input.valid_q == (inside_queue != '0));
        if (inside_queue != '0) begin
          assert (PtrWidth'(inside_queue - 1'b1) == PtrWidth'(
              u_dut.u_switch.gen_input[i].gen_port.u_input.write_ptr_q - u_dut.u_switch.gen_input[i].gen_port.u_input.read_ptr_q));
        end
        for (int unsigned k = 0; k < Depth; k++) begin
          if (count_t'(k) < inside_queue) begin
            assert (flits[k].data[2:0] == tag_t'(i));
            assert (lasts[k] == flits[k].last);
            assert ($onehot0(asks[k]));
            assert ((asks[k] != '0) == first[k]);
            for (int unsigned o = 0; o < Directions; o++) begin
              if (asks[k][o]) assert (turns_into(o)[i]);
              if (first[k] && output_for(flits[k].desc.dst) == o && turns_into(o)[i]) assert (asks[k][o]);
            end
          end
        end
        assert ($onehot0(halfway_out));
        assert (u_dut.u_switch.gen_input[i].gen_port.u_input.first_q == first[inside_queue]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert ($onehot0(left_source));
      assert (gen_input[Source].inside_queue == count);
      if (tracking) assert (gen_input[Source].flits[PtrWidth'(ahead)] == data);
    end
  end
endmodule
