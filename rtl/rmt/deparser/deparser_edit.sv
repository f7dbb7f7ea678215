// SPDX-License-Identifier: Apache-2.0
// Writes a packet's edits and updated checksums (RFC 1624) into one of its flits. A checksum of 0 that
// means "none" stays 0; a result of 0 that would mean "none" is written as 0xffff. Combinational.
module deparser_edit
  import girih_pkg::*, parser_pkg::*, rmt_pkg::*, checksum_pkg::*;
(
    input  verdict_t                                   verdict_i,
    input  logic     [$clog2(HeaderBytes/FlitBytes):0] number_i,   // of the flit; saturates past the header
    input  logic     [                          W-1:0] data_i,
    output logic     [                          W-1:0] data_o
);
  localparam int unsigned Lanes = W / 16;

  halfword_t [Edits-1:0] second;
  for (genvar e = 0; e < int'(Edits); e++) begin : gen_second
    assign second[e] = verdict_i.edit[e].place + 1'b1;
  end

  // Most flits pass unchanged; the simulator then skips the rest.
  logic in_header;
  assign in_header = verdict_i.edited && 32'(number_i) < HeaderBytes / FlitBytes;

  logic [Sums-1:0] write;
  logic [Sums-1:0][15:0] sum;
  always_comb begin
    write = '0;
    sum = '0;
    for (int unsigned s = 0; s < Sums; s++) begin
      if (in_header && verdict_i.sum[s].touched) begin
        write[s] = verdict_i.sum[s].mode != SumUdp || verdict_i.sum[s].old != '0;
        if (verdict_i.sum[s].mode != SumClear) begin
          sum[s] = ~add(~verdict_i.sum[s].old, fold(24'(verdict_i.sum[s].delta)));
          if (verdict_i.sum[s].mode == SumUdp && sum[s] == '0) sum[s] = '1;
        end
      end
    end
  end

  always_comb begin
    halfword_t here;
    logic [15:0] value;
    here = '0;
    value = '0;
    data_o = data_i;
    if (in_header) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        here = halfword_t'(32'(number_i) * Lanes + lane);
        value = {data_i[16*lane+:8], data_i[16*lane+8+:8]};
        for (int unsigned e = 0; e < Edits; e++) begin
          if (verdict_i.edit[e].halves[1] && verdict_i.edit[e].place == here) value = verdict_i.edit[e].value[31:16];
          if (verdict_i.edit[e].halves[0] && second[e] == here) value = verdict_i.edit[e].value[15:0];
        end
        for (int unsigned s = 0; s < Sums; s++) begin
          if (write[s] && verdict_i.sum[s].place == here) value = sum[s];
        end
        data_o[16*lane+:16] = {value[7:0], value[15:8]};
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, verdict_i.desc, verdict_i.drop, verdict_i.mirror, verdict_i.mirror_exit};
endmodule
