// SPDX-License-Identifier: Apache-2.0
// Takes a message and does nothing ever after.
#include "girih_core.h"

int main(void)
{
    girih_receive();
    for (;;)
        ;
}
