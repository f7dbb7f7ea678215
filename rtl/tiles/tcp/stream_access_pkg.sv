// SPDX-License-Identifier: Apache-2.0
// Accesses of the TCP stack to stream buffers in a tile of memory. A range of bytes of a stream is accessed in pieces: a piece ends where the
// address is a multiple of PieceBytes, so none crosses a page, or the end of a ring.
package stream_access_pkg;
  import girih_pkg::*;
  import tcp_types_pkg::*;

  localparam int unsigned PieceFlits = MaxFrameFlits >= 16 ? 16 : 1 << ($clog2(MaxFrameFlits + 1) - 1);  // a memory takes no longer access
  localparam int unsigned PieceBytes = PieceFlits * FlitBytes;
  localparam int unsigned PlaceBits = 32 - EmptyWidth;

  typedef logic [PlaceBits-1:0] place_t;  // of a flit in a stream
  typedef logic [EmptyWidth-1:0] lane_t;
  typedef logic [11:0] count_t;  // of writes, modulo its range
  typedef logic [3:0] generation_t;  // the low bits of the number of connections that a place has had

  // What is left of a range.
  typedef struct packed {
    connection_t connection;
    tenant_t tenant;
    generation_t generation;
    logic sent;  // it is of the stream to the peer
    seq_t addr;
    length_t bytes;
  } stretch_t;

  function automatic length_t to_piece_end(seq_t addr);
    return length_t'(PieceBytes) - length_t'(addr % PieceBytes);
  endfunction

  // Bytes of the first piece.
  // verilator lint_off UNUSEDSIGNAL
  function automatic length_t piece_of(stretch_t range);
    // verilator lint_on UNUSEDSIGNAL
    length_t most;
    most = to_piece_end(range.addr);
    return range.bytes < most ? range.bytes : most;
  endfunction

  // A request for a piece, and what is remembered until its reply.
  typedef struct packed {
    stretch_t piece;
    logic writes;
    logic ordered;
    logic ends;  // it is the last piece of its range
    logic [3:0] slot;  // of a read
  } request_t;
endpackage
