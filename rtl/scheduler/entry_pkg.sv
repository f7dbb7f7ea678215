// SPDX-License-Identifier: Apache-2.0
// What the scheduler keeps about a stored packet. Wide enough for every size of scheduler.
package entry_pkg;
  import girih_pkg::*;

  // A packet in a packet_buffer.
  typedef struct packed {
    logic [15:0] first;  // cell
    logic [15:0] last;
    logic [15:0] cells;
  } handle_t;

  typedef struct packed {
    logic [3:0] channel;
    handle_t handle;
    length_t flits;
    length_t length;
    timestamp_t since;  // when it was stored
    logic token;  // lossless, and it has a token
    descriptor_t desc;
  } entry_t;

  // A packet that has arrived, stored or not.
  typedef struct packed {
    entry_t entry;
    logic bad;  // void, or its chain has no hop left
    logic overflow;
    logic stored;  // it has cells
  } arrival_t;
endpackage
