// SPDX-License-Identifier: Apache-2.0
// Types between the parts of the DHCP client (RFC 2131, 2132).
package dhcp_types_pkg;
  import net_pkg::*;

  localparam logic [15:0] ServerPort = 16'd67;
  localparam logic [15:0] ClientPort = 16'd68;
  localparam logic [31:0] Cookie = 32'h63825363;
  localparam int unsigned UdpAt = EthernetBytes + Ipv4MinBytes;
  localparam int unsigned BootpAt = UdpAt + UdpBytes;
  localparam int unsigned OptionsAt = BootpAt + 240;
  localparam int unsigned BufferBytes = 1024;  // of the longest frame that is read

  typedef enum logic [2:0] {
    NoKind,
    Discover,
    Offer,
    Request,
    Decline,
    Ack,
    Nak
  } kind_e;

  // A message to be sent: one of DHCP, or an ARP probe for `requested`.
  typedef struct packed {
    logic probe;
    kind_e kind;
    logic [31:0] xid;
    logic [15:0] seconds;
    ipv4_addr_t client;  // the address that the card has; 0: none
    ipv4_addr_t requested;  // the address that is asked for, declined or probed; 0: none
    ipv4_addr_t server;  // the server's identifier; 0: not given
    ipv4_addr_t destination;
  } order_t;

  // A server's reply to this client.
  typedef struct packed {
    kind_e kind;
    ipv4_addr_t address;
    ipv4_addr_t server;
    ipv4_addr_t netmask;
    ipv4_addr_t gateway;
    logic [31:0] lease;  // seconds; all ones: infinite
    logic [31:0] renewal;  // T1 and T2; 0: not given
    logic [31:0] rebinding;
  } reply_t;

  // The judgement on that reply (dhcp_terms).
  typedef struct packed {
    logic usable;  // address and lease are valid
    logic has_server;
    logic server_is_known;
    logic is_offered;  // the address is the one offered
    logic is_held;
    ipv4_addr_t netmask;
    logic [31:0] renewal;
    logic [31:0] rebinding;
  } terms_t;

  // The values for the registers of other tiles.
  typedef struct packed {
    ipv4_addr_t address;
    ipv4_addr_t netmask;
    ipv4_addr_t gateway;
  } lease_t;
endpackage
