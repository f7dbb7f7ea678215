// SPDX-License-Identifier: Apache-2.0
// For tests of the core: takes every message, and ends none.
#include "girih_core.h"

int main(void)
{
    for (;;)
        girih_receive();
}
