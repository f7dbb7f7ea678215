// SPDX-License-Identifier: Apache-2.0
// The text of RFC 864: lines of 72 printable characters, CR and LF. Each line begins one character after the one with which the
// previous line began.
package chargen_pkg;
  import girih_pkg::*;

  localparam logic [6:0] Characters = 7'd95;  // printable characters, from the space on
  localparam logic [7:0] LineBytes = 8'd74;

  typedef struct packed {
    logic [6:0] line;  // the character that begins it
    logic [6:0] column;
  } place_t;

  // The place in the text that is this many bytes further on, at most a flit.
  function automatic place_t behind(place_t place, logic [7:0] bytes);
    logic [7:0] column;
    logic [6:0] line;
    column = 8'(place.column) + bytes;
    line = place.line;
    for (int unsigned i = 0; i < (FlitBytes + 72) / 74; i++) begin
      if (column >= LineBytes) begin
        column -= LineBytes;
        line = line == Characters - 7'd1 ? '0 : line + 7'd1;
      end
    end
    return '{line: line, column: column[6:0]};
  endfunction

  function automatic logic [7:0] character(place_t place);
    logic [7:0] sum;
    sum = 8'(place.line) + 8'(place.column);
    if (sum >= 8'(Characters)) sum -= 8'(Characters);
    if (place.column == 7'd72) return 8'h0d;
    if (place.column == 7'd73) return 8'h0a;
    return 8'h20 + sum;
  endfunction
endpackage
