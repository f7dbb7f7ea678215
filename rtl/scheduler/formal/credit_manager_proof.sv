// SPDX-License-Identifier: Apache-2.0
// Proves credit_manager for units that give back what they have and a dispatcher that obeys:
// a balance and what is outstanding always add up to the credits of the configuration, the unit's
// messages are what is outstanding, nothing is sent without a credit, the best unit has the most credits,
// and without pushed messages (Push = 0) a unit never has more messages than credits.
module credit_manager_proof
  import sched_pkg::*;
#(
    parameter int unsigned Units = 2,
    parameter bit Push = 1,
    parameter int unsigned LosslessSlots = 2,
    parameter int unsigned FewUnits = 16,
    localparam int unsigned UnitWidth = Units > 1 ? $clog2(Units) : 1
) (
    input logic clk_i,
    input logic [Units-1:0] give_i,
    input logic [Units-1:0] give_lossless_i,
    input logic [Units-1:0] cancel_i,
    input logic [Units-1:0] enabled_i,
    input logic [Units-1:0][3:0] service_i,
    input logic [Units-1:0][7:0] credits_i,
    input logic consume_i,
    input logic [UnitWidth-1:0] consume_unit_i,
    input logic consume_lossless_i,
    input logic spare_i,
    input logic [UnitWidth-1:0] spare_unit_i
);
  localparam int unsigned Services = 2;
  typedef logic signed [15:0] number_t;

  logic rst;
  proof_reset u_reset (
      .clk_i,
      .rst_o(rst)
  );

  // The configuration does not change.
  logic [Units-1:0] enabled_q;
  logic [Units-1:0][3:0] service_q;
  logic [Units-1:0][7:0] credits_q;
  always_ff @(posedge clk_i) begin
    enabled_q <= enabled_i;
    service_q <= service_i;
    credits_q <= credits_i;
    if (!rst) assume (enabled_i == enabled_q && service_i == service_q && credits_i == credits_q);
  end

  logic [Units-1:0] credit_ok, lossless_ok;
  logic consume;
  assign consume = consume_i && 32'(consume_unit_i) < Units && (consume_lossless_i ? lossless_ok[consume_unit_i] : credit_ok[consume_unit_i]);

  credit_t credit[Units];
  logic [Units-1:0] spare;
  logic [9:0] held_q[Units];  // messages at the unit, and on the way to it; of these, lossless ones (or taken for such)
  logic [9:0] held_lossless_q[Units];

  credit_manager #(
      .Units(Units),
      .Services(Services),
      .LosslessSlots(LosslessSlots),
      .FewUnits(FewUnits)
  ) u_dut (
      .clk_i,
      .rst_i(rst),
      .credit_i(credit),
      .unit_enabled_i(enabled_i),
      .unit_service_i(service_i),
      .unit_credits_i(credits_i),
      .unit_node_i('0),
      .affinity_i('0),
      .consume_i(Units'(consume) << consume_unit_i),
      .consume_lossless_i,
      .spare_valid_i(|spare),
      .spare_unit_i,
      .credit_ok_o(credit_ok),
      .lossless_ok_o(lossless_ok),
      .best_valid_o(),
      .best_credit_ok_o(),
      .best_lossless_ok_o(),
      .best_unit_o(),
      .best_node_o(),
      .flow_i('0),
      .flow_service_i('0),
      .flow_unit_o(),
      .credits_o()
  );

  number_t balance[Units];
  for (genvar i = 0; i < Units; i++) begin : gen_unit
    logic give, give_lossless, cancel, sent;
    assign give = give_i[i] && held_q[i] != '0;
    assign give_lossless = give && (held_q[i] == held_lossless_q[i] || (give_lossless_i[i] && held_lossless_q[i] != '0));
    assign spare[i] = spare_i && spare_unit_i == UnitWidth'(i) && held_lossless_q[i] > 10'(give_lossless);
    assign cancel = Push && cancel_i[i] && held_q[i] < 10'd1000;
    assign credit[i] = '{give: give, give_lossless: give_lossless, cancel: cancel};
    assign sent = consume && consume_unit_i == UnitWidth'(i);

    always_ff @(posedge clk_i) begin
      held_q[i] <= held_q[i] + 10'(sent) + 10'(cancel) - 10'(give);
      held_lossless_q[i] <= held_lossless_q[i] + 10'(sent && consume_lossless_i) - 10'(give_lossless) - 10'(spare[i]);
      if (rst) begin
        held_q[i] <= '0;
        held_lossless_q[i] <= '0;
      end
    end

    number_t outstanding, heard;
    logic [9:0] lossless;
    assign outstanding = number_t'({6'b0, u_dut.gen_unit[i].outstanding_q}) + number_t'({1'b0, u_dut.gen_unit[i].consume_q});
    assign lossless = 10'(u_dut.gen_unit[i].lossless_q) + 10'(u_dut.gen_unit[i].lossless_consume_q);
    assign heard = number_t'({1'b0, u_dut.gen_unit[i].event_q.cancel}) - number_t'({1'b0, u_dut.gen_unit[i].event_q.give});
    assign balance[i] = number_t'({8'b0, credits_i[i]}) - outstanding;

    always_ff @(posedge clk_i) begin
      if (!rst) begin
        assert (outstanding + heard == number_t'({6'b0, held_q[i]}));
        assert (number_t'(u_dut.balance[i]) == balance[i] - heard);
        assert (held_lossless_q[i] <= held_q[i] && held_q[i] <= 10'd1001);
        assert (lossless == held_lossless_q[i] +
                10'(u_dut.gen_unit[i].event_q.give && u_dut.gen_unit[i].event_q.give_lossless) +
                10'(u_dut.spare_valid_q && u_dut.spare_unit_q == UnitWidth'(i)));
        assert (32'(lossless) <= LosslessSlots);
        assert (!u_dut.gen_unit[i].event_q.give_lossless || u_dut.gen_unit[i].event_q.give);
        assert (!credit_ok[i] || (enabled_i[i] && balance[i] > 0));
        assert (!lossless_ok[i] || (credit_ok[i] && 32'(lossless) < LosslessSlots));
        assert (!sent || balance[i] > 0);
        if (!Push) begin
          assert (!u_dut.gen_unit[i].event_q.cancel);
          assert (balance[i] >= 0 && held_q[i] <= 10'(credits_i[i]));
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst) begin
      for (int i = 0; i < Units; i++) begin
        for (int j = 0; j < Units; j++) begin
          if (u_dut.best_q[i] && enabled_i[j] && service_i[i] == service_i[j]) assert (balance[i] >= balance[j]);
        end
      end
    end
  end
endmodule
