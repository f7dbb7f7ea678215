// SPDX-License-Identifier: Apache-2.0
// Reads the headers of a packet: which of its endpoints is translated, whether it may be, and the sums of what will be removed.
// Combinational. view_i is the packet from its IPv4 header on, first byte highest.
//
//   of            from inside              from outside
//   a packet      its source               its destination
//   an error      the destination of       the source of           (and the error's own source, or destination)
//                 the packet in it         the packet in it
module nat_facts
  import girih_pkg::*, net_pkg::*, checksum_pkg::*, nat_types_pkg::*, nat_pkg::*;
#(
    parameter int unsigned IndexBits = 10
) (
    input logic [ViewBytes*8-1:0] view_i,
    input logic [3:0] port_i,
    input logic enough_i,  // all needed bytes are there
    input cfg_t cfg_i,
    output facts_t facts_o,
    output sums_t sums_o
);
  localparam int unsigned Statics = $bits(cfg_i.static_enabled);
  localparam logic [7:0] EchoReply = 8'd0;
  localparam logic [7:0] EchoRequest = 8'd8;
  localparam logic [15:0] LessTtl = ~16'h0100;  // what the sum loses

  typedef struct packed {
    logic [15:0] src_port;
    logic [15:0] dst_port;
    logic [15:0] third;  // ICMP: the identifier
    logic [15:0] checksum;  // UDP
  } transport_t;

  ipv4_t ip, inner;
  transport_t l4, inner_l4;
  logic [7:0] tcp_flags;
  logic [15:0] tcp_checksum;
  assign {ip, l4, inner, inner_l4} = view_i;
  assign tcp_flags = view_i[8*(ViewBytes-Ipv4MinBytes-13)-1-:8];
  assign tcp_checksum = view_i[8*(ViewBytes-Ipv4MinBytes-16)-1-:16];

  logic is_icmp, is_tcp, is_udp, is_query, is_error, inner_good;
  logic [7:0] icmp_kind;
  assign is_icmp = ip.protocol == ProtocolIcmp;
  assign is_tcp = ip.protocol == ProtocolTcp;
  assign is_udp = ip.protocol == ProtocolUdp;
  assign icmp_kind = l4.src_port[15:8];
  assign is_query = icmp_kind inside {EchoReply, EchoRequest};
  assign is_error = is_icmp && is_error_kind(icmp_kind);

  // The endpoint.
  logic from_outside, inner_tcp, inner_udp, inner_icmp, first_of_two;
  logic [7:0] inner_kind;
  assign from_outside = port_i == cfg_i.outside_port;
  assign first_of_two = from_outside == is_error;
  assign inner_tcp = inner.protocol == ProtocolTcp;
  assign inner_udp = inner.protocol == ProtocolUdp;
  assign inner_icmp = inner.protocol == ProtocolIcmp;
  assign inner_kind = inner_l4.src_port[15:8];
  assign inner_good = inner.version == 4'd4 && inner.ihl == 4'd5 && inner.fragment_offset == '0
      && (inner_tcp || inner_udp || (inner_icmp && inner_kind inside {EchoReply, EchoRequest}));
  endpoint_t endpoint;
  always_comb begin
    if (is_error) begin
      endpoint.protocol = inner_tcp ? Tcp : inner_udp ? Udp : Query;
      endpoint.ip = first_of_two ? inner.src : inner.dst;
      endpoint.port = inner_icmp ? inner_l4.third : first_of_two ? inner_l4.src_port : inner_l4.dst_port;
    end else begin
      endpoint.protocol = is_tcp ? Tcp : is_udp ? Udp : Query;
      endpoint.ip = first_of_two ? ip.src : ip.dst;
      endpoint.port = is_icmp ? l4.third : first_of_two ? l4.src_port : l4.dst_port;
    end
  end

  // Hosts with an address of their own.
  logic [Statics-1:0] is_static, to_static;
  for (genvar s = 0; s < int'(Statics); s++) begin : gen_static
    assign is_static[s] = cfg_i.static_enabled[s]
        && endpoint.ip == (from_outside ? cfg_i.static_outside[s] : cfg_i.static_inside[s]);
    assign to_static[s] = cfg_i.static_enabled[s] && ip.dst == cfg_i.static_outside[s];
  end

  logic to_shared, has_static, is_other, local_packet;
  assign to_shared = ip.dst == cfg_i.outside_ip;
  assign has_static = is_static != '0;
  assign is_other = !(is_tcp || is_udp || is_icmp);
  assign local_packet = (to_shared && to_static == '0 && is_icmp && icmp_kind == EchoRequest) || (!from_outside && ip.dst == cfg_i.inside_ip);
  always_comb begin
    facts_o = '0;
    facts_o.short_header = !enough_i;
    facts_o.options = ip.ihl != 4'd5;
    facts_o.unsupported = is_error ? !inner_good : is_icmp ? !is_query || (!has_static && icmp_kind == EchoReply && !from_outside) : is_other && !has_static;
    facts_o.local_packet = local_packet;
    facts_o.expired = ip.ttl <= 8'd1;
    facts_o.hairpin = !from_outside && (to_shared || to_static != '0);
    facts_o.from_outside = from_outside;
    facts_o.is_error = is_error;
    facts_o.may_begin = !from_outside && !is_error;
    facts_o.ends = is_tcp && (tcp_flags[0] || tcp_flags[2]);  // FIN, RST
    facts_o.starts = is_tcp && tcp_flags[1];  // SYN
    facts_o.tcp = is_tcp;
    facts_o.address_known = to_shared && endpoint.ip == cfg_i.outside_ip
        && endpoint.port[15:IndexBits] == cfg_i.first_port[15:IndexBits];
    facts_o.has_static = has_static;
    for (int unsigned s = 0; s < Statics; s++) begin
      if (is_static[s]) facts_o.static_ip |= from_outside ? cfg_i.static_inside[s] : cfg_i.static_outside[s];
    end
    facts_o.outside_ip = cfg_i.outside_ip;
    facts_o.first_port = cfg_i.first_port;
    facts_o.limit = cfg_i.limit;
    facts_o.out_port = from_outside ? cfg_i.inside_port : cfg_i.outside_port;
    facts_o.endpoint = endpoint;
  end

  // RFC 1624, equation 3: each removed halfword is added as its complement. The identifier of ICMP is in no pseudo header. That of an
  // error: the header of the packet in it sums to the same as before, and so does an echo request; a datagram does with its pseudo header.
  ipv4_addr_t outer;
  logic [16:0] removed_outer, removed_inner;
  assign outer = from_outside ? ip.dst : ip.src;
  assign removed_outer = 17'(16'(~outer[31:16])) + 17'(16'(~outer[15:0]));
  assign removed_inner = 17'(16'(~endpoint.ip[31:16])) + 17'(16'(~endpoint.ip[15:0]));
  always_comb begin
    sums_o = '0;
    sums_o.decrement = from_outside || !facts_o.hairpin;
    sums_o.ttl = ip.ttl;
    sums_o.is_error = is_error;
    sums_o.from_outside = from_outside;
    sums_o.protocol = endpoint.protocol;
    sums_o.other = is_other;
    sums_o.no_checksum = is_error ? inner_tcp || (inner_udp && inner_l4.checksum == '0) : is_udp && l4.checksum == '0;
    sums_o.ip_sum = 18'(16'(~ip.checksum)) + 18'(removed_outer) + (sums_o.decrement ? 18'(LessTtl) : '0);
    if (is_error) begin
      sums_o.transport_sum = 19'(16'(~l4.dst_port));
      if (inner_udp && !sums_o.no_checksum) sums_o.transport_sum = sums_o.transport_sum + 19'(endpoint.ip[31:16]) + 19'(endpoint.ip[15:0]);
      else if (!inner_icmp) sums_o.transport_sum = sums_o.transport_sum + 19'(16'(~endpoint.port));
    end else begin
      if (is_icmp) sums_o.transport_sum = 19'(16'(~l4.dst_port));
      else sums_o.transport_sum = 19'(is_tcp ? 16'(~tcp_checksum) : 16'(~l4.checksum)) + 19'(removed_outer);
      sums_o.transport_sum = sums_o.transport_sum + 19'(16'(~endpoint.port));
    end
    sums_o.inner_ip_sum = 18'(16'(~inner.checksum)) + 18'(removed_inner);
    sums_o.inner_sum = 19'(inner_icmp ? 16'(~inner_l4.dst_port) : 16'(~inner_l4.checksum)) + 19'(16'(~endpoint.port));
    if (!inner_icmp) sums_o.inner_sum = sums_o.inner_sum + 19'(removed_inner);
  end

  logic unused;
  assign unused = &{1'b0, ip, inner, cfg_i, tcp_flags};
endmodule
