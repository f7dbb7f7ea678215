// SPDX-License-Identifier: Apache-2.0
// Sends every UDP datagram back to its sender: swaps the addresses and the ports in place, which changes no sum. A datagram
// whose sender would answer in turn is dropped, as the echo tile does.
#include "girih_core.h"

static void swap(uint8_t *left, uint8_t *right, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t byte = left[i];
        left[i] = right[i];
        right[i] = byte;
    }
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint8_t *ip = girih_network(message), *udp = girih_transport(message);
        uint16_t source = girih_get16(udp);
        if (source < 1024 || source == girih_get16(udp + 2)) {
            girih_drop(message);
            continue;
        }
        swap(ip + 12, ip + 16, 4);
        swap(udp, udp + 2, 2);
        girih_send_to(message, girih_length(message), GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
