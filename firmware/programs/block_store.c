// SPDX-License-Identifier: Apache-2.0
// A store of blocks of 1,024 bytes for UDP clients, in the memory of the host and in the card's, on a core of kind dma_core. A request has a word that says
// what to do (0: read, 1: write) and the number of a block, both in network order, then a block if it writes one. It is sent back with the status
// of the access in the first word, and the block that was read. Blocks from CARD on are in the card's memory. It serves requests while accesses of earlier ones are in flight.
#include "girih_core.h"

#ifndef BASE
#define BASE 0x700000000ull  // where the blocks start in the memory of the host
#endif
#define BLOCK 1024u
#define HEAD 8u
#define CARD (1u << 31)
#define MOST 64

static girih_message *asked[MOST];
static uint32_t waiting;

static uint32_t takes(const girih_message *message)
{
    return (uint32_t)(girih_payload(message) - girih_data(message)) + HEAD + BLOCK;
}

static void begin(girih_message *message)
{
    uint8_t *payload = girih_payload(message), *place = girih_data(message) + BLOCK;  // behind the headers, and where a block lies in a flit
    uint32_t block = girih_get32(payload + 4), write = girih_get32(payload) == 1;
    uint64_t address = (uint64_t)(block & ~CARD) * BLOCK;
    if (!(block & CARD))
        address = girih_at_host(BASE + address);
    if (waiting == MOST || girih_length(message) < (write ? takes(message) : takes(message) - BLOCK)) {
        girih_drop(message);
        return;
    }
    if (write) {
        memmove(place, payload + HEAD, BLOCK);
        girih_dma_write(message, address, place, BLOCK);
    } else {
        girih_dma_read(message, place, address, BLOCK);
    }
    asked[waiting++] = message;
}

static void turn_round(girih_message *message)
{
    uint8_t *ip = girih_network(message), *udp = girih_transport(message), ends[12];
    memcpy(ends, ip + 12, 8);
    memcpy(ip + 12, ends + 4, 4);
    memcpy(ip + 16, ends, 4);
    memcpy(ends, udp, 4);
    memcpy(udp, ends + 2, 2);
    memcpy(udp + 2, ends, 2);
}

static void finish(girih_message *message)
{
    uint8_t *payload = girih_payload(message);
    uint32_t status = (uint32_t)girih_dma_wait(message), length = takes(message) - BLOCK;
    if (girih_get32(payload) != 1 && status == GIRIH_DMA_OK) {
        memmove(payload + HEAD, girih_data(message) + BLOCK, BLOCK);
        length += BLOCK;
    }
    girih_put32(payload, status);
    turn_round(message);
    girih_send(message, length);
}

int main(void)
{
    for (;;) {
        girih_message *message = waiting ? girih_wait() : girih_receive();
        if (message)
            begin(message);
        for (uint32_t i = 0; i < waiting;) {
            message = asked[i];
            if (girih_dma_busy(message)) {
                i++;
            } else {
                asked[i] = asked[--waiting];
                finish(message);
            }
        }
    }
}
