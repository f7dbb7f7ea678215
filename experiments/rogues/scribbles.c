// SPDX-License-Identifier: Apache-2.0
// Writes random words to random addresses: of its code and data, of packet memory, of the blocks of messages with their doorbells, of the devices, and
// of anything else. A write that is refused restarts it.
#include "girih_core.h"

#ifdef MACHINE_MODE
GIRIH_MACHINE_MODE;
#endif

static uint32_t next(uint32_t word)
{
    word ^= word << 13;
    word ^= word >> 17;
    return word ^ word << 5;
}

int main(void)
{
    static const uint32_t bases[] = {0, GIRIH_PACKETS_BASE, GIRIH_MESSAGES_BASE, GIRIH_DEVICES_BASE};
    uint32_t word = girih_cycles() | 1;
    for (;;) {
        girih_message *message = girih_poll();
        if (message)
            girih_send(message, girih_length(message));
        word = next(word);
        uint32_t where = next(word) >> 8, address = where & 1 ? word & ~3u : bases[where >> 1 & 3] + (where >> 3 & 0x7ffc);
        if (address != GIRIH_DEVICES_BASE + GIRIH_DEVICE_STOP)  // which would end it
            *(volatile uint32_t *)(uintptr_t)address = word;
    }
}
