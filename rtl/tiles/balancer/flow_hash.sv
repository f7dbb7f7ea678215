// SPDX-License-Identifier: Apache-2.0
// The CRC of a flow's bits, the uppermost first, without a register. Bits of 0 before a flow change nothing, so flows of several lengths can share this
// module, each at the low end. The CRC proper begins with a register of ones: for that the user inverts the first 16 bits of the flow.
module flow_hash #(
    parameter int unsigned Bits = 104
) (
    input  logic [Bits-1:0] flow_i,
    output logic [    15:0] hash_o
);
  // Of the usual 16-bit polynomials, this one spreads consecutive ports and addresses best.
  localparam logic [15:0] Polynomial = 16'h3d65;

  // Each bit of the CRC is the parity of some bits of the flow. The last bit of the flow adds the polynomial, and each bit before it what the next one
  // adds, a step of the CRC later.
  function automatic logic [15:0][Bits-1:0] hash_taps();
    logic [15:0] adds;
    adds = Polynomial;
    for (int unsigned i = 0; i < Bits; i++) begin
      for (int unsigned b = 0; b < 16; b++) hash_taps[b][i] = adds[b];
      adds = {adds[14:0], 1'b0} ^ (adds[15] ? Polynomial : '0);
    end
  endfunction
  localparam logic [15:0][Bits-1:0] Taps = hash_taps();

  for (genvar b = 0; b < 16; b++) begin : gen_hash
    assign hash_o[b] = ^(flow_i & Taps[b]);
  end
endmodule
