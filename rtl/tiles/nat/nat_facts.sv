// SPDX-License-Identifier: Apache-2.0
// Reads the headers of a packet: which of its endpoints is translated, whether that is possible, and which fields will be removed.
// Combinational. view_i is the packet from its IPv4 header on, first byte highest.
//
//   of            from inside              from outside
//   a packet      its source               its destination
//   an error      the destination of       the source of           (and the error's own source, or destination)
//                 the packet in it         the packet in it
module nat_facts
  import girih_pkg::*, net_pkg::*, nat_types_pkg::*, nat_pkg::*;
#(
    parameter int unsigned IndexBits = 10
) (
    input logic [ViewBytes*8-1:0] view_i,
    input logic [3:0] port_i,
    input logic enough_i,  // all needed bytes are there
    input cfg_t cfg_i,
    output search_t search_o,
    output facts_t facts_o,
    output removed_t removed_o
);
  if ($bits(cfg_i.static_enabled) != Statics) begin : gen_bad_statics
    $fatal(1, "nat_facts: the configuration has %0d hosts with an address of their own; Statics is %0d", $bits(cfg_i.static_enabled), Statics);
  end
  localparam logic [7:0] EchoReply = 8'd0;
  localparam logic [7:0] EchoRequest = 8'd8;

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
  protocol_e protocol, inner_protocol;
  assign protocol = is_tcp ? Tcp : is_udp ? Udp : Query;
  assign inner_protocol = inner_tcp ? Tcp : inner_udp ? Udp : Query;
  assign search_o = '{
          from_outside: from_outside,
          port: endpoint.port,
          is_error: is_error,
          source: '{protocol: protocol, ip: ip.src, is_icmp: is_icmp, identifier: l4.third, port: l4.src_port},
          quoted: '{protocol: inner_protocol, ip: inner.dst, is_icmp: inner_icmp, identifier: inner_l4.third, port: inner_l4.dst_port}
      };
  always_comb begin
    if (is_error) begin
      endpoint.protocol = inner_protocol;
      endpoint.ip = first_of_two ? inner.src : inner.dst;
      endpoint.port = inner_icmp ? inner_l4.third : first_of_two ? inner_l4.src_port : inner_l4.dst_port;
    end else begin
      endpoint.protocol = protocol;
      endpoint.ip = first_of_two ? ip.src : ip.dst;
      endpoint.port = is_icmp ? l4.third : first_of_two ? l4.src_port : l4.dst_port;
    end
  end

  // Hosts with their own outside address. All candidates for the endpoint are compared before it is known which one it is.
  logic [Statics-1:0] is_static, to_static;
  ipv4_addr_t [3:0] addresses;
  assign addresses = {inner.src, ip.dst, inner.dst, ip.src};
  for (genvar s = 0; s < int'(Statics); s++) begin : gen_static
    logic at_inside, quoted_inside, at_outside, quoted_outside;
    logic [3:0] differs;
    for (genvar c = 0; c < 4; c++) begin : gen_candidate
      unequal #(
          .Width($bits(ipv4_addr_t))
      ) u_differs (
          .left_i   (addresses[c]),
          .right_i  (c < 2 ? cfg_i.static_inside[s] : cfg_i.static_outside[s]),
          .unequal_o(differs[c])
      );
    end
    assign {quoted_outside, at_outside, quoted_inside, at_inside} = ~differs;
    assign is_static[s] = cfg_i.static_enabled[s] && (from_outside ? (is_error ? quoted_outside : at_outside) : is_error ? quoted_inside : at_inside);
    assign to_static[s] = cfg_i.static_enabled[s] && at_outside;
  end
  logic [15:IndexBits] first_port;
  logic port_ours, quoted_ours;
  assign first_port = cfg_i.first_port[15:IndexBits];
  assign port_ours = is_icmp ? l4.third[15:IndexBits] == first_port : l4.dst_port[15:IndexBits] == first_port;
  assign quoted_ours = (inner_icmp ? inner_l4.third[15:IndexBits] == first_port : inner_l4.src_port[15:IndexBits] == first_port)
      && inner.src == cfg_i.outside_ip;

  logic to_shared, is_other, local_packet;
  assign to_shared = ip.dst == cfg_i.outside_ip;
  assign is_other = !(is_tcp || is_udp || is_icmp);
  assign local_packet = (to_shared && to_static == '0 && is_icmp && icmp_kind == EchoRequest) || (!from_outside && ip.dst == cfg_i.inside_ip);
  always_comb begin
    facts_o = '0;
    facts_o.short_header = !enough_i;
    facts_o.options = ip.ihl != 4'd5;
    facts_o.unsupported = is_error ? !inner_good : is_icmp && !is_query;
    facts_o.shared_unsupported = is_other || (is_icmp && icmp_kind == EchoReply && !from_outside);
    facts_o.local_packet = local_packet;
    facts_o.expired = ip.ttl <= 8'd1;
    facts_o.hairpin = !from_outside && (to_shared || to_static != '0);
    facts_o.from_outside = from_outside;
    facts_o.is_error = is_error;
    facts_o.may_begin = !from_outside && !is_error;
    facts_o.ends = is_tcp && (tcp_flags[0] || tcp_flags[2]);  // FIN, RST
    facts_o.starts = is_tcp && tcp_flags[1];  // SYN
    facts_o.tcp = is_tcp;
    facts_o.address_known = to_shared && (is_error ? quoted_ours : port_ours);
    facts_o.is_static = is_static;
    for (int unsigned s = 0; s < Statics; s++) facts_o.static_ip[s] = from_outside ? cfg_i.static_inside[s] : cfg_i.static_outside[s];
    facts_o.outside_ip = cfg_i.outside_ip;
    facts_o.first_port = cfg_i.first_port;
    facts_o.limit = cfg_i.limit;
    facts_o.out_port = from_outside ? cfg_i.inside_port : cfg_i.outside_port;
    facts_o.endpoint = endpoint;
  end

  assign removed_o = '{
          ttl: ip.ttl,
          protocol: ip.protocol,
          outer: from_outside ? ip.dst : ip.src,
          ip_checksum: ip.checksum,
          icmp_checksum: l4.dst_port,
          udp_checksum: l4.checksum,
          tcp_checksum: tcp_checksum,
          inner_protocol: inner.protocol,
          inner_ip_checksum: inner.checksum,
          inner_icmp_checksum: inner_l4.dst_port,
          inner_udp_checksum: inner_l4.checksum
      };

  logic unused;
  assign unused = &{1'b0, ip, inner, cfg_i, tcp_flags};
endmodule
