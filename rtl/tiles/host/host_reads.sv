// SPDX-License-Identifier: Apache-2.0
// Reads host memory for several clients: each gets the flits that it reads in order, and always takes them. An access that is not granted is not
// made, and its client is told.
module host_reads
  import girih_pkg::*, host_access_pkg::*, host_pkg::*;
#(
    parameter int unsigned Clients = 3
) (
    input logic clk_i,
    input logic rst_i,

    input regions_t regions_i,

    input  logic [Clients-1:0] ask_valid_i,
    output logic [Clients-1:0] ask_ready_o,
    input  ask_t [Clients-1:0] ask_i,
    output logic [Clients-1:0] refused_o,
    output logic [Clients-1:0] came_o,  // a flit for this client
    output logic came_last_o,  // of the access
    output logic came_error_o,
    output logic [W-1:0] came_data_o,

    output logic ar_valid_o,
    input logic ar_ready_i,
    output request_t ar_o,
    input logic r_valid_i,
    input id_t r_id_i,
    input logic [W-1:0] r_data_i,
    input logic [1:0] r_resp_i,
    input logic r_last_i
);
  logic valid, granted;
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
      .out_ready_i(ar_ready_i || !granted),
      .out_granted_o(granted),
      .out_request_o(ar_o)
  );
  assign ar_valid_o = valid && granted;

  // A register keeps the bus out of the clients' paths.
  id_t id_q;
  logic valid_q;
  always_ff @(posedge clk_i) begin
    valid_q <= r_valid_i;
    id_q <= r_id_i;
    came_data_o <= r_data_i;
    came_error_o <= r_resp_i[1];
    came_last_o <= r_last_i;
    if (rst_i) valid_q <= 1'b0;
  end
  for (genvar i = 0; i < int'(Clients); i++) begin : gen_came
    assign came_o[i] = valid_q && id_q == id_t'(i);
  end
  logic unused;
  assign unused = &{1'b0, r_resp_i[0]};
endmodule
