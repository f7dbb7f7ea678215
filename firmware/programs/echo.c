// SPDX-License-Identifier: Apache-2.0
// Sends UDP datagrams back to their senders, two bytes at a time where udp_echo goes byte by byte: the echo of a card's benchmarks. With
// WORK it spends that many cycles on each of them, as a program does that computes something.
// As in udp_echo, what comes from a system's port or from our own is dropped: it could be an answer.
#include "girih_core.h"

#ifndef WORK
#define WORK 0
#endif

static inline void exchange(uint16_t *left, uint16_t *right)
{
    uint16_t half = *left;
    *left = *right;
    *right = half;
}

static inline void work(void)
{
#if WORK
    for (uint32_t start = girih_cycles(); girih_cycles() - start < WORK;)
        ;
#endif
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        work();
        uint8_t *data = girih_data(message);
        uint16_t *ip = (uint16_t *)(data + message->l3_offset), *udp = (uint16_t *)(data + message->l4_offset);
        uint16_t source = udp[0], destination = udp[1];
        if ((source & 0xFF) < 4 || source == destination) {  // the first byte of a port is the lower one of a half word
            girih_drop(message);
            continue;
        }
        udp[0] = destination;
        udp[1] = source;
        exchange(ip + 6, ip + 8);
        exchange(ip + 7, ip + 9);
        girih_send_to(message, girih_length(message), GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
