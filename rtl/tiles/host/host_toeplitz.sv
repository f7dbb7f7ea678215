// SPDX-License-Identifier: Apache-2.0
// The lowest bits of the Toeplitz hash of a flow (virtio 1.2, 5.1.6.4.3), by which receive-side scaling selects an entry of a table. Each bit of the
// flow that is set adds the 32 bits of the key that begin at its place. Combinational.
module host_toeplitz
  import host_access_pkg::*;
#(
    parameter int unsigned FlowBits = 288,
    parameter int unsigned Bits = 5
) (
    input  logic [    FlowBits-1:0] flow_i,  // its first bit is the uppermost; zeros behind a shorter one
    input  logic [8*RssKeyBytes-1:0] key_i,   // likewise
    output logic [        Bits-1:0] hash_o
);
  localparam int unsigned HashBits = 32;
  if (FlowBits + HashBits > 8 * RssKeyBytes) begin : gen_bad_flow
    $fatal(1, "host_toeplitz: a flow of %0d bits takes a key of %0d; there are %0d", FlowBits, FlowBits + HashBits, 8 * RssKeyBytes);
  end
  for (genvar b = 0; b < int'(Bits); b++) begin : gen_bit
    assign hash_o[b] = ^(flow_i & key_i[8*RssKeyBytes-HashBits+b-:FlowBits]);
  end
  logic unused;
  assign unused = &{1'b0, key_i};
endmodule
