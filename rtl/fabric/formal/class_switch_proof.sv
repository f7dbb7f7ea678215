// SPDX-License-Identifier: Apache-2.0
// Proves what class_switch promises for two message classes, for the messages of class Class that come in at Source while all
// else is free. A switch of three ports, each of which leads to the others; ports are alike. The router around it only
// names the output of a message, as with one class (router_proof).
//   - a flit that comes where its class had room is never refused; each leaves once, unchanged, in the order in which it
//     came, in its class, and only where that class had room the cycle before;
//   - a message leaves by the output that was named beside its first flit, and the messages of a class are not interleaved there;
//   - neither class blocks the other: an output that messages of a class ask for is granted to one of them at once, and a flit of
//     the owner for which there is room leaves within two cycles, whatever the other class does.
// The data of a flit is tagged with the port, the class and the output. The switch does not look at data.
module class_switch_proof
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned Source = 0,
    parameter int unsigned Class  = 0,
    parameter int unsigned Depth  = 2,
    localparam int unsigned Ports = 3
) (
    input logic clk_i,
    input logic [1:0][Ports-1:0] in_valid_i,
    input flit_t in_flit_i[Ports],
    input logic [1:0][Ports-1:0] out_ready_i,
    input logic track_i
);
  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = PtrWidth + 1;
  typedef logic [Ports-1:0] ports_t;
  typedef logic [PtrWidth-1:0] ptr_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [2:0] tag_t;  // {class, port}

  function automatic int unsigned output_for(flit_t flit);
    output_for = 32'(flit.data[4:3]);
  endfunction

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  logic [1:0][Ports-1:0] in_ready, out_valid;
  flit_t out_flit[Ports];
  ports_t way[Ports];
  for (genvar i = 0; i < Ports; i++) begin : gen_way
    assign way[i] = ports_t'(1) << output_for(in_flit_i[i]);
  end
  class_switch #(
      .Ports(Ports),
      .Turns(9'b011_101_110),
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .in_way_i(way),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit)
  );

  // The rule of a link: one class at a time, and only in a cycle after one with room.
  logic [1:0][Ports-1:0] room_q, ready_q;
  always_ff @(posedge clk_i) begin
    room_q  <= rst ? '0 : in_ready;
    ready_q <= out_ready_i;
  end
  always_ff @(posedge clk_i) begin
    assume ((in_valid_i & ~room_q) == '0);
    assume ((in_valid_i[0] & in_valid_i[1]) == '0);
    if (rst) assume (in_valid_i == '0);
    for (int unsigned i = 0; i < Ports; i++) begin
      assume (in_flit_i[i].data[2:0] == {in_valid_i[1][i], 2'(i)});
      assume (output_for(in_flit_i[i]) < Ports && output_for(in_flit_i[i]) != i);
    end
  end

  function automatic ports_t turns(int unsigned o);
    turns = ~(ports_t'(1) << o);
  endfunction

  // The flits of Source and Class that leave in this cycle, wherever.
  localparam tag_t Tag = tag_t'(Class << 2 | Source);
  ports_t left_source;
  flit_t left_flit;
  always_comb begin
    left_flit = '0;
    for (int unsigned o = 0; o < Ports; o++) begin
      left_source[o] = out_valid[Class][o] && out_flit[o].data[2:0] == Tag;
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
      .push_i(in_valid_i[Class][Source]),
      .push_data_i(in_flit_i[Source]),
      .pop_i(|left_source),
      .pop_data_i(left_flit),
      .track_i,
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(data)
  );

  // Who the router says owns an output, [class][output], and the flits at the heads, [class][input].
  ports_t [1:0][Ports-1:0] owner, requests;
  logic [1:0][Ports-1:0] waits;

  for (genvar c = 0; c < 2; c++) begin : gen_class
    // Which message is halfway out of each output.
    ports_t halfway_q;
    tag_t halfway_tag_q[Ports];

    for (genvar o = 0; o < Ports; o++) begin : gen_output
      localparam ports_t From = turns(o);
      tag_t tag;
      assign tag = out_flit[o].data[2:0];
      for (genvar i = 0; i < Ports; i++) begin : gen_from
        localparam int unsigned K = $countones(From & ~(ports_t'('1) << i));
        if (From[i]) begin : gen_path
          assign owner[c][o][i] = u_dut.gen_output[o].gen_port.gen_class[c].u_output.owner_q[K];
        end else begin : gen_none
          assign owner[c][o][i] = 1'b0;
        end
      end

      always_ff @(posedge clk_i) begin
        if (out_valid[c][o]) begin
          halfway_q[o] <= !out_flit[o].last;
          halfway_tag_q[o] <= tag;
        end
        if (rst) halfway_q[o] <= 1'b0;
      end

      always_ff @(posedge clk_i) begin
        if (!rst) begin
          if (out_valid[c][o]) begin
            assert (ready_q[c][o]);  // never where there was no room
            assert (!out_valid[1-c][o]);
            assert (tag[2] == 1'(c));  // a flit stays in its class
            if (halfway_q[o]) assert (tag == halfway_tag_q[o]);
            else if (tag == Tag && c == Class) begin
              for (int unsigned e = 0; e < Ports; e++) begin
                if (output_for(out_flit[o]) == e && turns(e)[Source]) assert (o == e);
              end
            end
            // Invariants: what leaves is the head of the owner.
            assert ($onehot(owner[c][o]));
            for (int unsigned i = 0; i < Ports; i++) begin
              if (owner[c][o][i]) assert (u_dut.take_q[c][i] && waits[c][i]);
            end
          end
          assert ($onehot0(owner[c][o]));
          if (halfway_q[o]) assert (halfway_tag_q[o][1:0] < 2'(Ports) && halfway_tag_q[o][2] == 1'(c));
          if (halfway_q[o]) assert (owner[c][o] == ports_t'(1 << halfway_tag_q[o][1:0]));
          for (int unsigned i = 0; i < Ports; i++) begin
            if (owner[c][o][i] && !halfway_q[o]) assert (requests[c][i][o]);
          end
        end
      end

      // The multiplexer is where the owner that sends is.
      for (genvar i = 0; i < Ports; i++) begin : gen_way
        localparam int unsigned K = $countones(From & ~(ports_t'('1) << i));
        localparam int unsigned Inputs = $countones(From);
        if (From[i]) begin : gen_path
          always_ff @(posedge clk_i) begin
            if (!rst && out_valid[c][o] && owner[c][o][i]) begin
              for (int unsigned s = 0; s < mux_stages(Inputs); s++) begin
                assert (u_dut.gen_output[o].gen_port.way_q[s] == mux_way(Inputs, s, K));
              end
            end
          end
        end
      end
    end

    // Invariants: what lies in the queues, and what is known beside it about each flit.
    for (genvar i = 0; i < Ports; i++) begin : gen_input
      count_t inside_queue;
      ptr_t read_ptr;
      ports_t halfway_out;  // outputs that a message of this input is halfway out of
      ports_t taken_by;  // outputs that take the head in this cycle
      logic first[Depth+1];  // the k-th flit starts a message; the last entry is for one that comes
      flit_t flits[Depth];
      ports_t asks[Depth];
      logic lasts[Depth];
      assign inside_queue = u_dut.gen_input[i].gen_port.u_input.gen_class[c].count_q;
      assign read_ptr = u_dut.gen_input[i].gen_port.u_input.read_ptr_q[c];
      assign requests[c][i] = asks[0];
      assign waits[c][i] = inside_queue != '0;
      for (genvar o = 0; o < Ports; o++) begin : gen_halfway
        assign halfway_out[o] = halfway_q[o] && halfway_tag_q[o] == tag_t'(c << 2 | i);
        assign taken_by[o] = out_valid[c][o] && owner[c][o][i];
      end
      for (genvar k = 0; k < Depth; k++) begin : gen_flit
        assign flits[k] = u_dut.gen_input[i].gen_port.u_input.mem[{1'(c), ptr_t'(read_ptr + ptr_t'(k))}];
        if (k == 0) begin : gen_head
          assign asks[k] = u_dut.gen_input[i].gen_port.u_input.gen_class[c].head_q.request;
          assign lasts[k] = u_dut.gen_input[i].gen_port.u_input.gen_class[c].head_q.last;
        end else begin : gen_behind
          assign asks[k] = u_dut.gen_input[i].gen_port.u_input.behind[{1'(c), ptr_t'(read_ptr + ptr_t'(k))}].request;
          assign lasts[k] = u_dut.gen_input[i].gen_port.u_input.behind[{1'(c), ptr_t'(read_ptr + ptr_t'(k))}].last;
        end
        assign first[k+1] = flits[k].last;
      end
      assign first[0] = halfway_out == '0;

      always_ff @(posedge clk_i) begin
        if (!rst) begin
          assert (inside_queue <= count_t'(Depth));
          assert (in_ready[c][i] == (inside_queue <= count_t'(Depth - 2)));
          if (room_q[c][i]) assert (inside_queue < count_t'(Depth));  // never refused
          assert (u_dut.take_q[c][i] == |taken_by && $onehot0(taken_by));
          for (int unsigned k = 0; k < Depth; k++) begin
            if (count_t'(k) < inside_queue) begin
              assert (flits[k].data[2:0] == tag_t'(c << 2 | i));
              assert (lasts[k] == flits[k].last);
              assert ($onehot0(asks[k]));
              assert ((asks[k] != '0) == first[k]);
              for (int unsigned o = 0; o < Ports; o++) begin
                if (asks[k][o]) assert (turns(o)[i]);
                if (first[k] && output_for(flits[k]) == o && turns(o)[i]) assert (asks[k][o]);
              end
            end
          end
          assert ($onehot0(halfway_out));
          assert (u_dut.gen_input[i].gen_port.u_input.first_q[c] == first[inside_queue]);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert ($onehot0(left_source));
      assert (gen_class[Class].gen_input[Source].inside_queue == count);
      if (tracking) assert (gen_class[Class].gen_input[Source].flits[ptr_t'(ahead)] == data);
    end
  end

  // Neither class blocks the other. An output that a class requests has an owner of that class. If the owner has had a flit and room
  // for two cycles in a row and the flit has not left, it leaves in the next cycle.
  for (genvar o = 0; o < Ports; o++) begin : gen_moves
    logic could, could_q, could_two_q;
    always_comb begin
      could = 1'b0;
      for (int unsigned i = 0; i < Ports; i++) begin
        // Its flit stands at the head, does not leave in this cycle, and the output is its own.
        if (owner[Class][o][i] && waits[Class][i] && !out_valid[Class][o] && out_ready_i[Class][o]) could = 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      could_q <= could && !rst;
      could_two_q <= could_q && could && !rst;
    end
    always_ff @(posedge clk_i) begin
      if (!rst) begin
        if (could_two_q) assert (out_valid[Class][o]);
        // Invariant: it did not leave because it was the other's turn, so now it is its own.
        if (could_q && could) assert (u_dut.turn_q == 1'(Class));
        for (int unsigned i = 0; i < Ports; i++) if (requests[Class][i][o]) assert (owner[Class][o] != '0);
      end
    end
  end
endmodule
