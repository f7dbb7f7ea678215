// SPDX-License-Identifier: Apache-2.0
// Makes messages without end and sends the longest packet of each.
#include "girih_core.h"

int main(void)
{
    girih_message *message = girih_receive();
    for (;;) {
        girih_message *other = girih_make(message);
        if (other)
            girih_send(other, LONGEST);
    }
}
