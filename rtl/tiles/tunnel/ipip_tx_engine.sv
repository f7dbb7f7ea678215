// SPDX-License-Identifier: Apache-2.0
// Wraps each IPv4 packet into another one to the end of the tunnel that leads to its destination (RFC 2003). The inner packet is not
// changed. The outer header is complete, without an ipv4_tx. It has the type of service and ECN field of the inner packet (RFC 6040, normal
// mode), and don't-fragment. The configuration is read with a packet's first flit. Cut-through, four cycles (three without Cut); a
// flit leaves in every cycle, so short frames pass at full rate.
//
//   ipv4_view -> [flit, tunnel, partial sums] -> [verdict, sum] -> outer header -> flit_insert
//
// The outer header and the Ethernet header before it are written over blank bytes before the frame and over its Ethernet header.
module ipip_tx_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, ipip_tx_pkg::*;
#(
    parameter bit Cut = TimingMhz >= 250
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
  localparam int unsigned Tunnels = $bits(cfg_i.enabled);
  localparam logic [7:0] ProtocolIpip = 8'd4;
  localparam logic [15:0] DontFragment = 16'h4000;
  localparam logic [7:0] VersionAndLength = 8'h45;
  localparam int unsigned Grown = L3Tagged + Ipv4MinBytes;  // what is written at the start of the longer frame, at most

  typedef struct packed {
    logic short_header;
    logic no_tunnel;
    logic too_long;
    ipv4_addr_t inner_src;
    ipv4_addr_t src;
    ipv4_addr_t dst;
    logic [7:0] tos;
    logic [7:0] ttl;
    logic [15:0] total_length;
    logic [15:0] identification;
    logic [17:0] sum;  // of the fields that differ from packet to packet
    logic [L3Tagged*8-1:0] ethernet;
  } facts_t;

  typedef struct packed {
    flit_t flit;
    facts_t facts;
    logic loops;
    logic drop;
    logic [19:0] sum;  // of the outer header, not folded
  } judged_t;

  logic window_valid, window_ready;
  flit_t window_flit;
  ipv4_t ip, unused_peek;
  descriptor_t unused_desc;
  logic unused_tagged;
  logic [L3Tagged*8-1:0] ethernet;
  offset_t available, start;
  ipv4_view #(
      .Bytes(Ipv4MinBytes),
      .Cut  (1'b0)           // the second stage cuts
  ) u_view (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .peek_o(unused_peek),
      .peek_desc_o(unused_desc),
      .peek_start_o(start),
      .need_i(start + offset_t'(Ipv4MinBytes)),
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o(window_flit),
      .out_tagged_o(unused_tagged),
      .out_ethernet_o(ethernet),
      .out_view_o(ip),
      .out_available_o(available)
  );

  // First stage: the tunnel, the outer packet's length, and the known part of its checksum.
  length_t length;
  logic [16:0] outer_length;
  logic [15:0] id_next_q;
  logic [Tunnels-1:0] match;
  facts_t facts, facts_q;
  assign length = window_flit.desc.length;
  assign outer_length = 17'(length) - 17'(window_flit.desc.l3_offset) + 17'(Ipv4MinBytes);
  for (genvar t = 0; t < int'(Tunnels); t++) begin : gen_match
    logic differs;
    any_set #(
        .Width($bits(ipv4_addr_t))
    ) u_differs (
        .bits_i((ip.dst ^ cfg_i.to[t]) & cfg_i.mask[t]),
        .any_o (differs)
    );
    assign match[t] = cfg_i.enabled[t] && !differs;
  end
  always_comb begin
    facts = '0;
    facts.short_header = available < offset_t'(Ipv4MinBytes) || length == '0;
    facts.no_tunnel = match == '0;
    facts.too_long = outer_length > 17'(cfg_i.mtu) || 32'(length) + Ipv4MinBytes > MaxFrameBytes;
    facts.inner_src = ip.src;
    facts.src = cfg_i.ip;
    for (int unsigned t = Tunnels; t > 0; t--) if (match[t-1]) facts.dst = cfg_i.remote[t-1];
    facts.tos = ip.tos;
    facts.ttl = cfg_i.ttl;
    facts.total_length = outer_length[15:0];
    facts.identification = id_next_q;
    facts.sum = 18'({VersionAndLength, ip.tos}) + 18'(outer_length[15:0]) + 18'(id_next_q);
    facts.ethernet = ethernet;
  end

  logic valid_q, ready, take;
  flit_t flit_q;
  assign take = window_valid && window_ready;
  assign window_ready = !valid_q || ready;
  always_ff @(posedge clk_i) begin
    if (window_ready) valid_q <= window_valid;
    if (take) begin
      flit_q <= window_flit;
      if (window_flit.first) begin
        facts_q   <= facts;
        id_next_q <= id_next_q + 1'b1;
      end
    end
    if (rst_i) begin
      valid_q   <= 1'b0;
      id_next_q <= '0;
    end
  end

  // Second stage: the verdict, the same for all flits of a message.
  judged_t judge, judged;
  logic judged_valid, judged_ready;
  always_comb begin
    judge.flit = flit_q;
    judge.facts = facts_q;
    judge.loops = facts_q.inner_src == facts_q.dst || facts_q.inner_src == facts_q.src;
    judge.drop = facts_q.short_header || facts_q.no_tunnel || facts_q.too_long || judge.loops;
    judge.sum = 20'(facts_q.sum) + 20'(DontFragment) + 20'({facts_q.ttl, ProtocolIpip}) + 20'(facts_q.src[31:16])
        + 20'(facts_q.src[15:0]) + 20'(facts_q.dst[31:16]) + 20'(facts_q.dst[15:0]);
  end
  skid_buffer #(
      .T  (judged_t),
      .Cut(Cut)
  ) u_judged (
      .clk_i,
      .rst_i,
      .in_valid_i(valid_q),
      .in_ready_o(ready),
      .in_data_i(judge),
      .out_valid_o(judged_valid),
      .out_ready_i(judged_ready),
      .out_data_o(judged)
  );

  // Third stage: the headers.
  logic insert_ready;
  facts_t made;
  assign made = judged.facts;
  assign judged_ready = insert_ready || judged.drop;

  ipv4_t outer;
  assign outer = '{
      version: VersionAndLength[7:4],
      ihl: VersionAndLength[3:0],
      tos: made.tos,
      total_length: made.total_length,
      identification: made.identification,
      dont_fragment: 1'b1,
      ttl: made.ttl,
      protocol: ProtocolIpip,
      checksum: ~fold(wide_t'(judged.sum)),
      src: made.src,
      dst: made.dst,
      default: '0
  };

  // The longer frame's first bytes: Ethernet header, then the outer one. The first 20 are new ones; the others replace those of the
  // old Ethernet header, which are the first of the old frame.
  logic flit_has_tag;
  logic [Grown*8-1:0] front;
  logic [L3Tagged*8-1:0] replaced;
  logic [L3Tagged-1:0] replaced_mask;
  logic [Ipv4MinBytes*8-1:0] inserted;
  assign flit_has_tag = is_tagged(judged.flit.desc.l3_offset);
  assign front = flit_has_tag ? {made.ethernet, outer} : {made.ethernet[L3Tagged*8-1-:L3Untagged*8], outer, (VlanBytes * 8)'(0)};
  assign replaced = front[L3Tagged*8-1:0];
  assign replaced_mask = flit_has_tag ? '1 : {{L3Untagged{1'b1}}, VlanBytes'(0)};
  for (genvar b = 0; b < int'(Ipv4MinBytes); b++) begin : gen_byte
    assign inserted[8*b+:8] = front[8*(int'(Grown)-1-b)+:8];
  end

  flit_t edited, described;
  header_edit #(
      .HeaderBytes(L3Tagged)
  ) u_edit (
      .clk_i,
      .flit_i (judged.flit),
      .pass_i (judged_valid && judged_ready),
      .edit_i (replaced),
      .mask_i (replaced_mask),
      .flit_o (edited)
  );
  always_comb begin
    described = edited;
    described.desc.length = judged.flit.desc.length + length_t'(Ipv4MinBytes);
    described.desc = with_transport(described.desc, judged.flit.desc.l3_offset + offset_t'(Ipv4MinBytes));
  end

  flit_insert #(
      .Bytes(Ipv4MinBytes)
  ) u_insert (
      .clk_i,
      .rst_i,
      .in_valid_i (judged_valid && !judged.drop),
      .in_ready_o (insert_ready),
      .in_flit_i  (described),
      .in_bytes_i (inserted),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o
  );
  assign out_key_o = next_key_t'(out_flit_o.desc.port);

  always_comb begin
    event_o = '0;
    if (judged_valid && judged_ready && judged.flit.first) begin
      if (made.short_header) event_o.drop_short = 1'b1;
      else if (made.no_tunnel) event_o.drop_no_tunnel = 1'b1;
      else if (made.too_long) event_o.drop_too_long = 1'b1;
      else if (judged.loops) event_o.drop_loop = 1'b1;
      else event_o.mark_encapsulated = 1'b1;
    end
  end

  logic unused;
  assign unused = &{1'b0, ip, made, unused_peek, unused_desc, unused_tagged};
endmodule
