// SPDX-License-Identifier: Apache-2.0
// Writes host memory for several clients. A client requests an access and then gives its flits, with `last` at the end of each access; flits wait
// here in the order of the accesses. Each access ends with done_o, or with refused_o if it is not granted; its flits are then discarded.
module host_writes
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Clients = 3
) (
    input logic clk_i,
    input logic rst_i,

    input regions_t regions_i,

    input  logic   [Clients-1:0] ask_valid_i,
    output logic   [Clients-1:0] ask_ready_o,
    input  ask_t   [Clients-1:0] ask_i,
    output logic   [Clients-1:0] refused_o,
    input  logic   [Clients-1:0] data_valid_i,
    output logic   [Clients-1:0] data_ready_o,
    input  write_t [Clients-1:0] data_i,
    output logic   [Clients-1:0] done_o,
    output logic                 done_error_o,

    output logic aw_valid_o,
    input logic aw_ready_i,
    output request_t aw_o,
    output logic w_valid_o,
    input logic w_ready_i,
    output write_t w_o,
    input logic b_valid_i,
    input id_t b_id_i,
    input logic [1:0] b_resp_i
);
  localparam int unsigned Depth = 4;  // accesses whose data have not all come: few, so that a short one does not wait for many long ones
  typedef struct packed {
    logic granted;
    id_t  id;
  } turn_t;
  typedef struct packed {
    logic granted;
    logic [Clients-1:0] who;  // one of them
  } chosen_t;

  logic valid, granted, turns_ready, next_valid, next_ready, turn_valid, ends;
  turn_t next;
  chosen_t chooses, turn;
  assign aw_valid_o = valid && granted && turns_ready;
  host_gate #(
      .Clients(Clients)
  ) u_gate (
      .clk_i,
      .rst_i,
      .regions_i,
      .ask_valid_i,
      .ask_ready_o,
      .ask_i,
      .refused_o,
      .out_valid_o(valid),
      .out_ready_i((aw_ready_i || !granted) && turns_ready),
      .out_granted_o(granted),
      .out_request_o(aw_o)
  );

  fifo #(
      .T(turn_t),
      .Depth(Depth)
  ) u_turns (
      .clk_i,
      .rst_i,
      .in_valid_i(valid && (aw_ready_i || !granted)),
      .in_ready_o(turns_ready),
      .in_data_i('{granted: granted, id: aw_o.id}),
      .out_valid_o(next_valid),
      .out_ready_i(next_ready),
      .out_data_o(next)
  );
  assign chooses = '{granted: next.granted, who: Clients'(1) << next.id};
  stream_register #(  // the choice of a client's data takes most of a cycle
      .T(chosen_t)
  ) u_turn (
      .clk_i,
      .rst_i,
      .in_valid_i(next_valid),
      .in_ready_o(next_ready),
      .in_data_i(chooses),
      .out_valid_o(turn_valid),
      .out_ready_i(ends),
      .out_data_o(turn)
  );

  logic w_ready, offered;
  write_t chosen;
  always_comb begin
    chosen  = '0;
    offered = 1'b0;
    for (int unsigned i = 0; i < Clients; i++) begin
      data_ready_o[i] = turn_valid && turn.who[i] && (w_ready || !turn.granted);
      chosen |= data_i[i] & {$bits(write_t){turn.who[i]}};
      offered |= turn_valid && turn.who[i] && data_valid_i[i];
    end
  end
  assign ends = offered && chosen.last && (w_ready || !turn.granted);
  skid_buffer #(
      .T(write_t)
  ) u_w (
      .clk_i,
      .rst_i,
      .in_valid_i(offered && turn.granted),
      .in_ready_o(w_ready),
      .in_data_i(chosen),
      .out_valid_o(w_valid_o),
      .out_ready_i(w_ready_i),
      .out_data_o(w_o)
  );

  for (genvar i = 0; i < int'(Clients); i++) begin : gen_done
    assign done_o[i] = b_valid_i && b_id_i == id_t'(i);
  end
  assign done_error_o = b_resp_i[1];
  logic unused;
  assign unused = &{1'b0, b_resp_i[0]};
endmodule
