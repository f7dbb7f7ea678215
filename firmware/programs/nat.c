// SPDX-License-Identifier: Apache-2.0
// Network address translation of TCP and UDP: the source address and port of a flow become PUBLIC and a port of its own, which a table
// in the core's memory keeps. Checksums are updated (RFC 1624). A flow that finds its place in the table taken takes that place over.
#include "girih_core.h"

#define PUBLIC 0xc6336401u  // 198.51.100.1
#define FLOWS 256u
#define FIRST_PORT 0x8000u

struct flow {
    uint32_t source, destination, ports;
};

static struct flow flows[FLOWS];

// All of them as the bytes lie in memory; a header is at an even address.
static inline uint32_t word(const uint16_t *at)
{
    return at[0] | (uint32_t)at[1] << 16;
}

static inline uint32_t fold(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

static inline uint16_t swapped(uint32_t value)
{
    return (uint16_t)((value & 0xff) << 8 | (value >> 8 & 0xff));
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint16_t *ip = (uint16_t *)girih_network(message), *transport = (uint16_t *)girih_transport(message);
        uint32_t source = word(ip + 6), destination = word(ip + 8), ports = word(transport);
        uint32_t hash = (source ^ destination ^ ports) * 0x9e3779b1u >> 24;
        struct flow *flow = &flows[hash % FLOWS];
        if (flow->source != source || flow->destination != destination || flow->ports != ports)
            *flow = (struct flow){source, destination, ports};
        uint16_t port = swapped(FIRST_PORT + hash);
        uint16_t high = swapped(PUBLIC >> 16), low = swapped(PUBLIC);

        // The change of the sum: what is taken out, in ones' complement, and what is put in.
        uint32_t change = (uint16_t)~ip[6] + (uint32_t)(uint16_t)~ip[7] + high + low;
        ip[5] = (uint16_t)~fold((uint16_t)~ip[5] + change);
        uint8_t protocol = (uint8_t)(ip[4] >> 8);
        uint16_t *sum = transport + (protocol == 6 ? 8 : 3);
        if (protocol == 6 || *sum != 0) {
            uint16_t updated = (uint16_t)~fold((uint16_t)~*sum + change + (uint16_t)~transport[0] + port);
            *sum = protocol == 17 && updated == 0 ? 0xffff : updated;
        }
        ip[6] = high;
        ip[7] = low;
        transport[0] = port;
        girih_send_to(message, girih_length(message), GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
