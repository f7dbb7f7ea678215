// SPDX-License-Identifier: Apache-2.0
// Counts, for each link between the fabric's routers, the cycles in which it held a flit that was not taken. (The tile's
// shell counts stalls between a tile and the fabric.) The counters have 64 bits and are read like those of tiles. A write
// ends with an error, and so does a read for a link that the fabric does not have.
module link_stalls #(
    parameter int unsigned Links = 0,  // none on a crossbar
    localparam int unsigned Bits = Links > 0 ? Links : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [Bits-1:0] stall_i,

    input  logic        request_i,  // one cycle; write_i and word_i hold until done_o
    input  logic        write_i,
    input  logic [10:0] word_i,  // {link, 1 for the high word}
    output logic        done_o,
    output logic        error_o,  // valid as long as word_i holds
    output logic [31:0] data_o
);
  if (Links == 1 || Links > 1024) begin : gen_bad_links
    $fatal(1, "link_stalls: Links is %0d; it must be 0 or from 2 to 1024", Links);
  end

  if (Links > 1) begin : gen_counters
    logic counter_done, unused_taken;
    assign error_o = write_i || 32'(word_i[10:1]) >= Links;
    counter_bank #(
        .Counters(Links)
    ) u_counters (
        .clk_i,
        .rst_i,
        .event_i(stall_i),
        .take_i (1'b0),
        .taken_o(unused_taken),
        .read_i (request_i && !error_o),
        .old_i  (1'b0),
        .word_i (word_i[$clog2(Links):0]),
        .done_o (counter_done),
        .data_o
    );
    assign done_o = counter_done || (request_i && error_o);
  end else begin : gen_none
    logic unused;
    assign unused = &{clk_i, rst_i, stall_i, write_i, word_i};
    assign error_o = 1'b1;
    assign done_o = request_i;
    assign data_o = '0;
  end
endmodule
