// SPDX-License-Identifier: Apache-2.0
// What comes to the stack, in order: segments, and the commands and bytes of applications. Each is stored, checked, looked up
// if it is a segment, made an event, and its bytes are put where the event says. Nothing here waits for what the stack
// sends, so what comes is always taken.
//
//   in -> summed_store -> header_window -> look up -> (of a SYN: options, initial number) -> event -> bytes into the buffer
module tcp_front
  import girih_pkg::*, net_pkg::*, header_pkg::*, checksum_pkg::*, tcp_types_pkg::*, tcp_pkg::cfg_t;
#(
    parameter int unsigned Connections = 1024
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_flit_i,

    input logic        clear_i,
    input logic [15:0] clear_index_i,
    input tick_t       now_i,

    output logic    work_valid_o,
    input  logic    work_ready_i,
    output work_t   work_o,
    input  logic    result_valid_i,
    input  result_t result_i,

    output logic                        receive_write_o,
    output logic                        send_write_o,
    output connection_t                 write_connection_o,
    output seq_t                        write_addr_o,
    output logic        [        W-1:0] write_data_o,
    output logic        [FlitBytes-1:0] write_mask_o,

    input logic        freed_i,
    input connection_t freed_connection_i,
    input slot_t       freed_slot_i,

    output logic drop_aborted_o,
    output logic drop_length_o,
    output logic drop_checksum_o,
    output logic drop_unsupported_o,
    output logic drop_command_o,
    output logic drop_header_o,
    output logic drop_refused_o,
    input  cfg_t cfg_i
);
  localparam int unsigned WindowBytes = SegmentBytes + TcpOptionBytes;
  localparam int unsigned SumFrom = L3Untagged + Ipv4Addresses;  // the bytes that the checksum is over

  typedef struct packed {
    descriptor_t desc;
    logic is_command;
  } info_t;

  // Store, and check.
  logic first_q, take;
  length_t earlier_q, earlier, total_q;  // bytes of the message before this flit; up to the flit in the store's register
  logic [FlitBytes-1:0] mask;
  info_t info_in, info;
  assign take = in_valid_i && in_ready_o;
  assign earlier = first_q ? '0 : earlier_q;
  assign mask = valid_bytes(in_flit_i.empty)
      & ~first_bytes(earlier < length_t'(SumFrom) ? length_t'(SumFrom) - earlier : '0);
  assign info_in.desc = in_flit_i.desc;
  assign info_in.is_command = op_e'(in_flit_i.desc.stream_op) != OpPacket;
  always_ff @(posedge clk_i) begin
    if (take) begin
      first_q <= in_flit_i.last;
      earlier_q <= earlier + length_t'(FlitBytes);
      total_q <= earlier + length_t'(FlitBytes) - length_t'(in_flit_i.empty);
    end
    if (rst_i) first_q <= 1'b1;
  end

  logic check_take, check_last, check_bad, drop, store_valid, store_ready, store_first;
  logic bad_length, bad_place, bad_command;
  wide_t unused_sum, check_total;
  flit_t store_flit, framed;
  info_t token;
  summed_store #(
      .info_t (info_t),
      .token_t(info_t)
  ) u_store (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_first_i   (first_q),
      .in_cut_i     (1'b0),
      .in_mask_i    (mask),
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
      .token_i      (info),
      .out_valid_o  (store_valid),
      .out_ready_i  (store_ready),
      .out_flit_o   (store_flit),
      .out_first_o  (store_first),
      .out_token_o  (token)
  );
  assign bad_length = info.desc.length != total_q || info.desc.length < length_t'(SegmentBytes);
  assign bad_place = info.desc.l3_offset != offset_t'(L3Untagged) || info.desc.l4_offset != offset_t'(L4);
  assign bad_command = !(op_e'(info.desc.stream_op) inside {OpRead, OpWrite, OpClose, OpAbort})
      || (op_e'(info.desc.stream_op) == OpWrite && info.desc.stream_bytes != total_q);
  always_comb begin
    drop_aborted_o = 1'b0;
    drop_length_o = 1'b0;
    drop_checksum_o = 1'b0;
    drop_unsupported_o = 1'b0;
    drop_command_o = 1'b0;
    if (check_take && check_last) begin
      if (check_bad) drop_aborted_o = 1'b1;
      else if (info.is_command) drop_command_o = bad_command;
      else if (bad_place) drop_unsupported_o = 1'b1;
      else if (bad_length) drop_length_o = 1'b1;
      else if (!is_right(check_total)) drop_checksum_o = 1'b1;
    end
  end
  assign drop = check_last && (check_bad || (info.is_command ? bad_command : bad_place || bad_length || !is_right(check_total)));

  // Show the headers.
  logic window_valid, window_ready, window_first;
  flit_t window_flit;
  // verilator lint_off ASCRANGE
  logic [0:WindowBytes-1][7:0] header;
  // verilator lint_on ASCRANGE
  offset_t available, headers;
  tcp_t tcp;
  logic is_command;
  always_comb begin
    framed = store_flit;
    framed.desc = token.desc;
  end
  header_window #(
      .HeaderBytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_valid_i (store_valid),
      .in_ready_o (store_ready),
      .in_flit_i  (framed),
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o (window_flit),
      .out_first_o(window_first),
      .header_o   (header),
      .available_o(available),
      .need_i     (is_command ? offset_t'(1) : offset_t'(WindowBytes))
  );
  assign is_command = op_e'(window_flit.desc.stream_op) != OpPacket;
  assign tcp = header[L4+:TcpBytes];
  assign headers = offset_t'(L4) + {2'b0, tcp.words, 2'b0};

  typedef enum logic [2:0] {
    Idle,
    Look,
    Decide,
    Prepare,  // of a SYN
    Offer,
    Wait,
    Move
  } state_e;
  state_e  state_q;
  work_t   work_q;
  logic malformed, malformed_q;
  offset_t headers_q;
  assign malformed = tcp.words < 4'(TcpBytes / 4) || length_t'(headers) > window_flit.desc.length || headers > available;

  // The connection of the segment.
  logic lookup, hit, fits, insert, insert_ready, id_valid, unused_id_ready, listening, wants_new;
  connection_t found, new_id;
  slot_t slot;
  tuple_t tuple;
  assign tuple.remote_addr = header[L3Untagged+Ipv4Addresses+:4];
  assign tuple.local_addr = header[L3Untagged+Ipv4Addresses+4+:4];
  assign tuple.remote_port = tcp.src_port;
  assign tuple.local_port = tcp.dst_port;
  assign lookup = state_q == Idle && window_valid && !clear_i && !freed_i;
  tcp_table #(
      .Connections(Connections)
  ) u_table (
      .clk_i,
      .clear_i,
      .clear_index_i,
      .lookup_i           (lookup),
      .tuple_i            (tuple),
      .hit_o              (hit),
      .connection_o       (found),
      .fits_o             (fits),
      .slot_o             (slot),
      .insert_i           (insert),
      .insert_ready_o     (insert_ready),
      .insert_connection_i(new_id),
      .remove_i           (freed_i),
      .remove_slot_i      (freed_slot_i)
  );
  typedef logic [$clog2(Connections)-1:0] id_t;
  id_t free_id;
  fifo_block #(
      .T(id_t),
      .Depth(Connections)
  ) u_free (
      .clk_i,
      .rst_i,
      .in_offer_i (clear_i || freed_i),
      .in_valid_i (clear_i || freed_i),
      .in_ready_o (unused_id_ready),
      .in_data_i  (clear_i ? id_t'(clear_index_i) : id_t'(freed_connection_i)),
      .out_valid_o(id_valid),
      .out_ready_i(insert && insert_ready),
      .out_data_o (free_id)
  );
  assign new_id = connection_t'(free_id);
  always_comb begin
    listening = 1'b0;
    for (int unsigned i = 0; i < $bits(cfg_i.listen) / 16; i++) begin
      if (cfg_i.listen[i] != '0 && cfg_i.listen[i] == work_q.tuple.local_port) listening = 1'b1;
    end
  end
  assign wants_new = work_q.flags.syn && !work_q.flags.ack && !work_q.flags.rst && !work_q.flags.fin && listening;

  // Of a SYN: options, and the initial sequence number.
  logic [TcpOptionBytes-1:0][7:0] options;  // the first byte at the low end
  logic syn_done, syn_scaled;
  logic [13:0] syn_mss;
  logic [3:0] syn_shift;
  seq_t syn_hash;
  always_comb begin
    for (int unsigned i = 0; i < TcpOptionBytes; i++) options[i] = header[SegmentBytes+i];
  end
  tcp_syn u_syn (
      .clk_i,
      .start_i        (lookup),
      .options_i      (options),
      .options_bytes_i({4'(tcp.words - 4'd5), 2'b0}),
      .tuple_i        (work_q.tuple),
      .secret_i       ({cfg_i.secret[1], cfg_i.secret[0]}),
      .done_o         (syn_done),
      .mss_o          (syn_mss),
      .scaled_o       (syn_scaled),
      .shift_o        (syn_shift),
      .hash_o         (syn_hash)
  );
  assign insert = state_q == Prepare && syn_done;

  // Bytes to the buffers: those from start to stop, counted from the first byte of the flit that moves.
  length_t start_q, stop_q;
  logic store_q;
  seq_t addr_q;
  assign window_ready = state_q == Move;
  assign receive_write_o = state_q == Move && window_valid && store_q && work_q.kind == EventSegment;
  assign send_write_o = state_q == Move && window_valid && store_q && work_q.kind == EventWrite;
  assign write_connection_o = work_q.connection;
  assign write_addr_o = addr_q;
  assign write_data_o = window_flit.data;
  assign write_mask_o = first_bytes(stop_q) & ~first_bytes(start_q);
  assign work_valid_o = state_q == Offer;
  assign work_o = work_q;
  assign drop_header_o = state_q == Decide && malformed_q;
  assign drop_refused_o = state_q == Decide && !malformed_q && !hit && wants_new && !(fits && id_valid);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:
      if (lookup) begin
        work_q <= '0;
        work_q.tuple <= tuple;
        work_q.port <= window_flit.desc.port;
        work_q.tenant <= window_flit.desc.tenant;
        work_q.connection <= connection_t'(id_t'(window_flit.desc.stream_connection));
        work_q.name <= window_flit.desc.stream_connection;
        work_q.seq <= tcp.seq;
        work_q.ack <= tcp.ack;
        work_q.flags <= tcp.flags;
        work_q.window <= tcp.window;
        work_q.room <= window_flit.desc.stream_room;
        if (is_command) begin
          work_q.bytes <= window_flit.desc.stream_bytes;
          work_q.flags <= '0;
          unique case (op_e'(window_flit.desc.stream_op))
            OpWrite: work_q.kind <= EventWrite;
            OpClose: work_q.kind <= EventClose;
            OpAbort: work_q.kind <= EventAbort;
            default: work_q.kind <= EventRead;
          endcase
          headers_q <= '0;
          state_q <= Offer;
        end else begin
          work_q.bytes <= window_flit.desc.length - length_t'(headers);
          headers_q <= headers;
          state_q <= Look;
        end
        malformed_q <= !is_command && malformed;
      end

      Look: state_q <= Decide;

      Decide: begin
        work_q.slot <= slot;
        if (malformed_q || drop_refused_o) begin
          state_q <= Move;
          store_q <= 1'b0;
        end else if (hit) begin
          work_q.kind <= EventSegment;
          work_q.connection <= found;
          state_q <= Offer;
        end else if (wants_new) begin
          work_q.kind <= EventOpen;
          state_q <= Prepare;
        end else begin
          work_q.kind <= EventRefuse;
          work_q.connection <= '0;
          state_q <= Offer;
        end
      end

      Prepare:
      if (insert && insert_ready) begin
        work_q.ack <= syn_hash + now_i;
        work_q.mss <= syn_mss;
        work_q.scaled <= syn_scaled;
        work_q.shift <= syn_shift;
        work_q.connection <= new_id;
        state_q <= Offer;
      end

      Offer: if (work_ready_i) state_q <= Wait;

      Wait:
      if (result_valid_i) begin
        state_q <= Move;
        store_q <= result_i.bytes != '0;
        start_q <= length_t'(headers_q) + result_i.skip;
        stop_q  <= length_t'(headers_q) + result_i.skip + result_i.bytes;
        addr_q  <= result_i.seq - seq_t'(headers_q);
      end

      Move:
      if (window_valid) begin
        start_q <= start_q > length_t'(FlitBytes) ? start_q - length_t'(FlitBytes) : '0;
        stop_q  <= stop_q > length_t'(FlitBytes) ? stop_q - length_t'(FlitBytes) : '0;
        addr_q  <= addr_q + seq_t'(FlitBytes);
        if (window_flit.last) state_q <= Idle;
      end

      default: state_q <= Idle;
    endcase
    if (rst_i) state_q <= Idle;
  end

  logic unused;
  assign unused = &{1'b0, window_first, store_first, unused_sum, unused_id_ready, header, tcp, store_flit.desc,
                   freed_connection_i, cfg_i, token, window_flit};
endmodule
