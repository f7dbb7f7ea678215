// SPDX-License-Identifier: Apache-2.0
// Logarithms to base 2 and powers of 2 in fixed point, by tables of 256 entries. A logarithm is within 0.0034 of the true one, and the
// power of a number whose fraction has LogFraction bits within 0.3 %.
package logarithm_pkg;
  localparam int unsigned LogFraction = 10;  // bits behind the point
  localparam int unsigned PowerFraction = 11;
  typedef logic [LogFraction-1:0] log_fraction_t;
  typedef logic [PowerFraction-1:0] power_fraction_t;
  typedef log_fraction_t [255:0] log_table_t;
  typedef power_fraction_t [255:0] power_table_t;

  // log2(1 + (i + 1/2) / 256). Squaring a number doubles its logarithm; the next bit of this is 1 if the square is 2 or more.
  function automatic log_table_t make_log_table();
    logic [63:0] x;
    logic [LogFraction+1:0] bits;
    for (int unsigned i = 0; i < 256; i++) begin
      x = 64'(513 + 2 * i) << 21;  // 30 bits behind the point
      bits = '0;
      for (int unsigned b = 0; b <= LogFraction; b++) begin
        x = (x * x) >> 30;
        bits = (bits << 1) | (LogFraction + 2)'(x[31]);
        if (x[31]) x = x >> 1;
      end
      make_log_table[i] = log_fraction_t'((bits + 1'b1) >> 1);
    end
  endfunction

  // 2^((i + 1/2) / 256) - 1: the product of the roots for the bits of the exponent.
  localparam logic [8:0][31:0] Roots = {
    32'd1518500250, 32'd1276901417, 32'd1170923762, 32'd1121280436, 32'd1097253708, 32'd1085434106, 32'd1079572136, 32'd1076653033, 32'd1075196443
  };  // of 2, the square root first, then the fourth one and so on; 30 bits behind the point
  function automatic power_table_t make_power_table();
    logic [63:0] x;
    logic [8:0] exponent;
    for (int unsigned i = 0; i < 256; i++) begin
      x = 64'(1) << 30;
      exponent = 9'(2 * i + 1);
      for (int unsigned b = 0; b < 9; b++) if (exponent[b]) x = (x * 64'(Roots[b])) >> 30;
      make_power_table[i] = power_fraction_t'(x >> (30 - PowerFraction));
    end
  endfunction
  localparam log_table_t LogTable = make_log_table();
  localparam power_table_t PowerTable = make_power_table();
endpackage
