// SPDX-License-Identifier: Apache-2.0
// Reads the time stamp that a segment's options begin with, in the layout of RFC 7323, appendix A, which nearly all segments with time stamps have: two bytes
// of padding, and the option. The rest follows in the same cycle. Combinational.
module tcp_stamp_option
  import tcp_types_pkg::*;
(
    input  logic [TcpOptionBytes*8-1:0] options_i,        // the first byte at the low end
    input  logic [                 5:0] options_bytes_i,
    output stamp_t                      stamp_o,
    output logic [TcpOptionBytes*8-1:0] options_o,        // without it
    output logic [                 5:0] options_bytes_o
);
  localparam logic [31:0] Layout = {8'(StampBytes), 8'd8, 8'd1, 8'd1};
  logic starts;
  assign starts = options_bytes_i >= 6'(StampOptionBytes) && options_i[31:0] == Layout;
  assign stamp_o = '{valid: starts, value: {<<8{options_i[63:32]}}, echo: {<<8{options_i[95:64]}}};
  assign options_o = starts ? options_i >> (8 * StampOptionBytes) : options_i;
  assign options_bytes_o = starts ? options_bytes_i - 6'(StampOptionBytes) : options_bytes_i;
endmodule
