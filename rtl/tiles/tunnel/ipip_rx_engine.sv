// SPDX-License-Identifier: Apache-2.0
// Unwraps the IPv4 packets that a tunnel carried (RFC 2003), if they come from the other end of a tunnel. It changes the ECN
// field of the inner packet by RFC 6040, and its checksum by RFC 1624, so a wrong one stays wrong. The ipv4_rx that follows checks the
// inner packet. The configuration is read with a packet's first flit. Cut-through, four cycles (three without
// the cut in ipv4_view), one flit per cycle.
//
//   ipv4_view -> realign_strip -> drop or header_edit
//            \-> [facts] -> queue of verdicts ->/
//
// The length of the outer header is removed from the front of the frame, and the Ethernet header is written anew before the inner one.
module ipip_rx_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, ipip_rx_pkg::*;
(
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
  localparam int unsigned ShownBytes = Ipv4MaxBytes + Ipv4MinBytes;  // the outer header, and the inner one behind it
  localparam int unsigned ChangedBytes = L3Tagged + Ipv4MinBytes;
  // Codes of the ECN field (RFC 3168).
  localparam logic [1:0] NotEct = 2'b00;
  localparam logic [1:0] Ect1 = 2'b01;
  localparam logic [1:0] Ect0 = 2'b10;
  localparam logic [1:0] Congested = 2'b11;

  // verilator lint_off ASCRANGE
  typedef logic [0:ShownBytes-1][7:0] shown_t;
  // verilator lint_on ASCRANGE

  typedef struct packed {
    logic short_header;
    logic no_tunnel;
    logic not_ipv4;
  } faults_t;

  typedef struct packed {
    descriptor_t desc;
    logic [L3Tagged*8-1:0] ethernet;
    logic [7:0] inner_tos;
    logic [1:0] outer_ecn;
    logic [15:0] inner_checksum;
  } facts_t;

  typedef struct packed {
    descriptor_t desc;
    logic [L3Tagged*8-1:0] ethernet;
    logic [7:0] tos;
    logic [15:0] checksum;
    faults_t faults;
    logic congested;
    logic lost;
    logic drop;
  } verdict_t;

  // The bytes of the inner header that may change.
  localparam logic [Ipv4MinBytes-1:0] TosAndChecksum = Ipv4MinBytes'({2'b01, 8'b0, 2'b11, 8'b0});

  // Where the inner header ends in the frame; 0 if there is no place for it.
  function automatic offset_t needed_of(offset_t l3, offset_t l4);
    needed_of = l4 <= (is_tagged(l3) ? offset_t'(L4Last) : offset_t'(L4Last - VlanBytes)) ? l4 + offset_t'(Ipv4MinBytes) : '0;
  endfunction

  logic window_valid, window_ready, has_tag;
  flit_t window_flit;
  shown_t packet, unused_peek;
  descriptor_t peek_desc;
  logic [L3Tagged*8-1:0] ethernet;
  offset_t available, unused_start;
  ipv4_view #(
      .Bytes(ShownBytes)
  ) u_view (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .peek_o(unused_peek),
      .peek_desc_o(peek_desc),
      .peek_start_o(unused_start),
      .need_i(needed_of(peek_desc.l3_offset, peek_desc.l4_offset)),
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o(window_flit),
      .out_tagged_o(has_tag),
      .out_ethernet_o(ethernet),
      .out_view_o(packet),
      .out_available_o(available)
  );

  // First stage: the facts from the headers.
  ipv4_t outer, inner;
  logic [Tunnels-1:0] match;
  faults_t faults, faults_q;
  facts_t facts, facts_q;
  offset_t start, outer_bytes, needed;
  assign outer = packet[0+:Ipv4MinBytes];
  assign start = has_tag ? offset_t'(L3Tagged) : offset_t'(L3Untagged);
  assign needed = needed_of(window_flit.desc.l3_offset, window_flit.desc.l4_offset);
  assign outer_bytes = window_flit.desc.l4_offset - start;
  always_comb begin
    inner = '0;
    for (int unsigned at = Ipv4MinBytes; at <= Ipv4MaxBytes; at += 4) begin
      if (outer_bytes == offset_t'(at)) inner = inner | packet[at+:Ipv4MinBytes];
    end
  end
  for (genvar t = 0; t < int'(Tunnels); t++) begin : gen_match
    assign match[t] = cfg_i.enabled[t] && outer.src == cfg_i.remote[t];
  end
  assign faults.short_header = needed == '0 || available < outer_bytes + offset_t'(Ipv4MinBytes)
      || window_flit.desc.length < length_t'(needed);
  assign faults.no_tunnel = match == '0;
  assign faults.not_ipv4 = inner.version != 4'd4;
  always_comb begin
    facts.desc = with_transport(window_flit.desc, '0);
    facts.desc.length = window_flit.desc.length - length_t'(outer_bytes);
    facts.ethernet = ethernet;
    facts.inner_tos = inner.tos;
    facts.outer_ecn = outer.tos[1:0];
    facts.inner_checksum = inner.checksum;
  end

  // Second stage: the verdict and the changes, while realign_strip turns the bytes. It holds two messages at most, so the queue has room.
  logic take, staged_q, congested, lost, unused_facts_ready;
  logic [1:0] inner_ecn, ecn;
  verdict_t verdict, out_verdict;
  assign take = window_valid && window_ready;
  always_ff @(posedge clk_i) begin
    staged_q <= take && window_flit.first;
    if (take && window_flit.first) begin
      faults_q <= faults;
      facts_q  <= facts;
    end
    if (rst_i) staged_q <= 1'b0;
  end
  assign inner_ecn = facts_q.inner_tos[1:0];
  assign congested = facts_q.outer_ecn == Congested && inner_ecn != Congested;
  assign lost = congested && inner_ecn == NotEct;
  always_comb begin
    ecn = inner_ecn;
    if (facts_q.outer_ecn == Congested) ecn = Congested;
    else if (facts_q.outer_ecn == Ect1 && inner_ecn == Ect0) ecn = Ect1;
    verdict.desc = facts_q.desc;
    verdict.ethernet = facts_q.ethernet;
    verdict.tos = {facts_q.inner_tos[7:2], ecn};
    verdict.checksum = facts_q.inner_checksum;
    if (ecn != inner_ecn) verdict.checksum = ~add(add(~facts_q.inner_checksum, ~{8'h0, facts_q.inner_tos}), {8'h0, verdict.tos});
    verdict.faults = faults_q;
    verdict.congested = congested;
    verdict.lost = lost;
    verdict.drop = faults_q != '0 || lost;
  end

  logic known, valid, ready, out_first_q, out_last, out_bad, unused_none, unused_bad_ready, unused_bad_known;
  logic [W-1:0] out_data;
  logic [EmptyWidth-1:0] out_empty;
  fifo #(
      .T(verdict_t),
      .Depth(4)
  ) u_verdicts (
      .clk_i,
      .rst_i,
      .in_valid_i (staged_q),
      .in_ready_o (unused_facts_ready),
      .in_data_i  (verdict),
      .out_valid_o(known),
      .out_ready_i(valid && ready && out_last),
      .out_data_o (out_verdict)
  );
  fifo #(
      .T(logic),
      .Depth(4)
  ) u_bad (
      .clk_i,
      .rst_i,
      .in_valid_i (take && window_flit.last),
      .in_ready_o (unused_bad_ready),
      .in_data_i  (window_flit.bad),
      .out_valid_o(unused_bad_known),
      .out_ready_i(valid && ready && out_last),
      .out_data_o (out_bad)
  );
  realign_strip #(
      .Width(W)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_valid_i (window_valid),
      .in_ready_o (window_ready),
      .in_data_i  (window_flit.data),
      .in_empty_i (window_flit.empty),
      .in_last_i  (window_flit.last),
      .bytes_i    (8'(outer_bytes)),
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_data_o (out_data),
      .out_empty_o(out_empty),
      .out_none_o (unused_none),
      .out_last_o (out_last)
  );
  assign ready = out_ready_i || out_verdict.drop;
  assign out_valid_o = valid && !out_verdict.drop;

  // The output: Ethernet header, and the inner packet's ECN field and checksum.
  logic out_has_tag;
  ipv4_t changed;
  logic [ChangedBytes*8-1:0] edit;
  logic [ChangedBytes-1:0] mask;
  flit_t flit;
  assign out_has_tag = is_tagged(out_verdict.desc.l3_offset);
  always_comb begin
    changed = '0;
    changed.tos = out_verdict.tos;
    changed.checksum = out_verdict.checksum;
    edit = {out_verdict.ethernet, changed};
    mask = {{L3Tagged{1'b1}}, TosAndChecksum};
    if (!out_has_tag) begin
      edit = {out_verdict.ethernet[L3Tagged*8-1-:L3Untagged*8], changed, (VlanBytes * 8)'(0)};
      mask = {{L3Untagged{1'b1}}, TosAndChecksum, VlanBytes'(0)};
    end
    flit = '{desc: out_verdict.desc, first: out_first_q, bad: out_bad, last: out_last, empty: out_empty, data: out_data};
  end
  header_edit #(
      .HeaderBytes(ChangedBytes)
  ) u_edit (
      .clk_i,
      .flit_i (flit),
      .pass_i (valid && ready),
      .edit_i (edit),
      .mask_i (mask),
      .flit_o (out_flit_o)
  );
  always_ff @(posedge clk_i) begin
    if (valid && ready) out_first_q <= out_last;
    if (rst_i) out_first_q <= 1'b1;
  end
  assign out_key_o = next_key_t'(out_verdict.desc.port);

  always_comb begin
    event_o = '0;
    if (valid && ready && flit.first) begin
      if (out_verdict.faults.short_header) event_o.drop_short = 1'b1;
      else if (out_verdict.faults.no_tunnel) event_o.drop_no_tunnel = 1'b1;
      else if (out_verdict.faults.not_ipv4) event_o.drop_inner = 1'b1;
      else if (out_verdict.lost) event_o.drop_congestion = 1'b1;
      else event_o.mark_decapsulated = 1'b1;
      event_o.mark_congestion = !out_verdict.drop && out_verdict.congested;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && valid) begin
      assert (known)
      else $error("ipip_rx_engine: a message leaves without its facts");
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_peek, peek_desc, unused_start, outer, inner, unused_none, unused_facts_ready, unused_bad_ready, unused_bad_known};
endmodule
