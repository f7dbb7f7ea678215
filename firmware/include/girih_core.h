// SPDX-License-Identifier: Apache-2.0
// For programs on a core of a Girih card (C11, freestanding).
//
// main runs in user mode, under memory protection (docs/cores.md), unless the program has a line GIRIH_MACHINE_MODE; outside of its functions.
//
// A message is a whole Ethernet frame in packet memory. A program takes one, reads and changes its bytes in place, and sends it on or drops it. After
// that the message no longer belongs to the program: touching it is a fault, which restarts the program.
//
//   int main(void)
//   {
//       for (;;) {
//           girih_message *m = girih_receive();
//           girih_send(m, girih_length(m));
//       }
//   }
#ifndef GIRIH_CORE_H
#define GIRIH_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "girih_core_map.h"

// What the hardware knows about a message; it does not change while the program has the message. Only dma, send and drop can be written.
typedef struct girih_message {
    const uint32_t data, length;
    const uint8_t l3_offset, l4_offset, payload_offset, reserved_a;
    const uint8_t port, tenant, source, reserved_b;
    const uint32_t time;
    volatile uint32_t dma, send, drop;
} girih_message;
_Static_assert(sizeof(girih_message) == GIRIH_MESSAGE_BYTES, "the block of a message");
_Static_assert(offsetof(girih_message, l3_offset) == GIRIH_MESSAGE_OFFSETS, "its offsets");
_Static_assert(offsetof(girih_message, port) == GIRIH_MESSAGE_OWNER, "its owner");
_Static_assert(offsetof(girih_message, dma) == GIRIH_MESSAGE_DMA, "its access to memory");
_Static_assert(offsetof(girih_message, send) == GIRIH_MESSAGE_SEND, "its first doorbell");

#define GIRIH_MACHINE_MODE extern const char girih_machine_mode; const char girih_machine_mode = 1

#define GIRIH_REPLY 0u  // the exit that a design calls `reply`
#define GIRIH_KEEPS_SUM (1u << GIRIH_SEND_KEEPS_SUM)

static inline volatile uint32_t *girih_device(uint32_t offset)
{
    return (volatile uint32_t *)(uintptr_t)(GIRIH_DEVICES_BASE + offset);
}

static inline void girih_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

// Reads and doorbells of the core; in tests of programs on the host, firmware/host implements them.
#ifdef __riscv
static inline uint32_t girih_next(uint32_t device)
{
    return *girih_device(device);
}

static inline void girih_rung(girih_message *message, int sent)
{
    (void)message, (void)sent;
}

static inline girih_message *girih_made(girih_message *message)
{
    *(volatile uint32_t *)((uintptr_t)message + GIRIH_MESSAGE_MAKE) = 0;
    girih_barrier();  // what is written there is not what is read there
    return (girih_message *)(uintptr_t)girih_next(GIRIH_DEVICE_MADE);
}

static inline void girih_post(girih_message *message, uint64_t address, uint32_t what)
{
    *girih_device(GIRIH_DEVICE_DMA_ADDRESS) = (uint32_t)address;
    *girih_device(GIRIH_DEVICE_DMA_ADDRESS_HIGH) = (uint32_t)(address >> 32);
    message->dma = what;
}
#else
uint32_t girih_host_next(void);
void girih_host_end(girih_message *message, int sent);
girih_message *girih_made(girih_message *message);
void girih_post(girih_message *message, uint64_t address, uint32_t what);

static inline uint32_t girih_next(uint32_t device)
{
    (void)device;
    return girih_host_next();
}

static inline void girih_rung(girih_message *message, int sent)
{
    girih_host_end(message, sent);
}
#endif

// The next message; NULL if none waits.
static inline girih_message *girih_poll(void)
{
    girih_message *message = (girih_message *)(uintptr_t)girih_next(GIRIH_DEVICE_POLL);
    girih_barrier();
    return message;
}

// The next message, however long it takes to come; the core sleeps meanwhile.
static inline girih_message *girih_receive(void)
{
    girih_message *message;
    do
        message = (girih_message *)(uintptr_t)girih_next(GIRIH_DEVICE_WAIT);
    while (!message);
    girih_barrier();
    return message;
}

// The next message. NULL if an event of a control core waits, if an access to memory has ended, if an alarm has gone off, or if nothing has come within GIRIH_WAIT_CYCLES. Until then the core sleeps.
static inline girih_message *girih_wait(void)
{
    girih_message *message = (girih_message *)(uintptr_t)girih_next(GIRIH_DEVICE_WAIT);
    girih_barrier();
    return message;
}

static inline uint8_t *girih_data(const girih_message *message)
{
    return (uint8_t *)(uintptr_t)message->data;
}

static inline uint32_t girih_length(const girih_message *message)
{
    return message->length;
}

// The headers, where earlier tiles have found them, and the payload.
static inline uint8_t *girih_network(const girih_message *message)
{
    return girih_data(message) + message->l3_offset;
}

static inline uint8_t *girih_transport(const girih_message *message)
{
    return girih_data(message) + message->l4_offset;
}

static inline uint8_t *girih_payload(const girih_message *message)
{
    return girih_data(message) + message->payload_offset;
}

// Sends the first `length` bytes to an exit of the design. They may be more than the message had, up to the end of the slot; bytes that the program
// has not written are then left from an earlier message, possibly another tenant's. flags: GIRIH_KEEPS_SUM if the payload is unchanged, which saves
// later tiles the work of summing it.
static inline void girih_send_to(girih_message *message, uint32_t length, uint32_t exit, uint32_t flags)
{
    girih_barrier();
    message->send = length | exit << GIRIH_SEND_EXIT_LSB | flags;
    girih_rung(message, 1);
}

// The same with the bytes of the slot that begin at `from`, which is GIRIH_SEND_START_BYTES, or a multiple of it, behind the start of the message. The offsets
// of headers are then those in what is sent.
static inline void girih_send_range(girih_message *message, const void *from, uint32_t length, uint32_t exit, uint32_t flags)
{
    uint32_t start = (uint32_t)(uintptr_t)from - message->data;
    girih_send_to(message, length, exit, flags | start / GIRIH_SEND_START_BYTES << GIRIH_SEND_START_LSB);
}

static inline void girih_send(girih_message *message, uint32_t length)
{
    girih_send_to(message, length, GIRIH_REPLY, 0);
}

// Makes another message with the owner, the length and the offsets of this one. The program has it, and writes its bytes; until then they are left from an
// earlier message. NULL if no slot is free; always in a compute unit. Each message that is made takes a slot of those that messages arrive in.
static inline girih_message *girih_make(girih_message *message)
{
    girih_barrier();
    return girih_made(message);
}

static inline void girih_drop(girih_message *message)
{
    girih_barrier();
    message->drop = 0;
    girih_rung(message, 0);
}

// Accesses to memory, on a core of kind dma_core. Each is between memory and the slot of a message that the program has: the bytes of the message, or those behind
// it up to the end of the slot. It lies in a page of 4,096 bytes, and its place in the slot and its address are equal modulo the bytes of a flit; 128 suits every
// card. girih_dma_read and girih_dma_write start an access and return at once. A message has one access at a time: before it has ended, it is a fault to start
// another, to send the message or to drop it. The access carries the tenant of the message.
//
//   girih_dma_read(m, girih_data(m) + 1024, girih_at_host(0x700000000), 256);
//   ...                                                  // the data may come at any time
//   if (girih_dma_wait(m) == GIRIH_DMA_OK)
//       ...
enum {
    GIRIH_DMA_OK,
    GIRIH_DMA_REFUSED,    // not granted to this tile and tenant
    GIRIH_DMA_MALFORMED,  // breaks one of the rules above, or the card has no such memory
    GIRIH_DMA_SLAVE,      // the memory answered with an error; a write may be done in part
    GIRIH_DMA_DECODE,     // there is no memory at that address
};

// An address in the memory of the host; other addresses are in the card's external memory.
static inline uint64_t girih_at_host(uint64_t address)
{
    return address | 1ull << (32 + GIRIH_DMA_HOST);
}

static inline uint32_t girih_dma_range(const girih_message *message, const void *at, uint32_t bytes)
{
    uint32_t place = (uint32_t)(uintptr_t)at - message->data;
    return place >> GIRIH_DMA_PLACE_BITS || bytes >> GIRIH_DMA_PLACE_LSB ? 0 : place << GIRIH_DMA_PLACE_LSB | bytes;
}

// Starts to read `bytes` bytes of memory from the address `from` on. Until the access has ended, any of them may have come.
static inline void girih_dma_read(girih_message *message, void *to, uint64_t from, uint32_t bytes)
{
    girih_barrier();
    girih_post(message, from, girih_dma_range(message, to, bytes));
}

// Starts to write to memory. The bytes in the slot are not to be changed until the access has ended.
static inline void girih_dma_write(girih_message *message, uint64_t to, const void *from, uint32_t bytes)
{
    girih_barrier();
    girih_post(message, to, girih_dma_range(message, from, bytes) | 1u << GIRIH_DMA_WRITE);
}

// Whether the access of a message is still in flight.
static inline int girih_dma_busy(const girih_message *message)
{
    return (int)(message->dma >> GIRIH_DMA_BUSY);
}

// Waits until the access of a message has ended: how the last one did, GIRIH_DMA_OK if there was none. girih_wait sleeps until any access ends.
static inline int girih_dma_wait(const girih_message *message)
{
    uint32_t state;
    do
        state = message->dma;
    while (state >> GIRIH_DMA_BUSY);
    girih_barrier();
    return (int)state;
}

// The same and waits for it, page by page; it ends with the first error.
static inline int girih_memory_access(girih_message *message, void *at, uint64_t address, uint32_t bytes, uint32_t write)
{
    int status = GIRIH_DMA_OK;
    uint8_t *place = (uint8_t *)at;
    while (bytes && status == GIRIH_DMA_OK) {
        uint32_t page = 4096 - ((uint32_t)address & 4095), now = bytes < page ? bytes : page;
        girih_barrier();
        girih_post(message, address, girih_dma_range(message, place, now) | write << GIRIH_DMA_WRITE);
        status = girih_dma_wait(message);
        place += now;
        address += now;
        bytes -= now;
    }
    return status;
}

static inline int girih_memory_read(girih_message *message, void *to, uint64_t from, uint32_t bytes)
{
    return girih_memory_access(message, to, from, bytes, 0);
}

static inline int girih_memory_write(girih_message *message, uint64_t to, const void *from, uint32_t bytes)
{
    return girih_memory_access(message, (void *)(uintptr_t)from, to, bytes, 1);
}

#ifdef __riscv
// The number of the core in its tile, from 0.
static inline uint32_t girih_core(void)
{
    return *girih_device(GIRIH_DEVICE_CORE);
}

// Cycles, for short times.
static inline uint32_t girih_cycles(void)
{
    return *girih_device(GIRIH_DEVICE_TIME);
}

// Cycles since the card was reset.
static inline uint64_t girih_time(void)
{
    uint32_t high, low;
    do {
        high = *girih_device(GIRIH_DEVICE_TIME_HIGH);
        low = *girih_device(GIRIH_DEVICE_TIME);
    } while (high != *girih_device(GIRIH_DEVICE_TIME_HIGH));
    return (uint64_t)high << 32 | low;
}

// Calls girih_on_alarm once, as soon as girih_time() reaches `time`, whatever the program is doing; at once if the time has passed. There is one
// alarm: this moves it. UINT64_MAX: never.
static inline void girih_alarm(uint64_t time)
{
    *girih_device(GIRIH_DEVICE_ALARM) = (uint32_t)time;  // an alarm that goes off meanwhile restores it (start.S)
    *girih_device(GIRIH_DEVICE_ALARM_HIGH) = (uint32_t)(time >> 32);
}

// Defined by the program: an interrupt handler, in machine mode, with 400 bytes of stack. Variables that it shares with the program must be volatile.
void girih_on_alarm(void);

// Sleeps until girih_time() reaches `time`. It uses the alarm.
void girih_sleep_until(uint64_t time);

// Sends a word to a core of the tile, possibly itself: 1, or 0 if it was refused, because that core has no room, does not run or does not exist.
static inline int girih_mail(uint32_t core, uint32_t word)
{
    *girih_device(GIRIH_DEVICE_MAIL_TO) = core;
    *girih_device(GIRIH_DEVICE_MAIL_SEND) = word;
    return (int)*girih_device(GIRIH_DEVICE_MAIL_SENT);
}

// Takes the next word of mail: 1, or 0 if there is none. Mail from one core comes in the order in which it was sent.
static inline int girih_mail_poll(uint32_t *from, uint32_t *word)
{
    uint32_t mail = *girih_device(GIRIH_DEVICE_MAIL);
    if (!(mail >> 31))
        return 0;
    *from = mail & 0xff;
    *word = *girih_device(GIRIH_DEVICE_MAIL_WORD);
    return 1;
}

// Cycles of the card, modulo 2^24, to compare with girih_message.time.
static inline uint32_t girih_now(void)
{
    return *girih_device(GIRIH_DEVICE_NOW);
}
#endif

// Numbers in network order, at any address.
static inline uint16_t girih_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t girih_get32(const uint8_t *at)
{
    return (uint32_t)girih_get16(at) << 16 | girih_get16(at + 2);
}

static inline void girih_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void girih_put32(uint8_t *at, uint32_t value)
{
    girih_put16(at, (uint16_t)(value >> 16));
    girih_put16(at + 2, (uint16_t)value);
}

// Writes to the console, which the operator reads: %d, %u, %x, with l for 32-bit types, %c, %s, %%.
__attribute__((format(printf, 1, 2))) void girih_log(const char *format, ...);

// Stops the core until the operator starts it again.
_Noreturn void girih_stop(uint32_t code);

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *left, const void *right, size_t count);

#endif
