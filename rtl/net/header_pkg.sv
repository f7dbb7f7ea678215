// SPDX-License-Identifier: Apache-2.0
// Where headers can stand in a message: the network header after an Ethernet header with or without
// one tag, the transport header after an IPv4 header with up to ten words of options. All
// transport headers so start at 34 + 4 * n.
//
// header_t and what is cut from it are ascending: element 0 is the first wire byte.
package header_pkg;
  import girih_pkg::*;
  import net_pkg::*;

  localparam int unsigned L3Untagged = EthernetBytes;
  localparam int unsigned L3Tagged = EthernetBytes + VlanBytes;
  localparam int unsigned L4First = L3Untagged + Ipv4MinBytes;
  localparam int unsigned L4Last = L3Tagged + Ipv4MaxBytes;
  localparam int unsigned L4Places = (L4Last - L4First) / 4 + 1;

  typedef logic [3:0] l4_place_t;

  function automatic logic is_tagged(offset_t l3_offset);
    return l3_offset == offset_t'(L3Tagged);
  endfunction

  // Which of the L4Places places an offset is.
  function automatic l4_place_t l4_place(offset_t l4_offset);
    return l4_place_t'((l4_offset - offset_t'(L4First)) >> 2);
  endfunction

  // Bit i says that byte i of a flit is before `bytes`, counted from the flit's start.
  function automatic logic [FlitBytes-1:0] first_bytes(length_t bytes);
    for (int unsigned i = 0; i < FlitBytes; i++) first_bytes[i] = length_t'(i) < bytes;
  endfunction

  // Bytes of a flit that are part of its message.
  function automatic logic [FlitBytes-1:0] valid_bytes(flit_t flit);
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      valid_bytes[i] = !flit.last || EmptyWidth'(i) <= ~flit.empty;
    end
  endfunction
endpackage
