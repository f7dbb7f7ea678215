// SPDX-License-Identifier: Apache-2.0
// Proves header_window in series with message_trim. Every flit passes the window once and in order. The window shows
// the first available_o bytes of the message whose first flit it offers, and never waits for more than is needed. The trim
// cuts each message to its first desc.length bytes, and marks it void if it was void or shorter. An offer stays until it
// is taken, and something moves whenever the output is ready.
module header_trim_proof
  import girih_pkg::*;
#(
    parameter int unsigned HeaderBytes = 4
) (
    input logic  clk_i,
    input logic  in_valid_i,
    input flit_t in_flit_i,
    input logic  out_ready_i,
    input logic  track_i
);
  localparam int unsigned K = (HeaderBytes + FlitBytes - 1) / FlitBytes;
  localparam int unsigned CountWidth = $clog2(K + 1) + 1;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [7:0] bytes_t;  // more than length_t, so that sums do not wrap

  logic rst, in_ready, window_valid, window_ready, out_valid, too_short;
  flit_t window_flit, out_flit;
  logic [FlitBytes-1:0] keep;
  offset_t available, need;
  logic [HeaderBytes*8-1:0] header;

  header_window #(
      .HeaderBytes(HeaderBytes)
  ) u_window (
      .clk_i,
      .rst_i(rst),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_flit_i,
      .out_valid_o(window_valid),
      .out_ready_i(window_ready),
      .out_flit_o(window_flit),
      .header_o(header),
      .available_o(available),
      .need_i(need)
  );

  message_trim u_trim (
      .clk_i,
      .rst_i(rst),
      .in_valid_i(window_valid),
      .in_ready_o(window_ready),
      .in_flit_i(window_flit),
      .in_ends_i(header_pkg::ends_at_once(window_flit.desc.length)),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_flit_o(out_flit),
      .keep_o(keep),
      .short_o(too_short)
  );

  // Assumptions: the rules of the link, and a need within the window. That is a function of
  // the message: here, of its descriptor.
  stream_check #(
      .T(flit_t),
      .Assume(1'b1)
  ) u_in_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(in_valid_i),
      .ready_i(in_ready),
      .data_i(in_flit_i)
  );
  assign need = window_flit.desc.l4_offset;
  always_ff @(posedge clk_i) begin
    assume (in_flit_i.last || in_flit_i.empty == '0);
    assume (in_flit_i.desc.l4_offset <= offset_t'(HeaderBytes));
  end

  // The window is a queue.
  logic tracking;
  count_t count, ahead;
  flit_t data;
  queue_track #(
      .T(flit_t),
      .CountWidth(CountWidth)
  ) u_track (
      .clk_i,
      .rst_o(rst),
      .in_valid_i,
      .in_ready_i(in_ready),
      .in_data_i(in_flit_i),
      .out_valid_i(window_valid),
      .out_ready_i(window_ready),
      .out_data_i(window_flit),
      .track_i,
      .count_o(count),
      .tracking_o(tracking),
      .ahead_o(ahead),
      .data_o(data)
  );

  // Which flit of its message (0: the first): what comes next, the tracked one, what leaves next.
  count_t next_index_q, index_q, head_index_q;
  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready) begin
      next_index_q <= after(next_index_q, in_flit_i.last);
      if (!tracking && track_i) index_q <= next_index_q;
    end
    if (window_valid && window_ready) head_index_q <= after(head_index_q, window_flit.last);
    if (rst) begin
      next_index_q <= '0;
      head_index_q <= '0;
    end
  end

  function automatic count_t after(count_t index, logic last);
    if (last) return '0;
    return index == '1 ? index : index + 1'b1;  // stops at its largest value
  endfunction

  count_t slot_index[K+1];  // of the flits inside, as their ends say; then of what comes next
  always_comb begin
    slot_index[0] = head_index_q;
    for (int unsigned i = 0; i < K; i++) slot_index[i+1] = after(slot_index[i], u_window.slot_q[i].last);
  end

  bytes_t through;  // bytes from the start of the message to the end of the tracked flit
  assign through = (bytes_t'(ahead) + 8'd1) * bytes_t'(FlitBytes) - (data.last ? bytes_t'(data.empty) : '0);

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assume (in_flit_i.first == (next_index_q == '0));
      assert (!window_valid || count != '0);
      assert (count != count_t'(K) || window_valid);
      assert (in_ready || window_valid);

      if (window_valid && window_flit.first && tracking && index_q == ahead) begin
        // The tracked flit belongs to the message that is offered.
        assert (bytes_t'(available) >= (through > bytes_t'(HeaderBytes) ? bytes_t'(HeaderBytes) : through));
        if (data.last) assert (bytes_t'(available) <= through);
        for (int unsigned b = 0; b < FlitBytes; b++) begin
          for (int unsigned a = 0; a < K; a++) begin
            if (count_t'(a) == ahead && a * FlitBytes + b < HeaderBytes) begin
              assert (header[8*(HeaderBytes-1-(a*FlitBytes+b))+:8] == data.data[8*b+:8]);
            end
          end
        end
        // It is not offered with less than is needed while more of it is to come.
        if (count_t'(ahead + 1'b1) == count && !data.last && count != count_t'(K)) assert (available >= need);
      end
      // Nor is it held back when everything needed has arrived.
      if (window_flit.first && tracking && index_q == ahead && (data.last || through >= bytes_t'(need))) assert (window_valid);

      // For the induction: where the tracked flit lies, and how far each message has come.
      assert (count == count_t'($countones(u_window.taken_q)) && count <= count_t'(K));
      assert ((u_window.taken_q & (u_window.taken_q + 1'b1)) == '0);
      for (int unsigned i = 0; i < K; i++) begin
        if (count_t'(i) < count) begin
          assert (u_window.slot_q[i].last || u_window.slot_q[i].empty == '0);
          assert (u_window.slot_q[i].first == (slot_index[i] == '0));
          assert (u_window.slot_q[i].desc.l4_offset <= offset_t'(HeaderBytes));
        end
        if (tracking && count_t'(i) == ahead) begin
          assert (u_window.slot_q[i] == data);
          assert (slot_index[i] == index_q);
        end
      end
      for (int unsigned i = 0; i <= K; i++) begin
        if (count_t'(i) == count) assert (slot_index[i] == next_index_q);
      end
    end
  end

  // The trim, in bytes that have come: `seen` before the flit that is offered, `now` with it.
  logic message_first_q, out_first_q, held_q;
  length_t limit, limit_q;
  bytes_t seen, seen_q, now, held_bytes_q;
  logic [W-1:0] held_data_q;
  logic take, reached, leaves;
  assign take = window_valid && window_ready;
  assign limit = message_first_q ? window_flit.desc.length : limit_q;
  assign seen = message_first_q ? '0 : seen_q;
  assign now = seen + bytes_t'(FlitBytes) - (window_flit.last ? bytes_t'(window_flit.empty) : '0);
  assign reached = limit != '0 && now >= bytes_t'(limit);
  assign leaves = held_q || reached ? window_flit.last : 1'b1;

  always_ff @(posedge clk_i) begin
    if (take) begin
      message_first_q <= window_flit.last;
      limit_q <= limit;
      seen_q <= limit != '0 ? now : '0;
      held_q <= !window_flit.last && (held_q || reached);
      if (!held_q && reached) begin
        held_data_q  <= window_flit.data;
        held_bytes_q <= bytes_t'(limit) - seen;
      end
      if (held_q) seen_q <= seen_q;
    end
    if (out_valid && out_ready_i) out_first_q <= out_flit.last;
    if (rst) begin
      message_first_q <= 1'b1;
      out_first_q <= 1'b1;
      held_q <= 1'b0;
    end
  end

  stream_check #(
      .T(flit_t)
  ) u_out_check (
      .clk_i,
      .rst_i(rst),
      .valid_i(out_valid),
      .ready_i(out_ready_i),
      .data_i(out_flit)
  );

  bytes_t out_bytes;
  assign out_bytes = bytes_t'(FlitBytes) - bytes_t'(out_flit.empty);
  always_ff @(posedge clk_i) begin
    if (!rst) begin
      assert ((out_valid && out_ready_i) == (take && leaves));
      // A flit that leaves waits for the output; one that is swallowed does not wait.
      assert (!window_valid || window_ready == (out_ready_i || !leaves));
      assert (too_short == (take && window_flit.last && !held_q && limit != '0 && now < bytes_t'(limit)));
      if (out_valid) begin
        for (int unsigned b = 0; b < FlitBytes; b++) assert (keep[b] == (bytes_t'(b) < out_bytes));
      end
      if (out_valid) assert (out_flit.first == out_first_q);
      if (take && leaves) begin
        if (held_q) begin
          assert (out_flit.last && out_flit.data == held_data_q && out_bytes == held_bytes_q);
          assert (out_flit.bad == window_flit.bad);
        end else begin
          assert (out_flit.data == window_flit.data && out_flit.desc == window_flit.desc);
          assert (out_flit.last == window_flit.last);
          if (reached) assert (out_bytes == bytes_t'(limit) - seen && out_flit.bad == window_flit.bad);
          else if (out_flit.last) begin
            assert (out_bytes == now - seen);
            assert (out_flit.bad == (window_flit.bad || limit != '0));
          end
        end
      end

      // For the induction.
      assert (message_first_q == (head_index_q == '0));
      assert (message_first_q == u_trim.first_q);
      assert (held_q == u_trim.tail_q);
      assert (out_first_q == (held_q ? u_trim.held_q.first : message_first_q));
      assert (!(held_q && message_first_q));
      if (held_q) begin
        assert (u_trim.ends_q);
        assert (u_trim.held_q.data == held_data_q && u_trim.held_q.last);
        assert (bytes_t'(FlitBytes) - bytes_t'(u_trim.held_q.empty) == held_bytes_q);
        assert (held_bytes_q != '0 && held_bytes_q <= bytes_t'(FlitBytes));
      end
      if (!message_first_q && !held_q) begin
        assert (u_trim.trim_q == (limit_q != '0));
        if (limit_q != '0) assert (bytes_t'(limit_q) > seen_q && bytes_t'(u_trim.left_q) == bytes_t'(limit_q) - seen_q);
        assert (u_trim.ends_q == (limit_q != '0 && bytes_t'(limit_q) - seen_q <= bytes_t'(FlitBytes)));
      end
    end
  end
endmodule
