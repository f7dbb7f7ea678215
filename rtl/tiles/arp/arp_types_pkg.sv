// SPDX-License-Identifier: Apache-2.0
// Types between the parts of the ARP engine.
package arp_types_pkg;
  import girih_pkg::*;
  import net_pkg::*;

  // The same address behind another port or in another VLAN is another neighbour.
  typedef struct packed {
    port_t port;
    logic [11:0] vlan;  // 0: none
    ipv4_addr_t ip;
  } neighbour_t;

  // The receiver of an ARP packet: its addresses, port and tag.
  typedef struct packed {
    neighbour_t neighbour;
    tenant_t tenant;
    logic has_tag;
    logic [3:0] tag_priority;  // priority and drop eligibility of the tag
  } target_t;

  // An ARP packet to make: a reply to `mac`, or a request to all.
  typedef struct packed {
    logic reply;
    target_t target;
    mac_t mac;
    mac_t own_mac;  // of the card, at the port that the frame leaves by
    ipv4_addr_t own_ip;
    timestamp_t timestamp;  // of the request that is answered
  } order_t;

  // The facts from the headers of a message, read under one configuration.
  typedef struct packed {
    logic malformed;
    logic is_arp;
    logic broadcast;
    logic no_route;
    target_t target;  // the next hop, or the sender of an ARP packet
    logic foreign;  // it answers another host
    mac_t requester;  // its previous source: the requester, if the message is an answer
    mac_t sender_mac;  // of an ARP packet
    logic arp_ours;
    logic arp_request;
    logic sender_usable;
    mac_t own_mac;  // at the message's port
    ipv4_addr_t own_ip;
  } facts_t;

  localparam logic [15:0] ArpHardwareEthernet = 16'd1;
  localparam logic [15:0] ArpRequest = 16'd1;
  localparam logic [15:0] ArpReply = 16'd2;
  localparam int unsigned ArpBytes = 28;
endpackage
