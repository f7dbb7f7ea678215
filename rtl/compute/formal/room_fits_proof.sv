// SPDX-License-Identifier: Apache-2.0
// Proves room_fits: a message fits if its flits, counted one after another, do.
module room_fits_proof
  import girih_pkg::*;
(
    input logic clk_i,
    input length_t length_i,
    input length_t room_i
);
  logic fits;
  room_fits u_dut (
      .length_i,
      .room_i,
      .fits_o(fits)
  );

  int unsigned most;  // bytes that there is room for
  assign most = 32'(room_i) * FlitBytes;
  always_ff @(posedge clk_i) begin
    if (32'(room_i) >= MaxFrameFlits) assert (fits);
    else if (length_i == '0) assert (!fits);
    else assert (fits == (32'(length_i) <= most));
  end
endmodule
