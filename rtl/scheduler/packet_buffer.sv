// SPDX-License-Identifier: Apache-2.0
// Packet memory of one channel of the scheduler: packets in cells of CellFlits flits, linked to
// chains. A packet is named by its handle {first cell, last cell, number of cells}.
//
// In: one flit per cycle. A droppable packet never waits for cells: without one it is taken to its
// end and reported with stored_overflow_o. A lossless packet waits; the last Reserve free cells are
// its alone. Reported in order, one packet per cycle, in the cycle after its last flit. What lies
// behind desc.length (if that is not 0) is not stored. A packet that is bad or overflows keeps no
// cell: it is reported, and its handle means nothing.
//
// Out: one flit per cycle, no bubble between packets, the first flit in the cycle after the request.
// The descriptor comes with the request. A cell is free as soon as it is read. A stored packet is
// either read or discarded, once; discards, one per cycle, disturb nothing else.
module packet_buffer
  import girih_pkg::*;
#(
    parameter int unsigned Cells = 1024,  // a power of two
    parameter int unsigned CellFlits = 2,  // 1, 2, 4 ...
    parameter int unsigned Reserve = 0,  // cells that only lossless packets take
    parameter int unsigned Reports = 4,  // packets that wait for stored_ready_i
    localparam int unsigned CellWidth = $clog2(Cells),
    localparam type cell_t = logic [CellWidth-1:0],
    localparam type count_t = logic [CellWidth:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  in_valid_i,
    output logic  in_ready_o,  // depends on in_flit_i and on in_hold_i
    input  flit_t in_flit_i,
    input  logic  in_hold_i,   // with the first flit of a packet: it shall wait

    output logic        stored_valid_o,
    input  logic        stored_ready_i,
    output cell_t       stored_first_o,
    output cell_t       stored_last_o,
    output count_t      stored_cells_o,
    output length_t     stored_flits_o,
    output length_t     stored_length_o,    // bytes
    output logic        stored_bad_o,
    output logic        stored_overflow_o,
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
  if (Reserve >= Cells) begin : gen_bad_reserve
    $fatal(1, "packet_buffer: Reserve is %0d; it must be less than Cells", Reserve);
  end
endmodule
