// SPDX-License-Identifier: Apache-2.0
// The policies of the services with their shifts clamped to what rank_stage and rank_ageing can handle, and the
// present level of each. Combinational.
module policy_bounds
  import policy_pkg::*;
#(
    parameter int unsigned Services = 8,
    parameter int unsigned Entries = 1024
) (
    input service_policy_t policy_i[Services],
    input time_t now_i,
    output service_policy_t policy_o[Services],
    output level_t now_level_o[Services]
);
  localparam int unsigned LeastShift = least_shift(Entries);

  for (genvar s = 0; s < Services; s++) begin : gen_service
    logic by_clock;
    assign by_clock = policy_i[s].policy inside {Slack, Shaped};
    always_comb begin
      policy_o[s] = policy_i[s];
      if (by_clock && policy_i[s].shift < 4'(LeastShift)) policy_o[s].shift = 4'(LeastShift);
      if (policy_i[s].shift > 4'(MostShift)) policy_o[s].shift = 4'(MostShift);
    end
    assign now_level_o[s] = level_t'(now_i >> policy_o[s].shift);
  end
endmodule
