// SPDX-License-Identifier: Apache-2.0
// The record of a flit in a log.
package log_types_pkg;
  import girih_pkg::*;

  typedef logic [47:0] number_t;

  typedef struct packed {
    number_t cycle;
    logic [7:0] source;
    tenant_t tenant;
    port_t port;
    logic lossless;
    logic void_message;
    logic last;
    logic first;
    logic [EmptyWidth-1:0] empty;
    logic [W-1:0] data;
  } record_t;
endpackage
