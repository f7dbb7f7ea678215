// SPDX-License-Identifier: Apache-2.0
// Writes a packet's edits and updated checksums (RFC 1624) into one of its flits. A checksum of 0 that
// means "none" stays 0; a result of 0 that would mean "none" is written as 0xffff. Combinational.
module deparser_edit
  import girih_pkg::*, parser_pkg::*, rmt_pkg::*;
(
    input  verdict_t                                   verdict_i,
    input  logic     [$clog2(HeaderBytes/FlitBytes):0] number_i,   // of the flit; saturates past the header
    input  logic     [                          W-1:0] data_i,
    output logic     [                          W-1:0] data_o
);
  localparam int unsigned Lanes = W / 16;

  // Most flits pass unchanged; the simulator then skips the rest.
  logic in_header;
  assign in_header = verdict_i.edited && 32'(number_i) < HeaderBytes / FlitBytes;

  // The total is folded to 16 bits. It has two values that mean 0: a checksum that may not be 0 takes 0, whose complement
  // is 0xffff; any other takes 0xffff.
  logic [Sums-1:0][15:0] sum;
  always_comb begin
    logic [16:0] folded, more;
    folded = '0;
    more = '0;
    sum = '0;
    for (int unsigned s = 0; s < Sums; s++) begin
      if (in_header && verdict_i.sum[s].write && verdict_i.sum[s].mode != SumClear) begin
        folded = 17'(verdict_i.sum[s].total[15:0]) + 17'(verdict_i.sum[s].total[19:16]);
        more = 17'(verdict_i.sum[s].total[15:0]) + 17'(verdict_i.sum[s].total[19:16]) + 1'b1;
        sum[s] = ~((verdict_i.sum[s].mode == SumUdp ? more[16] : folded[16]) ? more[15:0] : folded[15:0]);
      end
    end
  end

  // The second half of an edit is in the lane after the first, or in lane 0 of the next flit.
  always_comb begin
    logic [7:0] here;
    logic [15:0] value;
    here = '0;
    value = '0;
    data_o = data_i;
    if (in_header) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        here = 8'(32'(number_i) * Lanes + lane);
        value = {data_i[16*lane+:8], data_i[16*lane+8+:8]};
        for (int unsigned e = 0; e < Edits; e++) begin
          if (verdict_i.edit[e].halves[1] && 8'(verdict_i.edit[e].place) == here) value = verdict_i.edit[e].value[31:16];
          if (verdict_i.edit[e].halves[0] && 8'(verdict_i.edit[e].place) == here - 8'd1) value = verdict_i.edit[e].value[15:0];
        end
        for (int unsigned s = 0; s < Sums; s++) begin
          if (verdict_i.sum[s].write && 8'(verdict_i.sum[s].place) == here) value = sum[s];
        end
        data_o[16*lane+:16] = {value[7:0], value[15:8]};
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, verdict_i.desc, verdict_i.ends, verdict_i.key, verdict_i.drop, verdict_i.mirror, verdict_i.mirror_exit};
endmodule
