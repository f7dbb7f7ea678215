// SPDX-License-Identifier: Apache-2.0
// Sums the fields that are removed from a packet, and tells what must be added for its new address and port. Combinational.
//
// RFC 1624, equation 3: each removed halfword is added as its complement. ICMP has no pseudo header. Of an error's contents, the header of
// the packet in it sums to the same as before, and so does an echo request, or a datagram together with its pseudo header.
module nat_sums
  import net_pkg::*, nat_types_pkg::*;
(
    input facts_t facts_i,
    input removed_t removed_i,
    output sums_t sums_o
);
  localparam logic [15:0] LessTtl = ~16'h0100;  // added when the time to live falls by one

  logic is_icmp, is_tcp, is_udp, inner_tcp, inner_udp, inner_icmp, inner_sums;
  assign is_icmp = removed_i.protocol == ProtocolIcmp;
  assign is_tcp = removed_i.protocol == ProtocolTcp;
  assign is_udp = removed_i.protocol == ProtocolUdp;
  assign inner_tcp = removed_i.inner_protocol == ProtocolTcp;
  assign inner_udp = removed_i.inner_protocol == ProtocolUdp;
  assign inner_icmp = removed_i.inner_protocol == ProtocolIcmp;
  assign inner_sums = inner_udp && removed_i.inner_udp_checksum != '0;  // a datagram in an error, with a checksum

  ipv4_addr_t outer, ip;
  logic [15:0] port, transport, transport_high, transport_low, transport_port, inner_high, inner_low;
  assign outer = ~removed_i.outer;
  assign ip = ~facts_i.endpoint.ip;
  assign port = ~facts_i.endpoint.port;
  always_comb begin
    if (facts_i.is_error) begin
      transport = ~removed_i.icmp_checksum;
      {transport_high, transport_low} = inner_sums ? ~ip : '0;
      transport_port = inner_sums || inner_icmp ? '0 : port;
    end else begin
      transport = ~(is_icmp ? removed_i.icmp_checksum : is_tcp ? removed_i.tcp_checksum : removed_i.udp_checksum);
      {transport_high, transport_low} = is_icmp ? '0 : outer;
      transport_port = port;
    end
  end
  assign {inner_high, inner_low} = inner_icmp ? '0 : ip;

  always_comb begin
    sums_o = '0;
    sums_o.decrement = facts_i.from_outside || !facts_i.hairpin;
    sums_o.ttl = removed_i.ttl;
    sums_o.is_error = facts_i.is_error;
    sums_o.from_outside = facts_i.from_outside;
    sums_o.protocol = facts_i.endpoint.protocol;
    sums_o.other = !(is_tcp || is_udp || is_icmp);
    sums_o.no_checksum = facts_i.is_error ? inner_tcp || (inner_udp && !inner_sums) : is_udp && removed_i.udp_checksum == '0;
    sums_o.adds_port = !(facts_i.is_error && (inner_icmp || inner_sums));
    sums_o.adds_ip = !facts_i.is_error && !is_icmp;
    sums_o.subtracts_ip = facts_i.is_error && inner_sums;
    sums_o.adds_inner_ip = facts_i.endpoint.protocol != Query;
    sums_o.ip_sum = 18'(16'(~removed_i.ip_checksum)) + 18'(outer[31:16]) + 18'(outer[15:0]) + 18'(sums_o.decrement ? LessTtl : '0);
    sums_o.transport_sum = 19'(transport) + 19'(transport_high) + 19'(transport_low) + 19'(transport_port);
    sums_o.inner_ip_sum = 18'(16'(~removed_i.inner_ip_checksum)) + 18'(ip[31:16]) + 18'(ip[15:0]);
    sums_o.inner_sum = 19'(16'(~(inner_icmp ? removed_i.inner_icmp_checksum : removed_i.inner_udp_checksum))) + 19'(port)
        + 19'(inner_high) + 19'(inner_low);
  end

  logic unused;
  assign unused = &{1'b0, facts_i};
endmodule
