// SPDX-License-Identifier: Apache-2.0
// A core for tests of programs on the host: packet memory and the block of one message are at their addresses. Messages come on the standard input, each as
// four words (bytes, offsets of its network header, its transport header and its payload) and its bytes. For each one the word that the program wrote to its
// doorbell, or ~0 if it was dropped, and the bytes that it sent go to the standard output. The program ends with its input. control.c adds what a control
// core has.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "girih_core.h"

#define SLOT_BYTES 16384u
#define DROPPED UINT32_MAX

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
        slot = mapped(GIRIH_PACKETS_BASE, SLOT_BYTES);
    }
    if (fread(head, sizeof head, 1, stdin) != 1)
        exit(0);
    if (girih_host_control(head))
        return 0;
    if (head[0] > SLOT_BYTES || fread(slot, 1, head[0], stdin) != head[0])
        exit(1);
    block[GIRIH_MESSAGE_DATA / 4] = GIRIH_PACKETS_BASE;
    block[GIRIH_MESSAGE_LENGTH / 4] = head[0];
    block[GIRIH_MESSAGE_OFFSETS / 4] = head[1] | head[2] << 8 | head[3] << 16;
    return GIRIH_MESSAGES_BASE;
}

void girih_host_end(girih_message *message, int sent)
{
    uint32_t word = sent ? message->send : DROPPED, length = sent ? word & 0xffff : 0;
    fwrite(&word, sizeof word, 1, stdout);
    fwrite((const void *)(uintptr_t)message->data, 1, length, stdout);
    fflush(stdout);
}

void girih_log(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}
