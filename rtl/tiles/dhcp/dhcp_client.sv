// SPDX-License-Identifier: Apache-2.0
// The states of a DHCP client (RFC 2131, 4.4). It asks for an address, probes it before use, renews it with its server from T1 on and with any server
// from T2 on, and gives it up when its lease expires or a server refuses it. Times are counted in eighths of a second.
//
//   Waiting -> Selecting -> Requesting -> Probing -> Bound -> Renewing -> Rebinding
//      ^___________|____________|____________|                                |
//      |______________________________________________________________________|
//
// A request is repeated after 4, 8, 16, 32, 64, 64 … seconds, each up to a second more or less; a renewal after half of the remaining time, at least a minute.
// An address is probed three times, one to two seconds apart, and taken two seconds later (RFC 5227, 2.1.1).
module dhcp_client
  import net_pkg::*, dhcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input mac_t        mac_i,
    input logic [31:0] seed_i,
    input logic        stir_i,
    input logic [31:0] second_cycles_i,

    output logic [31:0] xid_o,
    input  logic        reply_valid_i,
    input  reply_t      reply_i,
    input  logic        conflict_i,  // another host uses the address watched_o
    output ipv4_addr_t  watched_o,   // the address that is probed or held; 0: none

    output logic   order_valid_o,
    input  logic   order_ready_i,
    output order_t order_o,

    output logic   write_o,  // for one cycle: the registers get lease_o
    input  logic   write_busy_i,
    output lease_t lease_o,
    output logic   holds_o,  // the card has an address, which the registers hold

    output logic used_o,  // a reply was used
    output logic unexpected_o,
    output logic bound_o,
    output logic renewed_o,
    output logic lost_o,
    output logic refused_o,
    output logic declined_o,
    output logic conflict_o  // another host uses the address that the card has
);
  localparam int unsigned MostRequests = 4;  // for an offer
  localparam int unsigned Probes = 3;
  localparam logic [31:0] Minute = 32'd60;
  localparam logic [9:0] Pause = 10'd80;  // after an address was declined: ten seconds

  typedef enum logic [2:0] {
    Waiting,
    Selecting,
    Requesting,
    Probing,
    Bound,
    Renewing,
    Rebinding
  } state_e;
  state_e state_q;

  logic tick, second;
  logic [31:0] random;
  dhcp_time u_time (
      .clk_i,
      .rst_i,
      .mac_i,
      .seed_i,
      .stir_i,
      .second_cycles_i,
      .tick_o  (tick),
      .second_o(second),
      .random_o(random)
  );

  logic [9:0] timer_q, pause;  // eighths
  logic [2:0] tries_q;
  logic over;  // the timer
  logic fresh_q;  // the first request since reset: cards that start together must not ask together
  logic [31:0] age_q, asked_age_q, again_q;  // seconds since the request for this lease; the same at the latest request, and at the next one
  logic [31:0] lease_q, renewal_q, rebinding_q;
  logic endless;
  logic [31:0] xid_q;
  logic [15:0] started_q;  // seconds since the client began
  ipv4_addr_t server_q;
  lease_t held_q, offered_q;
  assign over = tick && timer_q == '0;
  assign pause = (10'd32 << (tries_q > 3'd4 ? 3'd4 : tries_q)) - 10'd8 + 10'(random[3:0]);
  assign endless = lease_q == '1;

  terms_t terms;
  dhcp_terms u_terms (
      .clk_i,
      .reply_i,
      .server_i (server_q),
      .offered_i(offered_q.address),
      .held_i   (held_q.address),
      .terms_o  (terms)
  );
  logic offer, ack, nak, known;  // known: from the server that was asked or, in Rebinding, from any server
  assign known = terms.server_is_known || (state_q == Rebinding && terms.has_server);
  assign offer = reply_valid_i && reply_i.kind == Offer && state_q == Selecting && terms.usable && terms.has_server;
  assign ack = reply_valid_i && reply_i.kind == Ack && terms.usable && known && (state_q == Requesting ? terms.is_offered : state_q inside {Renewing, Rebinding} && terms.is_held);
  assign nak = reply_valid_i && reply_i.kind == Nak && known && state_q inside {Requesting, Renewing, Rebinding};
  assign used_o = offer || ack || nak;
  assign unexpected_o = reply_valid_i && !used_o;

  logic [31:0] half;  // of the time that is left
  assign half = ((state_q == Renewing ? rebinding_q : lease_q) - age_q) >> 1;

  // The registers are written when the writer is free.
  logic writes_q;
  assign write_o = writes_q && !write_busy_i;

  // A message waits until the one before it has left.
  logic sends, asks_q, probe_q;
  kind_e kind_q;
  ipv4_addr_t requested_q, said_server_q, destination_q, client_q;
  assign order_valid_o = asks_q;
  assign order_o = '{
          probe: probe_q,
          kind: kind_q,
          xid: xid_q,
          seconds: started_q,
          client: client_q,
          requested: requested_q,
          server: said_server_q,
          destination: destination_q
      };
  assign xid_o = xid_q;
  assign lease_o = held_q;
  assign watched_o = state_q == Probing ? offered_q.address : held_q.address;
  assign holds_o = held_q.address != '0 && !writes_q && !write_busy_i;
  assign sends = asks_q && !order_ready_i;  // the last message has not left yet

  always_ff @(posedge clk_i) begin
    bound_o <= 1'b0;
    renewed_o <= 1'b0;
    lost_o <= 1'b0;
    refused_o <= 1'b0;
    declined_o <= 1'b0;
    conflict_o <= conflict_i && state_q inside {Bound, Renewing, Rebinding};
    if (order_ready_i) asks_q <= 1'b0;
    if (write_o) writes_q <= 1'b0;
    if (tick && timer_q != '0) timer_q <= timer_q - 1'b1;
    if (second && age_q != '1) age_q <= age_q + 1'b1;
    if (second && started_q != '1) started_q <= started_q + 1'b1;

    unique case (state_q)
      Waiting:
      if (over && fresh_q) begin
        fresh_q <= 1'b0;
        timer_q <= 10'(random[5:0]);
      end else if (over && !sends && !writes_q && !write_busy_i) begin
        state_q <= Selecting;
        xid_q <= random;
        started_q <= '0;
        tries_q <= '0;
        timer_q <= '0;
      end
      Selecting:
      if (offer) begin
        offered_q.address <= reply_i.address;
        server_q <= reply_i.server;
        state_q <= Requesting;
        tries_q <= '0;
        timer_q <= '0;
      end else if (over && !sends) begin
        asks_q <= 1'b1;
        probe_q <= 1'b0;
        kind_q <= Discover;
        client_q <= '0;
        requested_q <= '0;
        said_server_q <= '0;
        destination_q <= '1;
        timer_q <= pause;
        if (tries_q != '1) tries_q <= tries_q + 1'b1;
      end
      Requesting:
      if (ack) begin
        offered_q.netmask <= terms.netmask;
        offered_q.gateway <= reply_i.gateway;
        lease_q <= reply_i.lease;
        renewal_q <= terms.renewal;
        rebinding_q <= terms.rebinding;
        state_q <= Probing;
        tries_q <= '0;
        timer_q <= 10'(random[2:0]);
      end else if (nak || (over && !sends && 32'(tries_q) == MostRequests)) begin
        state_q <= Waiting;
        timer_q <= 10'd8 + 10'(random[5:0]);
        refused_o <= nak;
      end else if (over && !sends) begin
        asks_q <= 1'b1;
        probe_q <= 1'b0;
        kind_q <= Request;
        client_q <= '0;
        requested_q <= offered_q.address;
        said_server_q <= server_q;
        destination_q <= '1;
        timer_q <= pause;
        tries_q <= tries_q + 1'b1;
        if (tries_q == '0) age_q <= '0;
      end
      Probing:
      if (conflict_i) begin
        asks_q <= 1'b1;
        probe_q <= 1'b0;
        kind_q <= Decline;
        client_q <= '0;
        requested_q <= offered_q.address;
        said_server_q <= server_q;
        destination_q <= '1;
        state_q <= Waiting;
        timer_q <= Pause;
        declined_o <= 1'b1;
      end else if (over && !sends) begin
        if (32'(tries_q) == Probes && age_q >= lease_q && !endless) begin
          state_q <= Waiting;
          timer_q <= 10'd8 + 10'(random[5:0]);
          lost_o  <= 1'b1;
        end else if (32'(tries_q) == Probes) begin
          state_q <= Bound;
          held_q <= offered_q;
          writes_q <= 1'b1;
          bound_o <= 1'b1;
        end else begin
          asks_q <= 1'b1;
          probe_q <= 1'b1;
          requested_q <= offered_q.address;
          tries_q <= tries_q + 1'b1;
          timer_q <= 32'(tries_q) == Probes - 1 ? 10'd16 : 10'd8 + 10'(random[2:0]);
        end
      end
      Bound:
      if (age_q >= renewal_q && !endless) begin
        state_q <= Renewing;
        again_q <= '0;
        started_q <= '0;
      end
      default:
      if (ack) begin
        state_q <= Bound;
        age_q <= age_q - asked_age_q + 32'(second);  // the time runs from the request
        server_q <= reply_i.server;
        lease_q <= reply_i.lease;
        renewal_q <= terms.renewal;
        rebinding_q <= terms.rebinding;
        held_q.netmask <= terms.netmask;
        held_q.gateway <= reply_i.gateway;
        writes_q <= held_q.netmask != terms.netmask || held_q.gateway != reply_i.gateway;
        renewed_o <= 1'b1;
      end else if (nak || age_q >= lease_q) begin
        state_q <= Waiting;
        timer_q <= 10'd8 + 10'(random[5:0]);
        held_q <= '{address: '0, netmask: '1, gateway: '0};
        writes_q <= 1'b1;
        refused_o <= nak;
        lost_o <= !nak;
      end else if (state_q == Renewing && age_q >= rebinding_q) begin
        state_q <= Rebinding;
        again_q <= '0;
      end else if (age_q >= again_q && !sends) begin
        asks_q <= 1'b1;
        probe_q <= 1'b0;
        kind_q <= Request;
        xid_q <= random;  // one per request, so that a confirmation identifies the request from which the time runs
        client_q <= held_q.address;
        requested_q <= '0;
        said_server_q <= '0;
        destination_q <= state_q == Renewing ? server_q : '1;
        asked_age_q <= age_q;
        again_q <= age_q + (half > Minute ? half : Minute);
      end
    endcase
    if (rst_i) begin
      state_q <= Waiting;
      fresh_q <= 1'b1;
      timer_q <= 10'd8;
      asks_q <= 1'b0;
      writes_q <= 1'b0;
      held_q <= '{address: '0, netmask: '1, gateway: '0};
      xid_q <= '0;
      age_q <= '0;
    end
  end
endmodule
