// SPDX-License-Identifier: Apache-2.0
// What the parts of the ARP engine tell each other.
package arp_types_pkg;
  import girih_pkg::*;
  import net_pkg::*;

  // Whom an ARP packet is for, and how it gets there.
  typedef struct packed {
    port_t port;
    tenant_t tenant;
    logic has_tag;
    logic [15:0] tag;  // 802.1Q tag control information
    ipv4_addr_t ip;
  } target_t;

  // An ARP packet to make: a reply to `mac`, or a request to all.
  typedef struct packed {
    logic reply;
    target_t target;
    mac_t mac;
    timestamp_t timestamp;  // of the request that is answered
  } order_t;

  localparam logic [15:0] ArpHardwareEthernet = 16'd1;
  localparam logic [15:0] ArpRequest = 16'd1;
  localparam logic [15:0] ArpReply = 16'd2;
  localparam int unsigned ArpBytes = 28;
endpackage
