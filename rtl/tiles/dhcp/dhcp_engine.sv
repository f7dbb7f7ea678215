// SPDX-License-Identifier: Apache-2.0
// A DHCP client in the path of received frames. It takes frames to UDP port 68, and passes all others on while the card has an address. It gives the card
// its address by writing registers of other tiles over the control network.
//
//   in -> header_window -+---------------- all else ------------------+-> out
//                        +- port 68 -> dhcp_receiver -> dhcp_client   |
//                        +- ARP: has another host it? ->   |   |      |
//                                control <- dhcp_writer <--+   +-> dhcp_sender
//
// Cut-through, one cycle (at 128 and 256 bits, until 42 bytes have come), one flit per cycle. Messages made here leave between those that pass, by the
// keys `client`, to an IPv4 transmit tile, and `probe`, to the port. Without an address, all frames but the client's are dropped, so that no tile downstream
// takes 0.0.0.0 for the card's address.
module dhcp_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, dhcp_types_pkg::*, dhcp_pkg::*;
#(
    parameter int unsigned Longest = MaxFrameBytes < BufferBytes ? MaxFrameBytes : BufferBytes  // bytes of a frame of a server
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic      out_valid_o,
    input  logic      out_ready_i,
    output flit_t     out_flit_o,
    output next_key_t out_key_o,

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,

    input  cfg_t       cfg_i,
    output interrupt_t interrupt_o,
    output event_t     event_o
);
  // A client takes packets of 576 bytes (RFC 2131, 2).
  if (Longest < 590 || Longest > MaxFrameBytes || Longest > BufferBytes) begin : gen_bad_longest
    $fatal(1, "dhcp_engine: Longest is %0d; it must be 590 to %0d, and at most %0d, the largest frame", Longest, BufferBytes, MaxFrameBytes);
  end

  localparam int unsigned WindowBytes = EthernetBytes + 28;  // an ARP packet, or the headers of IPv4 and UDP
  localparam next_key_t KeyClient = next_key_t'(0);
  localparam next_key_t KeyProbe = next_key_t'(1);

  logic valid, ready;
  flit_t flit;
  logic [WindowBytes*8-1:0] header;
  offset_t available;
  header_window #(
      .HeaderBytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o (flit),
      .header_o   (header),
      .available_o(available),
      .need_i     (offset_t'(WindowBytes))
  );

  // The kind of frame. Frames with a tag, and packets with options or in fragments, are not for the client.
  typedef struct packed {
    mac_t sender_mac;
    ipv4_addr_t sender_ip;
    mac_t target_mac;
    ipv4_addr_t target_ip;
  } arp_ends_t;
  ethernet_t ethernet;
  ipv4_t ip;
  logic [15:0] src_port, dst_port, inner;
  logic [31:0] unused_udp;
  arp_ends_t ends;
  logic [63:0] unused_arp;
  logic whole, ours, from_port, diverts, diverts_q, drops, drops_q, holds, holds_q;
  mac_t mac_q;  // the port's MAC address
  assign {ethernet, ip, src_port, dst_port, unused_udp} = header;
  assign {unused_arp, ends} = header[WindowBytes*8-EthernetBytes*8-1:0];
  assign inner = header[8*(WindowBytes-L3Tagged)+:16];
  assign from_port = flit.desc.port == port_t'(cfg_i.ethernet_port);
  assign whole = available == offset_t'(WindowBytes) && !is_tagged(flit.desc.l3_offset);
  assign ours = whole && from_port && ethernet.ethertype == EtherTypeIpv4 && ip.version == 4'd4 && ip.ihl == 4'd5 && ip.protocol == ProtocolUdp
      && !ip.more_fragments && ip.fragment_offset == '0 && dst_port == ClientPort;
  assign diverts = flit.first ? ours : diverts_q;
  assign drops = flit.first ? !ours && !holds_q : drops_q;
  always_ff @(posedge clk_i) begin
    if (valid && ready) begin
      diverts_q <= diverts;
      drops_q   <= drops;
    end
    // It cannot change while a first flit is offered.
    if (!valid || ready) holds_q <= holds;
    mac_q <= cfg_i.mac + mac_t'(cfg_i.ethernet_port);
    if (rst_i) holds_q <= 1'b0;
  end
  assign event_o.drop_no_address = valid && ready && drops && flit.last;

  // Another host has the watched address, or probes it, too (RFC 5227, 2.1.1 and 2.4).
  ipv4_addr_t watched;
  logic conflict_q, came_q;
  always_ff @(posedge clk_i) begin
    came_q <= valid && ready && flit.first;
    conflict_q <= valid && ready && flit.first && whole && from_port && ethernet.ethertype == EtherTypeArp && watched != '0 && ends.sender_mac != mac_q
        && (ends.sender_ip == watched || (ends.sender_ip == '0 && ends.target_ip == watched)) && !rst_i;
  end

  logic reply_valid, used, unexpected;
  logic [31:0] xid;
  reply_t reply;
  dhcp_receiver u_receiver (
      .clk_i,
      .rst_i,
      .valid_i(valid && ready && diverts),
      .flit_i(flit),
      .mac_i(mac_q),
      .xid_i(xid),
      .reply_valid_o(reply_valid),
      .reply_o(reply),
      .aborted_o(event_o.drop_aborted),
      .busy_o(event_o.drop_busy),
      .long_o(event_o.drop_long),
      .malformed_o(event_o.drop_malformed),
      .checksum_o(event_o.drop_checksum),
      .not_ours_o(event_o.drop_not_ours)
  );

  logic order_valid, order_ready, write, write_busy, failed;
  order_t order;
  lease_t lease;
  dhcp_client u_client (
      .clk_i,
      .rst_i,
      .mac_i(mac_q),
      .seed_i(cfg_i.seed),
      .stir_i(came_q),
      .second_cycles_i(cfg_i.second_cycles),
      .xid_o(xid),
      .reply_valid_i(reply_valid),
      .reply_i(reply),
      .conflict_i(conflict_q),
      .watched_o(watched),
      .order_valid_o(order_valid),
      .order_ready_i(order_ready),
      .order_o(order),
      .write_o(write),
      .write_busy_i(write_busy),
      .lease_o(lease),
      .holds_o(holds),
      .used_o(used),
      .unexpected_o(unexpected),
      .bound_o(event_o.mark_bound),
      .renewed_o(event_o.mark_renewed),
      .lost_o(event_o.mark_lost),
      .refused_o(event_o.mark_refused),
      .declined_o(event_o.mark_declined),
      .conflict_o(event_o.mark_conflict)
  );
  dhcp_writer #(
      .Places($bits(cfg_i.places) / 32)
  ) u_writer (
      .clk_i,
      .rst_i,
      .start_i(write),
      .busy_o(write_busy),
      .lease_i(lease),
      .places_i(cfg_i.places),
      .failed_o(failed),
      .control_valid_o,
      .control_ready_i,
      .control_request_o,
      .control_answer_valid_i,
      .control_answer_i
  );

  logic made_valid, made_ready, made_probe, made_soon;
  flit_t made;
  dhcp_sender #(
      .Longest(Longest)
  ) u_sender (
      .clk_i,
      .rst_i,
      .order_valid_i(order_valid),
      .order_ready_o(order_ready),
      .order_i(order),
      .mac_i(mac_q),
      .port_i(port_t'(cfg_i.ethernet_port)),
      .out_valid_o(made_valid),
      .out_ready_i(made_ready),
      .out_flit_o(made),
      .out_probe_o(made_probe),
      .out_soon_o (made_soon)
  );

  // The output: messages made here come first, each whole. Who has it is decided a cycle before, because both flits wait for that.
  logic makes_q, held, held_q, passes;  // held: for the message that is offered
  assign passes = valid && !diverts && !drops;
  assign made_ready = makes_q && out_ready_i;
  assign ready = out_ready_i && !makes_q;  // even if the frame is dropped, which is known late in the cycle
  assign out_valid_o = makes_q ? made_valid : passes;
  assign out_flit_o = makes_q ? made : flit;
  assign held = out_valid_o ? !(out_ready_i && out_flit_o.last) : held_q;
  always_ff @(posedge clk_i) begin
    held_q <= held;
    if (!held) makes_q <= made_soon && !makes_q;
    if (rst_i) begin
      held_q  <= 1'b0;
      makes_q <= 1'b0;
    end
  end

  // The EtherType; in a tagged frame, the one after the tag. No frame has the key of a message made here.
  next_key_t ethertype;
  assign ethertype = is_tagged(flit.desc.l3_offset) ? next_key_t'(inner) : next_key_t'(ethernet.ethertype);
  assign out_key_o = makes_q ? (made_probe ? KeyProbe : KeyClient) : ethertype inside {KeyClient, KeyProbe} ? next_key_t'(2) : ethertype;

  logic made_ends;
  assign made_ends = made_valid && made_ready && made.last;
  assign event_o.made_request = made_ends && !made_probe;
  assign event_o.made_probe = made_ends && made_probe;
  assign event_o.used_reply = used;
  assign event_o.drop_unexpected = unexpected;
  assign event_o.mark_write_failed = failed;
  assign event_o.mark_control_refused = 1'b0;
  assign interrupt_o = '{
          bound: event_o.mark_bound,
          lost: event_o.mark_lost,
          refused: event_o.mark_refused,
          declined: event_o.mark_declined,
          conflict: event_o.mark_conflict,
          write_failed: failed
      };

  logic unused;
  assign unused = &{1'b0, header, unused_udp, unused_arp, src_port, ends.target_mac, ethernet, ip, flit, cfg_i};
endmodule
