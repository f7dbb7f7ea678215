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

  // What the text of a flit that begins at a place is made from: the place's column, and the character there if the line had begun
  // n line ends before, for each number of line ends that a flit can have.
  localparam int unsigned MostEnds = (FlitBytes + 72) / 74;
  typedef struct packed {
    logic [6:0] column;
    logic [MostEnds:0][6:0] characters;
  } row_t;

  function automatic logic [6:0] reduced(logic [7:0] sum);  // a sum below 190, modulo 95
    return 7'(sum >= 8'(Characters) ? sum - 8'(Characters) : sum);
  endfunction

  // Behind a line end the text is one character further on and 74 columns back: 22 more, modulo 95.
  function automatic row_t row_at(place_t place);
    logic [6:0] here;
    here = reduced(8'(place.line) + 8'(place.column));
    row_at.column = place.column;
    row_at.characters[0] = here;
    for (int unsigned n = 1; n <= MostEnds; n++) row_at.characters[n] = reduced(8'(here) + 8'(n * 22 % 95));
  endfunction

  // The printable character `ahead` places after another, indexed by the other. A table, since an adder and a comparison take twice as long.
  typedef logic [127:0][7:0] table_t;
  function automatic table_t printable(int unsigned ahead);
    for (int unsigned i = 0; i < 128; i++) printable[i] = 8'h20 + 8'((i + ahead) % 95);
  endfunction
endpackage
