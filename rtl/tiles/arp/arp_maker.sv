// SPDX-License-Identifier: Apache-2.0
// Makes the frames of ARP replies and requests, with the VLAN tag of their cause. Valid comes from
// registers: an order is kept until its frame has left.
module arp_maker
  import girih_pkg::*, net_pkg::*, arp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic   order_valid_i,
    output logic   order_ready_o,
    input  order_t order_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,
    output logic  out_reply_o     // the frame is a reply
);
  localparam int unsigned PlainBytes = EthernetBytes + ArpBytes;
  localparam int unsigned TaggedBytes = PlainBytes + VlanBytes;
  localparam int unsigned Flits = (TaggedBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned PlainFlits = (PlainBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned BeatWidth = $clog2(Flits + 1);
  if (Flits != PlainFlits) begin : gen_bad_width
    $fatal(1, "arp_maker: a flit has %0d bytes; a tag must not change the number of flits of a frame", FlitBytes);
  end

  logic valid_q;
  order_t order_q;
  logic [BeatWidth-1:0] beat_q;
  logic fire, done;
  assign fire = out_valid_o && out_ready_i;
  assign done = fire && out_flit_o.last;
  assign order_ready_o = !valid_q || done;
  assign out_valid_o = valid_q;
  assign out_reply_o = order_q.reply;

  ethernet_t ethernet;
  arp_t packet;
  logic [15:0] tag;
  assign tag = {order_q.target.tag_priority, order_q.target.neighbour.vlan};
  logic [TaggedBytes*8-1:0] frame;  // network order
  always_comb begin
    ethernet = '{
        dst: order_q.reply ? order_q.mac : MacBroadcast,
        src: order_q.own_mac,
        ethertype: order_q.target.has_tag ? EtherTypeVlan : EtherTypeArp
    };
    packet = '{
        hardware: ArpHardwareEthernet,
        protocol: EtherTypeIpv4,
        hardware_length: 8'd6,
        protocol_length: 8'd4,
        operation: order_q.reply ? ArpReply : ArpRequest,
        sender_mac: order_q.own_mac,
        sender_ip: order_q.own_ip,
        target_mac: order_q.reply ? order_q.mac : '0,
        target_ip: order_q.target.neighbour.ip
    };
    if (order_q.target.has_tag) frame = {ethernet, tag, EtherTypeArp, packet};
    else frame = {ethernet, packet, (VlanBytes * 8)'(0)};
  end

  logic [Flits*FlitBytes-1:0][7:0] wire_bytes;  // index 0 goes first
  for (genvar b = 0; b < int'(Flits * FlitBytes); b++) begin : gen_byte
    if (b < int'(TaggedBytes)) begin : gen_frame
      assign wire_bytes[b] = frame[8*(int'(TaggedBytes)-1-b)+:8];
    end else begin : gen_rest
      assign wire_bytes[b] = 8'h0;
    end
  end

  length_t length;
  assign length = order_q.target.has_tag ? length_t'(TaggedBytes) : length_t'(PlainBytes);
  always_comb begin
    out_flit_o.desc = '0;
    out_flit_o.desc.port = order_q.target.neighbour.port;
    out_flit_o.desc.tenant = order_q.target.tenant;
    out_flit_o.desc.length = length;
    out_flit_o.desc.l3_offset = order_q.target.has_tag ? offset_t'(EthernetBytes + VlanBytes) : offset_t'(EthernetBytes);
    out_flit_o.desc.timestamp_valid = order_q.reply;
    out_flit_o.desc.timestamp = order_q.reply ? order_q.timestamp : '0;
    out_flit_o.first = 1'b0;  // the tile's sender sets it
    out_flit_o.bad = 1'b0;
    out_flit_o.last = beat_q == BeatWidth'(Flits - 1);
    out_flit_o.empty = out_flit_o.last ? EmptyWidth'(length_t'(Flits * FlitBytes) - length) : '0;
    out_flit_o.data = wire_bytes[beat_q*FlitBytes+:FlitBytes];
  end

  always_ff @(posedge clk_i) begin
    if (order_ready_o) valid_q <= order_valid_i;
    if (order_valid_i && order_ready_o) order_q <= order_i;
    if (fire) beat_q <= out_flit_o.last ? '0 : beat_q + 1'b1;
    if (rst_i) begin
      valid_q <= 1'b0;
      beat_q  <= '0;
    end
  end
endmodule
