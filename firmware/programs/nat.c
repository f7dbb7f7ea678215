// SPDX-License-Identifier: Apache-2.0
// Network address translation of TCP and UDP: the source address and port of a flow become PUBLIC and a port of its own, which a table
// in the core's memory keeps. Checksums are updated (RFC 1624). A flow that finds its place in the table taken takes that place over.
// Fragments, and what is neither TCP nor UDP, have no ports to tell their flow by, and are dropped.
#include "girih_core.h"

#define PUBLIC 0xc6336401u  // 198.51.100.1
#define FLOWS 256u
#define FIRST_PORT 0x8000u

struct flow {
    uint32_t source, destination, ports, unused;  // 16 bytes: found without a multiplication
};

static struct flow flows[FLOWS];

// All of them as the bytes lie in memory; a header is at an even address.
static inline uint32_t word(const uint16_t *at)
{
    return at[0] | (uint32_t)at[1] << 16;
}

// A sum of at most a few halves, folded to one; bits above the lower 16 are to be ignored.
static inline uint32_t folded(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return sum + (sum >> 16);
}

#define SWAPPED(value) (((value) & 0xffu) << 8 | ((value) >> 8 & 0xffu))
#define HIGH SWAPPED(PUBLIC >> 16)
#define LOW SWAPPED(PUBLIC)
#define FRAGMENT SWAPPED(0x3fffu)  // more of it follows, or its place is not 0
#define TCP 6u
#define UDP 17u
#define LIKELY(condition) __builtin_expect((condition), 1)  // without a jump

// Whether the packet could be translated. sum: where the transport's checksum is, in halves. udp: it is 0 if there is none.
static inline __attribute__((always_inline)) int translated(uint16_t *ip, uint16_t *transport, uint32_t sum, int udp)
{
    if (ip[3] & FRAGMENT)
        return 0;
    uint32_t a = ip[6], b = ip[7], from = transport[0];
    uint32_t source = a | b << 16, destination = word(ip + 8), ports = from | (uint32_t)transport[1] << 16;
    uint32_t hash = (source ^ destination ^ ports) * 0x9e3779b1u >> 24;
    struct flow *flow = &flows[hash % FLOWS];
    if (!LIKELY(((flow->source ^ source) | (flow->destination ^ destination) | (flow->ports ^ ports)) == 0)) {
        flow->source = source;
        flow->destination = destination;
        flow->ports = ports;
    }
    uint32_t port = SWAPPED(FIRST_PORT) | hash << 8;

    // What is taken out of a sum is added in ones' complement, and so is the sum itself; then what is put in.
    uint32_t change = 3 * 0xffffu + HIGH + LOW - a - b, old = transport[sum];
    ip[5] = (uint16_t)~folded(change - ip[5]);
    if (!udp || old != 0) {
        uint16_t updated = (uint16_t)~folded(change + 0xffff - old - from + port);
        transport[sum] = udp && updated == 0 ? 0xffff : updated;
    }
    ip[6] = HIGH;
    ip[7] = LOW;
    transport[0] = (uint16_t)port;
    return 1;
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t length = girih_length(message), header = message->l4_offset;
        int32_t room = (int32_t)(length - header);
        uint16_t *ip = (uint16_t *)girih_network(message), *transport = (uint16_t *)girih_transport(message);
        uint32_t protocol = ((const uint8_t *)ip)[9];
        int done = 0;
        if (LIKELY(protocol == UDP) && header && room >= 8)
            done = translated(ip, transport, 3, 1);
        else if (protocol == TCP && header && room >= 20)
            done = translated(ip, transport, 8, 0);
        if (done)
            girih_send_to(message, length, GIRIH_REPLY, GIRIH_KEEPS_SUM);
        else
            girih_drop(message);
    }
}
