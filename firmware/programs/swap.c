// SPDX-License-Identifier: Apache-2.0
// Exchanges the Ethernet and the IPv4 addresses of every message. No sum changes.
#include "girih_core.h"

static inline void exchange(uint16_t *left, uint16_t *right)
{
    uint16_t half = *left;
    *left = *right;
    *right = half;
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint16_t *ether = (uint16_t *)girih_data(message), *ip = (uint16_t *)girih_network(message);
        for (int i = 0; i < 3; i++)
            exchange(ether + i, ether + 3 + i);
        for (int i = 0; i < 2; i++)
            exchange(ip + 6 + i, ip + 8 + i);
        girih_send_to(message, girih_length(message), GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
