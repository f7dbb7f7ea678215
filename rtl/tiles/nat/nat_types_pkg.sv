// SPDX-License-Identifier: Apache-2.0
// Types between the parts of the nat engine.
package nat_types_pkg;
  import net_pkg::*;

  localparam int unsigned Ways = 4;  // entries of a row of the table
  localparam int unsigned ViewBytes = 56;  // from the IPv4 header to the end of an ICMP error's packet: 20 + 8 + 20 + 8
  localparam int unsigned WayBits = $clog2(Ways);
  localparam int unsigned Statics = 4;  // inside hosts that can have an outside address of their own
  localparam logic [7:0] Unreachable = 8'd3;
  localparam logic [7:0] TimeExceeded = 8'd11;
  localparam logic [7:0] ParameterProblem = 8'd12;

  // Whether an ICMP type is that of an error, which contains a packet.
  function automatic logic is_error_kind(logic [7:0] kind);
    is_error_kind = kind inside {Unreachable, TimeExceeded, ParameterProblem};
  endfunction

  typedef enum logic [1:0] {
    Udp,
    Tcp,
    Query  // ICMP echo: the identifier is its port
  } protocol_e;

  typedef enum logic [2:0] {
    ToInside,
    ToOutside,
    ToHairpin,
    ToLocal,
    ToExpired
  } way_e;

  // An endpoint inside.
  typedef struct packed {
    protocol_e protocol;
    ipv4_addr_t ip;
    logic [15:0] port;
  } endpoint_t;

  // A packet's endpoint, before its port is chosen.
  typedef struct packed {
    protocol_e protocol;
    ipv4_addr_t ip;
    logic is_icmp;
    logic [15:0] identifier;  // the port of ICMP
    logic [15:0] port;  // that of others
  } key_t;

  // The keys for the table's search. Both candidate endpoints are hashed, each with both ports, before it is known which one is right.
  typedef struct packed {
    logic from_outside;
    logic [15:0] port;  // from outside
    logic is_error;
    key_t source;  // from inside: a packet's source
    key_t quoted;  // and the destination of the packet in an error
  } search_t;

  typedef struct packed {
    logic valid;
    endpoint_t endpoint;
    logic answered;  // a TCP segment has come from outside
    logic closing;  // a FIN or RST has passed
    logic [15:0] last;  // when a packet last passed
  } flow_t;

  // The facts from the headers of a packet, read under one configuration.
  typedef struct packed {
    logic short_header;
    logic options;
    logic unsupported;  // also of hosts with an address of their own
    logic shared_unsupported;  // of hosts that share the address
    logic local_packet;
    logic expired;
    logic hairpin;
    logic from_outside;
    logic is_error;
    logic may_begin;  // a packet that may begin a flow
    logic ends;  // a FIN or RST
    logic starts;  // a SYN
    logic tcp;
    logic address_known;  // from outside: the address is the shared one, and the port in its range
    logic [Statics-1:0] is_static;  // the endpoint has the address of this host
    ipv4_addr_t [Statics-1:0] static_ip;  // its new address in that case
    ipv4_addr_t outside_ip;
    logic [15:0] first_port;
    logic [15:0] limit;
    logic [3:0] out_port;  // the Ethernet port that it leaves by
    endpoint_t endpoint;  // before translation
  } facts_t;

  // The fields of a packet that nat_sums sums as removed.
  typedef struct packed {
    logic [7:0] ttl;
    logic [7:0] protocol;
    ipv4_addr_t outer;  // the address of the outer header that is translated
    logic [15:0] ip_checksum;
    logic [15:0] icmp_checksum;
    logic [15:0] udp_checksum;
    logic [15:0] tcp_checksum;
    logic [7:0] inner_protocol;
    logic [15:0] inner_ip_checksum;
    logic [15:0] inner_icmp_checksum;
    logic [15:0] inner_udp_checksum;
  } removed_t;

  // The input of nat_edit: sums of the removed fields, and the places of the checksums.
  typedef struct packed {
    logic decrement;
    logic [7:0] ttl;
    logic is_error;
    logic from_outside;
    protocol_e protocol;  // of the endpoint
    logic other;  // neither UDP, TCP nor ICMP: only the IPv4 header changes
    logic no_checksum;  // UDP without one; of an error, the packet in it has none, or has it too far behind
    logic adds_port;  // the new port adds to the sum of the transport; next: the new address does
    logic adds_ip;
    logic subtracts_ip;
    logic adds_inner_ip;  // the new address adds to the sum of the transport in an error
    logic [17:0] ip_sum;
    logic [18:0] transport_sum;
    logic [17:0] inner_ip_sum;  // of the packet in an error
    logic [18:0] inner_sum;  // of its transport
  } sums_t;
endpackage
