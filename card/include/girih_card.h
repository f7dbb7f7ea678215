/* SPDX-License-Identifier: Apache-2.0
 *
 * The virtual card's C API. One shared library holds one design; a process may load several.
 *
 * Time is in cycles of the card's clock. Functions that return int return GIRIH_OK or a
 * negative girih_status; girih_last_error() then describes the error in one sentence. A card is
 * used by one thread at a time. Pointers passed in are not kept after the call, unless a comment
 * says so; pointers handed out need not be freed, and are valid until the next call.
 *
 * Python parses the part between the two markers (girih.card.library), so it holds only plain C.
 */
#ifndef GIRIH_CARD_H
#define GIRIH_CARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
/* girih-api-begin */

typedef struct girih_card girih_card; /* opaque; made by girih_open, ended by girih_close */

enum girih_status {
  GIRIH_OK = 0,
  GIRIH_E_ARGUMENT = -1, /* the caller asked for something that does not exist */
  GIRIH_E_SYSTEM = -2,   /* the operating system refused */
  GIRIH_E_FORMAT = -3,   /* a file has the wrong format */
  GIRIH_E_DESIGN = -4,   /* a check inside the card failed; the card can only be closed */
  GIRIH_E_TIMEOUT = -5,  /* the card did not answer, or did not come to rest, in time */
  GIRIH_E_BUS = -6,      /* the register access was answered with an error */
  GIRIH_E_STALL = -7     /* the watchdog: links hold messages, and nothing moves */
};

/* The last error of the calling thread. */
const char *girih_last_error(void);

/* ---- a card ---- */

typedef struct girih_params {
  uint32_t data_width; /* bits of one port's tdata */
  uint32_t ports;
  uint32_t links;             /* probes, as in the manifest */
  uint32_t seed;              /* for the contents of registers and memories before reset; 0: zeros */
  const char *record_path;    /* NULL: record nothing */
  const char *record_label;   /* text that names the design in the recording */
  /* The card's clock, and those of its edges as the design has them; 0: the edge uses the card's. They matter only by their ratios. */
  uint64_t card_hz, ports_hz, memory_hz, host_hz, cores_hz;
} girih_params;

void girih_params_init(girih_params *params);
/* Builds and resets the card. On success *card is the caller's, to be closed. */
int girih_open(const girih_params *params, girih_card **card);
/* Flushes and closes all files; fails with GIRIH_E_SYSTEM if one is not whole. The card has ended in any case. NULL is allowed. */
int girih_close(girih_card *card);

uint64_t girih_cycle(const girih_card *card);

enum girih_edge { GIRIH_PORTS = 0, GIRIH_MEMORY = 1, GIRIH_HOST = 2, GIRIH_CORES = 3 };

/* Cycles of an edge's own clock since the card was opened; 0: it uses the card's. */
uint64_t girih_edge_cycles(const girih_card *card, int edge);
int girih_reset(girih_card *card);
int girih_run(girih_card *card, uint64_t cycles);
/* Runs up to `cycles`, but no longer than `microseconds` of real time. */
int girih_run_slice(girih_card *card, uint64_t cycles, uint32_t microseconds);
/* Runs until no port has moved for `quiet` cycles and no link holds a message; GIRIH_E_TIMEOUT after `limit` cycles. */
int girih_run_until_quiet(girih_card *card, uint64_t quiet, uint64_t limit);
/* Cycles since a frame last moved or waited at any port. */
uint64_t girih_quiet_cycles(const girih_card *card);

/* ---- the watchdog ---- */

typedef struct girih_waiting {
  uint32_t link;     /* as numbered in the manifest's `watched` */
  uint8_t src, dst;  /* nodes of the message that is offered on the link and not taken */
  uint16_t reserved;
} girih_waiting;

/* A card has stalled when links hold messages and nothing has moved, on any link or out of a port, for `cycles`;
 * 0, the default: no watchdog. Functions that run until the card is at rest then end with GIRIH_E_STALL. */
int girih_watchdog(girih_card *card, uint64_t cycles);
/* Cycles for which the card has stalled; 0: it has not. */
uint64_t girih_stalled_cycles(const girih_card *card);
/* Copies up to `capacity` of the links that held messages at the watchdog's last sample; returns their number. */
uint64_t girih_waiting_links(const girih_card *card, girih_waiting *links, uint64_t capacity);
/* 1: the port offers a beat that is not taken (m_axis_tready is low); 0: it does not. */
int girih_port_waits(girih_card *card, uint32_t port);

int girih_read32(girih_card *card, uint32_t address, uint32_t *value);
int girih_write32(girih_card *card, uint32_t address, uint32_t value);

/* The lines of the tiles that have interrupts; bit i is that of the tile with number i in the manifest. */
uint64_t girih_interrupts(const girih_card *card);

/* ---- ports ---- */

typedef struct girih_frame {
  const uint8_t *data;
  uint32_t size;
  uint32_t bad;         /* tuser[0] with the last beat */
  uint64_t first_cycle; /* of the first beat's transfer */
  uint64_t last_cycle;  /* of the last beat's transfer */
} girih_frame;

typedef struct girih_port_stats {
  uint64_t rx_frames, rx_bytes, rx_beats, rx_stalls; /* into the card; stalls: cycles without tready */
  uint64_t tx_frames, tx_bytes, tx_beats;            /* out of the card */
  uint64_t backend_drops;                            /* frames that a TAP device refused */
} girih_port_stats;

/* Closes all ports for good: only the rest of frames that have started still enters; frames that wait to enter are lost, and
 * those held by faults on the way in are counted as lost. Frames that the card sends still leave, without faults. */
int girih_ports_shut(girih_card *card);
/* For the copy of a card that fork makes: closes all ports and detaches devices, files and captures, so that the copy
 * has no effect outside. */
int girih_detach(girih_card *card);
/* 1: a TAP device of the port has been deleted; 0: none has. */
int girih_cable_gone(girih_card *card, uint32_t port);

int girih_port_stats_get(girih_card *card, uint32_t port, girih_port_stats *stats);
/* Queues a frame (copied); it enters no earlier than `cycle`, behind those queued before it. */
int girih_inject(girih_card *card, uint32_t port, const uint8_t *data, uint32_t size, uint64_t cycle, int bad);
/* Starts (or stops) keeping frames that leave the port, for girih_collect. Off by default. */
int girih_collect_enable(girih_card *card, uint32_t port, int enable);
/* Takes the oldest kept frame: 1 and *frame, or 0 if there is none. */
int girih_collect(girih_card *card, uint32_t port, girih_frame *frame);
/* m_axis_tready is high in each cycle with this probability; 1 by default, 0: never. */
int girih_ready_set(girih_card *card, uint32_t port, double probability, uint64_t seed);

/* Opens TAP device `name` in the network namespace file `netns` (NULL: the current one). The card owns *fd;
 * the caller may poll it. */
int girih_tap_open(girih_card *card, uint32_t port, const char *netns, const char *name, int *fd);
/* Plays a pcap or pcapng file into a port: at its recorded times (4 ns a cycle) or back to back. */
int girih_pcap_in(girih_card *card, uint32_t port, const char *path, int keep_times);
/* Writes frames that leave a port to a pcapng file. */
int girih_pcap_out(girih_card *card, uint32_t port, const char *path);

/* ---- the external memory behind the card's AXI4 port, if it has one ---- */

typedef struct girih_memory_params {
  uint64_t size;           /* bytes; an access beyond is answered with DECERR. Only what has been written takes room */
  uint32_t latency;        /* cycles from an address, and the data of a write, to the answer */
  uint32_t jitter;         /* further cycles, at random up to this; answers may then overtake one another */
  double bytes_per_cycle;  /* bandwidth, of reads and writes together */
  uint32_t refresh_every;  /* cycles from the start of a refresh to that of the next one; 0: there are none */
  uint32_t refresh_for;    /* cycles in which no data move */
  double ready;            /* probability that an address or data are taken in a cycle */
  uint64_t seed;
} girih_memory_params;

typedef struct girih_memory_stats {
  uint64_t reads, writes, read_beats, write_beats; /* transactions, and their beats on the bus */
  uint64_t most_reads;                             /* greatest number of reads in flight */
} girih_memory_stats;

void girih_memory_params_init(girih_memory_params *params);
int girih_memory_set(girih_card *card, const girih_memory_params *params);
/* From now on the memory answers accesses to `size` bytes from `first` on with SLVERR. */
int girih_memory_fail(girih_card *card, uint64_t first, uint64_t size);
/* Reads or writes the memory's contents without the card. A reset of the card does not change them. */
int girih_memory_read(girih_card *card, uint64_t address, uint8_t *data, uint64_t size);
int girih_memory_write(girih_card *card, uint64_t address, const uint8_t *data, uint64_t size);
int girih_memory_stats_get(girih_card *card, girih_memory_stats *stats);

/* ---- the host behind the card's port to it, if it has one ---- */

typedef struct girih_host_stats {
  uint64_t reads, writes, read_beats, write_beats; /* transactions, and their beats on the bus */
  uint64_t kicks, calls, lost_calls;               /* calls whose eventfd was full are lost */
  uint64_t outside;                                /* accesses outside mapped memory */
} girih_host_stats;

/* Cycles from an address, and the data of a write, to the answer. */
int girih_host_latency(girih_card *card, uint32_t cycles);
/* Maps `size` bytes of a file, from `offset` on, as host memory from `address` on. The descriptor may be closed afterwards. */
int girih_host_map(girih_card *card, uint64_t address, uint64_t size, int fd, uint64_t offset);
/* Unmaps all host memory. */
int girih_host_unmap(girih_card *card);
/* Sets the eventfds of a virtqueue, which are copied; -1: none. A kick becomes a write of 1 to register `doorbell`. */
int girih_host_queue(girih_card *card, uint32_t queue, int kick, int call, uint32_t doorbell);
int girih_host_stats_get(girih_card *card, girih_host_stats *stats);

/* ---- faults ---- */

enum girih_direction { GIRIH_IN = 0, GIRIH_OUT = 1 };

typedef struct girih_fault_params {
  double loss, duplicate, corrupt, reorder, delay; /* probabilities for each frame */
  uint64_t reorder_cycles; /* how long a reordered frame is overtaken */
  uint64_t delay_cycles;   /* the longest delay; frames keep their order */
  uint64_t seed;
} girih_fault_params;

typedef struct girih_fault_counts {
  uint64_t frames, lost, duplicated, corrupted, reordered, delayed;
} girih_fault_counts;

void girih_fault_params_init(girih_fault_params *params);
int girih_faults_set(girih_card *card, uint32_t port, int direction, const girih_fault_params *params);
int girih_faults_get(girih_card *card, uint32_t port, int direction, girih_fault_counts *counts);

/* ---- flows: a traffic generator and the agent that checks what comes back ---- */

enum girih_expect {
  GIRIH_EXPECT_ECHO = 0,   /* comes back with addresses and ports swapped */
  GIRIH_EXPECT_FORWARD = 1 /* comes out with addresses and ports unchanged */
};

typedef struct girih_flow_params {
  uint32_t port;
  uint8_t dst_mac[6], src_mac[6];
  uint32_t vlan; /* 0xFFFF: untagged */
  uint32_t src_ip, dst_ip;
  uint16_t src_port, dst_port;
  const uint32_t *payload_sizes; /* UDP payload bytes, taken in turn; copied */
  uint32_t payload_size_count;
  uint32_t window;  /* most packets in flight; 0: no limit. Lost ones leave it when the card is quiet */
  uint64_t warmup;  /* packets sent before those that are measured */
  uint64_t count;   /* packets measured */
  double rate;      /* packets per cycle; 0: back to back */
  uint64_t start_cycle;
  uint64_t seed;
  uint32_t expect;  /* girih_expect */
  uint32_t opaque;  /* 1: the card may rewrite the payload from its fifth byte on; no UDP checksum is sent */
} girih_flow_params;

typedef struct girih_latency {
  double mean;
  uint32_t min, p50, p90, p99, max; /* cycles */
  uint32_t reserved;
} girih_latency;

typedef struct girih_flow_result {
  uint64_t sent, received, lost, duplicated, reordered, corrupted; /* measured packets only */
  uint64_t payload_bytes;          /* received */
  uint64_t first_in, last_in;      /* cycle of the first beat in: first and last measured packet */
  uint64_t first_out, last_out;    /* cycle of the last beat out: first and last received packet */
  double packets_per_cycle;        /* between first_out and last_out */
  double payload_bits_per_cycle;   /* the same */
  girih_latency first_beat;        /* first beat in to first beat out */
  girih_latency last_beat;         /* first beat in to last beat out */
} girih_flow_result;

void girih_flow_params_init(girih_flow_params *params);
/* The flow's number, or a negative status. */
int girih_flow_add(girih_card *card, const girih_flow_params *params);
/* Runs all flows to their end, and then until nothing has moved for `quiet` cycles. */
int girih_flows_run(girih_card *card, uint64_t quiet, uint64_t limit);
int girih_flow_result_get(girih_card *card, uint32_t flow, girih_flow_result *result);
/* Copies up to `capacity` latencies in order of reception; returns their number. */
int64_t girih_flow_latencies(girih_card *card, uint32_t flow, uint32_t *first, uint32_t *last, uint64_t capacity);
/* Copies the cycles in which up to `capacity` packets had come out whole, in the same order; returns their number. */
int64_t girih_flow_arrivals(girih_card *card, uint32_t flow, uint64_t *cycles, uint64_t capacity);
/* Frames that came out while flows existed but belonged to none of them. */
uint64_t girih_flows_unexpected(girih_card *card);
int girih_flows_clear(girih_card *card);

/* ---- captures, waves, replay ---- */

typedef struct girih_capture_params {
  const char *path;
  const uint32_t *links; /* probes; from `links` of the card on: port p in, then port p out */
  uint32_t link_count;
  uint32_t descriptor_bits;
  const char *const *names;  /* one for each link */
  const char *descriptor;    /* "name:bits:count ..." from the most significant field on */
} girih_capture_params;

int girih_capture_start(girih_card *card, const girih_capture_params *params);
/* Ends the capture; *messages (if not NULL) receives the number of its messages. */
int girih_capture_stop(girih_card *card, uint64_t *messages);

/* Writes waves of cycles from..to-1 to an FST file; the library must be built with waves. */
int girih_waves(girih_card *card, const char *path, uint64_t from, uint64_t to);

typedef struct girih_replay_result {
  uint64_t cycles, inputs, outputs, accesses; /* replayed */
  uint64_t difference_cycle;
  char difference[240]; /* empty: the same cycles and bytes */
} girih_replay_result;

/* Is called often while a long call works: 0 ends that call. */
typedef int (*girih_goes_on)(void);

/* Replays a recording on a card that was just opened; if `goes_on` ends it, the result is that of the cycles until then. */
int girih_replay(girih_card *card, const char *path, girih_goes_on goes_on, girih_replay_result *result);

/* girih-api-end */
#pragma GCC visibility pop
#ifdef __cplusplus
}

static_assert(sizeof(girih_frame) == 32 && sizeof(girih_port_stats) == 64, "shared with Python");
static_assert(sizeof(girih_waiting) == 8, "shared with Python");
static_assert(sizeof(girih_memory_params) == 48 && sizeof(girih_memory_stats) == 40, "shared with Python");
static_assert(sizeof(girih_host_stats) == 64, "shared with Python");
static_assert(sizeof(girih_fault_params) == 64 && sizeof(girih_fault_counts) == 48, "shared with Python");
static_assert(sizeof(girih_flow_params) == 96 && sizeof(girih_latency) == 32, "shared with Python");
static_assert(sizeof(girih_flow_result) == 168 && sizeof(girih_replay_result) == 280, "shared with Python");
#endif
#endif
