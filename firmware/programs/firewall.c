// SPDX-License-Identifier: Apache-2.0
// A firewall between the IPv4 and the UDP tile. The first rule that matches a packet decides; what no rule matches is dropped.
#include "girih_core.h"

struct rule {
    uint32_t network, mask;    // of the source address
    uint16_t first, last;      // destination ports
    uint8_t accept;
};

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static const struct rule rules[] = {
    {IP(10, 77, 0, 66), 0xffffffff, 0, 65535, 0},  // one host may nothing
    {IP(10, 77, 0, 0), 0xffffff00, 7, 7, 1},       // its network may use the echo
    {0, 0, 7000, 7999, 1},                         // everyone may use these ports
};

static int accepts(uint32_t source, uint16_t port)
{
    for (const struct rule *rule = rules; rule < rules + sizeof rules / sizeof *rules; rule++)
        if ((source & rule->mask) == rule->network && port >= rule->first && port <= rule->last)
            return rule->accept;
    return 0;
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t source = girih_get32(girih_network(message) + 12);
        uint16_t port = girih_get16(girih_transport(message) + 2);
        if (accepts(source, port))
            girih_send_to(message, girih_length(message), GIRIH_REPLY, GIRIH_KEEPS_SUM);
        else
            girih_drop(message);
    }
}
