// SPDX-License-Identifier: Apache-2.0
// For tests of a core that accesses memory (test_dma_core_engine.py): does what the first words of each message ask for, and sends it back with the status of its access
// and the cycles from the start of the access until the program knew its end.
#include "girih_core.h"

struct command {
    uint32_t what, low, high, place, bytes, status, cycles, started;
};

enum { Echo, Read, Write, ReadWhole, WriteWhole, Start, Raw, Keep, Send, Drop, Again, Other, Loop, Fault, Stop, Count, Shut, Give, Beside };

#define MOST 16
static girih_message *pending[MOST], *kept[MOST];
static uint32_t flying, held, counted;

static struct command *command_of(girih_message *message)
{
    return (struct command *)girih_data(message);
}

static void start(girih_message *message, uint32_t write)
{
    struct command *command = command_of(message);
    uint64_t address = (uint64_t)command->high << 32 | command->low;
    uint8_t *at = girih_data(message) + command->place;
    command->started = girih_cycles();
    if (write)
        girih_dma_write(message, address, at, command->bytes);
    else
        girih_dma_read(message, at, address, command->bytes);
}

static void finish(girih_message *message)
{
    struct command *command = command_of(message);
    uint32_t status = (uint32_t)girih_dma_wait(message), now = girih_cycles();
    command->status = status;
    command->cycles = now - command->started;
    girih_send(message, girih_length(message));
}

static void obey(girih_message *message)
{
    struct command *command = command_of(message);
    uint64_t address = (uint64_t)command->high << 32 | command->low;
    uint8_t *at = girih_data(message) + command->place;
    switch (command->what) {
    case Read:
    case Write:
        start(message, command->what == Write);
        finish(message);
        return;
    case ReadWhole:
        command->status = (uint32_t)girih_memory_read(message, at, address, command->bytes);
        break;
    case WriteWhole:
        command->status = (uint32_t)girih_memory_write(message, address, at, command->bytes);
        break;
    case Start:  // others are started before it ends
        start(message, 0);
        for (uint32_t i = 0; i < MOST; i++) {
            if (!pending[i]) {
                pending[i] = message;
                flying++;
                return;
            }
        }
        return;
    case Raw:  // any word, which the hardware may refuse
        girih_post(message, address, command->bytes);
        finish(message);
        return;
    case Keep:
        kept[held++ % MOST] = message;
        return;
    case Send:
        start(message, 0);
        break;
    case Drop:
        start(message, 0);
        girih_drop(message);
        return;
    case Again:
        start(message, 0);
        start(message, 0);
        finish(message);
        return;
    case Other:  // for a message of its own or another's, by the number of its slot
        girih_post((girih_message *)(GIRIH_MESSAGES_BASE + command->place * GIRIH_MESSAGE_BYTES), address, command->bytes);
        break;
    case Loop:
        start(message, command->status);
        for (;;)
            ;
    case Fault:
        start(message, command->status);
        __asm__ volatile("ecall");
        return;
    case Stop:
        start(message, command->status);
        girih_stop(3);
    case Count:
        command->cycles = ++counted;
        command->status = message->dma;
        break;
    case Shut:  // the data that come are changed by the program at the same time, which is its own matter
        start(message, 0);
        while (girih_dma_busy(message))
            *(volatile uint32_t *)at = 0x55555555;
        finish(message);
        return;
    case Give:  // back what it keeps, with the status that each has
        for (uint32_t i = 0; i < held; i++) {
            command_of(kept[i])->status = kept[i]->dma;
            girih_send(kept[i], girih_length(kept[i]));
        }
        held = 0;
        break;
    case Beside:  // writes all words between the command and the data that come, and counts those that are not there afterwards
        start(message, 0);
        command->started = 0;
        do {
            for (volatile uint32_t *word = (uint32_t *)(command + 1); (uint8_t *)word < at; word++) {
                *word = 0x77777777;
                command->started += *word != 0x77777777;
                *word = 0x33333333;
                command->started += *word != 0x33333333;
            }
        } while (girih_dma_busy(message));
        command->status = (uint32_t)girih_dma_wait(message);
        break;
    default:
        break;
    }
    girih_send(message, girih_length(message));
}

int main(void)
{
    for (;;) {
        girih_message *message = flying ? girih_wait() : girih_receive();
        for (uint32_t i = 0; flying && i < MOST; i++) {
            if (pending[i] && !girih_dma_busy(pending[i])) {
                finish(pending[i]);
                pending[i] = NULL;
                flying--;
            }
        }
        if (message)
            obey(message);
    }
}
