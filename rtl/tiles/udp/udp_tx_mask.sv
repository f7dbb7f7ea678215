// SPDX-License-Identifier: Apache-2.0
// The bytes of a packet that the UDP checksum covers and that udp_tx sums: the addresses, the ports and, with tail_i, the payload. Combinational, one level
// of look-up tables behind the place. A module of its own in the netlist too: a mapper that saves area around it makes each bit from others.
(* keep_hierarchy *)
module udp_tx_mask
  import girih_pkg::*, net_pkg::*, header_pkg::*;
(
    input  l4_place_t   place_i,   // of the UDP header
    input  logic        tagged_i,
    input  logic        tail_i,
    output flits_mask_t mask_o     // from the packet's first byte on
);
  always_comb begin
    mask_o = {$bits(flits_mask_t) {tail_i}};
    mask_o[L4First-1:0] = '0;
    for (int unsigned i = 0; i <= L4Places; i++) begin
      mask_o[L4First+4*i+:4] = {4{i == 32'(place_i) || (tail_i && i > 1 && !exceeds(offset_t'(place_i), i - 2))}};
    end
    if (tagged_i) mask_o[L3Tagged+Ipv4Addresses+:8] = '1;
    else mask_o[L3Untagged+Ipv4Addresses+:8] = '1;
  end
endmodule
