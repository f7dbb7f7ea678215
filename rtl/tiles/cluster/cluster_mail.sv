// SPDX-License-Identifier: Apache-2.0
// Mail between the cores of a cluster: each core has a queue, in which mail of one sender keeps its order. Each sender has a place of its own in
// each queue, and all share Words more, so a sender that fills the shared places leaves every other sender its own. One word of mail moves per
// cycle, and senders take turns. Mail is refused if the receiver does not run, does not exist or has no place for it: no sender waits for a
// receiver. Mail in the queue of a core that is reset is lost. The sender's number is stamped here.
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
    logic own;  // it occupies its sender's own place
    logic [7:0] from;
    logic [31:0] word;
  } mail_t;
  typedef logic [$clog2(Words+1)-1:0] count_t;

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
        mail_q <= '{own: 1'b0, from: 8'(i), word: send_word_i[i]};
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
    mail_t mail, mail_in;
    logic [Cores-1:0] own_q;  // senders whose own places are taken
    count_t shared_q;  // shared places that are taken
    logic own, puts, takes, ready;
    assign own = (from_q & own_q) == '0;
    assign room[i] = own || shared_q != count_t'(Words);
    assign puts = to[i] && running_i[i] && room[i];
    assign takes = mail_valid_o[i] && (mail_take_i[i] || !running_i[i]);
    always_comb begin
      mail_in = mail_q;
      mail_in.own = own;
    end
    always_ff @(posedge clk_i) begin
      shared_q <= shared_q + count_t'(puts && !own) - count_t'(takes && !mail.own);
      for (int unsigned k = 0; k < Cores; k++) begin
        if (puts && own && from_q[k]) own_q[k] <= 1'b1;
        if (takes && mail.own && mail.from == 8'(k)) own_q[k] <= 1'b0;
      end
      if (rst_i) begin
        shared_q <= '0;
        own_q <= '0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!puts || ready)
        else $error("cluster_mail: a queue has more mail than places");
      end
    end
    fifo #(
        .T(mail_t),
        .Depth(2 ** $clog2(Words + Cores))
    ) u_queue (
        .clk_i,
        .rst_i,
        .in_valid_i(puts),
        .in_ready_o(ready),
        .in_data_i(mail_in),
        .out_valid_o(mail_valid_o[i]),
        .out_ready_i(takes),
        .out_data_o(mail)
    );
    assign mail_from_o[i] = mail.from;
    assign mail_word_o[i] = mail.word;
    assign lost_o[i] = mail_valid_o[i] && !running_i[i];
  end
endmodule
