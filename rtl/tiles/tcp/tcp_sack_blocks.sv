// SPDX-License-Identifier: Apache-2.0
// Offers the blocks of a segment's SACK options, each as an event of the segment's connection, before the segment itself. An event without looks_i
// passes in the same cycle. Reading the options takes at most 40 cycles; but if they begin with two bytes of padding and SACK, and nothing follows, four
// cycles and two for each block. An option with a wrong length ends the options. A time stamp among them is shown with what is behind it.
module tcp_sack_blocks
  import tcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic                        in_valid_i,
    output logic                        in_ready_o,
    input  logic                        looks_i,
    input  logic [TcpOptionBytes*8-1:0] options_i,        // the first byte at the low end
    input  logic [                 5:0] options_bytes_i,

    output logic   out_valid_o,
    input  logic   out_ready_i,
    output logic   out_is_block_o,  // from a register, like the block, because the logic that offers the next event has a long path to ready
    output block_t out_block_o,
    output stamp_t out_stamp_o
);
  logic [TcpOptionBytes*8-1:0] options_q;  // the next byte at the low end
  logic [5:0] left_q;
  logic [7:0] skip_q;  // bytes left of the present option
  logic [2:0] blocks_q;  // of the option, which begin at the next byte
  logic looking_q, looked_q, is_block_q, offers_q;
  logic half_q;  // of the last block that was taken, four bytes are still to be passed
  block_t block_q;
  stamp_t stamp_q;
  logic [7:0] kind, bytes;
  logic direct;  // the options are SACK alone, after padding
  logic passes_word, passes_byte;
  assign kind = options_q[7:0];
  assign bytes = options_q[15:8];
  // Bytes pass one or four at a time, so that each bit of the options has a multiplexer of four.
  assign passes_word = half_q || (is_block_q ? !offers_q : skip_q >= 8'd4);
  assign passes_byte = !is_block_q && skip_q < 8'd4;

  assign out_is_block_o = offers_q;
  assign out_block_o = block_q;
  assign out_stamp_o = stamp_q;
  assign direct = options_i[23:0] == {8'd5, 8'd1, 8'd1} && options_i[31:24] == 8'(options_bytes_i) - 8'd2 && options_i[26:24] == 3'd2 && options_bytes_i > 6'd4;
  assign out_valid_o = offers_q || (in_valid_i && (!looks_i || looked_q));
  assign in_ready_o = out_ready_i && !offers_q && (!looks_i || looked_q);

  always_ff @(posedge clk_i) begin
    if (!looking_q || passes_word || passes_byte) begin
      unique case ({
        looking_q, looking_q ? passes_word : direct
      })
        2'b00: options_q <= options_i;
        2'b01: options_q <= options_i >> 32;
        2'b10: options_q <= options_q >> 8;
        2'b11: options_q <= options_q >> 32;
      endcase
    end
    if (!offers_q) begin
      block_q.first <= {<<8{options_q[31:0]}};
      block_q.behind <= {<<8{options_q[63:32]}};
    end
    offers_q <= offers_q ? !out_ready_i : is_block_q;
    half_q <= is_block_q && !offers_q;
    if (is_block_q) begin
      if (!offers_q) begin
        left_q <= left_q - 6'd8;
        blocks_q <= blocks_q - 1'b1;
        is_block_q <= blocks_q != 3'd1;
      end
    end else if (looking_q && left_q == '0) begin  // the last block is offered until the segment is, so it goes first
      looking_q <= 1'b0;
      looked_q  <= 1'b1;
    end else if (looking_q && !half_q) begin
      left_q <= !passes_word ? left_q - 6'd1 : left_q > 6'd4 ? left_q - 6'd4 : '0;
      if (skip_q != '0) begin
        skip_q <= skip_q - (passes_word ? 8'd4 : 8'd1);
        is_block_q <= blocks_q != '0;
      end else if (kind == 8'd0) begin
        left_q <= '0;
      end else if (kind != 8'd1) begin
        if (kind == 8'd8 && bytes == 8'(StampBytes) && left_q >= 6'(StampBytes)) begin
          stamp_q <= '{valid: 1'b1, value: {<<8{options_q[47:16]}}, echo: {<<8{options_q[79:48]}}};
        end
        if (left_q < 6'd2 || bytes < 8'd2 || bytes > 8'(left_q)) begin
          left_q <= '0;
        end else if (kind == 8'd5 && bytes[2:0] == 3'd2 && bytes != 8'd2) begin
          skip_q   <= 8'd1;
          blocks_q <= bytes[5:3];
        end else begin
          skip_q <= bytes - 8'd1;
        end
      end
    end else if (in_valid_i && looks_i && !looked_q) begin
      looking_q <= 1'b1;
      left_q <= direct ? options_bytes_i - 6'd4 : options_bytes_i;
      skip_q <= '0;
      blocks_q <= direct ? options_i[29:27] : '0;
      is_block_q <= direct;
    end
    if (in_valid_i && in_ready_o) begin
      looked_q <= 1'b0;
      stamp_q.valid <= 1'b0;
    end
    if (rst_i) begin
      looking_q <= 1'b0;
      looked_q <= 1'b0;
      stamp_q.valid <= 1'b0;
      is_block_q <= 1'b0;
      offers_q <= 1'b0;
      half_q <= 1'b0;
    end
  end
endmodule
