// SPDX-License-Identifier: Apache-2.0
// Judges a reply for the client, four cycles after its last byte: whether its address and server are those that the client knows, and its times. Times that are
// absent or make no sense have defaults (RFC 2131, 4.4.5: seven eighths of the lease for T2; half of the lease for T1, or half of T2 if that is earlier).
module dhcp_terms
  import net_pkg::*, dhcp_types_pkg::*;
(
    input logic clk_i,

    input reply_t     reply_i,
    input ipv4_addr_t server_i,   // the server that the client has asked
    input ipv4_addr_t offered_i,  // the address offered to the client
    input ipv4_addr_t held_i,     // the address that the client has

    output terms_t terms_o
);
  terms_t terms_q;
  logic said_q, whole_q, half_fits_q;
  logic [31:0] eighths_q;
  logic host_q, first_q, last_q;  // the address is that of a host; it is the network's first or last one

  always_ff @(posedge clk_i) begin
    // A host's address, and a time. A network of one or two addresses has neither a network address nor a broadcast address.
    host_q <= !(reply_i.address[31:24] inside {8'd0, 8'd127} || reply_i.address[31:29] == '1) && reply_i.lease >= 32'd4;
    first_q <= (reply_i.address & ~terms_q.netmask) == '0;
    last_q <= (reply_i.address | terms_q.netmask) == '1;
    terms_q.usable <= host_q && (!(first_q || last_q) || terms_q.netmask[1]);
    terms_q.has_server <= reply_i.server != '0;
    terms_q.server_is_known <= reply_i.server == server_i && reply_i.server != '0;
    terms_q.is_offered <= reply_i.address == offered_i;
    terms_q.is_held <= reply_i.address == held_i;

    // Without a mask, that of the address's class.
    if (reply_i.netmask != '0) terms_q.netmask <= reply_i.netmask;
    else if (!reply_i.address[31]) terms_q.netmask <= 32'hff000000;
    else terms_q.netmask <= reply_i.address[30] ? 32'hffffff00 : 32'hffff0000;

    // T2 lies before the end, then T1 before T2.
    said_q <= reply_i.rebinding != '0 && reply_i.rebinding < reply_i.lease;
    eighths_q <= reply_i.lease - (reply_i.lease < 32'd8 ? 32'd1 : reply_i.lease >> 3);
    terms_q.rebinding <= said_q ? reply_i.rebinding : eighths_q;
    whole_q <= reply_i.renewal != '0 && reply_i.renewal < terms_q.rebinding;
    half_fits_q <= reply_i.lease >> 1 < terms_q.rebinding;
    if (whole_q) terms_q.renewal <= reply_i.renewal;
    else terms_q.renewal <= half_fits_q ? reply_i.lease >> 1 : terms_q.rebinding >> 1;
  end
  assign terms_o = terms_q;

  logic unused;
  assign unused = &{1'b0, reply_i};
endmodule
