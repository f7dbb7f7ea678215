// SPDX-License-Identifier: Apache-2.0
// Block RAM behind the channels of an AXI4 port: a flit is read and one is written in every cycle. An access beyond its last page is
// answered with DECERR; a read then brings zeros. Answers leave in the order of the requests, and are always taken.
//
// The first flit of a read comes two cycles after its address was taken, the answer to a write a cycle after its last flit. A read in the
// very cycle of a write of the same flit waits for it. The address of a write is taken with its first flit, so for writes ready depends on valid.
module axi_ram
  import girih_pkg::*, memory_access_pkg::*, axi_pkg::*;
#(
    parameter int unsigned Pages = 64
) (
    input logic clk_i,
    input logic rst_i,

    input  logic     ar_valid_i,
    output logic     ar_ready_o,
    input  request_t ar_i,
    input  logic     aw_valid_i,
    output logic     aw_ready_o,
    input  request_t aw_i,
    input  logic     w_valid_i,
    output logic     w_ready_o,
    input  write_t   w_i,

    output logic  r_valid_o,
    output read_t r_o,
    output logic  b_valid_o,
    output done_t b_o
);
  localparam int unsigned PageBits = $clog2(PageBytes);
  if (Pages < 1 || Pages > 4096 || (Pages & (Pages - 1)) != 0) begin : gen_bad_pages
    $fatal(1, "axi_ram: Pages is %0d; it must be a power of two from 1 to 4096", Pages);
  end
  localparam int unsigned Bits = $clog2(Pages) + PageBits;  // of an address within the RAM
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] Decode = 2'b11;
  typedef logic [Bits-EmptyWidth-1:0] place_t;  // of a flit

  // What is left of the present burst.
  typedef struct packed {
    id_t id;
    logic missing;  // there is no memory
    place_t place;
    beats_t left;  // beats after the next one
  } burst_t;
  // verilator lint_off UNUSEDSIGNAL
  function automatic burst_t begun(request_t request);
    // verilator lint_on UNUSEDSIGNAL
    begun.id = request.id;
    begun.missing = |request.addr[AddrBits-1:Bits];
    begun.place = request.addr[Bits-1:EmptyWidth];
    begun.left = request.len;
  endfunction
  function automatic burst_t rest(burst_t burst);
    rest = burst;
    rest.place = burst.place + 1'b1;
    rest.left = burst.left - 1'b1;
  endfunction

  logic reads_q, writes_q, read, write, meets;  // writes_q: the next flit is not the first one
  burst_t read_q, write_q, written;
  assign written = writes_q ? write_q : begun(aw_i);
  assign w_ready_o = writes_q || aw_valid_i;
  assign aw_ready_o = !writes_q && w_valid_i;
  assign write = w_valid_i && w_ready_o;
  assign meets = write && written.place == read_q.place;
  assign read = reads_q && !meets;
  assign ar_ready_o = !reads_q || (!meets && read_q.left == '0);

  logic [W-1:0] data;
  logic missing_q;
  always_ff @(posedge clk_i) begin
    if (read) read_q <= rest(read_q);
    if (read && read_q.left == '0) reads_q <= 1'b0;
    if (write) begin
      write_q  <= rest(written);
      writes_q <= written.left != '0;
    end
    if (ar_valid_i && ar_ready_o) begin
      reads_q <= 1'b1;
      read_q  <= begun(ar_i);
    end
    r_valid_o <= read;
    r_o.id <= read_q.id;
    r_o.last <= read_q.left == '0;
    r_o.resp <= read_q.missing ? Decode : Okay;
    missing_q <= read_q.missing;
    b_valid_o <= write && written.left == '0;
    b_o.id <= written.id;
    b_o.resp <= written.missing ? Decode : Okay;
    if (rst_i) begin
      reads_q   <= 1'b0;
      writes_q  <= 1'b0;
      r_valid_o <= 1'b0;
      b_valid_o <= 1'b0;
    end
  end
  assign r_o.data = missing_q ? '0 : data;

  (* ram_style = "block" *) logic [W-1:0] mem[1 << $bits(place_t)];
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      if (write && !written.missing && w_i.strb[i]) mem[written.place][8*i+:8] <= w_i.data[8*i+:8];
    end
    if (read) data <= mem[read_q.place];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!write || w_i.last == (written.left == '0))
      else $error("axi_ram: a burst has more or fewer flits than its address says");
    end
  end
endmodule
