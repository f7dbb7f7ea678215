// SPDX-License-Identifier: Apache-2.0
// Reports the flits of one link to the virtual card, for captures. Simulation only: it drives
// nothing, and calls the runtime only for flits that are transferred while it is enabled.
module link_probe
  import girih_pkg::*;
#(
    parameter int unsigned Index = 0  // of the link in the card's manifest
) (
    input logic clk_i,
    input logic enable_i,
    input logic valid_i,
    input logic ready_i,
    input flit_t flit_i
);
  // The widths in card/runtime/capture.cpp are those of girih_pkg, generated from the same source.
  import "DPI-C" function void girih_probe(
    input int unsigned index,
    input bit first,
    input bit bad,
    input bit last,
    input int unsigned valid_bytes,
    input bit [W-1:0] data,
    input bit [$bits(descriptor_t)-1:0] desc
  );

  always_ff @(posedge clk_i) begin
    if (enable_i && valid_i && ready_i) begin
      girih_probe(Index, flit_i.first, flit_i.bad, flit_i.last, FlitBytes - 32'(flit_i.empty), flit_i.data, flit_i.desc);
    end
  end
endmodule
