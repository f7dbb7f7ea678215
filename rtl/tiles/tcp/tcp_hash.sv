// SPDX-License-Identifier: Apache-2.0
// The hash for a connection's initial sequence number (RFC 6528), and for the offset of its clock of time stamps (RFC 7323, 7.1): the two halves of
// SipHash-2-4 of addresses, ports and tenant. It covers the tenant, because tenants may have the same addresses, and the number of one must not help
// another to guess its own. The peer sees both halves, but cannot compute one from the other, nor the secret, without breaking the hash.
//
// A guess begins the hash of what may be started later. It takes the place of whatever was there, so none may come from start_i on until the hash
// has been used. If reuse_i is up, start_i goes on with the hash of the same tuple; otherwise it begins a new one.
//
//   cycle       0               1                                    2 to 9        10 on                  11 on
//               start or guess  secret_i is read, the first word     eight rounds  hash_o and offset_o    done_o
module tcp_hash
  import girih_pkg::*, siphash_pkg::*, tcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic    guess_i,
    input tuple_t  guess_tuple_i,
    input tenant_t guess_tenant_i,

    input logic         start_i,
    input logic         reuse_i,
    input tuple_t       tuple_i,
    input tenant_t      tenant_i,
    input logic [127:0] secret_i,

    output logic soon_o,   // from the cycle after start_i on, as is done_o: hash_o is there three cycles later, if not now
    output logic done_o,
    output seq_t hash_o,
    output seq_t offset_o  // of the clock of time stamps
);
  localparam int unsigned Rounds = 8;
  tuple_t tuple_q;
  tenant_t tenant_q;
  logic known_q;  // there is a hash, or will be, of tuple_q and tenant_q
  logic same, begins_q, hashed, ends_q, soon_q, done_q;
  logic [3:0] round_q, following;
  logic [63:0] first, second;  // the words: 13 bytes, and their number
  logic [63:0] before_q, behind_q;  // what goes into v3 and v0 before this round: a word, and what went into v3 two rounds before
  sip_t start;
  sip_t sip_q, sip_in;
  assign same = known_q && tuple_q == tuple_i && tenant_q == tenant_i;
  assign hashed = round_q == 4'(Rounds);
  assign following = round_q + 1'b1;
  assign first = {tuple_q.remote_port, tuple_q.local_port, tuple_q.remote_addr};
  assign second = {8'd13, 24'(tenant_q), tuple_q.local_addr};
  assign start = sip_start(secret_i);
  always_comb begin
    sip_in = sip_q;
    sip_in[3] = sip_in[3] ^ before_q;
    sip_in[0] = sip_in[0] ^ behind_q;
    if (ends_q) sip_in[2] = sip_in[2] ^ 64'hff;
  end
  always_ff @(posedge clk_i) begin
    if (guess_i || start_i) begin
      tuple_q  <= start_i ? tuple_i : guess_tuple_i;
      tenant_q <= start_i ? tenant_i : guess_tenant_i;
    end
    begins_q <= guess_i || (start_i && !(reuse_i && same));
    if (begins_q) begin
      sip_q <= start;
      sip_q[0] <= '0;  // in behind_q
      before_q <= first;
      behind_q <= start[0];
      ends_q <= 1'b0;
    end else if (!hashed) begin
      sip_q <= sip_round(sip_in);
      before_q <= following == 4'd2 ? second : '0;
      behind_q <= following == 4'd2 ? first : following == 4'd4 ? second : '0;
      ends_q <= following == 4'd4;
    end
    if (begins_q) round_q <= '0;
    else if (!hashed) round_q <= following;
    soon_q <= !begins_q && round_q >= 4'(Rounds - 4);
    done_q <= !begins_q && hashed;
    if (guess_i || start_i) known_q <= 1'b1;
    if (rst_i) known_q <= 1'b0;
  end
  assign soon_o = soon_q && !begins_q;
  assign done_o = done_q && !begins_q;
  assign {offset_o, hash_o} = sip_q[0] ^ sip_q[1] ^ sip_q[2] ^ sip_q[3];
endmodule
