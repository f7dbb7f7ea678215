// SPDX-License-Identifier: Apache-2.0
// Types between a core and the slots of its messages.
package core_types_pkg;
  import core_map_pkg::*;

  typedef logic [$clog2(DeviceBytes)-1:0] device_t;  // the address of a device, relative to DevicesBase

  // A program's access to the devices of a control core.
  typedef struct packed {
    logic write;  // pulse: it writes `data`
    logic take;  // pulse: it reads DeviceEventValue
    device_t device;  // of a read, too, whose word is needed in the same cycle
    logic [31:0] data;
  } control_access_t;

  // What a program declares about a message that it sends.
  typedef struct packed {
    logic keeps_sum;  // the payload has not changed
    logic [SendExitBits-1:0] exit;
    logic [15:0] length;
  } send_t;

  // The state of a core, for the module that assigns messages to cores.
  typedef struct packed {
    logic runs;
    logic stays;  // it is held or has stopped itself, so its messages are dropped
    logic asks;  // its program has asked for a message and has not got one since
    logic taken;  // pulse: a waiting message now belongs to the program, or is dropped
    logic room;  // there is a slot for the next message
    logic started;  // pulse: the first flit of a message goes into that slot
  } core_status_t;

  // One pulse for each message that ends in the slots.
  typedef struct packed {
    logic drop_overrun;
    logic drop_too_long;
    logic drop_aborted;
    logic drop_program;
    logic drop_reset;
  } slot_event_t;
endpackage
