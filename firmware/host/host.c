// SPDX-License-Identifier: Apache-2.0
// A core for tests of programs on the host: packet memory and the block of one message are at their addresses. Messages come on the standard input, each as
// four words (bytes, offsets of its network header, its transport header and its payload) and its bytes. For each one the word that the program wrote to its
// doorbell, or ~0 if it was dropped, and the bytes that it sent go to the standard output. The program ends with its input. Accesses to memory end at
// once. control.c adds what a control core has.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "girih_core.h"

#define SLOT_BYTES 16384u
#define DROPPED UINT32_MAX
#define MEMORY_BYTES 65536u  // that are granted, from address 0 on

// Whether four words are not of a message, but for control.c.
__attribute__((weak)) int girih_host_control(const uint32_t *head);
int girih_host_control(const uint32_t *head)
{
    (void)head;
    return 0;
}

static void *mapped(uint32_t address, uint32_t size)
{
    void *at = mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) {
        perror("host: mmap");
        exit(1);
    }
    return at;
}

uint32_t girih_host_next(void)
{
    static uint32_t *block;
    static uint8_t *slot;
    uint32_t head[4];
    if (!block) {
        block = mapped(GIRIH_MESSAGES_BASE, 4096);
        slot = mapped(GIRIH_PACKETS_BASE, 2 * SLOT_BYTES);
    }
    if (fread(head, sizeof head, 1, stdin) != 1)
        exit(0);
    if (girih_host_control(head))
        return 0;
    if (head[0] > SLOT_BYTES || fread(slot, 1, head[0], stdin) != head[0])
        exit(1);
    block[GIRIH_MESSAGE_DATA / 4] = GIRIH_PACKETS_BASE;
    block[GIRIH_MESSAGE_LENGTH / 4] = head[0];
    block[GIRIH_MESSAGE_DMA / 4] = GIRIH_DMA_OK;
    block[GIRIH_MESSAGE_OFFSETS / 4] = head[1] | head[2] << 8 | head[3] << 16;
    return GIRIH_MESSAGES_BASE;
}

// There is room for one, until it ends.
girih_message *girih_made(girih_message *message)
{
    const uint32_t *from = (const uint32_t *)message;
    uint32_t *block = (uint32_t *)(uintptr_t)(GIRIH_MESSAGES_BASE + GIRIH_MESSAGE_BYTES);
    if (block[GIRIH_MESSAGE_DATA / 4])
        return NULL;
    memcpy(block, from, GIRIH_MESSAGE_BYTES);
    block[GIRIH_MESSAGE_DATA / 4] = GIRIH_PACKETS_BASE + SLOT_BYTES;
    block[GIRIH_MESSAGE_DMA / 4] = GIRIH_DMA_OK;
    return (girih_message *)block;
}

void girih_host_end(girih_message *message, int sent)
{
    uint32_t word = sent ? message->send : DROPPED, length = sent ? word & 0xffff : 0;
    uint32_t start = sent ? (word >> GIRIH_SEND_START_LSB & ((1u << GIRIH_SEND_START_BITS) - 1)) * GIRIH_SEND_START_BYTES : 0;
    if (start + length > SLOT_BYTES)
        exit(1);
    fwrite(&word, sizeof word, 1, stdout);
    fwrite((const void *)(uintptr_t)(message->data + start), 1, length, stdout);
    fflush(stdout);
    *(uint32_t *)message = 0;  // it is no longer the program's
}

// The host's memory for accesses of programs, as the card's: it ends with a fault of the program where the card would, and with the status of the card.
void girih_post(girih_message *message, uint64_t address, uint32_t what)
{
    static uint8_t memory[2][MEMORY_BYTES];
    uint32_t place = what >> GIRIH_DMA_PLACE_LSB & ((1u << GIRIH_DMA_PLACE_BITS) - 1), bytes = what & ((1u << GIRIH_DMA_PLACE_LSB) - 1);
    uint8_t *slot = (uint8_t *)(uintptr_t)message->data, *at = memory[address >> (32 + GIRIH_DMA_HOST)];
    uint32_t status = GIRIH_DMA_OK;
    address &= ~(1ull << (32 + GIRIH_DMA_HOST));
    if (!bytes || place + bytes > SLOT_BYTES || (address & 4095) + bytes > 4096 || ((address ^ place) & 127) || address >> 40)
        status = GIRIH_DMA_MALFORMED;
    else if (address + bytes > MEMORY_BYTES)
        status = GIRIH_DMA_REFUSED;
    else if (what >> GIRIH_DMA_WRITE)
        memcpy(at + address, slot + place, bytes);
    else
        memcpy(slot + place, at + address, bytes);
    message->dma = status;
}

void girih_log(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}
