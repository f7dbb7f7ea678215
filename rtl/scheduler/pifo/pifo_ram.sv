// SPDX-License-Identifier: Apache-2.0
// Block RAM with one write port and Readers read ports, each with a latency of one cycle. A read returns what is written
// in the same cycle if write_addr_i is seen_addr_i. This is the address that the read is for; read_addr_i may differ from it if
// the user does not need the memory's answer when they differ, which lets it give read_addr_i earlier.
// Posted: the memory is written a cycle later, because write_enable_i is late in its cycle. Reads return the same.
module pifo_ram #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Readers = 1,
    parameter bit Posted = 1'b0,
    parameter int unsigned Late = 6,  // number of lower bits of seen_addr_i that arrive late in their cycle
    parameter bit After = 1'b0,  // ... so late that they are compared in the next cycle
    localparam int unsigned AddrWidth = $clog2(Depth)
) (
    input logic clk_i,
    input logic rst_i,

    input logic                 write_enable_i,
    input logic [AddrWidth-1:0] write_addr_i,
    input logic [    Width-1:0] write_data_i,

    input  logic [AddrWidth-1:0] read_addr_i[Readers],
    input  logic [AddrWidth-1:0] seen_addr_i[Readers],
    output logic [    Width-1:0] read_data_o[Readers],
    output logic [    Width-1:0] read_again_o[Readers]  // a copy by its own multiplexer, for a long path
);
  typedef logic [Width-1:0] data_t;

  data_t written_q;
  always_ff @(posedge clk_i) written_q <= write_data_i;

  logic store, posted_q;
  logic [AddrWidth-1:0] store_addr, posted_addr_q;
  data_t store_data, older_q;
  if (Posted) begin : gen_posted
    always_ff @(posedge clk_i) begin
      posted_q <= write_enable_i;
      posted_addr_q <= write_addr_i;
      older_q <= written_q;
    end
    assign store = posted_q;
    assign store_addr = posted_addr_q;
    assign store_data = written_q;
  end else begin : gen_at_once
    assign posted_q = 1'b0;
    assign posted_addr_q = '0;
    assign older_q = '0;
    assign store = write_enable_i;
    assign store_addr = write_addr_i;
    assign store_data = write_data_i;
  end

  for (genvar i = 0; i < Readers; i++) begin : gen_reader
    data_t read_data, stored;
    logic bypass, bypass_posted, bypass_again;

    ram_simple_dual #(
        .T(data_t),
        .Depth(Depth)
    ) u_ram (
        .clk_i,
        .write_enable_i(store),
        .write_addr_i(store_addr),
        .write_data_i(store_data),
        .read_enable_i(1'b1),
        .read_addr_i(read_addr_i[i]),
        .read_data_o(read_data)
    );

    pifo_same #(
        .Width(AddrWidth),
        .Late(Late),
        .After(After)
    ) u_bypass (
        .clk_i,
        .rst_i,
        .valid_i(write_enable_i),
        .a_i(write_addr_i),
        .b_i(seen_addr_i[i]),
        .same_o(bypass)
    );
    pifo_same #(
        .Width(AddrWidth),
        .Late(Late),
        .After(After),
        .Inverted(1'b1)
    ) u_bypass_again (
        .clk_i,
        .rst_i,
        .valid_i(write_enable_i),
        .a_i(write_addr_i),
        .b_i(seen_addr_i[i]),
        .same_o(bypass_again)
    );
    pifo_same #(
        .Width(AddrWidth),
        .Late(Late),
        .After(After)
    ) u_bypass_posted (
        .clk_i,
        .rst_i,
        .valid_i(posted_q),
        .a_i(posted_addr_q),
        .b_i(seen_addr_i[i]),
        .same_o(bypass_posted)
    );
    assign stored = bypass_posted ? older_q : read_data;
    assign read_data_o[i] = bypass ? written_q : stored;
    assign read_again_o[i] = bypass_again ? written_q : stored;
  end
endmodule
