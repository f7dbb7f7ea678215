// SPDX-License-Identifier: Apache-2.0
// The state of a connection at a controller.
package controller_types_pkg;
  import girih_pkg::*;
  import tcp_types_pkg::*;

  typedef enum logic [1:0] {
    FaultNone,
    FaultGone,  // the peer has ended the connection between two requests, or has broken it
    FaultTruncated,
    FaultExcess
  } fault_e;

  typedef struct packed {
    name_t connection;
    port_t port;
    tenant_t tenant;
    logic fresh;  // it has not got a hello yet
    logic ending;  // the peer sends nothing more
    fault_e fault;  // of the bytes that came
    logic [63:0] number;  // of the connection, since the card's start; the controller's node is its high byte, so no two controllers of a card share it
    logic [31:0] next;  // the sequence number that the next request must have
  } operator_t;
endpackage
