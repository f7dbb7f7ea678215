// SPDX-License-Identifier: Apache-2.0
// Sends mail to all cores that there could be, without end, and takes none.
#include "girih_core.h"

int main(void)
{
    girih_receive();
    for (uint32_t number = 0;; number++)
        girih_mail(number & 31, number);
}
