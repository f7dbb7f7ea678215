// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4): the last 20 bytes of every payload become the digest of those before. Drops a shorter payload.
#include "girih_core.h"

#define DIGEST 20u

static inline uint32_t rotated(uint32_t word, uint32_t bits)
{
    return word << bits | word >> (32 - bits);
}

#define CHOICE (d ^ (b & (c ^ d)))
#define PARITY (b ^ c ^ d)
#define MAJORITY ((b & c) | (d & (b | c)))
#define ROUND(mix, constant, word)                                                 \
    do {                                                                           \
        uint32_t next = rotated(a, 5) + (mix) + e + (constant) + (word);           \
        e = d, d = c, c = rotated(b, 30), b = a, a = next;                         \
    } while (0)
#define SCHEDULED(i) (w[(i) & 15] = rotated(w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i) & 15], 1))

// w: the 16 words of a block, which it overwrites.
static void compress(uint32_t state[5], uint32_t w[16])
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (uint32_t i = 0; i < 16; i++)
        ROUND(CHOICE, 0x5a827999u, w[i]);
    for (uint32_t i = 16; i < 20; i++)
        ROUND(CHOICE, 0x5a827999u, SCHEDULED(i));
#pragma GCC unroll 20
    for (uint32_t i = 20; i < 40; i++)
        ROUND(PARITY, 0x6ed9eba1u, SCHEDULED(i));
#pragma GCC unroll 20
    for (uint32_t i = 40; i < 60; i++)
        ROUND(MAJORITY, 0x8f1bbcdcu, SCHEDULED(i));
#pragma GCC unroll 20
    for (uint32_t i = 60; i < 80; i++)
        ROUND(PARITY, 0xca62c1d6u, SCHEDULED(i));
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

static void digest(const uint8_t *at, uint32_t length, uint8_t out[DIGEST])
{
    uint32_t state[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}, w[16];
    uint32_t left = length;
    for (; left >= 64; left -= 64, at += 64) {
        for (uint32_t i = 0; i < 16; i++)
            w[i] = girih_get32(at + 4 * i);
        compress(state, w);
    }
    uint8_t tail[128];
    uint32_t blocks = left < 56 ? 1 : 2;
    memset(tail, 0, sizeof tail);
    memcpy(tail, at, left);
    tail[left] = 0x80;
    girih_put32(tail + 64 * blocks - 8, length >> 29);
    girih_put32(tail + 64 * blocks - 4, length << 3);
    for (uint32_t block = 0; block < blocks; block++) {
        for (uint32_t i = 0; i < 16; i++)
            w[i] = girih_get32(tail + 64 * block + 4 * i);
        compress(state, w);
    }
    for (uint32_t i = 0; i < 5; i++)
        girih_put32(out + 4 * i, state[i]);
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t start = message->payload_offset, length = girih_length(message);
        if (!start || start + DIGEST > length) {
            girih_drop(message);
            continue;
        }
        uint8_t *end = girih_data(message) + length - DIGEST;
        digest(girih_payload(message), length - DIGEST - start, end);
        girih_send(message, length);
    }
}
