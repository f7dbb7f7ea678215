// SPDX-License-Identifier: Apache-2.0
// Copies every message to the core's memory and back, and sends it on.
#include "girih_core.h"

static uint32_t copy[4096];

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t length = girih_length(message);
        if (length > sizeof copy) {
            girih_drop(message);
            continue;
        }
        memcpy(copy, girih_data(message), length);
        memcpy(girih_data(message), copy, length);
        girih_send_to(message, length, GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
