// SPDX-License-Identifier: Apache-2.0
// Translates addresses and ports between an inside and an outside network: 1:1 for hosts with their own outside address, else
// to one shared outside address and the port of the flow's entry in nat_table. The Ethernet port in a packet's descriptor tells the
// side that it comes from, and is changed to the port by which it leaves. The configuration is read with a packet's first flit.
// Cut-through, four cycles (three without Cut), one flit per cycle.
//
//   header_window -> nat_facts -+> [facts] -------> nat_table -+> [verdict] -> nat_edit -> [edit] -> header_edit
//                               +> [RAM of flows] --/          |
//                               +> [removed] ----> nat_sums ---+
//
// A packet from inside to an outside address of the card is translated like any other from inside, marked as one from outside, and
// leaves by `hairpin`, which leads back to this tile.
module nat_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, nat_types_pkg::*, nat_pkg::*;
#(
    parameter int unsigned Entries = 1024,
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
  if (Entries < 64 || Entries > 16384 || (Entries & (Entries - 1)) != 0) begin : gen_bad_entries
    $fatal(1, "nat_engine: Entries is %0d; it must be a power of two from 64 to 16384", Entries);
  end
  localparam int unsigned WindowBytes = L3Tagged + ViewBytes;

  typedef struct packed {
    logic drop;
    logic translate;
    logic hairpin;
    way_e way;
    logic [3:0] port;  // Ethernet port; only if it is translated
    ipv4_addr_t ip;
    logic [15:0] l4_port;
    sums_t sums;
    logic short_header;
    logic options;
    logic unsupported;
    logic full;
    logic limited;
    logic begins;  // a flow
  } verdict_t;

  // The number of bytes needed of a packet, from its IPv4 header on, which is at `start`.
  localparam int unsigned Plain = Ipv4MinBytes + UdpBytes;
  localparam int unsigned TcpBytes = Ipv4MinBytes + 18;  // up to the checksum
  function automatic offset_t needed_of(logic [7:0] protocol, logic [7:0] kind, int unsigned start);
    needed_of = offset_t'(start + Ipv4MinBytes);
    if (protocol == ProtocolIcmp && is_error_kind(kind)) needed_of = offset_t'(start + ViewBytes);
    else if (protocol == ProtocolTcp) needed_of = offset_t'(start + TcpBytes);
    else if (protocol == ProtocolUdp || protocol == ProtocolIcmp) needed_of = offset_t'(start + Plain);
  endfunction

  // Stage 0. The offsets of an untagged and a tagged packet differ in three bits. A single bit would have a fan-out of 500, so bit 4 selects the
  // packet's protocol and kind, which decide the bytes to wait for and to translate, and the other two bits select its words.
  logic window_valid, window_ready, has_tag;
  flit_t window_flit;
  logic [WindowBytes*8-1:0] header;
  logic [1:0] word_tagged;
  logic [ViewBytes*8-1:0] with_tag, without_tag, view;
  ipv4_t ip, tagged_ip, untagged_ip;
  logic [7:0] kind, tagged_kind, untagged_kind;
  offset_t available, need;
  assign has_tag = is_tagged(window_flit.desc.l3_offset);
  assign word_tagged = ~window_flit.desc.l3_offset[3:2];
  assign with_tag = header[ViewBytes*8-1:0];
  assign without_tag = header[VlanBytes*8+:ViewBytes*8];
  assign {tagged_ip, tagged_kind} = with_tag[ViewBytes*8-1-:(Ipv4MinBytes+1)*8];
  assign {untagged_ip, untagged_kind} = without_tag[ViewBytes*8-1-:(Ipv4MinBytes+1)*8];
  always_comb begin
    for (int unsigned i = 0; i < ViewBytes / 4; i++) view[32*i+:32] = word_tagged[i%2] ? with_tag[32*i+:32] : without_tag[32*i+:32];
    {ip, kind} = view[ViewBytes*8-1-:(Ipv4MinBytes+1)*8];
    ip.protocol = has_tag ? tagged_ip.protocol : untagged_ip.protocol;
    kind = has_tag ? tagged_kind : untagged_kind;
    view[ViewBytes*8-1-:(Ipv4MinBytes+1)*8] = {ip, kind};
  end
  assign need = has_tag ? needed_of(tagged_ip.protocol, tagged_kind, L3Tagged) : needed_of(untagged_ip.protocol, untagged_kind, L3Untagged);
  header_window #(
      .HeaderBytes(WindowBytes)
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

  search_t search;
  facts_t facts, facts_q;
  removed_t removed, removed_q;
  sums_t sums;
  localparam int unsigned IndexBits = $clog2(Entries);
  nat_facts #(
      .IndexBits(IndexBits)
  ) u_facts (
      .view_i  (view),
      .port_i  (4'(window_flit.desc.port)),
      .enough_i(available >= need),
      .cfg_i,
      .search_o(search),
      .facts_o (facts),
      .removed_o(removed)
  );

  logic step, table_ready, valid_q;
  (* keep *) logic load;  // step, for the many loads of data, which would slow down the hand-shake
  flit_t flit_q;
  assign window_ready = step && table_ready;
  always_ff @(posedge clk_i) begin
    if (step) valid_q <= window_valid && table_ready;
    if (load) begin
      flit_q <= window_flit;
      if (window_valid && window_flit.first) begin
        facts_q <= facts;
        removed_q <= removed;
      end
    end
    if (rst_i) valid_q <= 1'b0;
  end

  // Stage 1.
  logic wants_flow, found, full, limited, begins, ended;
  endpoint_t host_end;
  logic [15:0] outside_port;
  verdict_t verdict, verdict_q;
  nat_table #(
      .Entries(Entries)
  ) u_table (
      .clk_i,
      .rst_i,
      .cfg_i,
      .ready_o       (table_ready),
      .step_i        (step),
      .find_i        (window_valid && window_flit.first),
      .search_i      (search),
      .decide_i      (valid_q && flit_q.first && wants_flow),
      .facts_i       (facts_q),
      .found_o       (found),
      .inside_o      (host_end),
      .port_o        (outside_port),
      .full_o        (full),
      .limited_o     (limited),
      .begins_o      (begins),
      .ended_o       (ended)
  );
  nat_sums u_sums (
      .facts_i  (facts_q),
      .removed_i(removed_q),
      .sums_o   (sums)
  );
  logic has_static, unsupported;
  ipv4_addr_t static_ip;
  always_comb begin
    static_ip = '0;
    for (int unsigned s = 0; s < Statics; s++) if (facts_q.is_static[s]) static_ip |= facts_q.static_ip[s];
  end
  assign has_static = facts_q.is_static != '0;
  assign unsupported = facts_q.unsupported || (facts_q.shared_unsupported && !has_static);
  assign wants_flow = !(facts_q.short_header || facts_q.options || facts_q.local_packet || facts_q.expired || unsupported || has_static);
  always_comb begin
    verdict = '0;
    verdict.sums = sums;
    verdict.port = facts_q.out_port;
    verdict.ip = has_static ? static_ip : facts_q.from_outside ? host_end.ip : facts_q.outside_ip;
    verdict.l4_port = has_static ? facts_q.endpoint.port : facts_q.from_outside ? host_end.port : outside_port;
    verdict.way = facts_q.from_outside ? ToInside : facts_q.hairpin ? ToHairpin : ToOutside;
    verdict.translate = 1'b1;
    verdict.hairpin = facts_q.hairpin;
    verdict.begins = wants_flow && begins;
    if (facts_q.short_header) {verdict.drop, verdict.short_header} = '1;
    else if (facts_q.options) {verdict.drop, verdict.options} = '1;
    else if (facts_q.local_packet) begin
      verdict.translate = 1'b0;
      verdict.way = ToLocal;
    end else if (facts_q.expired) begin
      verdict.translate = 1'b0;
      verdict.way = ToExpired;
    end else if (unsupported) {verdict.drop, verdict.unsupported} = '1;
    else if (!has_static && !found) begin
      verdict.drop = 1'b1;
      verdict.limited = limited;
      verdict.full = full && !limited;
    end
  end

  // Stage 2. Dropped packets end here, so that no ready depends on a verdict.
  logic out_valid_q, out_empty_q, decided_q, drop, edit_ready;
  flit_t out_flit_q;
  assign step = !out_valid_q || edit_ready;
  assign load = out_empty_q || edit_ready;
  assign drop = flit_q.first ? verdict.drop : verdict_q.drop;
  always_ff @(posedge clk_i) begin
    decided_q <= step && valid_q && flit_q.first;
    if (step) begin
      out_valid_q <= valid_q && !drop;
      out_empty_q <= !(valid_q && !drop);
    end
    if (load) begin
      out_flit_q <= flit_q;
      if (valid_q && flit_q.first) verdict_q <= verdict;
    end
    if (rst_i) begin
      out_valid_q <= 1'b0;
      out_empty_q <= 1'b1;
      decided_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) if (!rst_i) assert (out_empty_q == !out_valid_q);

  logic [ViewBytes*8-1:0] edit;
  logic [ViewBytes-1:0] mask, all_mask;
  nat_edit u_nat_edit (
      .sums_i(verdict_q.sums),
      .ip_i  (verdict_q.ip),
      .port_i(verdict_q.l4_port),
      .edit_o(edit),
      .mask_o(all_mask)
  );
  assign mask = verdict_q.translate ? all_mask : '0;

  // Stage 3.
  typedef struct packed {
    flit_t flit;
    way_e way;
    logic [ViewBytes*8-1:0] edit;
    logic [ViewBytes-1:0] mask;
  } edited_t;
  edited_t edited, last;
  logic last_has_tag;
  always_comb begin
    edited = '{flit: out_flit_q, way: verdict_q.way, edit: edit, mask: mask};
    if (verdict_q.translate) edited.flit.desc.port = port_t'(verdict_q.port);
  end
  skid_buffer #(
      .T  (edited_t),
      .Cut(Cut)
  ) u_edited (
      .clk_i,
      .rst_i,
      .in_valid_i(out_valid_q),
      .in_ready_o(edit_ready),
      .in_data_i(edited),
      .out_valid_o,
      .out_ready_i,
      .out_data_o(last)
  );
  assign last_has_tag = is_tagged(last.flit.desc.l3_offset);
  header_edit #(
      .HeaderBytes(WindowBytes)
  ) u_edit (
      .clk_i,
      .flit_i (last.flit),
      .pass_i (out_valid_o && out_ready_i),
      .edit_i (last_has_tag ? {(L3Tagged * 8)'(0), last.edit} : {(L3Untagged * 8)'(0), last.edit, (VlanBytes * 8)'(0)}),
      .mask_i (last_has_tag ? {L3Tagged'(0), last.mask} : {L3Untagged'(0), last.mask, VlanBytes'(0)}),
      .flit_o (out_flit_o)
  );
  assign out_key_o = next_key_t'(last.way);

  always_comb begin
    event_o = '0;
    if (decided_q) begin
      event_o.drop_short = verdict_q.short_header;
      event_o.drop_options = verdict_q.options;
      event_o.drop_unsupported = verdict_q.unsupported;
      event_o.drop_full = verdict_q.full;
      event_o.drop_limit = verdict_q.limited;
      event_o.drop_no_mapping = verdict_q.drop
          && !(verdict_q.short_header || verdict_q.options || verdict_q.unsupported || verdict_q.full || verdict_q.limited);
      if (!verdict_q.drop && verdict_q.translate) begin
        event_o.mark_out = !verdict_q.sums.from_outside;
        event_o.mark_in = verdict_q.sums.from_outside;
        event_o.mark_hairpin = verdict_q.hairpin;
      end
      event_o.mark_flow = verdict_q.begins;
    end
    event_o.mark_flow_end = ended;
  end

  logic unused;
  assign unused = &{1'b0, host_end, header, ip, tagged_ip, untagged_ip};
endmodule
