// SPDX-License-Identifier: Apache-2.0
// Whether a message of length_i bytes fits into room_i flits; one of unknown length (0) as one of the largest size. Where that fits, every
// message does, since a longer one is cut. Combinational: a chain of carries, because the length comes late in the cycle.
module room_fits
  import girih_pkg::*;
(
    input  length_t length_i,
    input  length_t room_i,
    output logic    fits_o
);
  // flits + partial <= room: the carry of room - flits - partial.
  localparam int unsigned Places = $bits(length_t) + 1;
  length_t flits;
  logic partial, known, enough;  // the last flit is partial
  logic [Places:0] difference;
  assign flits = length_i >> EmptyWidth;
  assign partial = length_i[EmptyWidth-1:0] != '0;
  assign difference = {1'b0, room_i, 1'b1} + {1'b0, ~flits, !partial};
  assign enough = difference[Places];
  any_set #(
      .Width($bits(length_t))
  ) u_known (
      .bits_i(length_i),
      .any_o (known)
  );
  assign fits_o = room_i >= length_t'(MaxFrameFlits) || (known && enough);

  logic unused;
  assign unused = &{1'b0, difference[Places-1:0]};
endmodule
