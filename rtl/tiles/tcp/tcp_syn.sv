// SPDX-License-Identifier: Apache-2.0
// Parses a SYN's options, and computes the hash for the card's initial sequence number (RFC 6528), and for the offset of its clock of time stamps
// (RFC 7323, 7.1). The hash covers the tenant, because tenants may have the same addresses, and the number of one must not help another to guess its own.
// The peer sees both words, but cannot compute one from the other, nor the secret, without breaking the hash. They take at most 40 cycles from start_i on;
// done_o then stays, and hash_o has been there for four cycles. tuple_i and tenant_i are read from the cycle after start_i on. An option with a wrong length
// ends the options, and the last one of its kind counts.
module tcp_syn
  import girih_pkg::*, siphash_pkg::*, tcp_types_pkg::*;
(
    input logic clk_i,

    input logic                          start_i,
    input logic [TcpOptionBytes*8-1:0]   options_i,        // the first byte at the low end
    input logic [                 5:0]   options_bytes_i,
    input tuple_t                        tuple_i,          // from the cycle after start_i to the end
    input tenant_t                       tenant_i,         // with it
    input logic [                63:0]   secret_i,

    output logic        done_o,
    output logic [13:0] mss_o,
    output logic        sacks_o,
    output logic        scaled_o,
    output logic [ 3:0] shift_o,
    output stamp_t      stamp_o,
    output seq_t        hash_o,
    output seq_t        offset_o  // of the clock of time stamps
);
  // Options.
  logic [TcpOptionBytes*8-1:0] options_q;  // the next byte at the low end
  logic [5:0] left_q;
  logic more_q;  // left_q counts; otherwise all options have been read
  logic [7:0] skip_q;  // bytes left of the present option
  logic [7:0] kind, bytes;
  logic [2:0] step;
  logic [13:0] mss_q;
  logic sacks_q, scaled_q;
  logic [3:0] shift_q;
  stamp_t stamp_q;
  assign kind = options_q[7:0];
  assign bytes = options_q[15:8];
  always_comb begin
    if (skip_q != '0) step = skip_q > 8'd4 ? 3'd4 : skip_q[2:0];
    else step = 3'd1;
  end
  always_ff @(posedge clk_i) begin
    if (more_q) begin
      options_q <= options_q >> (8 * step);
      left_q <= left_q - 6'(step);
      more_q <= left_q > 6'(step);
      if (skip_q != '0) begin
        skip_q <= skip_q - 8'(step);
      end else if (kind == 8'd0) begin
        more_q <= 1'b0;
      end else if (kind != 8'd1) begin
        if (left_q < 6'd2 || bytes < 8'd2 || bytes > 8'(left_q)) begin
          more_q <= 1'b0;
        end else begin
          skip_q <= bytes - 8'd1;
          if (kind == 8'd2 && bytes == 8'd4) mss_q <= usable_mss({options_q[23:16], options_q[31:24]});
          if (kind == 8'd4 && bytes == 8'd2) sacks_q <= 1'b1;
          if (kind == 8'd8 && bytes == 8'(StampBytes)) stamp_q <= '{valid: 1'b1, value: {<<8{options_q[47:16]}}, echo: {<<8{options_q[79:48]}}};
          if (kind == 8'd3 && bytes == 8'd3) begin
            scaled_q <= 1'b1;
            shift_q  <= options_q[23:16] > 8'd14 ? 4'd14 : options_q[19:16];
          end
        end
      end
    end
    if (start_i) begin
      options_q <= options_i;
      left_q <= options_bytes_i;
      more_q <= options_bytes_i != '0;
      skip_q <= '0;
      mss_q <= 14'(DefaultMss);
      sacks_q <= 1'b0;
      scaled_q <= 1'b0;
      shift_q <= '0;
      stamp_q <= '0;
    end
  end

  // HalfSipHash-2-4 of the tuple and a byte for the tenant, with a result of two words, the second of which takes four rounds more. A round takes what it adds from registers, except for the first word, which comes with it.
  localparam int unsigned FirstRounds = 12, Rounds = 16;
  sip_t sip_q, sip_next;
  logic [4:0] round_q, following;
  logic [31:0] word, before_q, behind_q;  // the words that are added before and after this round
  logic first_q, ends_q, first_ends_q, hashed_q;
  seq_t hash_q;
  always_comb begin
    following = round_q + 1'b1;
    unique case (following[3:1])
      3'd0: word = tuple_i.remote_addr;
      3'd1: word = {tuple_i.remote_port, tuple_i.local_port};
      3'd2: word = tuple_i.local_addr;
      default: word = {8'd13, 24'(tenant_i)};  // the number of bytes, and the last of them
    endcase
    sip_next = sip_q;
    sip_next[3] = sip_next[3] ^ (first_q ? tuple_i.remote_addr : before_q);
    if (ends_q) sip_next[2] = sip_next[2] ^ 32'hee;
    if (first_ends_q) sip_next[1] = sip_next[1] ^ 32'hdd;
    sip_next = sip_round(sip_next);
    sip_next[0] = sip_next[0] ^ behind_q;
  end
  always_ff @(posedge clk_i) begin
    before_q <= following < 5'd8 && !following[0] ? word : '0;
    behind_q <= following < 5'd8 && following[0] ? word : '0;
    ends_q <= following == 5'd8;
    first_ends_q <= following == 5'(FirstRounds);
    if (first_ends_q) hash_q <= sip_q[1] ^ sip_q[3];
    first_q <= start_i;
    if (!hashed_q) begin
      sip_q    <= sip_next;
      round_q  <= following;
      hashed_q <= following == 5'(Rounds);
    end
    if (start_i) begin
      sip_q   <= sip_start(secret_i);
      round_q <= '0;
      hashed_q <= 1'b0;
      behind_q <= '0;
      ends_q <= 1'b0;
      first_ends_q <= 1'b0;
    end
  end

  assign done_o = hashed_q && !more_q;
  assign mss_o = mss_q;
  assign sacks_o = sacks_q;
  assign scaled_o = scaled_q;
  assign shift_o = shift_q;
  assign stamp_o = stamp_q;
  assign hash_o = hash_q;
  assign offset_o = sip_q[1] ^ sip_q[3];
endmodule
