// SPDX-License-Identifier: Apache-2.0
// Reads the headers of a message: an ARP packet (recognized by its EtherType) or an IPv4 packet. Combinational.
// need_o is the number of header bytes that this takes.
module arp_header
  import girih_pkg::*, net_pkg::*, arp_types_pkg::*, arp_pkg::*;
#(
    parameter int unsigned HeaderBytes = EthernetBytes + VlanBytes + ArpBytes
) (
    input descriptor_t desc_i,
    input logic [HeaderBytes*8-1:0] header_i,
    input offset_t available_i,
    output offset_t need_o,
    input cfg_t cfg_i,
    output facts_t facts_o
);
  localparam int unsigned L2Bytes = EthernetBytes + VlanBytes;

  logic has_tag, is_arp;
  ethernet_t ethernet;
  logic [15:0] tag, inner_ethertype;
  arp_t packet;
  ipv4_t ipv4;
  assign {ethernet, tag, inner_ethertype} = header_i[HeaderBytes*8-1-:L2Bytes*8];
  assign has_tag = header_pkg::is_tagged(desc_i.l3_offset);
  assign packet = has_tag ? header_i[ArpBytes*8-1:0] : header_i[VlanBytes*8+:ArpBytes*8];
  assign ipv4 = packet[ArpBytes*8-1-:Ipv4MinBytes*8];
  assign is_arp = (has_tag ? inner_ethertype : ethernet.ethertype) == EtherTypeArp;
  assign need_o = (has_tag ? offset_t'(L2Bytes) : offset_t'(EthernetBytes))
      + (is_arp ? offset_t'(ArpBytes) : offset_t'(Ipv4MinBytes));

  logic in_subnet, small_subnet, arp_ok;
  ipv4_addr_t next_hop;
  assign in_subnet = ((ipv4.dst ^ cfg_i.ip) & cfg_i.netmask) == '0;
  assign small_subnet = cfg_i.netmask[1];  // of one or two addresses: it has no broadcast address
  assign next_hop = in_subnet ? ipv4.dst : cfg_i.gateway;
  assign arp_ok = packet.hardware == ArpHardwareEthernet && packet.protocol == EtherTypeIpv4
      && packet.hardware_length == 8'd6 && packet.protocol_length == 8'd4
      && packet.operation inside {ArpRequest, ArpReply}
      && !packet.sender_mac[40] && packet.sender_mac != '0 && !is_own_mac(packet.sender_mac);

  // An address to which packets may be sent: a host's in the subnet, or the gateway's; not the sender address of
  // a probe (0), nor the card's own.
  logic sender_in_subnet, sender_is_host;
  assign sender_in_subnet = ((packet.sender_ip ^ cfg_i.ip) & cfg_i.netmask) == '0;
  assign sender_is_host = small_subnet || ((packet.sender_ip & ~cfg_i.netmask) != '0 && !(&(packet.sender_ip | cfg_i.netmask)));

  // The MAC address of port n is n above that of port 0.
  function automatic logic is_own_mac(mac_t mac);
    return mac - cfg_i.mac < mac_t'(1 << $bits(port_t));
  endfunction

  always_comb begin
    facts_o.malformed = available_i < need_o || (is_arp && !arp_ok);
    facts_o.is_arp = is_arp;
    facts_o.broadcast = &ipv4.dst || (in_subnet && &(ipv4.dst | cfg_i.netmask) && !small_subnet);
    facts_o.no_route = !in_subnet && cfg_i.gateway == '0;
    facts_o.target = '{
        neighbour: '{
            port: desc_i.port,
            vlan: has_tag ? tag[11:0] : '0,
            ip: is_arp ? packet.sender_ip : next_hop
        },
        tenant: desc_i.tenant,
        has_tag: has_tag,
        tag_priority: has_tag ? tag[15:12] : '0
    };
    // At this point the source MAC address of an answer is still the requester's.
    facts_o.requester = ethernet.src;
    facts_o.foreign = ethernet.src != '0 && !is_own_mac(ethernet.src);
    facts_o.sender_mac = packet.sender_mac;
    facts_o.arp_ours = packet.target_ip == cfg_i.ip;
    facts_o.arp_request = packet.operation == ArpRequest;
    facts_o.sender_usable = packet.sender_ip != '0 && packet.sender_ip != cfg_i.ip
        && ((sender_in_subnet && sender_is_host) || packet.sender_ip == cfg_i.gateway);
    facts_o.own_mac = cfg_i.mac + mac_t'(desc_i.port);
    facts_o.own_ip = cfg_i.ip;
  end

  logic unused;
  assign unused = &{1'b0, desc_i, ethernet, ipv4, packet.target_mac, cfg_i.retry_cycles, cfg_i.max_age, cfg_i.announce};
endmodule
