// SPDX-License-Identifier: Apache-2.0
// What the parts of a host tile tell each other.
package host_pkg;
  import girih_pkg::*;
  import host_access_pkg::*;

  typedef logic [HostAddrBits-1:0] addr_t;
  typedef logic [HostIdBits-1:0] id_t;
  typedef logic [$clog2(HostPageBytes):0] bytes_t;  // of an access
  typedef logic [$clog2(HostPageBytes)-1:0] in_page_t;
  typedef logic [EmptyWidth-1:0] lane_t;  // of a byte in a flit
  typedef logic [EmptyWidth:0] lane_count_t;  // bytes of a flit
  typedef logic [31:0] long_t;  // bytes of a descriptor
  typedef logic [16:0] size_t;  // bytes of a frame behind its header: up to 65,565

  // An access: at least a byte, within a page.
  typedef struct packed {
    addr_t  addr;
    bytes_t bytes;
  } ask_t;

  // The header before each frame, struct virtio_net_hdr.
  typedef struct packed {
    logic [15:0] num_buffers, csum_offset, csum_start, gso_size, hdr_len;
    logic [7:0] gso_type;
    logic [5:0] flags;
    logic data_valid;  // the checksum in the frame has been found right
    logic needs_csum;
  } net_header_t;

  // The frames that a driver may ask to be cut into segments. ecn: also TCP with the flag CWR, which the first segment alone keeps.
  typedef struct packed {logic udp, ecn, tcp6, tcp4;} segments_t;
  localparam logic [6:0] GsoTcp4 = 7'd1, GsoTcp6 = 7'd4, GsoUdp = 7'd5;  // gso_type without GsoEcn
  localparam int unsigned GsoEcn = 7;  // a bit of gso_type
  localparam int unsigned LargeFrameBytes = 65535 + 40 + 18;  // an IPv6 packet of the largest size, behind a tag
  localparam int unsigned SegmentHeaderBytes = 192;  // headers of a frame that can be cut, at most 190

  // The headers of a frame that is cut into segments. Places count halfwords from the start of the frame. Sums lack what differs between segments:
  // lengths, and what else is named here.
  typedef logic [6:0] half_place_t;
  typedef logic [5:0] word_place_t;
  typedef struct packed {
    logic tcp, ipv6, has_tag;
    half_place_t l4, ends;
    logic [15:0] network;  // sum of the IPv4 header
    logic [15:0] pseudo;  // sum of the pseudo-header
    logic [15:0] identification;
    logic [31:0] sequence_number;
    logic [15:0] flags;  // of TCP, with its data offset
  } headers_t;

  // A segment's data: bytes, whether it is the last of its frame, and that the frame is to be dropped instead.
  typedef struct packed {
    logic dropped, last;
    logic [15:0] bytes;
  } segment_size_t;

  typedef struct packed {
    logic dropped;
    logic frame_ends;  // with this segment
    logic tcp;
    half_place_t l4;
  } segment_note_t;

  // A slice of a flit: so many bytes from a lane on.
  typedef struct packed {
    logic bad, last;
    lane_t lane;
    lane_count_t bytes;
    logic [W-1:0] data;
  } slice_t;

  // A range of host memory that may be accessed.
  typedef struct packed {
    logic  valid;
    addr_t first, last;
  } region_t;
  typedef region_t [HostRegions-1:0] regions_t;

  // An address on the bus.
  typedef struct packed {
    id_t id;
    addr_t addr;
    logic [7:0] len;  // beats, less one
  } request_t;

  typedef struct packed {
    logic last;
    logic [FlitBytes-1:0] strb;
    logic [W-1:0] data;
  } write_t;

  // The addresses and options of a queue, as the driver has set them.
  typedef struct packed {
    addr_t descriptors, driver, device;
    segments_t segments;  // frames that may be cut
    logic verified;  // headers of frames say whether their checksums are right
    logic indirect;  // a descriptor can name a table of descriptors
    logic mergeable;  // a frame may lie in several buffers
    logic event_index;  // each side sets the index at which it wants to be notified
    logic packed_ring;  // its index is {wrap counter, slot}
    logic [15:0] size;
    logic [15:0] start;  // the index to start from
  } place_t;

  // A chain: the name that the driver gave it, and the number of its descriptors in a packed ring.
  localparam int unsigned MostLinks = 32, MostChains = 64;
  typedef logic [5:0] links_t;
  typedef struct packed {
    links_t links;
    logic [15:0] id;
  } name_t;

  // What is known of a chain before its parts.
  typedef struct packed {
    links_t slots;  // of the ring
    links_t links;
    logic [16:0] bytes;
  } chain_size_t;

  // What is read of a split ring. ReadFlags: the flags, or the index at which the driver wants an interrupt.
  typedef enum logic [1:0] {
    ReadIndex,
    ReadFlags,
    ReadEntries,
    ReadDescriptor
  } split_read_e;

  // A descriptor in a packed ring, and what its walk reports: a descriptor of the chain, one that names a table of them (indirect), or that the
  // descriptors found of this chain will come again (forget, never with indirect: its descriptor is none of the chain).
  localparam int unsigned PackedNext = 0, PackedWrite = 1, PackedIndirect = 2, PackedAvailable = 7, PackedUsed = 15;
  localparam logic [15:0] PackedFlags = 16'h8083;
  typedef struct packed {
    logic [15:0] flags, id;
    long_t bytes;
    addr_t addr;
  } packed_descriptor_t;
  typedef struct packed {
    logic forget;
    logic indirect;
    name_t name;
    packed_descriptor_t descriptor;
  } packed_found_t;

  // A descriptor of a chain, as the data movers get it.
  typedef struct packed {
    addr_t addr;
    long_t bytes;
    logic writes;  // the device writes to it
    logic last;  // of its chain
    name_t chain;
  } part_t;

  // A chain that is used.
  typedef struct packed {
    logic more;  // the driver may see it only together with the next one
    name_t chain;
    logic [16:0] bytes;  // written to it
  } used_t;

  // Frames whose chains come into memory with one write of the ring.
  typedef logic [EmptyWidth:0] shown_t;

  // What a used ring knows of interrupts: it asks the driver about the frames that have come into memory, and the driver wants one, or none.
  typedef struct packed {
    logic asks, wanted, declined;  // for a cycle; there is one question at a time
    shown_t shown;
  } notice_t;

  // When the interrupts of a virtqueue come: as soon as the driver is to get one, or, if microseconds is not 0, when so many frames have been used
  // since the last one (0: any number), or so much time has passed.
  typedef struct packed {
    logic [15:0] microseconds, frames;
  } coalesce_t;

  // A pair of virtqueues, and the pair of each entry of the table that maps flows to them.
  typedef logic [$clog2(HostPairs)-1:0] pair_t;
  typedef pair_t [SteerEntries-1:0] steer_t;

  // How a driver spreads flows (virtio 1.2, 5.1.6.4.3). types: which headers are hashed; those without ports also for frames whose ports are not.
  typedef struct packed {logic udp6, tcp6, ip6, udp4, tcp4, ip4;} rss_types_t;
  typedef struct packed {
    logic on;
    rss_types_t types;
    pair_t unclassified;  // of frames that are not hashed
    logic [8*RssKeyBytes-1:0] key;  // its first byte at the upper end
  } rss_t;

  // The commands that a control queue takes, according to the features that its driver has accepted.
  typedef logic [47:0] station_t;  // an Ethernet address, its first byte at the low end
  typedef logic [11:0] vlan_id_t;
  typedef logic [$clog2(HostPairs):0] pairs_t;
  typedef struct packed {
    logic rss;  // how flows are spread
    logic coalesce;  // when interrupts come
    logic pairs;  // how many pairs flows are spread over
    logic address;  // the device's address
    logic vlan;  // VLANs
    logic receive;  // which frames are received
  } offers_t;
  typedef struct packed {
    logic vlans_known;  // the VLANs that were not added are cleared
    logic vlan;  // tagged frames are received only of VLANs that have been added
    logic many_multicast, many_unicast;  // more addresses are requested than the table holds
    logic all_multicast, promiscuous;
    logic receive;  // the driver restricts what is received
  } modes_t;

  function automatic bytes_t to_page_end(input in_page_t at);
    to_page_end = bytes_t'(HostPageBytes) - bytes_t'(at);
  endfunction

  // Beats of an access, less one.
  function automatic logic [7:0] beats_of(input lane_t lane, input bytes_t bytes);
    bytes_t ends;
    ends = bytes_t'(lane) + bytes - 1'b1;
    beats_of = 8'(ends >> EmptyWidth);
  endfunction
endpackage
