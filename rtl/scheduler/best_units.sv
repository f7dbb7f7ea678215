// SPDX-License-Identifier: Apache-2.0
// The best unit of each service: of its enabled units the one with the most credits, and the lowest index among equals.
// Each pair of units is compared once, for all services. consume_i arrives late in the cycle, so the comparisons are made
// for a unit that loses a credit and for one that does not, and consume_i only chooses between their results.
module best_units
  import girih_pkg::service_t;
#(
    parameter int unsigned Units = 8,
    parameter int unsigned FewUnits = 16,  // above this number the simulator compares pairs in loops; the hardware is the same
    parameter int unsigned BalanceWidth = 11,
    localparam type balance_t = logic signed [BalanceWidth-1:0],
    localparam type units_t = logic [Units-1:0]
) (
    input balance_t                  balance_i[Units],  // without the consume of this cycle
    input logic     [Units-1:0]      unit_enabled_i,
    input service_t [Units-1:0]      unit_service_i,
    input units_t                    consume_i,         // one-hot: this unit loses a credit in this cycle

    output units_t peers_o[Units],  // the other enabled units of the same service
    output units_t best_o           // the best unit of each service, after consume_i
);
  typedef logic signed [BalanceWidth:0] difference_t;

  // These are read for peers only.
  units_t behind[Units];  // behind[i][j]: i is behind j
  units_t behind_less[Units];  // i is behind j once i has lost a credit
  units_t level[Units];  // i is not behind j once j has lost a credit

  // The same hardware is written twice for the simulator: a statement for each pair is faster while there are few pairs, but
  // those of 64 units would be a third of the scheduler's program.
  if (Units <= FewUnits) begin : gen_statements
    for (genvar i = 0; i < Units; i++) begin : gen_unit
      assign behind[i][i] = 1'b0;
      assign behind_less[i][i] = 1'b0;
      assign level[i][i] = 1'b0;
      for (genvar j = 0; j < Units; j++) begin : gen_peer
        assign peers_o[i][j] = i != j && unit_enabled_i[i] && unit_enabled_i[j] && unit_service_i[i] == unit_service_i[j];
      end
      for (genvar j = i + 1; j < Units; j++) begin : gen_pair
        difference_t difference;
        logic at_least, alike, more, nearly;
        assign difference = difference_t'(balance_i[i]) - difference_t'(balance_i[j]);
        assign at_least = !difference[BalanceWidth];
        assign alike = difference[BalanceWidth-1:0] == {BalanceWidth{difference[BalanceWidth]}};  // the difference is 0 or -1
        assign more = at_least && !alike;
        assign nearly = at_least || alike;
        assign behind[i][j] = !at_least;
        assign behind[j][i] = at_least;
        assign behind_less[i][j] = !more;
        assign behind_less[j][i] = nearly;
        assign level[i][j] = nearly;
        assign level[j][i] = !more;
      end
    end
  end else begin : gen_loops
    always_comb begin
      peers_o = '{default: '0};
      /* verilator unroll_disable */
      for (int unsigned i = 0; i < Units; i++) begin
        /* verilator unroll_disable */
        for (int unsigned j = 0; j < i; j++) begin
          if (unit_enabled_i[i] && unit_enabled_i[j] && unit_service_i[i] == unit_service_i[j]) begin
            peers_o[i][j] = 1'b1;
            peers_o[j][i] = 1'b1;
          end
        end
      end
    end
    always_comb begin
      behind = '{default: '0};
      behind_less = '{default: '0};
      level = '{default: '0};
      /* verilator unroll_disable */
      for (int unsigned i = 0; i < Units; i++) begin
        /* verilator unroll_disable */
        for (int unsigned j = i + 1; j < Units; j++) begin
          if (peers_o[i][j]) begin
            automatic difference_t difference = difference_t'(balance_i[i]) - difference_t'(balance_i[j]);
            automatic logic at_least = !difference[BalanceWidth];
            automatic logic alike = difference[BalanceWidth-1:0] == {BalanceWidth{difference[BalanceWidth]}};
            automatic logic more = at_least && !alike;
            automatic logic nearly = at_least || alike;
            behind[i][j] = !at_least;
            behind[j][i] = at_least;
            behind_less[i][j] = !more;
            behind_less[j][i] = nearly;
            level[i][j] = nearly;
            level[j][i] = !more;
          end
        end
      end
    end
  end

  if (Units == 1) begin : gen_alone
    logic unused;
    assign unused = &{1'b0, balance_i[0]};
  end

  // A unit that is behind exactly one other becomes the best if the other loses a credit and is then no longer ahead.
  for (genvar i = 0; i < Units; i++) begin : gen_best
    units_t ahead_of_it, passes;
    logic several, best_still, best_less;
    assign ahead_of_it = behind[i] & peers_o[i];
    assign several = (ahead_of_it & (ahead_of_it - 1'b1)) != '0;
    assign passes = ahead_of_it & level[i] & {Units{unit_enabled_i[i] && !several}};
    assign best_still = unit_enabled_i[i] && ahead_of_it == '0;
    assign best_less = unit_enabled_i[i] && (behind_less[i] & peers_o[i]) == '0;
    assign best_o[i] = (consume_i[i] ? best_less : best_still) || (consume_i & passes) != '0;
  end
endmodule
