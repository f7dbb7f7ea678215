// SPDX-License-Identifier: Apache-2.0
// Answers ICMP echo requests, behind the IPv4 tile that receives: addresses swapped, type 0, checksum updated (RFC 792). Drops what is no echo
// request, or whose checksum is wrong.
#include "girih_core.h"

static uint32_t sum16(const uint8_t *at, uint32_t count)
{
    uint32_t sum = 0;
    for (; count > 1; count -= 2, at += 2)
        sum += girih_get16(at);
    if (count)
        sum += (uint32_t)*at << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint8_t *ip = girih_network(message), *icmp = girih_transport(message);
        uint32_t length = girih_length(message), end = message->l3_offset + (uint32_t)girih_get16(ip + 2);
        uint32_t start = message->l4_offset;
        if (!start || end > length || start + 8 > end || icmp[0] != 8 || icmp[1] != 0 || sum16(icmp, end - start) != 0xffff) {
            girih_drop(message);
            continue;
        }
        uint32_t source = girih_get32(ip + 12);
        girih_put32(ip + 12, girih_get32(ip + 16));
        girih_put32(ip + 16, source);
        icmp[0] = 0;
        uint32_t sum = girih_get16(icmp + 2) + 0x0800u;
        girih_put16(icmp + 2, (uint16_t)(sum + (sum >> 16)));
        girih_send(message, end);
    }
}
