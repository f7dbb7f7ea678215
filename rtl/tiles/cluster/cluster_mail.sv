// SPDX-License-Identifier: Apache-2.0
// Mail between the cores of a cluster: a queue of Words words for each, in which mail of one sender keeps its order. One mail moves in a cycle, and senders take turns.
// Mail for a core that does not run, that is not there or whose queue is full is refused: no sender waits for a receiver. What is in the queue of a core that is
// reset is lost. The sender's number is stamped here.
module cluster_mail #(
    parameter int unsigned Cores = 4,
    parameter int unsigned Words = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Cores-1:0] running_i,

    input  logic [Cores-1:0]       send_valid_i,  // until it has its answer
    input  logic [Cores-1:0][ 7:0] send_to_i,
    input  logic [Cores-1:0][31:0] send_word_i,
    output logic [Cores-1:0]       sent_o,
    output logic                   good_o,        // with it: the mail is in the queue

    output logic [Cores-1:0]       mail_valid_o,
    output logic [Cores-1:0][ 7:0] mail_from_o,
    output logic [Cores-1:0][31:0] mail_word_o,
    input  logic [Cores-1:0]       mail_take_i,

    output logic             refused_o,
    output logic [Cores-1:0] lost_o
);
  typedef struct packed {
    logic [ 7:0] from;
    logic [31:0] word;
  } mail_t;

  // The mail that moves, in a register; its sender offers it until then.
  logic [Cores-1:0] turn, from_q, room, to;
  logic moves_q;
  logic [7:0] to_q;
  mail_t mail_q;
  arbiter_round_robin #(
      .N(Cores)
  ) u_turn (
      .clk_i,
      .rst_i,
      .request_i(send_valid_i & ~sent_o),
      .advance_i(1'b1),
      .grant_o  (turn)
  );
  always_ff @(posedge clk_i) begin
    mail_q <= '0;
    to_q <= '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      if (turn[i]) begin
        mail_q <= '{from: 8'(i), word: send_word_i[i]};
        to_q   <= send_to_i[i];
      end
    end
    from_q  <= turn;
    moves_q <= turn != '0;
    if (rst_i) moves_q <= 1'b0;
  end
  assign sent_o = from_q & {Cores{moves_q}};
  assign good_o = |(to & room & running_i);
  assign refused_o = moves_q && !good_o;

  for (genvar i = 0; i < int'(Cores); i++) begin : gen_queue
    assign to[i] = moves_q && to_q == 8'(i);
    mail_t mail;
    fifo #(
        .T(mail_t),
        .Depth(Words)
    ) u_queue (
        .clk_i,
        .rst_i,
        .in_valid_i(to[i] && running_i[i]),
        .in_ready_o(room[i]),
        .in_data_i(mail_q),
        .out_valid_o(mail_valid_o[i]),
        .out_ready_i(mail_take_i[i] || !running_i[i]),
        .out_data_o(mail)
    );
    assign mail_from_o[i] = mail.from;
    assign mail_word_o[i] = mail.word;
    assign lost_o[i] = mail_valid_o[i] && !running_i[i];
  end
endmodule
