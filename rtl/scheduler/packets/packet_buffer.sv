// SPDX-License-Identifier: Apache-2.0
// Packet memory of one channel of the scheduler: packets in cells of CellFlits flits, linked to
// chains. A packet is named by its handle {first cell, last cell, number of cells}.
//
// In: one flit per cycle. With in_waits_i a packet waits for cells; without, a packet that finds none is taken to
// its end, discarded, and reported with stored_overflow_o. The last reserve_i free cells are for packets with
// in_reserved_i only. Packets are reported in order, one per cycle, in the cycle after their last flit. Bytes past
// desc.length (if it is not 0) are not stored. A packet that is bad or overflows keeps no cell: it is reported, and
// its handle is invalid.
//
// Out: one flit per cycle, no bubble between packets, the first flit in the cycle after the request.
// The descriptor comes with the request. A cell is free as soon as it is read. A stored packet is
// either read or discarded, once; a discard, at most one per cycle, delays nothing else.
module packet_buffer
  import girih_pkg::*;
#(
    parameter int unsigned Cells = 1024,  // a power of two
    parameter int unsigned CellFlits = 2,  // 1, 2, 4 ...
    parameter int unsigned Reports = 4,  // packets that wait for stored_ready_i
    localparam int unsigned CellWidth = $clog2(Cells),
    localparam type cell_t = logic [CellWidth-1:0],
    localparam type count_t = logic [CellWidth:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,  // depends on in_flit_i and on the six inputs below
    input  flit_t in_flit_i,
    // With the first flit of a packet, for both values of in_which_i, which comes late in the cycle. The others have a meaning with in_waits_i.
    input  logic  in_which_i,
    input  logic  [1:0] in_waits_i,
    input  logic  [1:0] in_hold_i,  // do not take it yet
    input  logic  [1:0] in_refuse_i,  // take it to its end and report it as lost (stored_overflow_o)
    input  logic  [1:0] in_reserved_i,
    input  count_t reserve_i,

    output logic        stored_valid_o,
    input  logic        stored_ready_i,
    output cell_t       stored_first_o,
    output cell_t       stored_last_o,
    output count_t      stored_cells_o,
    output length_t     stored_flits_o,
    output length_t     stored_length_o,    // bytes
    output logic        stored_bad_o,
    output logic        stored_overflow_o,
    output logic        stored_reserved_o,
    output descriptor_t stored_desc_o,

    input  logic        read_valid_i,
    output logic        read_ready_o,  // depends on out_ready_i
    input  cell_t       read_first_i,
    input  length_t     read_length_i,
    input  descriptor_t read_desc_i,

    output logic  out_valid_o,
    input  logic  out_ready_i,
    output flit_t out_flit_o,

    input logic   discard_valid_i,
    input cell_t  discard_first_i,
    input cell_t  discard_last_i,
    input count_t discard_cells_i,

    output count_t free_cells_o
);
  if (Cells < 4 || (Cells & (Cells - 1)) != 0) begin : gen_bad_cells
    $fatal(1, "packet_buffer: Cells is %0d; it must be a power of two, at least 4", Cells);
  end
  if (CellFlits < 1 || (CellFlits & (CellFlits - 1)) != 0) begin : gen_bad_cell_flits
    $fatal(1, "packet_buffer: CellFlits is %0d; it must be a power of two", CellFlits);
  end

  localparam int unsigned AddrWidth = CellWidth + $clog2(CellFlits);
  typedef logic [AddrWidth-1:0] addr_t;

  logic cell_valid, take, back, link, write, fetch, free;
  cell_t cell_next, back_first, back_last, link_cell, link_next, free_cell;
  count_t back_cells;
  addr_t write_addr, fetch_addr;
  logic [W-1:0] write_data, fetched_data;

  cell_writer #(
      .Cells(Cells),
      .CellFlits(CellFlits),
      .Reports(Reports)
  ) u_writer (
      .clk_i,
      .rst_i,
      .in_valid_i,
      .in_ready_o,
      .in_flit_i,
      .in_which_i,
      .in_hold_i,
      .in_refuse_i,
      .in_waits_i,
      .in_reserved_i,
      .stored_valid_o,
      .stored_ready_i,
      .stored_first_o,
      .stored_last_o,
      .stored_cells_o,
      .stored_flits_o,
      .stored_length_o,
      .stored_bad_o,
      .stored_overflow_o,
      .stored_reserved_o,
      .stored_desc_o,
      .cell_valid_i(cell_valid),
      .cell_i(cell_next),
      .free_i(free_cells_o),
      .reserve_i,
      .take_o(take),
      .back_o(back),
      .back_first_o(back_first),
      .back_last_o(back_last),
      .back_cells_o(back_cells),
      .link_o(link),
      .link_cell_o(link_cell),
      .link_next_o(link_next),
      .write_o(write),
      .write_addr_o(write_addr),
      .write_data_o(write_data)
  );

  cell_allocator #(
      .Cells(Cells)
  ) u_allocator (
      .clk_i,
      .rst_i,
      .cell_valid_o(cell_valid),
      .cell_o(cell_next),
      .take_i(take),
      .back_i(back),
      .back_first_i(back_first),
      .back_last_i(back_last),
      .back_cells_i(back_cells),
      .read_i(free),
      .read_cell_i(free_cell),
      .discard_i(discard_valid_i),
      .discard_first_i,
      .discard_last_i,
      .discard_cells_i,
      .link_i(link),
      .link_cell_i(link_cell),
      .link_next_i(link_next),
      .free_o(free_cells_o)
  );

  cell_reader #(
      .Cells(Cells),
      .CellFlits(CellFlits)
  ) u_reader (
      .clk_i,
      .rst_i,
      .read_valid_i,
      .read_ready_o,
      .read_first_i,
      .read_length_i,
      .read_desc_i,
      .out_valid_o,
      .out_ready_i,
      .out_flit_o,
      .link_i(link),
      .link_cell_i(link_cell),
      .link_next_i(link_next),
      .fetch_o(fetch),
      .fetch_addr_o(fetch_addr),
      .fetched_data_i(fetched_data),
      .free_o(free),
      .free_cell_o(free_cell)
  );

  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(Cells * CellFlits)
  ) u_data (
      .clk_i,
      .write_enable_i(write),
      .write_addr_i(write_addr),
      .write_data_i(write_data),
      .read_enable_i(fetch),
      .read_addr_i(fetch_addr),
      .read_data_o(fetched_data)
  );

  // Every cell is free, being written, or held by a stored packet that is not read yet.
  count_t writing_q, held_q;
  logic stored, read;
  count_t kept;  // cells of the packet that is complete now
  assign stored = in_valid_i && in_ready_o && in_flit_i.last;
  assign kept = back || !stored ? '0 : writing_q + count_t'(take);
  assign read = read_valid_i && read_ready_o;

  // The cells that begin a stored packet: a read or a discard must name one of them.
  logic begins_q[Cells];
  cell_t writing_first_q, begun;
  assign begun = writing_q == '0 ? cell_next : writing_first_q;

  always_ff @(posedge clk_i) begin
    writing_q <= stored || back ? '0 : writing_q + count_t'(take);
    held_q <= held_q + kept - count_t'(free) - (discard_valid_i ? discard_cells_i : '0);
    if (take && writing_q == '0) writing_first_q <= cell_next;
    if (kept != '0) begins_q[begun] <= 1'b1;
    if (read) begins_q[read_first_i] <= 1'b0;
    if (discard_valid_i) begins_q[discard_first_i] <= 1'b0;
    if (rst_i) begin
      writing_q <= '0;
      held_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (32'(free_cells_o) + 32'(held_q) + 32'(writing_q) == Cells)
      else $error("packet_buffer: cells are missing or counted twice");
      assert (held_q <= count_t'(Cells))
      else $error("packet_buffer: more cells are freed than were held");
      assert (!read || begins_q[read_first_i])
      else $error("packet_buffer: a read does not name a stored packet");
      assert (!discard_valid_i || begins_q[discard_first_i])
      else $error("packet_buffer: a discard does not name a stored packet");
      assert (!(read && discard_valid_i && read_first_i == discard_first_i))
      else $error("packet_buffer: a packet is both read and discarded");
    end
  end
endmodule
