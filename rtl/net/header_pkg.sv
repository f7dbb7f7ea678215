// SPDX-License-Identifier: Apache-2.0
// Where headers can be in a message: the network header after an Ethernet header with or without
// one tag, the transport header after an IPv4 header with up to ten words of options. So every
// transport header starts at 34 + 4 * n.
package header_pkg;
  import girih_pkg::*;
  import net_pkg::*;

  localparam int unsigned L3Untagged = EthernetBytes;
  localparam int unsigned L3Tagged = EthernetBytes + VlanBytes;
  localparam int unsigned L4First = L3Untagged + Ipv4MinBytes;
  localparam int unsigned L4Last = L3Tagged + Ipv4MaxBytes;
  localparam int unsigned L4Places = (L4Last - L4First) / 4 + 1;

  localparam int unsigned HeaderBytes = L4Last + UdpBytes;  // a window with all headers
  localparam int unsigned Ipv4Addresses = 12;  // from the start of an IPv4 header to source and destination

  // A bit for each byte of the flits that headers can be in; bit 0 is the first wire byte.
  localparam int unsigned HeaderFlits = (HeaderBytes + FlitBytes - 1) / FlitBytes;
  typedef logic [HeaderFlits*FlitBytes-1:0] flits_mask_t;

  // Element 0 is the first wire byte, so that headers read in network order.
  // verilator lint_off ASCRANGE
  typedef logic [0:HeaderBytes-1][7:0] header_t;
  typedef logic [0:HeaderBytes-1] header_mask_t;
  // verilator lint_on ASCRANGE

  typedef logic [3:0] l4_place_t;

  // Of the two offsets, only that behind a tag has this bit.
  function automatic logic is_tagged(offset_t l3_offset);
    return (l3_offset & offset_t'(L3Tagged & ~L3Untagged)) != '0;
  endfunction

  // The index of an offset among the L4Places possible ones, without an adder: L4First is 8 words and a half.
  function automatic l4_place_t l4_place(offset_t l4_offset);
    return l4_place_t'(l4_offset >> 2) ^ l4_place_t'(L4First / 4);
  endfunction

  // The first word of the transport header. (An index into the words would cost a barrel shifter.)
  function automatic logic [31:0] l4_word(header_t header, offset_t l4_offset);
    l4_word = '0;
    for (int unsigned i = 0; i < L4Places; i++) begin
      if (l4_offset == offset_t'(L4First + 4 * i)) l4_word = l4_word | header[L4First+4*i+:4];
    end
  endfunction

  // value > limit, for a constant limit: logic of a few inputs, where `>` would be a carry chain.
  function automatic logic exceeds(offset_t value, int unsigned limit);
    exceeds = 1'b0;
    for (int unsigned b = 0; b < $bits(offset_t); b++) exceeds = limit[b] ? value[b] && exceeds : value[b] || exceeds;
  endfunction

  // The bytes after the first word of the transport header: each is a function of the place's few bits.
  function automatic flits_mask_t behind_l4_word(l4_place_t place);
    behind_l4_word = '1;
    behind_l4_word[L4First-1:0] = '0;
    for (int unsigned i = 0; i < L4Places; i++) behind_l4_word[L4First+4*i+:4] = {4{i > 0 && !exceeds(offset_t'(place), i - 1)}};
  endfunction

  // Bit i of element b is bit b of i.
  function automatic logic [EmptyWidth-1:0][FlitBytes-1:0] bits_of_places();
    for (int unsigned i = 0; i < FlitBytes; i++) begin
      for (int unsigned b = 0; b < EmptyWidth; b++) bits_of_places[b][i] = i[b];
    end
  endfunction
  localparam logic [EmptyWidth-1:0][FlitBytes-1:0] PlaceBit = bits_of_places();

  // The bits below `count`: `exceeds` for each bit, on whole words at once, which the simulator does in few operations.
  function automatic logic [FlitBytes-1:0] lower_bits(logic [EmptyWidth-1:0] count);
    lower_bits = '0;
    for (int unsigned b = 0; b < EmptyWidth; b++) begin
      if (count[b]) lower_bits = lower_bits | ~PlaceBit[b];
      else lower_bits = lower_bits & ~PlaceBit[b];
    end
  endfunction

  // Bit i is set if byte i of a flit is among its first `bytes` bytes.
  function automatic logic [FlitBytes-1:0] first_bytes(length_t bytes);
    return {FlitBytes{(bytes >> EmptyWidth) != '0}} | lower_bits(bytes[EmptyWidth-1:0]);
  endfunction

  // Bytes first to stop - 1 of a flit whose byte 0 goes to byte `place` of a word: which they are of that word, and of the next one.
  typedef struct packed {
    logic [FlitBytes-1:0] next;
    logic [FlitBytes-1:0] here;
  } placed_t;
  function automatic placed_t placed_below(logic [EmptyWidth:0] place);
    placed_below.here = first_bytes(length_t'(place));
    placed_below.next = {FlitBytes{place[EmptyWidth]}} & lower_bits(place[EmptyWidth-1:0]);
  endfunction
  function automatic placed_t placed_bytes(logic [EmptyWidth-1:0] place, logic [EmptyWidth:0] first, logic [EmptyWidth:0] stop);
    return placed_below((EmptyWidth + 1)'(place) + stop) & ~placed_below((EmptyWidth + 1)'(place) + first);
  endfunction

  // Whether a message of so many bytes ends in its first flit; 0 bytes: their number is not known. No carry chain: link hand-shakes wait for it.
  function automatic logic ends_at_once(length_t bytes);
    return bytes != '0 && (bytes >> EmptyWidth == '0 || bytes == length_t'(FlitBytes));
  endfunction

  // Bytes of a flit that are part of its message. Only the last flit has empty ones.
  function automatic logic [FlitBytes-1:0] valid_bytes(logic [EmptyWidth-1:0] empty);
    return '1 >> empty;
  endfunction
endpackage
