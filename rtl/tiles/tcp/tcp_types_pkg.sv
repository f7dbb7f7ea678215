// SPDX-License-Identifier: Apache-2.0
// Types of the TCP tiles: the messages between an application and the stack, the record of a connection, and
// the events that change it.
package tcp_types_pkg;
  import girih_pkg::*;
  import net_pkg::*;

  // stream_op of a message; docs/tcp.md says what each asks or tells.
  typedef enum logic [2:0] {
    OpPacket = 3'd0,
    OpOpened = 3'd1,
    OpData = 3'd2,
    OpRead = 3'd3,
    OpWrite = 3'd4,
    OpClose = 3'd5,
    OpAbort = 3'd6,
    OpOpen = 3'd7
  } op_e;

  typedef logic [15:0] connection_t;  // its place among the records, and in the buffers
  typedef logic [15:0] name_t;  // its number for applications: the place and, above it, a count of the connections in that place
  typedef logic [31:0] seq_t;
  typedef logic [17:0] near_t;  // the low bits of a sequence number: enough to compare numbers within a window
  typedef logic [19:0] span_t;  // bytes of a window
  typedef logic [31:0] tick_t;  // time, in units of 256 cycles
  typedef logic [18:0] delay_t;  // the low bits of a time
  typedef logic [23:0] sample_t;  // a round-trip time, in the same units
  typedef logic [5:0] epoch_t;  // the low bits of a time, in 32nds of the life of a time stamp
  typedef logic [31:0] pace_time_t;  // the low bits of a time, in cycles: for waits of at most 2^30
  typedef logic [19:0] pace_at_t;  // its low bits: enough to tell how late something is

  localparam int unsigned TcpBytes = 20;
  localparam int unsigned TcpOptionBytes = 40;
  localparam int unsigned L4 = EthernetBytes + Ipv4MinBytes;
  localparam int unsigned SegmentBytes = L4 + TcpBytes;  // all headers without options
  localparam bit Guesses = FlitBytes >= SegmentBytes;  // a segment's first flit shows whose it is, and that it is a SYN, before it has been checked
  localparam int unsigned StampOptionBytes = 12;  // of the time stamps' option, with two bytes of padding (RFC 7323, appendix A)
  localparam int unsigned IcmpMtuAt = L4 + 6;  // of an ICMP error that a packet was too big: the MTU of the link that the packet did not fit into
  localparam int unsigned QuotedL3 = L4 + 8;  // the packet that the error is about: header, and the first bytes behind it
  localparam int unsigned QuotedL4 = QuotedL3 + Ipv4MinBytes;
  localparam int unsigned QuotedBytes = 8;
  localparam int unsigned Ranges = 2;  // of bytes received behind a gap, for each connection
  localparam int unsigned Sacked = 4;  // ranges of bytes that the peer has reported by SACK, for each connection
  localparam int unsigned LeastSackBytes = 10;  // of a SACK option with one block
  localparam int unsigned SackOptionBytes = 4 + 8 * Ranges;
  localparam int unsigned StampBytes = 10;  // of the option alone
  localparam int unsigned MostMessageData = MaxFrameBytes < 4096 ? MaxFrameBytes : 4096;  // bytes of a stream in a message to an application
  localparam int unsigned OpenedBytes = 20;
  localparam int unsigned OpenBytes = 22;  // of a command to open a connection
  localparam logic [95:0] Ipv4Mapped = 96'hffff;  // the prefix of an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2)
  localparam length_t Refused = length_t'(0);  // why a connection was not opened: the peer refused it,
  localparam length_t Unanswered = length_t'(1);  // the peer did not answer,
  localparam length_t Unplaced = length_t'(2);  // or the stack has no place for it, or already has this connection
  localparam logic [1:0] EcnCapable = 2'b10;  // the low bits of a packet's type of service (RFC 3168, 5): ECT(0), what the card sends;
  localparam logic [1:0] EcnMarked = 2'b11;  // and congestion experienced
  localparam logic [15:0] DefaultMss = 16'd536;  // of a peer that sends no such option (RFC 9293, 3.7.1)

  typedef struct packed {
    ipv4_addr_t remote_addr;
    logic [15:0] remote_port;
    logic [15:0] local_port;
    ipv4_addr_t local_addr;
  } tuple_t;

  // What the keyed hash of a connection's addresses and ports gives: it is known later than that there is a connection.
  typedef struct packed {
    seq_t number;  // the first of its bytes
    seq_t offset;  // of its clock of time stamps
  } initial_t;

  typedef struct packed {
    logic [1:0]  way;
    logic [15:0] index;
  } slot_t;  // of the table of connections

  typedef struct packed {
    logic cwr;
    logic ece;
    logic urg;
    logic ack;
    logic psh;
    logic rst;
    logic syn;
    logic fin;
  } flags_t;

  typedef struct packed {
    logic [15:0] src_port;
    logic [15:0] dst_port;
    seq_t seq;
    seq_t ack;
    logic [3:0] words;
    logic [3:0] reserved;
    flags_t flags;
    logic [15:0] window;
    logic [15:0] checksum;
    logic [15:0] urgent;
  } tcp_t;

  typedef enum logic [2:0] {
    Free,
    SynReceived,
    Open,  // ESTABLISHED and the states after it, except TIME-WAIT; flags tell them apart
    TimeWait,
    Dead,  // aborted; its application has not closed it yet, or has yet to be told that it could not be opened
    SynSent
  } phase_e;

  // Who computes the congestion window: NewReno, or CUBIC, whose function of time begins with the next congestion avoidance.
  typedef enum logic [1:0] {
    NewReno,
    CubicStart,  // that one begins at the plateau (RFC 9438, 4.8), since there was no loss yet, or a time-out
    CubicLoss,  // that one begins below the plateau, after a fast retransmission
    CubicRun
  } congestion_e;

  // Bytes received behind a gap: from `first` to the one before `behind`.
  typedef struct packed {
    logic valid;
    seq_t first;
    seq_t behind;
  } range_t;

  typedef struct packed {
    seq_t first;
    seq_t behind;
  } block_t;  // of the SACK option

  typedef struct packed {
    logic  valid;
    near_t first;
    near_t behind;
  } sacked_t;

  // Explicit congestion notification (RFC 3168).
  typedef struct packed {
    logic on;  // both ends use it; in SYN-SENT: the SYN has asked for it
    logic echoes;  // acknowledgements tell the peer that a mark has come
    logic tells;  // the next segment with new data tells the peer that the congestion window is smaller
    logic reduced;  // the window has been reduced, and no byte behind reduced_to has been acknowledged since
    near_t reduced_to;  // snd_max at that time
    span_t left;  // the window that a mark leaves
  } ecn_t;

  // DCTCP (RFC 8257): how much of what the connection sends is marked.
  localparam int unsigned AlphaFraction = 16;
  typedef logic [AlphaFraction:0] alpha_t;  // a share from 0 to 1
  typedef struct packed {
    logic on;  // for a connection with ECN
    alpha_t alpha;  // DCTCP.Alpha
    // Of this observation window:
    span_t acked;  // bytes acknowledged; less than 2^19 plus a window
    span_t marked;  // of which acknowledgements that tell of marks
    near_t window_to;  // DCTCP.WindowEnd
    logic over;  // since the timer's last visit, a window has ended
  } dctcp_t;

  // The time stamps' option of a segment (RFC 7323, 3.2).
  typedef struct packed {
    logic valid;
    seq_t value;  // TSval
    seq_t echo;  // TSecr; of EventOpen and EventConnect, what the connection adds to the clock
  } stamp_t;

  // Time stamps of a connection.
  typedef struct packed {
    logic on;  // both ends send them; in SYN-SENT: they have been offered
    logic fresh;  // `recent` is younger than the life of a time stamp
    seq_t recent;  // TS.Recent
    epoch_t at;  // when it came
    near_t acked;  // Last.ACK.sent
    seq_t offset;  // what is added to the clock
    logic untimed;  // bytes have been sent again since the round trip was measured, so no segment of theirs is timed
  } stamps_t;

  // The tail loss probe of a connection (RFC 8985, 7).
  typedef struct packed {
    logic due;  // the next turn sends one
    logic out;  // one was sent, and it is not known yet whether it has repaired a loss
    near_t to;  // TLP.end_seq: snd_max when it was sent
    sample_t sent_at;  // when bytes were last sent, other than by the probe or in fast recovery
  } tail_t;

  // The time in which bytes that are late may still come, because packets have overtaken one another (RFC 8985, 6.2); in a recovery, that in which what
  // was sent again may be acknowledged.
  typedef struct packed {
    logic runs;
    sample_t since;  // the peer reported bytes above a gap for the first time; in a recovery, its first gap was sent again or became the first one
  } reordering_t;

  // Pacing: after each burst, a connection waits in tcp_pacer before it sends new bytes.
  typedef struct packed {
    logic on;
    logic waits;
    logic queued;  // tcp_pacer has this connection, or the former one of its place
    span_t sent;  // new bytes since the last wait
    logic [4:0] burst;  // log2 of those after which it waits again
    pace_at_t at;  // when the last wait should have been over
  } pacing_t;

  // Sequence numbers name bytes of both streams, and places in their buffers.
  typedef struct packed {
    phase_e phase;
    name_t name;
    tuple_t tuple;
    slot_t slot;
    port_t port;
    tenant_t tenant;
    // The application's side.
    logic [15:0] application;  // its name in the node table
    logic opener;  // it has requested the connection
    logic silent;  // the connection was given up because the peer did not answer
    logic told;  // the application has been told of the connection
    logic armed;  // a read is pending
    logic stands;  // and remains so after its answer: a standing read
    length_t least;
    length_t room;
    logic closing;  // the application has closed it: a FIN follows snd_end
    logic half;  // but still reads
    logic active;  // it closed before the peer did
    // Queued for a turn to transmit, or to tell the application.
    logic transmit_queued;
    logic notify_queued;
    // Receive.
    seq_t rcv_nxt;
    seq_t rcv_read;  // the application has taken all before it
    seq_t rcv_edge;  // the end of the window advertised to the peer
    logic fin_received;
    range_t [Ranges-1:0] ranges;  // none touches another, or rcv_nxt
    logic newer;  // the range that changed last
    logic sacks;  // the peer permits SACK
    logic [2:0] acks_due;
    logic delays;  // one more is due, and waits for another segment in either direction
    delay_t delayed_at;
    // Transmit: snd_una <= snd_nxt <= snd_max <= snd_end + 1.
    seq_t snd_una;
    seq_t snd_nxt;
    seq_t snd_max;
    seq_t snd_end;  // the application has written all before it
    seq_t snd_held;  // the end of the reserved room: standing reads reserve room for the bytes that they deliver
    span_t snd_wnd;
    seq_t snd_wl1;
    seq_t snd_wl2;
    logic scaled;
    logic [3:0] shift;
    logic [13:0] mss;
    logic [1:0] dup_acks;
    logic resend;  // one segment from `hole` on
    // Ranges above snd_una that the peer has reported by SACK, in ascending order; they neither overlap nor touch, and the valid ones come first.
    sacked_t [Sacked-1:0] sacked;
    logic sack_news;  // a block of the segment that follows has reported new bytes
    near_t resent_to;  // in fast recovery, all gaps between snd_una and here have been sent again
    near_t hole;  // the first byte from resent_to on that the peer has not reported
    logic hole_ends;  // the peer has reported bytes above the hole, the first of them at hole_end
    near_t hole_end;
    logic force_send;  // even if the window is closed
    // Congestion control.
    span_t cwnd;
    span_t threshold;
    span_t credit;
    congestion_e congestion;
    span_t target;  // of CUBIC: the window that its function of time yields,
    span_t estimate;  // and the window that NewReno would have; before CubicRun, the congestion window before the loss
    logic pressed;  // since the timer's last visit, there were more bytes to send than the congestion window permits
    logic reaches;  // the estimate is no less than the window before the loss
    span_t usable;  // bytes that may be in flight: cwnd, and behind the first two duplicate acknowledgements a segment more for each (RFC 3042)
    span_t limit;  // the lesser of usable and snd_wnd
    seq_t recover;
    logic recovering;  // after a fast retransmission, until all before `recover` is acknowledged
    ecn_t ecn;
    dctcp_t dctcp;
    // Time.
    logic timer_on;
    logic lingers;  // it measures time_wait, not a retransmission time-out
    logic idles;  // it is the keep-alive timer: nothing awaits an acknowledgement
    logic probes;  // a keep-alive probe is due
    tick_t started;
    tick_t since;  // while data awaits an acknowledgement: when that began, or when the last one came
    logic timing;
    seq_t timed_seq;
    tick_t timed_at;
    logic rtt_known;
    logic syn_lost;  // a SYN of this connection timed out
    logic [26:0] srtt;  // times 8
    logic [25:0] rttvar;  // times 4
    logic [3:0] backoff;
    logic [3:0] tries;
    tail_t tail;
    reordering_t reordering;
    stamps_t stamps;
    pacing_t pacing;
  } record_t;

  typedef enum logic [4:0] {
    EventClear,  // after reset
    EventOpen,  // a SYN, for a new connection
    EventSegment,
    EventRefuse,  // a segment without a connection
    EventNone,  // a message that is dropped
    EventRead,
    EventWrite,
    EventClose,
    EventAbort,
    EventConnect,  // an application opens a connection
    EventUnopened,  // a turn to tell the application that there is no place for its connection
    EventTransmit,
    EventNotify,
    EventCookie,  // a SYN that is answered without a connection; or a segment without SYN that may answer such a cookie
    EventAccept,  // the answer to a SYN cookie opens a connection
    EventSack,  // one block of a segment's SACK option, before the segment's own EventSegment
    EventWindow,  // CUBIC's window of this time
    EventAlpha,  // DCTCP's share of marked bytes at the end of an observation window
    EventTooBig,  // an ICMP error: a segment did not fit into a link of its path
    EventPace,  // the wait of a connection that is paced is over
    EventTick
  } event_e;

  typedef struct packed {
    event_e kind;
    connection_t connection;
    name_t name;  // of a command
    tuple_t tuple;
    slot_t slot;
    port_t port;
    tenant_t tenant;
    seq_t seq;  // of EventPace, when the wait should have been over
    seq_t ack;  // from stage 3 of tcp_events on, of EventOpen and EventConnect, the initial sequence number; of EventWindow, the window; of EventAlpha, the share; of EventPace, log2 of the next burst
    flags_t flags;
    logic [15:0] window;  // of EventConnect and EventUnopened, the application; of EventTooBig, the link's MTU
    length_t bytes;  // of payload; of a read, the least
    length_t room;
    logic stands;  // of a read
    logic [13:0] mss;
    logic sacks;
    logic scaled;
    logic [3:0] shift;
    congestion_e congestion;
    logic ecn;  // of EventOpen and EventConnect: the application's connections use it,
    logic dctcp;  // and DCTCP;
    logic paced;  // they are paced
    logic marked;  // a router has marked the segment's packet: congestion experienced
    stamp_t stamp;
  } work_t;

  // A message, before its connection has been found.
  typedef struct packed {
    logic is_command;
    logic malformed;  // its header is too short or longer than the segment, or the address to which a connection is requested is not that of an IPv4 host
    logic [TcpOptionBytes-1:0][7:0] options;  // the first byte at the low end
    logic [5:0] options_bytes;
    offset_t headers;  // bytes before those of the stream
    length_t flits;
    work_t work;
  } arrival_t;

  // An event and its message.
  typedef struct packed {
    logic is_command;
    offset_t headers;
    length_t flits;
    logic looks;  // its options may contain SACK blocks, or a time stamp in an unusual place
    logic [TcpOptionBytes-1:0][7:0] options;
    logic [5:0] options_bytes;
    work_t work;
  } todo_t;

  // What an event made of its message's bytes: `bytes` of them from `skip` on are stored.
  typedef struct packed {
    length_t skip;
    length_t bytes;
    seq_t seq;  // of the first byte of the message
  } result_t;

  // A flit of bytes into a buffer: its first byte's place in the stream, and which of its bytes: from `first` on, up to the one before `behind`.
  typedef struct packed {
    connection_t connection;
    seq_t addr;
    logic [W-1:0] data;
    logic [EmptyWidth:0] first;
    logic [EmptyWidth:0] behind;
  } write_t;

  typedef struct packed {
    connection_t connection;
    tuple_t tuple;
    port_t port;
    tenant_t tenant;
    seq_t seq;
    seq_t ack;
    flags_t flags;
    logic [15:0] window;
    logic scaled;  // of a SYN, as is the next field
    logic sacks;
    range_t [Ranges-1:0] ranges;  // of a segment without data; the valid ones come first
    logic markable;  // routers may mark its packet instead of dropping it: ECT(0)
    length_t bytes;
    stamp_t stamp;  // not of a reset
  } segment_t;

  typedef struct packed {
    logic opened;  // the connection is open or, with is_reset, could not be opened
    connection_t connection;
    name_t name;
    tuple_t tuple;
    logic [15:0] application;
    port_t port;
    tenant_t tenant;
    seq_t seq;
    length_t bytes;  // of a connection that could not be opened, the reason
    length_t room;
    logic at_end;  // of a connection that is open or could not be opened: the application requested it
    logic is_reset;
  } notice_t;

  // The maximum segment size: the setting, limited to what the card's frames can hold. With less than LeastMss, the stack would
  // send few bytes per header, or none.
  localparam logic [15:0] LeastMss = 16'd64;
  localparam logic [15:0] MostMss = 16'(MaxFrameBytes - SegmentBytes > 16383 ? 16383 : MaxFrameBytes - SegmentBytes);
  function automatic logic [13:0] usable_mss(logic [15:0] mss);
    return mss > MostMss ? MostMss[13:0] : mss < LeastMss ? LeastMss[13:0] : mss[13:0];
  endfunction

  // log2 of the cycles that a burst of a paced connection takes at its rate, at most, if it has several segments: at least as long as a wait may end late.
  function automatic int unsigned pace_quantum_bits(int unsigned connections);
    return $clog2(connections) + 1 < 8 ? 8 : $clog2(connections) + 1;
  endfunction

  // Bytes of the largest segment that fits into a link.
  function automatic logic [13:0] mss_of_mtu(logic [15:0] mtu);
    logic [16:0] rest;
    rest = 17'(mtu) - 17'(Ipv4MinBytes + TcpBytes);
    return rest[16] ? '0 : rest[15:14] != '0 ? '1 : rest[13:0];
  endfunction

  // a < b, for sequence numbers less than half their range apart.
  function automatic logic precedes(seq_t a, seq_t b);
    return signed'(a - b) < 0;
  endfunction
  function automatic logic precedes_near(near_t a, near_t b);
    return signed'(a - b) < 0;
  endfunction
endpackage
