// SPDX-License-Identifier: Apache-2.0
// Builds a key of Halves halfwords from a packet's header vector; the first one is the most
// significant. Bits that the configuration masks are 0. Combinational.
module match_key
  import rmt_pkg::*, match_pkg::*;
#(
    parameter int unsigned Halves = 4
) (
    input  logic                   valid_i,  // 0: the key is undefined
    input  phv_t                   phv_i,
    input  key_half_t [Halves-1:0] cfg_i,  // [0] is the first half
    output logic [16*Halves-1:0]   key_o
);
  if (Halves < 1 || Halves > MaxKeyHalves) begin : gen_bad_halves
    $fatal(1, "match_key: Halves is %0d; it must be from 1 to 10", Halves);
  end

  sources_t sources;
  always_comb begin
    sources = 'x;
    if (valid_i) sources = sources_of(phv_i);
  end

  for (genvar h = 0; h < int'(Halves); h++) begin : gen_half
    match_half u_half (
        .valid_i,
        .sources_i(sources),
        .number_i (cfg_i[h].number),
        .take_i   (cfg_i[h].mask),
        .other_i  ('0),
        .half_o   (key_o[16*(Halves-1-h)+:16])
    );
  end
endmodule
