// SPDX-License-Identifier: Apache-2.0
// Parses a SYN's options. Those of the stacks that are known, at most six words of four bytes, take one cycle from start_i on: the MSS first, then in any
// order SACK permitted, the window scale, which is not in the fourth word, and a time stamp that begins in the second or third word, each behind such
// padding that it ends with its word. Others take as many cycles as they have bytes, and two. done_o then stays. An option with a wrong length ends the
// options, and the last one of its kind counts.
module tcp_syn
  import tcp_types_pkg::*;
(
    input logic clk_i,

    input logic                          start_i,
    input logic [TcpOptionBytes*8-1:0]   options_i,        // the first byte at the low end
    input logic [                 3:0]   options_words_i,  // of four bytes
    input logic [                 5:0]   rest_bytes_i,     // of these, behind a time stamp with which they begin

    // From the cycle after start_i on, as long as waits_i is up; if it is not up in that cycle, nobody needs what takes longer.
    input  logic                    waits_i,
    input  stamp_t                  stamp_i,   // with which the options begin
    input  logic [StampBytes*8-1:0] window_i,  // the next of the rest, the first byte at the low end
    output logic                    walks_o,   // it goes on by a byte

    output logic        done_o,
    output logic [13:0] mss_o,
    output logic        sacks_o,
    output logic        scaled_o,
    output logic [ 3:0] shift_o,
    output stamp_t      stamp_o
);
  typedef struct packed {
    logic [13:0] mss;
    logic sacks;
    logic scaled;
    logic [7:0] shift;
    stamp_t stamp;
  } found_t;
  localparam found_t Nothing = '{mss: 14'(DefaultMss), stamp: '0, default: '0};

  // All words at once. Those of a time stamp say nothing else.
  localparam int unsigned Words = 6;
  localparam int unsigned LastStamp = 2;  // the word in which a time stamp begins at the latest
  localparam int unsigned StampWords = (StampBytes - 2) / 4;  // behind this one
  localparam int unsigned NoScale = LastStamp + 1;  // either time stamp reaches into this word, and a scale in it would make the choice longer
  localparam logic [23:0] ScaleLayout = {8'd3, 8'd3, 8'd1};
  localparam logic [15:0] Padding = {8'd1, 8'd1}, Permit = {8'd2, 8'd4}, Stamp = {8'(StampBytes), 8'd8}, Mss = {8'd4, 8'd2};
  logic [Words-1:0][31:0] word;
  logic [Words:0] used;  // there is such a word
  // Kept, so that what follows from them is short.
  (* keep *) logic [LastStamp:1] stamps;  // the first four bytes of a time stamp
  (* keep *) logic [Words-1:1] looks;  // it is a window scale, unless it is inside a time stamp
  logic [Words-1:1] scales;
  logic [LastStamp:1] begins;  // the first of these, if all of it is there
  logic [Words-1:1] inner, permits, known;  // inner: the other words of a time stamp
  logic quick;
  found_t seen;
  always_comb begin
    for (int unsigned i = 0; i < Words; i++) word[i] = options_i[32*i+:32];
    for (int unsigned i = 0; i <= Words; i++) used[i] = options_words_i > 4'(i);
    for (int unsigned i = 1; i <= LastStamp; i++) stamps[i] = word[i][31:16] == Stamp && word[i][15:0] inside {Padding, Permit};
    inner = '0;
    for (int unsigned i = 1; i <= LastStamp; i++) begin
      begins[i] = stamps[i] && used[i+StampWords] && !inner[i];
      for (int unsigned b = 1; b <= StampWords; b++) if (stamps[i] && !inner[i]) inner[i+b] = 1'b1;
    end
    for (int unsigned i = 1; i < Words; i++) begin
      permits[i] = word[i] inside {{Permit, Padding}, {Padding, Permit}} || (word[i] == {16'h0, Permit} && !used[i+1]);  // 0 ends the options
      looks[i] = i != NoScale && used[i] && word[i][23:0] == ScaleLayout;
      scales[i] = looks[i] && !inner[i];
      known[i] = inner[i] || permits[i] || looks[i];
    end
    known[LastStamp:1] = known[LastStamp:1] | begins;
    quick = !used[Words] && (known | ~used[Words-1:1]) == '1 && (!used[0] || word[0][15:0] == Mss);
    seen = Nothing;
    if (used[0]) seen.mss = usable_mss({word[0][23:16], word[0][31:24]});
    seen.sacks = |(used[Words-1:1] & permits & ~inner);
    seen.scaled = |scales;
    for (int unsigned i = 1; i < Words; i++) if (scales[i]) seen.shift = word[i][31:24];
    seen.stamp.valid = |begins;
    for (int unsigned i = LastStamp; i >= 1; i--) begin
      if (begins[i] && word[i][15:0] == Permit) seen.sacks = 1'b1;
      if (i == LastStamp || stamps[i]) begin
        seen.stamp.value = {<<8{word[i+1]}};
        seen.stamp.echo  = {<<8{word[i+2]}};
      end
    end
  end

  // Or a byte in each cycle, from the cycle after the next on.
  logic [5:0] left_q;
  logic more_q, walks_q;  // there are options that have not been read; they are being read
  logic [7:0] skip_q;  // bytes left of the present option
  logic [7:0] kind, bytes;
  found_t found_q;
  assign kind = window_i[7:0];
  assign bytes = window_i[15:8];
  always_ff @(posedge clk_i) begin
    walks_q <= more_q && waits_i && !start_i;
    if (more_q && !walks_q) begin
      found_q <= Nothing;
      found_q.stamp <= stamp_i;
      more_q <= left_q != '0;
    end else if (more_q) begin
      left_q <= left_q - 1'b1;
      more_q <= left_q != 6'd1;
      if (skip_q != '0) begin
        skip_q <= skip_q - 1'b1;
      end else if (kind == 8'd0) begin
        more_q <= 1'b0;
      end else if (kind != 8'd1) begin
        if (left_q < 6'd2 || bytes < 8'd2 || bytes > 8'(left_q)) begin
          more_q <= 1'b0;
        end else begin
          skip_q <= bytes - 8'd1;
          if (kind == 8'd2 && bytes == 8'd4) found_q.mss <= usable_mss({window_i[23:16], window_i[31:24]});
          if (kind == 8'd4 && bytes == 8'd2) found_q.sacks <= 1'b1;
          if (kind == 8'd8 && bytes == 8'(StampBytes)) found_q.stamp <= '{valid: 1'b1, value: {<<8{window_i[47:16]}}, echo: {<<8{window_i[79:48]}}};
          if (kind == 8'd3 && bytes == 8'd3) begin
            found_q.scaled <= 1'b1;
            found_q.shift  <= window_i[23:16];
          end
        end
      end
    end
    if (start_i) begin
      left_q <= rest_bytes_i;
      more_q <= !quick;
      skip_q <= '0;
      found_q <= seen;
    end
  end

  assign walks_o = more_q && walks_q;
  assign done_o = !more_q;
  assign mss_o = found_q.mss;
  assign sacks_o = found_q.sacks;
  assign scaled_o = found_q.scaled;
  assign shift_o = found_q.shift > 8'd14 ? 4'd14 : found_q.shift[3:0];
  assign stamp_o = found_q.stamp;
endmodule
