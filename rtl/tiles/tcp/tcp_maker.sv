// SPDX-License-Identifier: Apache-2.0
// Makes segments: headers, and bytes of the send buffer, which are read at the alignment that they have in the frame. The frame is stored
// while its checksum is computed, and the checksum is written as it leaves.
//
//   segment -> read the buffer -> headers over it -> register -> summed_store -> header_edit
//
// cfg_i.mss has been limited by usable_mss.
module tcp_maker
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, tcp_types_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Ring = 8192,
    parameter bit Cut = TimingMhz >= 250  // after the buffer's bytes, before the sum
) (
    input logic clk_i,
    input logic rst_i,

    input  logic     segment_valid_i,
    output logic     segment_ready_o,
    input  segment_t segment_i,

    output logic                read_valid_o,
    output connection_t         read_connection_o,
    output seq_t                read_addr_o,
    input  logic        [W-1:0] read_data_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input cfg_t cfg_i
);
  localparam int unsigned OwnShift = $clog2(Ring) > 15 ? $clog2(Ring) - 15 : 0;
  localparam int unsigned MostHeaders = SegmentBytes + StampOptionBytes + SackOptionBytes;
  localparam int unsigned Flits = (MostHeaders + FlitBytes - 1) / FlitBytes;
  localparam int unsigned ChecksumAt = L4 + 16;
  localparam logic [31:0] Scale = {8'd1, 8'd3, 8'd3, 8'(OwnShift)};

  // The headers of the segment, first wire byte first.
  // verilator lint_off ASCRANGE
  logic [0:Flits*FlitBytes-1][7:0] headers;
  logic [0:ChecksumAt+1][7:0] edit;
  logic [0:ChecksumAt+1] edit_mask;
  // verilator lint_on ASCRANGE
  ethernet_t eth;
  ipv4_t ip;
  tcp_t tcp;
  length_t header_bytes, length;
  logic [3:0] option_words;
  logic stamps;
  // verilator lint_off ASCRANGE
  logic [0:StampOptionBytes-1][7:0] stamp;
  logic [0:SackOptionBytes-1][7:0] others;
  // Not merged with what loads it, which waits long for the store.
  (* keep *) logic [0:StampOptionBytes+SackOptionBytes-1][7:0] options;
  // verilator lint_on ASCRANGE
  always_comb begin
    stamps = segment_i.stamp.valid && !segment_i.flags.rst;
    option_words = stamps ? 4'(StampOptionBytes / 4) : '0;
    if (segment_i.flags.syn) option_words = option_words + 4'd1 + 4'(segment_i.sacks) + 4'(segment_i.scaled);
    else if (segment_i.ranges[0].valid) option_words = option_words + (segment_i.ranges[1].valid ? 4'd5 : 4'd3);
    header_bytes = length_t'(SegmentBytes) + length_t'({option_words, 2'b0});
    length = header_bytes + segment_i.bytes;
    eth = '0;
    eth.ethertype = EtherTypeIpv4;
    ip = '0;
    ip.version = 4'd4;
    ip.ihl = 4'd5;
    ip.tos = segment_i.markable ? 8'(EcnCapable) : '0;
    ip.protocol = ProtocolTcp;
    ip.src = segment_i.tuple.local_addr;
    ip.dst = segment_i.tuple.remote_addr;
    tcp = '0;
    tcp.src_port = segment_i.tuple.local_port;
    tcp.dst_port = segment_i.tuple.remote_port;
    tcp.seq = segment_i.seq;
    tcp.ack = segment_i.ack;
    tcp.words = 4'd5 + option_words;
    tcp.flags = segment_i.flags;
    tcp.window = segment_i.window;
    headers = '0;
    headers[0:EthernetBytes-1] = eth;
    headers[EthernetBytes+:Ipv4MinBytes] = ip;
    headers[L4+:TcpBytes] = tcp;
    // Options that the segment does not have lie beyond the end of its headers. Time stamps come before the others, except the MSS.
    stamp = {8'd1, 8'd1, 8'd8, 8'(StampBytes), segment_i.stamp.value, segment_i.stamp.echo};
    others = '0;
    if (segment_i.flags.syn) begin
      others[0:7] = segment_i.sacks ? {8'd1, 8'd1, 8'd4, 8'd2, Scale} : {Scale, 32'h0};
    end else begin
      others[0:3] = {8'd1, 8'd1, 8'd5, segment_i.ranges[1].valid ? 8'd18 : 8'd10};
      for (int unsigned i = 0; i < Ranges; i++) others[4+8*i+:8] = {segment_i.ranges[i].first, segment_i.ranges[i].behind};
    end
    options = '0;
    if (segment_i.flags.syn) begin
      options[0:3] = {8'd2, 8'd4, 16'(cfg_i.mss)};
      options[4+:StampOptionBytes+8] = stamps ? {stamp, others[0:7]} : {others[0:7], {8 * StampOptionBytes{1'b0}}};
    end else if (stamps) begin
      options = {stamp, others};
    end else begin
      options[0:SackOptionBytes-1] = others;
    end
    headers[SegmentBytes+:StampOptionBytes+SackOptionBytes] = options;
  end

  // Read: a flit per cycle.
  typedef struct packed {
    descriptor_t desc;
    logic [15:0] tcp_length;
  } info_t;
  typedef struct packed {
    descriptor_t desc;
    wide_t sum;
  } token_t;
  typedef struct packed {
    flit_t flit;
    logic [FlitBytes-1:0] mask;
    info_t info;
  } summed_t;
  logic busy_q, move, last, flit_valid_q, flit_first_q, flit_last_q, flit_ready, store_valid, store_ready;
  logic [Flits*FlitBytes-1:0][7:0] headers_q, flit_headers_q;  // element 0 is the next byte
  length_t left_q, header_left_q, sum_from_q, flit_header_left_q, flit_sum_from_q, flit_left_q;
  seq_t addr_q;
  connection_t connection_q;
  info_t info_q, flit_info_q;
  assign move = !flit_valid_q || flit_ready;
  assign last = left_q <= length_t'(FlitBytes);
  assign segment_ready_o = !busy_q || (move && last);
  assign read_valid_o = busy_q && move;
  assign read_connection_o = connection_q;
  assign read_addr_o = addr_q;

  function automatic length_t less(length_t bytes);
    return bytes > length_t'(FlitBytes) ? bytes - length_t'(FlitBytes) : '0;
  endfunction

  always_ff @(posedge clk_i) begin
    if (busy_q && move) begin
      flit_headers_q <= headers_q;
      flit_header_left_q <= header_left_q;
      flit_sum_from_q <= sum_from_q;
      flit_left_q <= left_q;
      flit_last_q <= last;
      flit_info_q <= info_q;
      headers_q <= headers_q >> W;
      header_left_q <= less(header_left_q);
      sum_from_q <= less(sum_from_q);
      left_q <= less(left_q);
      addr_q <= addr_q + seq_t'(FlitBytes);
    end
    if (move) begin
      flit_valid_q <= busy_q;
      if (flit_valid_q) flit_first_q <= flit_last_q;
    end
    if (segment_ready_o) begin
      busy_q <= segment_valid_i;
      for (int unsigned i = 0; i < Flits * FlitBytes; i++) headers_q[i] <= headers[i];
      header_left_q <= header_bytes;
      sum_from_q <= length_t'(L3Untagged + Ipv4Addresses);
      left_q <= length;
      addr_q <= segment_i.seq - seq_t'(header_bytes);
      connection_q <= segment_i.connection;
      info_q.tcp_length <= 16'(length) - 16'(L4);
      info_q.desc <= with_payload(with_transport(with_network('0, offset_t'(L3Untagged)), offset_t'(L4)), offset_t'(header_bytes));
      info_q.desc.port <= segment_i.port;
      info_q.desc.tenant <= segment_i.tenant;
      info_q.desc.length <= length;
    end
    if (rst_i) begin
      busy_q <= 1'b0;
      flit_valid_q <= 1'b0;
      flit_first_q <= 1'b1;
    end
  end

  flit_t flit;
  logic [FlitBytes-1:0] of_header;
  assign of_header = first_bytes(flit_header_left_q);
  always_comb begin
    flit = '0;
    flit.desc = flit_info_q.desc;
    flit.first = flit_first_q;
    flit.last = flit_last_q;
    flit.empty = flit_last_q ? EmptyWidth'(FlitBytes - 32'(flit_left_q)) : '0;
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      flit.data[8*i+:8] = of_header[i] ? flit_headers_q[i] : read_data_i[8*i+:8];
    end
  end

  summed_t here, summed;
  assign here = '{
      flit: flit,
      mask: first_bytes(flit_left_q) & ~first_bytes(flit_sum_from_q),
      info: flit_info_q
  };
  stream_register #(
      .T(summed_t),
      .Cut(Cut)
  ) u_register (
      .clk_i,
      .rst_i,
      .in_valid_i(flit_valid_q),
      .in_ready_o(flit_ready),
      .in_data_i(here),
      .out_valid_o(store_valid),
      .out_ready_i(store_ready),
      .out_data_o(summed)
  );

  logic unused_take, check_last, unused_bad;
  info_t info;
  wide_t unused_sum, total;
  token_t token;
  flit_t store_flit, framed;
  summed_store #(
      .info_t (info_t),
      .token_t(token_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i   (store_valid),
      .in_ready_o   (store_ready),
      .in_flit_i    (summed.flit),
      .in_cut_i     (1'b0),
      .in_mask_i    (summed.mask),
      .in_info_i    (summed.info),
      .check_take_o (unused_take),
      .check_last_o (check_last),
      .check_bad_o  (unused_bad),
      .check_add_i  (wide_t'(info.tcp_length) + wide_t'(ProtocolTcp)),
      .check_sum_o  (unused_sum),
      .check_total_o(total),
      .check_info_o (info),
      .commit_i     (check_last),
      .drop_i       (1'b0),
      .token_i      ({info.desc, total}),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o   (store_flit),
      .out_token_o  (token)
  );

  always_comb begin
    framed = store_flit;
    framed.desc = token.desc;
    edit = '0;
    edit_mask = '0;
    edit[ChecksumAt+:2] = ~fold(token.sum);
    edit_mask[ChecksumAt+:2] = '1;
  end
  header_edit #(
      .HeaderBytes(ChecksumAt + 2)
  ) u_edit (
      .clk_i,
      .flit_i (framed),
      .pass_i (out_valid_o && out_ready_i),
      .edit_i (edit),
      .mask_i (edit_mask),
      .flit_o (out_flit_o)
  );

  logic unused;
  assign unused = &{1'b0, unused_take, unused_bad, unused_sum, store_flit.desc, cfg_i};
endmodule
