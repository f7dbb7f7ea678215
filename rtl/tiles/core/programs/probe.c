// SPDX-License-Identifier: Apache-2.0
// For tests of the core: does what the first bytes of each message ask for (test_core_engine.py), then sends it back.
#include "girih_core.h"

struct command {
    uint32_t what, address, value;
};

enum { Echo, Drop, Read, Write, Jump, Loop, Send, SendTwice, Log, Stop, Flood, Keep, Time, Illegal, Call, Privileged, Sleep, Alarm, Alarms, Astray, Lost, Race, Babble, Make };

#ifdef MACHINE_MODE
GIRIH_MACHINE_MODE;
#endif

static girih_message *kept;
static uint32_t started = 1;
static volatile uint32_t alarms, last_alarm, again, quiet;

void girih_on_alarm(void)
{
    last_alarm = girih_now();
    alarms++;
    if (again)
        girih_alarm(girih_time() + again);
    if (!quiet)
        girih_log("alarm %lu\n", alarms);
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t now = girih_now();
        girih_barrier();
        struct command *command = (struct command *)girih_data(message);
        uint32_t length = girih_length(message);
        switch (command->what) {
        case Drop:
            girih_drop(message);
            continue;
        case Read:
            command->value = *(volatile uint32_t *)command->address;
            command->what = (uint32_t)message;
            break;
        case Write:
            *(volatile uint32_t *)command->address = command->value;
            break;
        case Jump:
            ((void (*)(void))command->address)();
            break;
        case Loop:
            for (;;)
                ;
        case Send:  // with the word that the command says, to the doorbell that the address says, of this message
            *(volatile uint32_t *)((uintptr_t)message + command->address) = command->value;
            continue;
        case SendTwice:
            girih_send(message, length);
            break;
        case Log:
            for (uint32_t i = 0; i < command->value; i++)
                girih_log("%c", 'a' + (int)(i % 26));
            girih_log(" %d %u %lx %s%%\n", -42, 42u, command->address, "text");
            break;
        case Stop:
            girih_stop(command->value);
        case Flood:  // writes and reads packet memory as fast as it can
            for (volatile uint32_t *word = (volatile uint32_t *)girih_data(message) + 4; command->value; command->value--) {
                *word = 0;
                (void)*word;
                *word = 1;
                (void)*word;
            }
            break;
        case Keep:
            if (kept)
                girih_send_to(kept, girih_length(kept), 7, GIRIH_KEEPS_SUM);
            kept = message;
            continue;
        case Time:
            command->value = now;
            command->address = started++;
            break;
        case Illegal:
            __asm__ volatile(".word 0");
            break;
        case Call:
            __asm__ volatile("ecall");
            break;
        case Privileged:
            __asm__ volatile("csrw mscratch, zero");
            break;
        case Sleep: {
            quiet = 1;
            uint64_t before = girih_time();
            girih_sleep_until(before + (uint64_t)(int32_t)command->value);
            command->value = (uint32_t)(girih_time() - before);
            quiet = 0;
            break;
        }
        case Alarm:
            girih_alarm(girih_time() + command->value);
            command->value = now;
            break;
        case Alarms:
            command->address = alarms;
            command->value = last_alarm;
#ifdef LARGE  // so large that its data are found by gp
            __asm__ volatile("j 1f\n.zero 2048\n1:");
#endif
            break;
        case Astray:  // without a stack and a global pointer, for ever
            __asm__ volatile("li gp, 3\nli sp, 3\n1: j 1b");
            break;
        case Lost:  // without them into a fault
            __asm__ volatile("li gp, 3\nli sp, 3\necall");
            break;
        case Race: {  // moves an alarm that goes off about then, by `address`; how often one goes off until shortly before that, and from then on
            uint32_t first = alarms;
            again = 1 << 20, quiet = 1;
            girih_alarm(girih_time() + command->value);
            girih_alarm(girih_time() + (uint64_t)(int32_t)command->address + (uint64_t)(command->address >> 31) * (1ull << 32));
            again = 0;
            uint32_t start = girih_cycles();
            while (girih_cycles() - start < 100)
                ;
            uint32_t middle = alarms;
            while (girih_cycles() - start < 300)
                ;
            command->value = (middle - first) << 8 | (alarms - middle);
            girih_alarm(UINT64_MAX);
            quiet = 0;
            break;
        }
        case Babble:  // as many bytes for the console, as fast as they go
            for (volatile uint32_t *console = girih_device(GIRIH_DEVICE_CONSOLE); command->value; command->value--)
                *console = 'b';
            break;
        case Make: {  // so many messages, with the command and their number; of `address`, bit 0: drops them, bit 1: keeps them
            uint32_t how = command->address, made = 0;
            for (girih_message *other; made < command->value && (other = girih_make(message)); made++) {
                struct command *copy = (struct command *)girih_data(other);
                *copy = *command;
                copy->address = made;
                if (how & 1)
                    girih_drop(other);
                else if (!(how & 2))
                    girih_send_to(other, girih_length(other), 3, 0);
            }
            command->value = made;
            break;
        }
        default:
            break;
        }
        girih_send(message, length);
    }
}
