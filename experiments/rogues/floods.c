// SPDX-License-Identifier: Apache-2.0
// Makes the longest packet of every packet.
#include "girih_core.h"

int main(void)
{
    for (;;)
        girih_send(girih_receive(), LONGEST);
}
