// SPDX-License-Identifier: Apache-2.0
// Proves the stream contract of router, in the middle of a mesh, or of butterfly_router, in a butterfly of
// 3 x 2 routers with two tiles each, for the messages that come in at Source while every other port is
// free:
//   - every flit leaves once, unchanged, in the order in which it came, at one output per message;
//   - a message leaves by the output that dimension order (X, then Y, then its tile) names;
//   - messages are not interleaved at an output;
//   - once an output offers a flit it keeps offering it until it is taken.
// The data of a flit is tagged with the port that it came in by. The router does not look at data,
// so this loses nothing. A path of a fabric is a chain of routers, and dimension order gives two tiles
// one path, so this is also the contract between two tiles.
module router_proof
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter bit Butterfly = 1'b0,
    parameter int unsigned Source = Local,
    parameter int unsigned Depth = 2,
    localparam int unsigned Ports = 5  // of either router
) (
    input logic clk_i,
    input logic [Ports-1:0] in_valid_i,
    input flit_t in_flit_i[Ports],
    input logic [Ports-1:0] out_ready_i,
    input logic track_i
);
  // Where the router is, and the butterfly's sizes.
  localparam int unsigned X = 1;
  localparam int unsigned Y = 1;
  localparam int unsigned Columns = 3;
  localparam int unsigned Rows = 2;
  localparam int unsigned Tiles = 2;
  typedef logic [Ports-1:0] ports_t;
  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = PtrWidth + 1;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [2:0] tag_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  ports_t in_ready, out_valid, left;
  flit_t out_flit[Ports];
  if (Butterfly) begin : gen_dut
    butterfly_router #(
        .X(X),
        .Y(Y),
        .Columns(Columns),
        .Rows(Rows),
        .Tiles(Tiles),
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
  end else begin : gen_dut
    router #(
        .X(4'(X)),
        .Y(4'(Y)),
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
  end
  assign left = out_valid & out_ready_i;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Ports; i++) assume (in_flit_i[i].data[2:0] == tag_t'(i));
  end

  // The flits of Source that leave in this cycle, wherever.
  ports_t left_source;
  flit_t left_flit;
  always_comb begin
    left_flit = '0;
    for (int unsigned o = 0; o < Ports; o++) begin
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

  // The ports of a butterfly's router: its tiles, the other routers of its row, those of its column.
  localparam int unsigned Row = Tiles;
  localparam int unsigned Column = Row + Columns - 1;

  function automatic int unsigned among_others(int unsigned other, int unsigned own);
    among_others = other < own ? other : other - 1;
  endfunction

  function automatic int unsigned output_for(node_t dst);
    if (Butterfly) begin
      if (32'(dst[4:2]) != X) output_for = Row + among_others(32'(dst[4:2]), X);
      else if (32'(dst[7:5]) != Y) output_for = Column + among_others(32'(dst[7:5]), Y);
      else output_for = 32'(dst[1:0]);
    end else begin
      if (32'(dst[3:0]) > X) output_for = East;
      else if (32'(dst[3:0]) < X) output_for = West;
      else if (32'(dst[7:4]) > Y) output_for = South;
      else if (32'(dst[7:4]) < Y) output_for = North;
      else output_for = Local;
    end
  endfunction

  // Whether this may be a message's destination; a router sends messages for unknown nodes to the nearest one.
  function automatic logic exists(node_t dst);
    exists = !Butterfly || (32'(dst[4:2]) < Columns && 32'(dst[7:5]) < Rows && 32'(dst[1:0]) < Tiles);
  endfunction

  // The inputs from which an output is reached. A message from a row input is in its column, one from a column input at its router.
  function automatic ports_t turns(int unsigned o);
    if (!Butterfly) turns = turns_into(o);
    else if (o < Row) turns = ~(ports_t'(1) << o);
    else turns = o < Column ? ports_t'((1 << Row) - 1) : ports_t'((1 << Column) - 1);
  endfunction

  ports_t requests[Ports];  // [input][output]: what the flit at the head asks for

  // Which message is halfway out of each output.
  ports_t halfway_q;
  tag_t halfway_tag_q[Ports];
  for (genvar o = 0; o < Ports; o++) begin : gen_output
    localparam ports_t From = turns(o);
    tag_t tag;
    ports_t owner;  // the input that the router says has this output
    assign tag = out_flit[o].data[2:0];
    for (genvar i = 0; i < Ports; i++) begin : gen_from
      localparam int unsigned K = $countones(From & ~(ports_t'('1) << i));
      if (From[i]) begin : gen_path
        assign owner[i] = gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_output[o].gen_port.u_output.owner_q[K];
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
          // Turns that dimension order never makes do not come from a fabric.
          for (int unsigned e = 0; e < Ports; e++) begin
            if (exists(out_flit[o].desc.dst) && output_for(out_flit[o].desc.dst) == e && turns(e)[Source]) assert (o == e);
          end
        end
        // Invariants: who the router says owns the output.
        assert ($onehot0(owner));
        if (halfway_q[o]) assert (halfway_tag_q[o] < tag_t'(Ports));
        if (halfway_q[o]) assert (owner == ports_t'(1 << halfway_tag_q[o]));
        for (int unsigned i = 0; i < Ports; i++) begin
          if (owner[i] && !halfway_q[o]) assert (requests[i][o]);
        end
      end
    end
  end

  // Invariants: what lies in the queues, and what is known beside it about each flit.
  for (genvar i = 0; i < Ports; i++) begin : gen_input
    count_t inside_queue;
    ports_t halfway_out;  // outputs that a message of this input is halfway out of
    logic first[Depth+1];  // the k-th flit starts a message; the last entry is for one that comes
    flit_t flits[Depth];
    ports_t asks[Depth];
    logic lasts[Depth];
    assign inside_queue = count_t'(
        gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.u_fifo.write_ptr_q - gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.u_fifo.read_ptr_q);
    assign requests[i] = asks[0];
    for (genvar o = 0; o < Ports; o++) begin : gen_halfway
      assign halfway_out[o] = halfway_q[o] && halfway_tag_q[o] == tag_t'(i);
    end
    for (genvar k = 0; k < Depth; k++) begin : gen_flit
      assign flits[k] = gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.u_fifo.mem[
          PtrWidth'(gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.u_fifo.read_ptr_q+k)];
      if (k == 0) begin : gen_head
        assign asks[k] = gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.head_q.request;
        assign lasts[k] = gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.head_q.last;
      end else begin : gen_behind
        assign asks[k] = gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.behind[
            PtrWidth'(gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.read_ptr_q+k-1)].request;
        assign lasts[k] = gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.behind[
            PtrWidth'(gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.read_ptr_q+k-1)].last;
      end
      assign first[k+1] = flits[k].last;
    end
    assign first[0] = halfway_out == '0;

    always_ff @(posedge clk_i) begin
      if (!rst) begin
        assert (inside_queue <= count_t'(Depth));
        assert (gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.valid_q == (inside_queue != '0));
        if (inside_queue != '0) begin
          assert (PtrWidth'(inside_queue - 1'b1) == PtrWidth'(
              gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.write_ptr_q - gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.read_ptr_q));
        end
        for (int unsigned k = 0; k < Depth; k++) begin
          if (count_t'(k) < inside_queue) begin
            assert (flits[k].data[2:0] == tag_t'(i));
            assert (lasts[k] == flits[k].last);
            assert ($onehot0(asks[k]));
            assert ((asks[k] != '0) == first[k]);
            for (int unsigned o = 0; o < Ports; o++) begin
              if (asks[k][o]) assert (turns(o)[i]);
              if (first[k] && exists(flits[k].desc.dst) && output_for(flits[k].desc.dst) == o && turns(o)[i]) assert (asks[k][o]);
            end
          end
        end
        assert ($onehot0(halfway_out));
        assert (gen_dut.u_dut.u_switch.gen_classes.u_switch.gen_input[i].gen_port.u_input.first_q == first[inside_queue]);
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
