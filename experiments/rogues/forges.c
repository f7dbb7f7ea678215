// SPDX-License-Identifier: Apache-2.0
// Gives each packet another owner, sends or drops packets that are not its own, sends to exits that it does not have, and changes the headers of those
// that it sends. What is refused restarts it.
#include "girih_core.h"

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t now = girih_cycles() >> 3;
        uint32_t *block = (uint32_t *)message;
        uint32_t *other = (uint32_t *)(GIRIH_MESSAGES_BASE + (now >> 3 & 63) * GIRIH_MESSAGE_BYTES);
        for (uint32_t i = 0; i < 42; i += 4)
            girih_put32(girih_data(message) + i, now * 0x9e3779b1u + i);
        switch (now & 7) {
        case 0:
            *(volatile uint32_t *)&block[GIRIH_MESSAGE_OWNER / 4] = 0x00010101;  // port 1, tenant 1
            break;
        case 1:
            *(volatile uint32_t *)&block[GIRIH_MESSAGE_TIME / 4] = 0;
            break;
        case 2:
            *(volatile uint32_t *)&other[GIRIH_MESSAGE_SEND / 4] = 64;
            break;
        case 3:
            *(volatile uint32_t *)&other[GIRIH_MESSAGE_DROP / 4] = 0;
            break;
        case 4:
            girih_send(message, 0xffff);
            break;
        default:
            girih_send_to(message, girih_length(message), now & 7, 0);
        }
    }
}
