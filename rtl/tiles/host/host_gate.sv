// SPDX-License-Identifier: Apache-2.0
// The only place through which accesses leave the card: it takes the accesses of Clients in turn and passes those that lie within a region that the
// host has granted. The client of any other access is told so (refused_o) and gets no answer. Latency four cycles, one access per cycle; a client's
// ask_ready_o depends neither on its own request nor on those of others.
module host_gate
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

    output logic     out_valid_o,
    input  logic     out_ready_i,
    output logic     out_granted_o,  // refused accesses come out, too
    output request_t out_request_o  // its ID is the client's number
);
  if (Clients < 1 || Clients > 2 ** HostIdBits) begin : gen_bad_clients
    $fatal(1, "host_gate: Clients is %0d; it must be from 1 to %0d", Clients, 2 ** HostIdBits);
  end

  typedef struct packed {
    id_t id;
    addr_t first, last;
    logic [7:0] len;
  } access_t;
  typedef struct packed {
    logic granted;
    request_t request;
  } checked_t;

  // Requests of clients wait in registers, which keeps the arbitration out of their paths.
  logic [Clients-1:0] waits, taken, grant;
  ask_t [Clients-1:0] waiting;
  for (genvar i = 0; i < int'(Clients); i++) begin : gen_client
    skid_buffer #(
        .T(ask_t)
    ) u_ask (
        .clk_i,
        .rst_i,
        .in_valid_i(ask_valid_i[i]),
        .in_ready_o(ask_ready_o[i]),
        .in_data_i(ask_i[i]),
        .out_valid_o(waits[i]),
        .out_ready_i(taken[i]),
        .out_data_o(waiting[i])
    );
  end

  logic picked_ready;
  access_t picked;
  arbiter_round_robin #(
      .N(Clients)
  ) u_arbiter (
      .clk_i,
      .rst_i,
      .request_i(waits),
      .advance_i(picked_ready),
      .grant_o  (grant)
  );
  assign taken = grant & {Clients{picked_ready}};
  always_comb begin
    picked = '0;
    for (int unsigned i = 0; i < Clients; i++) begin
      if (grant[i]) begin
        picked.id |= id_t'(i);
        picked.first |= waiting[i].addr;
        picked.last |= waiting[i].addr + addr_t'(waiting[i].bytes) - 1'b1;
        picked.len |= beats_of(waiting[i].addr[EmptyWidth-1:0], waiting[i].bytes);
      end
    end
  end

  logic access_valid, access_ready;
  access_t access;
  skid_buffer #(
      .T(access_t)
  ) u_access (
      .clk_i,
      .rst_i,
      .in_valid_i(|waits),
      .in_ready_o(picked_ready),
      .in_data_i(picked),
      .out_valid_o(access_valid),
      .out_ready_i(access_ready),
      .out_data_o(access)
  );

  // One cycle compares with the ends of all regions, the next combines the results.
  typedef struct packed {
    access_t access;
    logic wraps;
    logic [HostRegions-1:0] from, to;  // its first byte is not below the region, its last is not above it
  } compared_t;
  compared_t compare, compared;
  logic compared_valid, compared_ready, contained, granted;
  always_comb begin
    compare.access = access;
    compare.wraps = access.last < access.first;
    for (int unsigned r = 0; r < HostRegions; r++) begin
      compare.from[r] = regions_i[r].valid && access.first >= regions_i[r].first;
      compare.to[r] = access.last <= regions_i[r].last;
    end
  end
  skid_buffer #(
      .T(compared_t)
  ) u_compared (
      .clk_i,
      .rst_i,
      .in_valid_i(access_valid),
      .in_ready_o(access_ready),
      .in_data_i(compare),
      .out_valid_o(compared_valid),
      .out_ready_i(compared_ready),
      .out_data_o(compared)
  );
  any_set #(
      .Width(HostRegions)
  ) u_any (
      .bits_i(compared.from & compared.to),
      .any_o (contained)
  );
  assign granted = !compared.wraps && contained;
  for (genvar i = 0; i < int'(Clients); i++) begin : gen_refused
    assign refused_o[i] = compared_valid && compared_ready && !granted && compared.access.id == id_t'(i);
  end

  checked_t checked;
  addr_t flit_addr;
  assign flit_addr = {compared.access.first[HostAddrBits-1:EmptyWidth], EmptyWidth'(0)};
  skid_buffer #(
      .T(checked_t)
  ) u_checked (
      .clk_i,
      .rst_i,
      .in_valid_i(compared_valid),
      .in_ready_o(compared_ready),
      .in_data_i('{granted: granted, request: '{id: compared.access.id, addr: flit_addr, len: compared.access.len}}),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(checked)
  );
  assign out_granted_o = checked.granted;
  assign out_request_o = checked.request;

  for (genvar i = 0; i < int'(Clients); i++) begin : gen_check
    always_ff @(posedge clk_i) begin
      if (!rst_i && ask_valid_i[i]) begin
        assert (ask_i[i].bytes != '0 && ask_i[i].bytes <= to_page_end(in_page_t'(ask_i[i].addr)))
        else $error("host_gate: client %0d asks for no bytes, or for more than a page has", i);
      end
    end
  end
endmodule
