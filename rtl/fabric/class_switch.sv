// SPDX-License-Identifier: Apache-2.0
// fabric_switch for two message classes: a queue per input and class, and one flit per input and per output in a cycle. The
// flits that cross in the next cycle are chosen from registers and the arriving flits:
//   - every output has at most one owner per class, whose flit it could take (class_output);
//   - the class whose turn it is moves all of these flits; the other moves those whose input and output are still free.
// The classes take turns cycle by cycle, so in every second cycle a class moves as if the other were not there. It never waits
// for what the other waits for, and gets at least half of each link, or all of it while the other has nothing to move there.
// One cycle from the write into a queue to the output, one flit per cycle and output.
//
// Links: a flit comes (valid) only in a cycle after one in which its class had room there (ready). It is never refused.
module class_switch
  import girih_pkg::*, fabric_pkg::*;
#(
    parameter int unsigned Ports = 5,
    parameter bit [Ports-1:0][Ports-1:0] Turns = '1,  // [output][input]: there is a path; a port without paths costs nothing
    parameter int unsigned Depth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [1:0][Ports-1:0] in_valid_i,  // by class
    output logic [1:0][Ports-1:0] in_ready_o,
    input  flit_t                 in_flit_i[Ports],
    input  logic [Ports-1:0]      in_way_i [Ports],  // its output, if it starts a message: one-hot, with a path

    output logic [1:0][Ports-1:0] out_valid_o,
    input  logic [1:0][Ports-1:0] out_ready_i,
    output flit_t                 out_flit_o [Ports]
);
  typedef bit [Ports-1:0] ports_t;  // a set of ports
  typedef bit [Ports-1:0][Ports-1:0] turns_t;

  function automatic turns_t by_input();
    for (int unsigned i = 0; i < Ports; i++) begin
      for (int unsigned o = 0; o < Ports; o++) by_input[i][o] = Turns[o][i];
    end
  endfunction
  localparam turns_t Ways = by_input();  // [input][output]

  // What a link holds, for the watchdog of a simulation: synthesis removes it. Named as in a flit.
  typedef struct packed {
    address_t src;
    address_t dst;
  } ends_t;
  typedef struct packed {ends_t desc;} seen_t;
  seen_t [1:0][Ports-1:0] at_head;  // [class][input]
  seen_t [1:0][Ports-1:0] seen_flit;  // [class][output]
  logic [1:0][Ports-1:0] valid, seen_valid;

  logic turn_q;  // the class that chooses first
  always_ff @(posedge clk_i) turn_q <= !rst_i && !turn_q;

  flit_t head[Ports];
  logic [1:0][Ports-1:0] valid_d, last;  // [class][input]
  logic [1:0][Ports-1:0][Ports-1:0] wanted_d;  // [class][input][output]
  logic [1:0][Ports-1:0][Ports-1:0] can_d;  // [class][output][input]
  logic [1:0][Ports-1:0] any_d;  // [class][output]: one of these
  logic [1:0][Ports-1:0][Ports-1:0] cross_d;  // [class][output][input]: the flits that leave in the next cycle
  logic [1:0][Ports-1:0] busy;  // inputs that a class uses in the next cycle
  logic [1:0][Ports-1:0] take_q;  // [class][input]

  always_comb begin
    busy = '0;
    for (int unsigned c = 0; c < 2; c++) begin
      for (int unsigned o = 0; o < Ports; o++) busy[c] |= can_d[c][o];
    end
    for (int unsigned o = 0; o < Ports; o++) begin
      cross_d[0][o] = can_d[0][o] & ~(turn_q ? busy[1] | {Ports{any_d[1][o]}} : '0);
      cross_d[1][o] = can_d[1][o] & ~(turn_q ? '0 : busy[0] | {Ports{any_d[0][o]}});
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < 2; c++) begin
      take_q[c] <= '0;
      for (int unsigned i = 0; i < Ports; i++) begin
        for (int unsigned o = 0; o < Ports; o++) if (cross_d[c][o][i]) take_q[c][i] <= 1'b1;
      end
      for (int unsigned o = 0; o < Ports; o++) out_valid_o[c][o] <= |cross_d[c][o];
    end
    if (rst_i) begin
      take_q <= '0;
      out_valid_o <= '0;
    end
  end

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_input
    localparam ports_t To = Ways[i];

    if (To != '0) begin : gen_port
      class_input #(
          .Ways (Ports),
          .Depth(Depth)
      ) u_input (
          .clk_i,
          .rst_i,
          .in_valid_i({in_valid_i[1][i], in_valid_i[0][i]}),
          .in_room_o({in_ready_o[1][i], in_ready_o[0][i]}),
          .in_flit_i(in_flit_i[i]),
          .in_way_i(in_way_i[i]),
          .request_d_o({wanted_d[1][i], wanted_d[0][i]}),
          .valid_d_o({valid_d[1][i], valid_d[0][i]}),
          .last_o({last[1][i], last[0][i]}),
          .flit_o(head[i]),
          .take_i({take_q[1][i], take_q[0][i]}),
          .valid_o({valid[1][i], valid[0][i]}),
          .src_o({at_head[1][i].desc.src, at_head[0][i].desc.src}),
          .dst_o({at_head[1][i].desc.dst, at_head[0][i].desc.dst})
      );

      always_ff @(posedge clk_i) begin
        if (!rst_i) begin
          for (int unsigned c = 0; c < 2; c++) begin
            assert ($onehot0(wanted_d[c][i]));
            assert ((wanted_d[c][i] & ~To) == '0)
            else $error("class_switch: a message at port %0d has no path to its output", i);
          end
        end
      end
    end else begin : gen_none
      assign {in_ready_o[1][i], in_ready_o[0][i]} = '0;
      assign head[i] = '0;
      assign {valid_d[1][i], valid_d[0][i], last[1][i], last[0][i]} = '0;
      assign {wanted_d[1][i], wanted_d[0][i]} = '0;
      assign {valid[1][i], valid[0][i]} = '0;
      assign {at_head[1][i], at_head[0][i]} = '0;
      logic unused;
      assign unused = &{in_valid_i[1][i], in_valid_i[0][i], in_flit_i[i], in_way_i[i], take_q[1][i], take_q[0][i]};
    end
  end

  for (genvar o = 0; o < int'(Ports); o++) begin : gen_output
    localparam ports_t From = Turns[o];
    localparam int unsigned Inputs = $countones(From);

    if (Inputs > 0) begin : gen_port
      logic [1:0][Inputs-1:0] requests_d, valids_d, lasts, cans_d, owner;
      logic [Inputs-1:0] crosses_d;
      logic [mux_stages(Inputs)-1:0][1:0] way_q, way_d;
      logic [Inputs-1:0][mux_stages(Inputs)-1:0][1:0] way_of;  // constants, which a simulator works out once
      flit_t from[Inputs];
      logic [1:0][Ports-1:0] seen;  // the owner, if it has a flit

      for (genvar i = 0; i < int'(Ports); i++) begin : gen_from
        if (From[i]) begin : gen_path
          localparam int unsigned K = $countones(From & ~(ports_t'('1) << i));  // index of i among the inputs with a path
          for (genvar c = 0; c < 2; c++) begin : gen_class
            assign requests_d[c][K] = wanted_d[c][i][o];
            assign valids_d[c][K] = valid_d[c][i];
            assign lasts[c][K] = last[c][i];
            assign can_d[c][o][i] = cans_d[c][K];
            assign seen[c][i] = owner[c][K] && valid[c][i];
          end
          assign crosses_d[K] = cross_d[0][o][i] || cross_d[1][o][i];
          assign from[K] = head[i];
          for (genvar s = 0; s < int'(mux_stages(Inputs)); s++) begin : gen_stage
            localparam logic [1:0] Way = mux_way(Inputs, s, K);
            assign way_of[K][s] = Way;
          end
        end else begin : gen_none
          assign {can_d[1][o][i], can_d[0][o][i]} = '0;
          assign {seen[1][i], seen[0][i]} = '0;
        end
      end

      for (genvar c = 0; c < 2; c++) begin : gen_class
        class_output #(
            .Inputs(Inputs)
        ) u_output (
            .clk_i,
            .rst_i,
            .request_d_i(requests_d[c]),
            .valid_d_i(valids_d[c]),
            .last_i(lasts[c]),
            .room_i(out_ready_i[c][o]),
            .left_i(out_valid_o[c][o]),
            .can_d_o(cans_d[c]),
            .any_d_o(any_d[c][o]),
            .owner_o(owner[c])
        );

        assign seen_valid[c][o] = |seen[c];
        always_comb begin
          seen_flit[c][o] = '0;
          for (int unsigned i = 0; i < Ports; i++) if (seen[c][i]) seen_flit[c][o] |= at_head[c][i];
        end
      end

      always_comb begin
        way_d = '0;
        for (int unsigned i = 0; i < Inputs; i++) if (crosses_d[i]) way_d |= way_of[i];
      end
      always_ff @(posedge clk_i) way_q <= way_d;

      flit_mux #(
          .N(Inputs)
      ) u_mux (
          .from_i(from),
          .way_i (way_q),
          .flit_o(out_flit_o[o])
      );
    end else begin : gen_none
      assign {can_d[1][o], can_d[0][o]} = '0;
      assign {any_d[1][o], any_d[0][o]} = '0;
      assign {seen_valid[1][o], seen_valid[0][o]} = '0;
      assign {seen_flit[1][o], seen_flit[0][o]} = '0;
      assign out_flit_o[o] = '0;
      logic unused;
      assign unused = &{out_ready_i[1][o], out_ready_i[0][o]};
    end
  end

  logic unused_parts;
  assign unused_parts = &{1'b0, wanted_d, seen_valid, seen_flit};

  // Flits are neither lost nor duplicated: each that leaves a queue leaves by one output, and an output has one class.
  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ((take_q[0] & take_q[1]) == '0 && (out_valid_o[0] & out_valid_o[1]) == '0);
      for (int unsigned c = 0; c < 2; c++) assert ($countones(take_q[c]) == $countones(out_valid_o[c]));
      first_class_moves_all : cover (!turn_q && |busy[0] && cross_d[1] != can_d[1]);
      second_class_moves_all : cover (turn_q && |busy[1] && cross_d[0] != can_d[0]);
      both_move : cover (|take_q[0] && |take_q[1]);
    end
  end
endmodule
