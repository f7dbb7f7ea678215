// SPDX-License-Identifier: Apache-2.0
// Types of cells_model, which the proofs of cell_allocator and packet_buffer share.
package cells_model_pkg;
  localparam int unsigned Cells = 4;
  localparam int unsigned CellWidth = $clog2(Cells);

  typedef logic [CellWidth-1:0] cell_t;
  typedef logic [CellWidth:0] count_t;
  typedef struct packed {
    cell_t first;
    cell_t last;
  } chain_t;
  typedef enum logic [2:0] {
    Unused,
    Next,       // in the chain to hand out
    Discarded,
    Read,
    Writing,
    Stored,
    Reading
  } place_e;
  typedef struct packed {
    place_e place;
    cell_t  first;   // of its packet
    cell_t  last;    // of its chain
    cell_t  links;   // to the last
    cell_t  ahead;  // chains before its own
  } where_t;
endpackage
