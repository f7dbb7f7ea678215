// SPDX-License-Identifier: Apache-2.0
// Answers each packet with an ICMP error of one type and code, if an error may be sent about it (RFC 1122, 3.2.2) and the rate limit
// allows it (RFC 1812, 4.3.2.8). The error quotes the packet's first 68 bytes, or the whole of a shorter one: its header with any options
// and at least 8 bytes after it. Type of service is that of network control (RFC 1812, 4.3.2.5); ipv4_tx completes the header.
// A packet is answered once it has arrived whole and good; then the error leaves, and the next packet is taken.
module icmp_error_engine
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, icmp_error_pkg::*;
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
  localparam int unsigned Quote = Ipv4MaxBytes + 8;
  localparam int unsigned IcmpBytes = 8;
  localparam int unsigned FrameBytes = L3Tagged + Ipv4MinBytes + IcmpBytes + Quote;
  localparam int unsigned Flits = (FrameBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned BeatBits = Flits > 1 ? $clog2(Flits) : 1;
  localparam int unsigned Groups = 5;
  localparam logic [7:0] NetworkControl = 8'hc0;

  // verilator lint_off ASCRANGE
  typedef logic [0:Quote-1][7:0] quote_t;
  // verilator lint_on ASCRANGE

  typedef struct packed {
    descriptor_t desc;
    logic short_packet;
    logic unfit;
    logic [L3Tagged*8-1:0] ethernet;
    ipv4_addr_t src;
    ipv4_addr_t dst;
    logic [7:0] kind;
    logic [7:0] code;
    logic [6:0] bytes;  // that are quoted
  } facts_t;

  // The packet is taken to its end anyway, so the view waits for all bytes that might be quoted.
  logic valid, ready, unused_tagged;
  flit_t flit;
  quote_t packet, unused_peek;
  descriptor_t unused_desc;
  logic [L3Tagged*8-1:0] ethernet;
  offset_t available, start;
  ipv4_view #(
      .Bytes(Quote)
  ) u_view (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .peek_o(unused_peek),
      .peek_desc_o(unused_desc),
      .peek_start_o(start),
      .need_i(start + offset_t'(Quote)),
      .out_valid_o(valid),
      .out_ready_i(ready),
      .out_flit_o(flit),
      .out_tagged_o(unused_tagged),
      .out_ethernet_o(ethernet),
      .out_view_o(packet),
      .out_available_o(available)
  );

  // The facts from the packet's headers.
  logic is_group, from_host, is_query;
  quote_t quoted;
  ipv4_t ip;
  logic [6:0] bytes;
  logic [7:0] icmp_type;
  facts_t facts, facts_q;
  assign ip = packet[0+:Ipv4MinBytes];
  always_comb begin
    if (ip.total_length > 16'(Quote)) bytes = 7'(Quote);
    else if (ip.total_length < 16'(Ipv4MinBytes)) bytes = 7'(Ipv4MinBytes);
    else bytes = ip.total_length[6:0];
    icmp_type = '0;
    for (int unsigned i = 5; i < 16; i++) if (ip.ihl == 4'(i)) icmp_type = packet[4*i];
    for (int unsigned i = 0; i < Quote; i++) quoted[i] = i < 32'(bytes) ? packet[i] : '0;
  end
  assign is_query = icmp_type inside {8'd0, 8'd8, [8'd13 : 8'd18]};
  assign is_group = ip.dst[31:29] == '1 || ethernet[L3Tagged*8-8];
  assign from_host = !(ip.src[31:24] inside {8'd0, 8'd127} || ip.src[31:29] == '1);
  always_comb begin
    facts.desc = flit.desc;
    facts.short_packet = available < offset_t'(bytes);
    facts.unfit = ip.version != 4'd4 || ip.ihl < 4'd5 || 7'({ip.ihl, 2'b0}) > bytes || ip.fragment_offset != '0 || is_group || !from_host
        || (ip.protocol == ProtocolIcmp && (!is_query || 7'({ip.ihl, 2'b0}) == bytes));
    facts.ethernet = ethernet;
    facts.src = cfg_i.ip;
    facts.dst = ip.src;
    facts.kind = cfg_i.error_type;
    facts.code = cfg_i.error_code;
    facts.bytes = bytes;
  end
  quote_t quote_q;
  logic [Groups-1:0][18:0] sums, sums_q;
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      sums[g] = '0;
      for (int unsigned i = g * Quote / 2 / Groups; i < (g + 1) * Quote / 2 / Groups; i++) begin
        sums[g] = sums[g] + 19'({quote_q[2*i], quote_q[2*i+1]});
      end
    end
  end

  // The limit: a token for each error.
  logic [7:0] tokens_q;
  logic [31:0] wait_q;
  logic token_taken, token_comes;
  assign token_comes = wait_q == '0;
  always_ff @(posedge clk_i) begin
    wait_q <= token_comes ? cfg_i.interval : wait_q - 1'b1;
    if (token_taken && !token_comes) tokens_q <= tokens_q - 1'b1;
    else if (!token_taken && token_comes && tokens_q < cfg_i.burst) tokens_q <= tokens_q + 1'b1;
    else if (tokens_q > cfg_i.burst) tokens_q <= cfg_i.burst;
    if (rst_i) begin
      wait_q   <= '0;
      tokens_q <= '1;  // becomes `burst`
    end
  end

  // A packet is taken to its end; then it is dropped, or the error leaves.
  typedef enum logic [1:0] {
    Take,
    Sum,  // of a packet that was one flit
    Judge,
    Send
  } state_e;
  state_e state_q;
  logic bad_q, limited, drop, fire;
  logic [BeatBits-1:0] beat_q;
  assign ready = state_q == Take;
  assign limited = tokens_q == '0;
  assign drop = bad_q || facts_q.short_packet || facts_q.unfit || limited;
  assign token_taken = state_q == Judge && !drop;
  assign fire = out_valid_o && out_ready_i;
  sum_t checksum_q;
  wide_t sum;
  always_comb begin
    sum = wide_t'({facts_q.kind, facts_q.code});
    for (int unsigned g = 0; g < Groups; g++) sum = sum + wide_t'(sums_q[g]);
  end
  always_ff @(posedge clk_i) begin
    sums_q <= sums;
    unique case (state_q)
      Take:
      if (valid) begin
        if (flit.first) begin
          facts_q <= facts;
          quote_q <= quoted;
        end
        bad_q <= flit.bad;
        if (flit.last) state_q <= flit.first ? Sum : Judge;
      end
      Sum: state_q <= Judge;
      Judge: begin
        checksum_q <= ~fold(sum);
        beat_q <= '0;
        state_q <= drop ? Take : Send;
      end
      default:
      if (fire) begin
        beat_q <= beat_q + 1'b1;
        if (out_flit_o.last) state_q <= Take;
      end
    endcase
    if (rst_i) state_q <= Take;
  end

  always_comb begin
    event_o = '0;
    if (state_q == Judge) begin
      if (bad_q) event_o.drop_aborted = 1'b1;
      else if (facts_q.short_packet) event_o.drop_short = 1'b1;
      else if (facts_q.unfit) event_o.drop_unfit = 1'b1;
      else if (limited) event_o.drop_limited = 1'b1;
      else event_o.mark_error = 1'b1;
    end
  end

  // The error.
  ipv4_t outer;
  logic sends_tag;
  logic [FrameBytes*8-1:0] frame;
  logic [Flits*FlitBytes-1:0][7:0] wire_bytes;  // index 0 goes first
  offset_t sends_l3;
  length_t length;
  logic [15:0] total_length;
  assign sends_tag = is_tagged(facts_q.desc.l3_offset);
  assign sends_l3 = sends_tag ? offset_t'(L3Tagged) : offset_t'(L3Untagged);
  assign total_length = 16'(facts_q.bytes) + 16'(Ipv4MinBytes + IcmpBytes);
  assign length = length_t'(total_length) + length_t'(sends_l3);
  always_comb begin
    outer = '0;
    outer.version = 4'd4;
    outer.ihl = 4'd5;
    outer.tos = NetworkControl;
    outer.total_length = total_length;
    outer.protocol = ProtocolIcmp;
    outer.src = facts_q.src;
    outer.dst = facts_q.dst;
    frame = {facts_q.ethernet, outer, facts_q.kind, facts_q.code, checksum_q, 32'h0, quote_q};
    if (!sends_tag) begin
      frame = {facts_q.ethernet[L3Tagged*8-1-:L3Untagged*8], outer, facts_q.kind, facts_q.code, checksum_q, 32'h0, quote_q, 32'h0};
    end
  end
  for (genvar b = 0; b < int'(Flits * FlitBytes); b++) begin : gen_byte
    if (b < int'(FrameBytes)) begin : gen_frame
      assign wire_bytes[b] = frame[8*(int'(FrameBytes)-1-b)+:8];
    end else begin : gen_rest
      assign wire_bytes[b] = 8'h0;
    end
  end
  length_t left;
  assign left = length - length_t'(beat_q) * length_t'(FlitBytes);
  assign out_valid_o = state_q == Send;
  always_comb begin
    out_flit_o.desc = with_transport(facts_q.desc, sends_l3 + offset_t'(Ipv4MinBytes));
    out_flit_o.desc.length = length;
    out_flit_o.first = 1'b0;  // the tile's sender sets it
    out_flit_o.bad = 1'b0;
    out_flit_o.last = left <= length_t'(FlitBytes);
    out_flit_o.empty = out_flit_o.last ? EmptyWidth'(length_t'(FlitBytes) - left) : '0;
    out_flit_o.data = '0;
    for (int unsigned f = 0; f < Flits; f++) if (beat_q == BeatBits'(f)) out_flit_o.data = wire_bytes[f*FlitBytes+:FlitBytes];
  end
  assign out_key_o = next_key_t'(facts_q.desc.port);

  logic unused;
  assign unused = &{1'b0, ip, flit, unused_tagged, unused_peek, unused_desc};
endmodule
