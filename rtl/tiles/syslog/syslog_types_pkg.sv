// SPDX-License-Identifier: Apache-2.0
// What the parts of the syslog tile tell each other.
package syslog_types_pkg;
  typedef enum logic [1:0] {
    Interrupt,
    Counter,
    Unreachable
  } what_e;

  // What a message says. value: the pending bits, by how much the counter has grown, or the status of the access.
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
