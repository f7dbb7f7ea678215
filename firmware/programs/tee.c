// SPDX-License-Identifier: Apache-2.0
// Sends every message on, and a copy of it to exit 1. Without a free slot there is no copy.
#include "girih_core.h"

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t length = girih_length(message);
        girih_message *copy = girih_make(message);
        if (copy) {
            memcpy(girih_data(copy), girih_data(message), length);
            girih_send_to(copy, length, 1, GIRIH_KEEPS_SUM);
        }
        girih_send_to(message, length, GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
