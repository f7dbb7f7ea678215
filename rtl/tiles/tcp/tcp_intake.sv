// SPDX-License-Identifier: Apache-2.0
// Stores and checks the stack's input: segments, commands, and ICMP errors about segments, whose offsets are those of the headers that they quote.
// Presents the headers of each correct message with its first flit, as an event, as far as this is known before the connection has been found.
// A SYN holds up what follows it for some cycles, so those that wait here are limited by tenant (tcp_syn_limit), and others are dropped.
//
//   in -> summed_store -> header_window -> out
module tcp_intake
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, tcp_types_pkg::*;
#(
    // 1: segments and ICMP errors, and drop_unsupported_o counts commands; 2: commands, and drop_command_o alone counts what is dropped; 3: both
    parameter int unsigned Takes = 3
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    output logic     out_valid_o,
    input  logic     out_ready_i,
    output flit_t    out_flit_o,
    output arrival_t arrival_o,    // with the first flit

    // A SYN begins to arrive, if its first flit has all of this. Nothing of it has been checked.
    output logic    guess_o,
    output tuple_t  guess_tuple_o,
    output tenant_t guess_tenant_o,

    output logic drop_aborted_o,
    output logic drop_length_o,
    output logic drop_checksum_o,
    output logic drop_unsupported_o,
    output logic drop_command_o,
    output logic drop_backlog_o  // a SYN, because others wait
);
  if (!(Takes inside {1, 2, 3})) begin : gen_bad_takes
    $fatal(1, "tcp_intake: Takes is %0d; it must be from 1 to 3", Takes);
  end
  localparam bit Segments = Takes[0];
  localparam bit Commands = Takes[1];
  localparam int unsigned MostBytes = SegmentBytes + TcpOptionBytes;
  localparam int unsigned WindowBytes = Segments ? MostBytes : OpenBytes;
  localparam int unsigned SumFrom = L3Untagged + Ipv4Addresses;  // the first byte that the checksum covers
  localparam logic [FlitBytes-1:0] FirstCovered = ~first_bytes(length_t'(SumFrom));  // bytes of a message's first flit
  localparam int unsigned FlagsAt = L4 + 13;

  typedef struct packed {
    descriptor_t desc;
    logic is_command;
    logic is_error;  // an ICMP error, whose checksum has been verified by the tile that brings it
  } info_t;
  typedef struct packed {
    info_t info;
    logic  has_place;  // a SYN that has a place of its tenant
  } token_t;

  // Store, and check.
  logic take, syn_q;
  length_t earlier_q, earlier, following, total_q;  // bytes of the message before this flit; up to the flit in the store's register
  logic [FlitBytes-1:0] covered_q, valid, mask;  // bytes that the checksum covers, apart from empty ones; that are not empty; both
  info_t info_in, info;
  assign take = in_valid_i && in_ready_o;
  assign earlier = in_flit_i.first ? '0 : earlier_q;
  assign following = earlier + length_t'(FlitBytes);
  assign mask = valid & covered_q;
  valid_mask u_valid (
      .empty_i(in_flit_i.empty),
      .valid_o(valid)
  );
  assign info_in.desc = in_flit_i.desc;
  assign info_in.is_command = !Segments || op_e'(in_flit_i.desc.stream_op) != OpPacket;
  assign info_in.is_error = Segments && in_flit_i.desc.l3_offset == offset_t'(QuotedL3) && in_flit_i.desc.l4_offset == offset_t'(QuotedL4);
  always_ff @(posedge clk_i) begin
    if (take) begin
      earlier_q <= following;
      covered_q <= in_flit_i.last ? FirstCovered : ~first_bytes(following < length_t'(SumFrom) ? length_t'(SumFrom) - following : '0);
      total_q <= following - length_t'(in_flit_i.empty);
      if (earlier == length_t'(FlagsAt / FlitBytes * FlitBytes)) syn_q <= in_flit_i.data[8*(FlagsAt%FlitBytes)+1] && !in_flit_i.data[8*(FlagsAt%FlitBytes)+4];
      else if (in_flit_i.first) syn_q <= 1'b0;
    end
    if (rst_i) begin
      covered_q <= FirstCovered;
    end
  end

  if (Guesses && Segments) begin : gen_guess
    // verilator lint_off ASCRANGE
    logic [0:FlitBytes-1][7:0] bytes;
    // verilator lint_on ASCRANGE
    tcp_t begun;
    always_comb for (int unsigned i = 0; i < FlitBytes; i++) bytes[i] = in_flit_i.data[8*i+:8];
    assign begun = bytes[L4+:TcpBytes];
    assign guess_o = in_valid_i && in_flit_i.first && !info_in.is_command && begun.flags.syn;
    assign guess_tuple_o.remote_addr = bytes[L3Untagged+Ipv4Addresses+:4];
    assign guess_tuple_o.local_addr = bytes[L3Untagged+Ipv4Addresses+4+:4];
    assign guess_tuple_o.remote_port = begun.src_port;
    assign guess_tuple_o.local_port = begun.dst_port;
    assign guess_tenant_o = in_flit_i.desc.tenant;
    logic unused_begun;
    assign unused_begun = &{1'b0, bytes, begun};
  end else begin : gen_no_guess
    assign guess_o = 1'b0;
    assign guess_tuple_o = '0;
    assign guess_tenant_o = '0;
  end

  logic check_take, check_last, check_bad, drop, store_valid, store_ready;
  logic bad_length, bad_place, sum_right, bad_sum, bad_command;
  wide_t unused_sum, check_total;
  flit_t store_flit, framed;
  token_t token_in, token;
  // A SYN that is no answer of a peer to one of the card's own.
  logic is_syn, has_place, refuses, admitted;
  (* keep *) logic faulty;
  (* keep *) logic summed;
  (* keep *) logic syn_ends;
  assign is_syn = syn_q && !info.is_command && !info.is_error;
  assign refuses = is_syn && !admitted;
  if (Segments) begin : gen_syn_limit
    tcp_syn_limit u_syn_limit (
        .clk_i,
        .rst_i,
        .tenant_i      (info.desc.tenant),
        .admitted_o    (admitted),
        .has_place_o   (has_place),
        .take_i        (syn_ends && sum_right),
        .leave_i       (store_valid && store_ready && store_flit.last && token.has_place),
        .leave_tenant_i(token.info.desc.tenant)
    );
  end else begin : gen_no_syn_limit
    assign admitted  = 1'b1;
    assign has_place = 1'b0;
    logic unused_syn;
    assign unused_syn = &{1'b0, syn_ends};
  end
  always_comb begin
    token_in.info = info;
    token_in.info.desc.length = total_q;  // for a segment, equal to the value that it had
    token_in.has_place = is_syn && has_place;
  end
  summed_store #(
      .info_t (info_t),
      .token_t(token_t),
      .Bypass (Segments)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_cut_i     (1'b0),
      .in_mask_i    (Segments ? mask : '0),
      .in_info_i    (info_in),
      .check_take_o (check_take),
      .check_last_o (check_last),
      .check_bad_o  (check_bad),
      .check_add_i  (wide_t'(info.desc.length) + wide_t'(ProtocolTcp) - wide_t'(L4)),
      .check_sum_o  (unused_sum),
      .check_total_o(check_total),
      .check_info_o (info),
      .commit_i     (check_last && !drop),
      .drop_i       (drop),
      .token_i      (token_in),
      .out_valid_o  (store_valid),
      .out_ready_i  (store_ready),
      .out_flit_o   (store_flit),
      .out_token_o  (token)
  );
  assign bad_length = info.desc.length != total_q || info.desc.length < length_t'(info.is_error ? QuotedL4 + QuotedBytes : SegmentBytes);
  assign bad_place = !info.is_error && (info.desc.l3_offset != offset_t'(L3Untagged) || info.desc.l4_offset != offset_t'(L4));
  checksum_check u_check (
      .total_i(check_total),
      .right_o(sum_right)
  );
  assign bad_sum = !info.is_error && !sum_right;
  assign bad_command = !Commands || !(op_e'(info.desc.stream_op) inside {OpRead, OpWrite, OpClose, OpAbort, OpOpen})
      || (op_e'(info.desc.stream_op) inside {OpWrite, OpOpen} && info.desc.stream_bytes != total_q)
      || (op_e'(info.desc.stream_op) == OpOpen && total_q != length_t'(OpenBytes));
  always_comb begin
    drop_aborted_o = 1'b0;
    drop_length_o = 1'b0;
    drop_checksum_o = 1'b0;
    drop_unsupported_o = 1'b0;
    drop_command_o = 1'b0;
    drop_backlog_o = 1'b0;
    if (check_take && check_last) begin
      if (check_bad && Segments) drop_aborted_o = 1'b1;
      else if (!Commands && info.is_command) drop_unsupported_o = 1'b1;
      else if (info.is_command) drop_command_o = check_bad || bad_command;
      else if (bad_place) drop_unsupported_o = 1'b1;
      else if (bad_length) drop_length_o = 1'b1;
      else if (bad_sum) drop_checksum_o = 1'b1;
      else drop_backlog_o = refuses;
    end
  end
  // The sum is known late, so all else is brought together before it; what is kept is a net of its own.
  assign faulty = check_bad || (info.is_command ? bad_command : bad_place || bad_length || refuses);
  assign summed = !info.is_command && !info.is_error;
  assign drop = check_last && (faulty || (summed && !sum_right));
  assign syn_ends = check_take && check_last && is_syn && !faulty;

  // Present the headers.
  // verilator lint_off ASCRANGE
  logic [0:MostBytes-1][7:0] header;
  logic [0:WindowBytes-1][7:0] shown;
  // verilator lint_on ASCRANGE
  offset_t available, headers;
  tcp_t tcp;
  ipv4_t ip, quoted;
  logic is_command, is_open, is_error;
  always_comb begin
    framed = store_flit;
    framed.desc = token.info.desc;
    header = '0;
    header[0:WindowBytes-1] = shown;
  end
  header_window #(
      .HeaderBytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i (store_valid),
      .in_ready_o (store_ready),
      .in_flit_i  (framed),
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .header_o   (shown),
      .available_o(available),
      .need_i     (is_open ? offset_t'(OpenBytes) : is_command ? offset_t'(1) : offset_t'(WindowBytes))
  );
  assign is_command = Commands && (!Segments || op_e'(out_flit_o.desc.stream_op) != OpPacket);
  assign is_open = Commands && op_e'(out_flit_o.desc.stream_op) == OpOpen;
  assign is_error = out_flit_o.desc.l3_offset == offset_t'(QuotedL3);
  assign ip = header[L3Untagged+:Ipv4MinBytes];
  assign quoted = header[QuotedL3+:Ipv4MinBytes];
  assign tcp = header[L4+:TcpBytes];
  assign headers = offset_t'(L4) + {2'b0, tcp.words, 2'b0};

  always_comb begin
    arrival_o.is_command = is_command;
    arrival_o.malformed = is_command ? is_open && (header[0:11] != Ipv4Mapped || header[12] inside {8'd0, 8'd127, [8'd224 : 8'd255]})
        : (tcp.words < 4'(TcpBytes / 4) || length_t'(headers) > out_flit_o.desc.length || headers > available);
    for (int unsigned i = 0; i < TcpOptionBytes; i++) arrival_o.options[i] = header[SegmentBytes+i];
    arrival_o.options_bytes = is_command ? '0 : {4'(tcp.words - 4'd5), 2'b0};
    arrival_o.headers = is_command ? '0 : headers;
    arrival_o.flits = (out_flit_o.desc.length + length_t'(FlitBytes - 1)) >> EmptyWidth;
    arrival_o.work = '0;
    arrival_o.work.tuple.remote_addr = header[L3Untagged+Ipv4Addresses+:4];
    arrival_o.work.tuple.local_addr = header[L3Untagged+Ipv4Addresses+4+:4];
    arrival_o.work.tuple.remote_port = tcp.src_port;
    arrival_o.work.tuple.local_port = tcp.dst_port;
    arrival_o.work.port = out_flit_o.desc.port;
    arrival_o.work.tenant = out_flit_o.desc.tenant;
    arrival_o.work.connection = connection_t'(out_flit_o.desc.stream_connection);
    arrival_o.work.name = out_flit_o.desc.stream_connection;
    arrival_o.work.seq = tcp.seq;
    arrival_o.work.ack = tcp.ack;
    arrival_o.work.window = tcp.window;
    arrival_o.work.room = out_flit_o.desc.stream_room;
    arrival_o.work.stands = out_flit_o.desc.stream_end;
    if (is_open) begin
      arrival_o.work.tuple.remote_addr = header[12:15];
      arrival_o.work.tuple.remote_port = header[16:17];
      arrival_o.work.tuple.local_port = header[18:19];
      arrival_o.work.window = header[20:21];
      arrival_o.work.seq = '0;
    end
    if (!is_command && is_error) begin
      // The segment went from the card to its peer.
      arrival_o.malformed = quoted.version != 4'd4 || quoted.ihl != 4'd5 || quoted.protocol != ProtocolTcp || quoted.fragment_offset != '0;
      arrival_o.options_bytes = '0;
      arrival_o.work.kind = EventTooBig;
      arrival_o.work.tuple.local_addr = quoted.src;
      arrival_o.work.tuple.remote_addr = quoted.dst;
      arrival_o.work.tuple.local_port = header[QuotedL4+:2];
      arrival_o.work.tuple.remote_port = header[QuotedL4+2+:2];
      arrival_o.work.seq = header[QuotedL4+4+:4];
      arrival_o.work.window = header[IcmpMtuAt+:2];
      arrival_o.work.flags = '{rst: 1'b1, default: '0};  // without a connection, nothing answers it
    end else if (is_command) begin
      arrival_o.work.bytes = out_flit_o.desc.stream_bytes;
      unique case (op_e'(out_flit_o.desc.stream_op))
        OpWrite: arrival_o.work.kind = EventWrite;
        OpClose: arrival_o.work.kind = EventClose;
        OpAbort: arrival_o.work.kind = EventAbort;
        OpOpen: arrival_o.work.kind = EventConnect;
        default: arrival_o.work.kind = EventRead;
      endcase
    end else begin
      arrival_o.work.kind = EventSegment;
      arrival_o.work.bytes = out_flit_o.desc.length - length_t'(headers);
      arrival_o.work.flags = tcp.flags;
      arrival_o.work.marked = ip.tos[1:0] == EcnMarked;
    end
  end

  logic unused;
  assign unused = &{1'b0, unused_sum, header, ip, tcp, quoted, store_flit.desc, token};
endmodule
