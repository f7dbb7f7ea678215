// SPDX-License-Identifier: Apache-2.0
// Reads a register of the neighbour's tile and reads or writes random registers of all tiles, in turn, and starts watches that make an event after each
// reading, without waiting for an answer.
#include "girih_control.h"

int main(void)
{
    for (uint32_t word = 1;; word = word * 1664525u + 1013904223u) {
        uint32_t address = word >> 8 & 0xfbffc;
        *girih_device(GIRIH_DEVICE_CONTROL_READ) = girih_card.mine.in_messages;
        *girih_device(GIRIH_DEVICE_CONTROL_DATA) = word;
        *girih_device(word >> 31 ? GIRIH_DEVICE_CONTROL_WRITE : GIRIH_DEVICE_CONTROL_READ) = address;
        if ((word >> 16 & 15) == 0)
            girih_watch(word >> 20 & 7, word & 1 << 24 ? address : girih_card.mine.in_messages, 0);
    }
}
