// SPDX-License-Identifier: Apache-2.0
// Sends mail to another core of the tile, one word at a time: each is offered until it is answered. Writes are ignored meanwhile.
module core_mail (
    input logic clk_i,
    input logic rst_i,
    input logic running_i,  // 0: the core is in reset, and sends none

    input logic [ 1:0] write_i,  // sends the word, sets the receiver
    input logic [31:0] data_i,

    output logic        send_valid_o,
    output logic [ 7:0] send_to_o,
    output logic [31:0] send_word_o,
    input  logic        sent_i,  // pulse: the answer
    input  logic        good_i,  // with it: the word is in the receiver's queue

    output logic good_o  // the last word was accepted; valid while none is offered
);
  logic valid_q, good_q;
  logic [7:0] to_q;
  logic [31:0] word_q;
  assign send_valid_o = valid_q;
  assign send_to_o = to_q;
  assign send_word_o = word_q;
  assign good_o = good_q;

  always_ff @(posedge clk_i) begin
    if (!valid_q && write_i[0]) to_q <= data_i[31:8] == '0 ? data_i[7:0] : '1;
    if (!valid_q && write_i[1]) begin
      word_q  <= data_i;
      valid_q <= running_i;
    end
    if (valid_q && sent_i) begin
      valid_q <= 1'b0;
      good_q  <= good_i;
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      good_q  <= 1'b0;
      to_q <= '0;
    end
  end
endmodule
