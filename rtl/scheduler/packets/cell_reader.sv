// SPDX-License-Identifier: Apache-2.0
// Read side of packet_buffer: follows a packet's cells, one flit per cycle, and frees each cell with the
// read of its last flit. A request is taken in the cycle that reads its first flit, which is at the output in
// the next one, so there is no bubble between packets. The output register is that of the data RAM.
module cell_reader
  import girih_pkg::*;
#(
    parameter int unsigned Cells = 1024,
    parameter int unsigned CellFlits = 2,
    localparam int unsigned CellWidth = $clog2(Cells),
    localparam int unsigned FlitBits = $clog2(CellFlits),
    localparam int unsigned AddrWidth = CellWidth + FlitBits,
    localparam type cell_t = logic [CellWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        read_valid_i,
    output logic        read_ready_o,
    input  cell_t       read_first_i,
    input  length_t     read_length_i,
    input  descriptor_t read_desc_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    // The links, as the writer makes them.
    input logic  link_i,
    input cell_t link_cell_i,
    input cell_t link_next_i,

    output logic                 fetch_o,
    output logic [AddrWidth-1:0] fetch_addr_o,
    input  logic [        W-1:0] fetched_data_i,  // in the next cycle, until the next fetch

    output logic  free_o,
    output cell_t free_cell_o
);
  localparam int unsigned OffsetWidth = CellFlits > 1 ? FlitBits : 1;
  typedef logic [OffsetWidth-1:0] offset_in_cell_t;

  logic valid_q, last_q;
  logic [EmptyWidth-1:0] empty_q;
  descriptor_t desc_q;
  length_t left_q;  // flits of the packet that are still to be fetched
  cell_t cell_q;  // the cell of the last fetch
  offset_in_cell_t offset_q;  // of the next fetch in its cell; 0: it is in the next cell

  logic advance, start, more, several, last;  // several: the packet to read has several flits
  cell_t next_cell, cell_now;
  offset_in_cell_t offset;
  length_t left;  // after the fetch of this cycle
  assign advance = out_ready_i || !valid_q;
  assign more = left_q != '0;
  assign read_ready_o = advance && !more;
  assign start = read_valid_i && !more;
  assign fetch_o = advance && (more || read_valid_i);

  assign offset = more ? offset_q : '0;
  assign left = more ? left_q - 1'b1 : length_t'((read_length_i - 1'b1) >> EmptyWidth);
  assign last = more ? left_q == length_t'(1) : !several;
  // The length comes from a memory in this cycle.
  length_t full_flits;
  assign full_flits = read_length_i >> EmptyWidth;
  any_set #(
      .Width(3)
  ) u_several (
      .bits_i({full_flits >> 5 != '0, (full_flits >> 1 & length_t'(15)) != '0, full_flits[0] && read_length_i[EmptyWidth-1:0] != '0}),
      .any_o(several)
  );
  always_comb begin
    if (!more) cell_now = read_first_i;
    else cell_now = offset_q == '0 ? next_cell : cell_q;
  end

  if (CellFlits > 1) begin : gen_offset
    assign fetch_addr_o = {cell_now, offset};
  end else begin : gen_no_offset
    assign fetch_addr_o = cell_now;
  end
  assign free_o = fetch_o && (last || offset == offset_in_cell_t'(CellFlits - 1));
  assign free_cell_o = cell_now;

  ram_simple_dual #(
      .T(cell_t),
      .Depth(Cells)
  ) u_links (
      .clk_i,
      .write_enable_i(link_i),
      .write_addr_i(link_cell_i),
      .write_data_i(link_next_i),
      .read_enable_i(fetch_o && offset == '0 && !last),
      .read_addr_i(cell_now),
      .read_data_o(next_cell)
  );

  always_comb begin
    out_flit_o.desc = desc_q;
    out_flit_o.first = 1'b0;  // the tile's sender sets it
    out_flit_o.bad = 1'b0;
    out_flit_o.last = last_q;
    out_flit_o.empty = last_q ? empty_q : '0;
    out_flit_o.data = fetched_data_i;
  end
  assign out_valid_o = valid_q;

  always_ff @(posedge clk_i) begin
    if (advance) valid_q <= fetch_o;
    if (fetch_o) begin
      last_q <= last;
      left_q <= left;
      cell_q <= cell_now;
      offset_q <= offset == offset_in_cell_t'(CellFlits - 1) ? '0 : offset + 1'b1;
      if (start) desc_q <= read_desc_i;
      if (start) empty_q <= EmptyWidth'(-read_length_i);
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      left_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i && start) begin
      assert (read_length_i != '0)
      else $error("cell_reader: a packet without bytes is read");
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      held_back_in_the_middle : cover (out_valid_o && !out_ready_i && more);
      behind_another_at_once : cover (fetch_o && !more && valid_q);
      next_waits : cover (read_valid_i && !read_ready_o);
    end
  end
endmodule
