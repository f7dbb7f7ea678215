// SPDX-License-Identifier: Apache-2.0
// The channels of the card's AXI4 master port, which is as wide as a flit: bursts of whole flits at rising addresses.
package axi_pkg;
  import girih_pkg::*;
  import memory_access_pkg::*;

  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [IdBits-1:0] id_t;
  typedef logic [7:0] beats_t;  // of a burst, less one

  typedef struct packed {
    id_t id;
    addr_t addr;
    beats_t len;
  } request_t;  // AR and AW

  typedef struct packed {
    logic last;
    logic [FlitBytes-1:0] strb;
    logic [W-1:0] data;
  } write_t;

  typedef struct packed {
    id_t id;
    logic last;
    logic [1:0] resp;
    logic [W-1:0] data;
  } read_t;

  typedef struct packed {
    id_t id;
    logic [1:0] resp;
  } done_t;

  localparam logic [2:0] Size = 3'(EmptyWidth);
  localparam logic [1:0] Burst = 2'b01;  // at rising addresses
  localparam logic [3:0] Cache = 4'b0011;  // normal memory
endpackage
