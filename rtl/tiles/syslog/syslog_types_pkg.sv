// SPDX-License-Identifier: Apache-2.0
// Types between the parts of the syslog tile.
package syslog_types_pkg;
  typedef enum logic [1:0] {
    Interrupt,
    Counter,
    Unreachable
  } what_e;

  // The content of a message. value: the pending bits, the growth of the counter, or the status of the access.
  typedef struct packed {
    what_e what;
    logic [7:0] node;
    logic [15:0] offset;
    logic [31:0] value;
    logic [63:0] cycle;
  } report_t;

  // One tile with interrupts, and one counter.
  typedef struct packed {
    logic valid;
    logic [7:0] node;
  } line_t;
  typedef struct packed {
    logic [7:0] node;
    logic [15:0] offset;
  } watch_t;
endpackage
