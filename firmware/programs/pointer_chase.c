// SPDX-License-Identifier: Apache-2.0
// Measures the latency of reads that depend on one another, in random order. A message asks with three words in the byte order of the core: where (0: the core's
// memory, 1: packet memory), the words to walk through, and the steps; the answer has the cycles that the steps took as a fourth. They start at the first
// multiple of 4 bytes of the payload.
#include "girih_core.h"

enum { Where, Words, Steps, Cycles, Asked };
#define MOST 1024u

static uint32_t own[MOST];

// Joins the words to one circle, in random order (Sattolo).
static void join(uint32_t *words, uint32_t count)
{
    uint32_t random = 1;
    for (uint32_t i = 0; i < count; i++)
        words[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        random = random * 1664525u + 1013904223u;
        uint32_t j = (random >> 8) % i, kept = words[i];
        words[i] = words[j];
        words[j] = kept;
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] = (uint32_t)(uintptr_t)(words + words[i]);
}

#define STEP "lw %0, 0(%0)\n"
#define UNROLLED 16u

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t length = girih_length(message), start = (message->payload_offset + 3u) & ~3u;
        uint32_t *asked = (uint32_t *)(girih_data(message) + start);
        if (length < start + 4 * Asked) {
            girih_drop(message);
            continue;
        }
        uint32_t room = asked[Where] ? (length - start) / 4 - Asked : MOST, count = asked[Words], steps = asked[Steps] / UNROLLED;
        uint32_t *words = asked[Where] ? asked + Asked : own;
        if (asked[Where] > 1 || count < 2 || count > room || !steps) {
            girih_drop(message);
            continue;
        }
        join(words, count);
        uint32_t at = (uint32_t)(uintptr_t)words, before = girih_cycles();
        for (uint32_t i = 0; i < steps; i++)
            __asm__ volatile(STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP : "+r"(at) : : "memory");
        asked[Cycles] = girih_cycles() - before;
        girih_send(message, length);
    }
}
