// SPDX-License-Identifier: Apache-2.0
// AES-256 in counter mode: encrypts, or decrypts, the payload of every message behind its first 8 bytes, the initialization vector. The counter block is
// the salt, the vector and a number from 1 on, as in RFC 3686. Drops a payload without a vector.
// The key and the salt are part of the program: -DAES_KEY and -DAES_SALT as lists of bytes.
// Tables make it fast; their use depends on the key, but no cache of this core tells it.
#include "girih_core.h"

#ifndef AES_KEY
#define AES_KEY 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define AES_SALT 0, 0, 0, 0
#endif
#define ROUNDS 14u

static const uint8_t key[32] = {AES_KEY}, salt[4] = {AES_SALT};
static uint8_t sbox[256];
static uint32_t columns[4][256];  // what each byte of a column adds to the mixed one, least significant byte first
static uint32_t round_keys[4 * (ROUNDS + 1)];

static inline uint32_t rotated(uint32_t word, uint32_t bits)
{
    return bits ? word << bits | word >> (32 - bits) : word;
}

static inline uint8_t doubled(uint8_t value)
{
    return (uint8_t)(value << 1 ^ (value & 0x80 ? 0x1b : 0));
}

// The S-box by its definition: the inverse in GF(2^8), walked with the generator 3, and an affine map (FIPS 197, 5.1.1).
static void make_tables(void)
{
    uint8_t value = 1, inverse = 1;
    do {
        value = (uint8_t)(value ^ doubled(value));
        inverse = (uint8_t)(inverse ^ inverse << 1);
        inverse = (uint8_t)(inverse ^ inverse << 2);
        inverse = (uint8_t)(inverse ^ inverse << 4);
        if (inverse & 0x80)
            inverse ^= 0x09;
        uint32_t twice = inverse | (uint32_t)inverse << 8;
        sbox[value] = (uint8_t)(twice ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63);
    } while (value != 1);
    sbox[0] = 0x63;
    for (uint32_t i = 0; i < 256; i++) {
        uint8_t s = sbox[i], two = doubled(s);
        uint32_t column = (uint32_t)two | (uint32_t)s << 8 | (uint32_t)s << 16 | (uint32_t)(two ^ s) << 24;
        for (uint32_t row = 0; row < 4; row++)
            columns[row][i] = rotated(column, 8 * row);
    }
}

static uint32_t substituted(uint32_t word)
{
    return sbox[word & 255] | (uint32_t)sbox[word >> 8 & 255] << 8 | (uint32_t)sbox[word >> 16 & 255] << 16 | (uint32_t)sbox[word >> 24] << 24;
}

static void expand_key(void)
{
    memcpy(round_keys, key, sizeof key);
    uint8_t constant = 1;
    for (uint32_t i = 8; i < 4 * (ROUNDS + 1); i++) {
        uint32_t word = round_keys[i - 1];
        if (i % 8 == 0) {
            word = substituted(rotated(word, 24)) ^ constant;
            constant = doubled(constant);
        } else if (i % 8 == 4) {
            word = substituted(word);
        }
        round_keys[i] = round_keys[i - 8] ^ word;
    }
}

#define MIXED(a, b, c, d) (columns[0][(a) & 255] ^ columns[1][(b) >> 8 & 255] ^ columns[2][(c) >> 16 & 255] ^ columns[3][(d) >> 24])
#define LAST(a, b, c, d) (sbox[(a) & 255] | (uint32_t)sbox[(b) >> 8 & 255] << 8 | (uint32_t)sbox[(c) >> 16 & 255] << 16 | (uint32_t)sbox[(d) >> 24] << 24)

static void encrypt(const uint32_t in[4], uint32_t out[4])
{
    const uint32_t *keys = round_keys;
    uint32_t a = in[0] ^ keys[0], b = in[1] ^ keys[1], c = in[2] ^ keys[2], d = in[3] ^ keys[3];
    for (uint32_t round = 1; round < ROUNDS; round++) {
        keys += 4;
        uint32_t e = MIXED(a, b, c, d) ^ keys[0], f = MIXED(b, c, d, a) ^ keys[1];
        uint32_t g = MIXED(c, d, a, b) ^ keys[2], h = MIXED(d, a, b, c) ^ keys[3];
        a = e, b = f, c = g, d = h;
    }
    keys += 4;
    out[0] = LAST(a, b, c, d) ^ keys[0];
    out[1] = LAST(b, c, d, a) ^ keys[1];
    out[2] = LAST(c, d, a, b) ^ keys[2];
    out[3] = LAST(d, a, b, c) ^ keys[3];
}

int main(void)
{
    make_tables();
    expand_key();
    for (;;) {
        girih_message *message = girih_receive();
        uint8_t *at = girih_payload(message), *end = girih_data(message) + girih_length(message);
        if (!message->payload_offset || at + 8 > end) {
            girih_drop(message);
            continue;
        }
        uint32_t counter[4], stream[4];
        memcpy(counter, salt, 4);
        memcpy(counter + 1, at, 8);
        at += 8;
        for (uint32_t number = 1; at < end; number++) {
            girih_put32((uint8_t *)(counter + 3), number);
            encrypt(counter, stream);
            const uint8_t *from = (const uint8_t *)stream;
            if (end - at >= 16 && !((uintptr_t)at & 1)) {
                const uint16_t *half = (const uint16_t *)stream;
                for (uint32_t i = 0; i < 8; i++)
                    ((uint16_t *)at)[i] ^= half[i];
                at += 16;
            } else {
                for (uint32_t i = 0; i < 16 && at < end; i++)
                    *at++ ^= from[i];
            }
        }
        girih_send(message, girih_length(message));
    }
}
