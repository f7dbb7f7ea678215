// SPDX-License-Identifier: Apache-2.0
// Sends every message on as it is.
#include "girih_core.h"

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        girih_send_to(message, girih_length(message), GIRIH_REPLY, GIRIH_KEEPS_SUM);
    }
}
