// SPDX-License-Identifier: Apache-2.0
// Copies every message to another address of packet memory, and sends the copy on. A slot has room for two.
#include "girih_core.h"

#define LONGEST 2048u

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t length = girih_length(message);
        if (length > LONGEST) {
            girih_drop(message);
            continue;
        }
        uint8_t *copy = girih_data(message) + LONGEST;
        memcpy(copy, girih_data(message), length);
        girih_send_range(message, copy, length, GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
