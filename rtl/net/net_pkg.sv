// SPDX-License-Identifier: Apache-2.0
// Headers of the protocols on the wire, in network order: the first wire byte is the
// most significant one of each struct. Sums are those of RFC 1071.
package net_pkg;
  typedef logic [47:0] mac_t;
  typedef logic [31:0] ipv4_addr_t;

  localparam mac_t MacBroadcast = '1;

  localparam logic [15:0] EtherTypeIpv4 = 16'h0800;
  localparam logic [15:0] EtherTypeArp = 16'h0806;
  localparam logic [15:0] EtherTypeVlan = 16'h8100;
  localparam logic [15:0] EtherTypeIpv6 = 16'h86dd;

  localparam logic [7:0] ProtocolIcmp = 8'd1;
  localparam logic [7:0] ProtocolTcp = 8'd6;
  localparam logic [7:0] ProtocolUdp = 8'd17;

  localparam int unsigned EthernetBytes = 14;
  localparam int unsigned VlanBytes = 4;
  localparam int unsigned Ipv4MinBytes = 20;
  localparam int unsigned Ipv4MaxBytes = 60;
  localparam int unsigned Ipv6Bytes = 40;  // without extension headers
  localparam int unsigned UdpBytes = 8;
  localparam int unsigned MinFrameBytes = 60;  // without FCS

  typedef struct packed {
    mac_t dst;
    mac_t src;
    logic [15:0] ethertype;
  } ethernet_t;

  typedef struct packed {  // what follows an EtherTypeVlan
    logic [2:0] priority_code;
    logic drop_eligible;
    logic [11:0] vid;
    logic [15:0] ethertype;
  } vlan_t;

  typedef struct packed {
    logic [3:0] version;
    logic [3:0] ihl;  // header length in 32-bit words
    logic [7:0] tos;
    logic [15:0] total_length;
    logic [15:0] identification;
    logic reserved;
    logic dont_fragment;
    logic more_fragments;
    logic [12:0] fragment_offset;
    logic [7:0] ttl;
    logic [7:0] protocol;
    logic [15:0] checksum;
    ipv4_addr_t src;
    ipv4_addr_t dst;
  } ipv4_t;

  typedef struct packed {
    logic [3:0] version;
    logic [7:0] traffic_class;
    logic [19:0] flow_label;
    logic [15:0] payload_length;
    logic [7:0] next_header;
    logic [7:0] hop_limit;
    logic [127:0] src;
    logic [127:0] dst;
  } ipv6_t;

  typedef struct packed {
    logic [15:0] src_port;
    logic [15:0] dst_port;
    logic [15:0] length;
    logic [15:0] checksum;
  } udp_t;

  typedef struct packed {
    logic [7:0] kind;
    logic [7:0] code;
    logic [15:0] checksum;
  } icmp_t;

  typedef struct packed {  // Ethernet and IPv4, RFC 826
    logic [15:0] hardware;
    logic [15:0] protocol;
    logic [7:0] hardware_length;
    logic [7:0] protocol_length;
    logic [15:0] operation;
    mac_t sender_mac;
    ipv4_addr_t sender_ip;
    mac_t target_mac;
    ipv4_addr_t target_ip;
  } arp_t;
endpackage
