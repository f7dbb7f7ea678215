// SPDX-License-Identifier: Apache-2.0
// Types between a core and the slots of its messages.
package core_types_pkg;
  import girih_pkg::*, core_map_pkg::*;

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
    logic [SendStartBits-1:0] start;  // of its bytes in the slot, in units of SendStartBytes
    logic [SendExitBits-1:0] exit;
    logic [15:0] length;
  } send_t;

  // Between a core and what accesses memory for its program (slot_dma); sizes are those of the largest packet memory.
  localparam int unsigned MostSlots = 64;
  localparam int unsigned MostSlotBytes = 1 << DmaPlaceBits;
  typedef logic [$clog2(MostSlots)-1:0] any_slot_t;
  typedef logic [DmaPlaceBits-EmptyWidth-1:0] slot_flit_t;  // a flit of a slot

  typedef struct packed {
    logic [1:0] address;  // pulses: `data` is the high half of the next address, the low half
    logic post;  // pulse: the program starts the access in `data` for `slot`
    any_slot_t slot;  // whose status the program reads, in the same cycle
    logic [31:0] data;
    logic [MostSlots-1:0] owned;  // slots that are the program's
    logic woken;  // pulse: the program has learned that an access has ended
    any_slot_t sends;  // the slot that is read from the packet memory to be sent; if it has an access in flight, for its request
    any_slot_t leaves;  // the slot from which the flit at the output comes
    logic asks;  // that flit is of a request
  } from_core_t;

  typedef struct packed {
    logic ask;  // pulse: the request of `ask_slot` is to be sent
    any_slot_t ask_slot;
    slot_flit_t first;  // of the slot `sends`: the flits of its request
    slot_flit_t more;  // after the first
    logic [EmptyWidth-1:0] empty;
    logic [31:0] status;
    logic wake;  // an access has ended, which the program may not know yet
    // What a reply brings, which the packet memory takes in this cycle.
    logic place;
    any_slot_t place_slot;
    slot_flit_t place_flit;
    logic [FlitBytes-1:0] place_bytes;
    logic [W-1:0] place_data;
  } to_core_t;

  // The state of a core, for the module that assigns messages to cores.
  typedef struct packed {
    logic runs;
    logic stays;  // it is held or has stopped itself, so its messages are dropped
    logic asks;  // its program has asked for a message and has not got one since
    logic taken;  // pulse: a waiting message now belongs to the program, or is dropped
    logic room;  // there is a slot for the next message
    logic started;  // pulse: the first flit of a message goes into that slot
  } core_status_t;

  // One pulse for each message that ends in the slots or is made there.
  typedef struct packed {
    logic drop_overrun;
    logic drop_too_long;
    logic drop_aborted;
    logic drop_program;
    logic drop_reset;
    logic made_messages;
  } slot_event_t;
endpackage
