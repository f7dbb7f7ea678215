// SPDX-License-Identifier: Apache-2.0
// ARP, in the path to Ethernet transmit.
//
//   in -> header_window -> [facts] -> look up -> stage 2 -+--------- hit ---------------+-> out
//                                                         +- miss -> arp_pending -------+
//                                                         +- ARP --> arp_table          |
//                                                               \--> arp_maker ---------+
//
// Outgoing IPv4 messages get the MAC address of their next hop (the destination if it is in the
// subnet, else the gateway) and go on, cut-through, three cycles (two without CutHeader), one flit per cycle. Messages whose
// address is not known wait in arp_pending while a request is out, and never block others.
// Received ARP packets (recognized by their EtherType) are learned from and answered once they have
// arrived whole and good. Each costs one idle cycle, so that the next lookup sees the learned address.
module arp_engine
  import girih_pkg::*, net_pkg::*, arp_types_pkg::*, arp_pkg::*;
#(
    parameter int unsigned Entries = 16,  // known neighbours
    parameter int unsigned Slots = 4,     // neighbours being resolved
    parameter bit CutHeader = TimingMhz >= 250  // between reading the headers and searching, for one cycle
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

    input  cfg_t   cfg_i,
    output event_t event_o
);
  if (Entries < 2) begin : gen_bad_entries
    $fatal(1, "arp_engine: Entries is %0d; it must be at least 2", Entries);
  end

  localparam int unsigned Retries = 3;
  localparam int unsigned L2Bytes = EthernetBytes + VlanBytes;
  localparam int unsigned HeaderBytes = L2Bytes + ArpBytes;

  typedef struct packed {
    flit_t flit;
    facts_t facts;
  } staged_t;

  // Stage 1: the facts from the headers, then the decision about the message.
  logic window_valid, window_ready;
  flit_t window_flit;
  offset_t available, need;
  logic [HeaderBytes*8-1:0] header;
  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o(window_flit),
      .header_o(header),
      .available_o(available),
      .need_i(need)
  );

  facts_t facts_in, facts;
  arp_header #(
      .HeaderBytes(HeaderBytes)
  ) u_header (
      .desc_i(window_flit.desc),
      .header_i(header),
      .available_i(available),
      .need_o(need),
      .cfg_i,
      .facts_o(facts_in)
  );

  logic valid, ready;
  flit_t flit;
  stream_register #(
      .T(staged_t),
      .Cut(CutHeader)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_data_i({window_flit, facts_in}),
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_data_o({flit, facts})
  );

  // A requester holds at most one slot; packets that the card originates, from its own address or from 0, may hold all.
  logic requester_waits;
  logic [Entries-1:0] known;
  mac_t known_mac;
  logic [Slots-1:0] waiting, free;
  logic releasing;

  typedef enum logic [2:0] {
    Forward,
    Pend,
    Full,  // no room to wait
    NoRoute,
    Malformed,
    Arp
  } kind_e;
  kind_e kind;
  always_comb begin
    if (facts.malformed) kind = Malformed;
    else if (facts.is_arp) kind = Arp;
    else if (facts.broadcast) kind = Forward;
    else if (facts.no_route) kind = NoRoute;
    else if (known != '0) kind = Forward;
    else if (waiting != '0) kind = Pend;
    else if (free != '0 && !releasing && !(facts.foreign && requester_waits)) kind = Pend;
    else kind = Full;
  end

  // Stage 2: the message's flits, on the path that stage 1 has chosen.
  logic s2_valid_q, s2_learn_q;
  // The conditions of the input's ready, computed a cycle earlier: a flit is there and is to be sent on, belongs to an ARP packet,
  // or ends a good one that needs a reply.
  logic s2_forward_q, s2_arp_q, s2_order_q, s2_reply_q;
  flit_t s2_flit_q;
  kind_e s2_kind_q;
  mac_t s2_mac_q;  // Forward: the destination; Arp: the sender
  target_t s2_target_q;
  mac_t s2_own_mac_q;
  ipv4_addr_t s2_own_ip_q;
  timestamp_t s2_timestamp_q;
  logic [Entries-1:0] s2_known_q;
  logic [Slots-1:0] s2_slot_q;

  logic advance, decide, s2_take, is_arp, replies;  // s2_take: even without a flit
  assign is_arp = facts.is_arp && !facts.malformed;
  assign replies = facts.arp_ours && facts.arp_request;
  assign ready = s2_take && !(flit.first && s2_arp_q);
  assign advance = valid && ready;
  assign decide = advance && flit.first;

  always_ff @(posedge clk_i) begin
    if (s2_take) begin
      s2_valid_q   <= advance;
      s2_forward_q <= advance && (flit.first ? kind : s2_kind_q) == Forward;
      s2_arp_q     <= advance && (flit.first ? is_arp : s2_kind_q == Arp);
      s2_order_q   <= advance && flit.last && !flit.bad && (flit.first ? is_arp && replies : s2_kind_q == Arp && s2_reply_q);
    end
    if (advance) s2_flit_q <= flit;
    if (decide) begin
      s2_kind_q <= kind;
      s2_mac_q <= facts.is_arp ? facts.sender_mac : facts.broadcast ? MacBroadcast : known_mac;
      s2_target_q <= facts.target;
      s2_own_mac_q <= facts.own_mac;
      s2_own_ip_q <= facts.own_ip;
      s2_timestamp_q <= flit.desc.timestamp;
      s2_known_q <= known;
      s2_slot_q <= facts.is_arp || waiting != '0 ? waiting : free;
      s2_reply_q <= replies;
      s2_learn_q <= facts.sender_usable && (facts.arp_ours || known != '0 || waiting != '0);
    end
    if (rst_i) {s2_valid_q, s2_forward_q, s2_arp_q, s2_order_q} <= '0;
  end

  logic forward_ready, arp_good, learn, learned, order_ready, order_from_arp;
  assign arp_good = s2_arp_q && s2_flit_q.last && !s2_flit_q.bad;
  assign order_from_arp = s2_order_q;
  assign learn = arp_good && s2_learn_q && s2_take;
  assign s2_take = !(s2_forward_q && !forward_ready) && !(s2_order_q && !order_ready);

  arp_table #(
      .Entries(Entries)
  ) u_table (
      .clk_i,
      .rst_i,
      .max_age_i(cfg_i.max_age),
      .find_i(facts.target.neighbour),
      .match_o(known),
      .mac_o(known_mac),
      .use_i(decide && kind == Forward && !facts.broadcast),
      .learn_i(learn),
      .known_i(s2_known_q),
      .solicited_i(s2_slot_q != '0),
      .learn_neighbour_i(s2_target_q.neighbour),
      .learn_mac_i(s2_mac_q),
      .learned_o(learned)
  );

  logic request_valid, drain_busy, drain_valid, drain_ready, full, aborted, expired;
  logic route_lost;  // both reasons for drop_unresolved share one pulse
  target_t request;
  flit_t drain_flit;
  mac_t drain_mac;
  arp_pending #(
      .Slots(Slots),
      .Retries(Retries)
  ) u_pending (
      .clk_i,
      .rst_i,
      .retry_cycles_i(cfg_i.retry_cycles),
      .find_i(facts.target.neighbour),
      .find_requester_i(facts.requester),
      .waiting_o(waiting),
      .releasing_o(releasing),
      .requester_o(requester_waits),
      .free_o(free),
      .offer_i(valid && flit.first),
      .open_i(decide && kind == Pend),
      .open_new_i(waiting == '0),
      .open_slot_i(free),
      .open_target_i(facts.target),
      .open_requester_i(facts.requester),
      .in_valid_i(s2_valid_q && s2_kind_q == Pend),
      .in_slot_i(s2_slot_q),
      .in_flit_i(s2_flit_q),
      .full_o(full),
      .aborted_o(aborted),
      .resolve_i(learn),
      .resolve_slot_i(s2_slot_q),
      .resolve_mac_i(s2_mac_q),
      .request_valid_o(request_valid),
      .request_ready_i(order_ready && !order_from_arp),
      .request_o(request),
      .out_busy_o(drain_busy),
      .out_valid_o(drain_valid),
      .out_ready_i(drain_ready),
      .out_flit_o(drain_flit),
      .out_mac_o(drain_mac),
      .expire_hold_i(route_lost),
      .expired_o(expired)
  );

  // The card announces its address at each port of `announce` after reset and when it changes, by a request for the address itself.
  localparam int unsigned Ports = $bits(cfg_i.announce);
  logic [Ports-1:0] announce_q, announce_now;
  ipv4_addr_t announced_q;
  logic fresh_q;  // since reset
  target_t asked;
  logic [Ports-1:0] announceable;
  assign announceable = announce_q & cfg_i.announce;
  assign announce_now = announceable & (~announceable + 1'b1);
  always_ff @(posedge clk_i) begin
    announced_q <= cfg_i.ip;
    fresh_q <= 1'b0;
    if ((fresh_q || announced_q != cfg_i.ip) && cfg_i.ip != '0) announce_q <= cfg_i.announce;
    else if (order_ready && !order_from_arp && !request_valid) announce_q <= announceable & ~announce_now;
    if (rst_i) begin
      announce_q <= '0;
      fresh_q <= 1'b1;
    end
  end
  always_comb begin
    asked = '0;
    asked.neighbour.ip = cfg_i.ip;
    for (int unsigned p = 0; p < Ports; p++) if (announce_now[p]) asked.neighbour.port |= port_t'(p);
    if (request_valid) asked = request;
  end

  order_t order;
  always_comb begin
    order = '{
        reply: 1'b0,
        target: asked,
        mac: '0,
        own_mac: cfg_i.mac + mac_t'(asked.neighbour.port),
        own_ip: cfg_i.ip,
        timestamp: '0
    };
    if (order_from_arp) begin
      order = '{
          reply: 1'b1,
          target: s2_target_q,
          mac: s2_mac_q,
          own_mac: s2_own_mac_q,
          own_ip: s2_own_ip_q,
          timestamp: s2_timestamp_q
      };
    end
  end
  logic made_valid, made_ready, made_is_reply;
  flit_t made_flit;
  arp_maker u_maker (
      .clk_i,
      .rst_i,
      .order_valid_i(order_from_arp || request_valid || announceable != '0),
      .order_ready_o(order_ready),
      .order_i(order),
      .out_valid_o(made_valid),
      .out_ready_i(made_ready),
      .out_flit_o(made_flit),
      .out_reply_o(made_is_reply)
  );

  // Output. Frames made here have the highest priority, since ARP packets wait for them; released messages come before
  // the stream, so that nothing to the same neighbour overtakes them. A source that has offered a flit keeps
  // the link until the end of its message.
  typedef enum logic [1:0] {
    Made,
    Drain,
    Stream
  } owner_e;
  owner_e owner, owner_q;
  logic locked_q, out_done;
  always_comb begin
    if (locked_q) owner = owner_q;
    else if (made_valid) owner = Made;
    else if (drain_busy) owner = Drain;
    else owner = Stream;
  end
  assign made_ready = owner == Made && out_ready_i;
  assign drain_ready = owner == Drain && out_ready_i;
  assign forward_ready = owner == Stream && out_ready_i;

  mac_t out_mac;
  flit_t out_flit;
  always_comb begin
    out_valid_o = s2_forward_q;
    out_flit = s2_flit_q;
    out_mac = s2_mac_q;
    if (owner == Made) begin
      out_valid_o = made_valid;
      out_flit = made_flit;
    end else if (owner == Drain) begin
      out_valid_o = drain_valid;
      out_flit = drain_flit;
      out_mac = drain_mac;
    end
    out_flit_o = out_flit;
    // The first wire byte is the lowest of the flit and the highest of the address.
    if (out_flit.first && owner != Made) out_flit_o.data[47:0] = {<<8{out_mac}};
  end
  assign out_key_o = next_key_t'(out_flit.desc.port);
  assign out_done = out_valid_o && out_ready_i && out_flit.last;

  always_ff @(posedge clk_i) begin
    if (out_valid_o) begin
      locked_q <= !out_done;
      owner_q  <= owner;
    end
    if (rst_i) locked_q <= 1'b0;
  end

  logic ends;  // a message ends in stage 2
  assign ends = s2_valid_q && s2_flit_q.last && s2_take;
  assign route_lost = ends && s2_kind_q == NoRoute && !s2_flit_q.bad;
  always_comb begin
    event_o = '0;
    event_o.drop_aborted = aborted || (ends && s2_flit_q.bad && s2_kind_q inside {Full, NoRoute, Malformed, Arp});
    event_o.drop_malformed = ends && !s2_flit_q.bad && s2_kind_q == Malformed;
    event_o.drop_pending_full = full || (ends && !s2_flit_q.bad && s2_kind_q == Full);
    event_o.drop_unresolved = route_lost || expired;
    event_o.used_arp = arp_good && s2_take;
    event_o.made_reply = out_done && owner == Made && made_is_reply;
    event_o.made_request = out_done && owner == Made && !made_is_reply;
    event_o.mark_learned = learned;
    event_o.mark_not_learned = learn && !learned;
    event_o.mark_hit = decide && kind == Forward;
    event_o.mark_miss = decide && kind inside {Pend, Full};
  end
endmodule
