// SPDX-License-Identifier: Apache-2.0
// Reads the options of an IPv4 header, one per cycle (up to three no-operations at once), so a header
// takes at most 29 cycles. Finds options whose length is out of range, and unfinished source routes
// (RFC 791, 3.1). valid_i and the header hold until done_o, with which the verdict comes. next_i
// restarts for the next packet.
module ipv4_options
  import net_pkg::*;
#(
    localparam int unsigned OptionWords = (Ipv4MaxBytes - Ipv4MinBytes) / 4
) (
    input logic clk_i,
    input logic rst_i,

    input logic                             valid_i,
    input logic [OptionWords-1:0][31:0]     options_i,  // in network order: the first word is the highest
    input logic [$clog2(OptionWords+1)-1:0] words_i,    // of options in this header
    input logic                             next_i,     // the packet leaves; restart

    output logic done_o,
    output logic malformed_o,
    output logic source_route_o
);
  localparam int unsigned Bytes = 4 * OptionWords;
  localparam int unsigned Reach = 3;  // bytes read together: type, length, pointer
  localparam logic [7:0] EndOfOptions = 8'd0;
  localparam logic [7:0] NoOperation = 8'd1;
  localparam logic [7:0] LooseSourceRoute = 8'd131;
  localparam logic [7:0] StrictSourceRoute = 8'd137;
  localparam logic [7:0] LeastPointer = 8'd4;
  typedef logic [$clog2(Bytes + Reach)-1:0] place_t;

  // verilator lint_off ASCRANGE
  logic [0:Bytes+Reach-1][7:0] bytes;
  // verilator lint_on ASCRANGE
  assign bytes = {options_i, (8 * Reach)'(0)};

  place_t place_q, left;
  logic [7:0] kind, length, pointer;
  assign kind = bytes[place_q];
  assign length = bytes[place_q+place_t'(1)];
  assign pointer = bytes[place_q+place_t'(2)];
  assign left = place_t'({words_i, 2'b0}) - place_q;

  logic ended, idle, has_route, wrong, unfinished;
  place_t step;
  assign ended = place_q >= place_t'({words_i, 2'b0}) || kind == EndOfOptions;
  assign idle = kind == NoOperation;
  assign has_route = kind inside {LooseSourceRoute, StrictSourceRoute};
  assign wrong = !idle && (left < place_t'(2) || length < 8'd2 || length > 8'(left)
      || (has_route && (length < 8'd3 || pointer < LeastPointer)));
  assign unfinished = has_route && pointer <= length;
  always_comb begin
    if (!idle) step = place_t'(length);
    else if (length != NoOperation) step = place_t'(1);
    else if (pointer != NoOperation) step = place_t'(2);
    else step = place_t'(3);
  end

  logic done_q, malformed_q, source_route_q;
  assign done_o = done_q;
  assign malformed_o = malformed_q;
  assign source_route_o = source_route_q;
  always_ff @(posedge clk_i) begin
    if (valid_i && !done_q) begin
      place_q <= place_q + step;
      done_q <= ended || wrong || unfinished;
      malformed_q <= !ended && wrong;
      source_route_q <= !ended && !wrong && unfinished;
    end
    if (rst_i || next_i) begin
      place_q <= '0;
      done_q  <= 1'b0;
    end
  end
endmodule
