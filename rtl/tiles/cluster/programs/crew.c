// SPDX-License-Identifier: Apache-2.0
// For tests of clusters: does what the payload of each message asks for (test_cluster_engine.py), then sends the message back with
// the core's number, how many messages it has had since it started, and the time of the first instruction.
#include "girih_core.h"

enum { Work, Drop, Loop, Away, Wild, Keep, Stop, Flood, Mail, Take, Vanish, Make, Churn };

static uint32_t count, number, taken, wrong, next[16];

// Takes all mail: the words of each sender are numbers in order.
static void take(void)
{
    uint32_t from, word;
    for (; girih_mail_poll(&from, &word); taken++) {
        if (word >> 24 != from || from >= 16 || (word & 0xffffff) < next[from])
            wrong++;
        next[from % 16] = (word & 0xffffff) + 1;
    }
}

static void work(uint32_t cycles)
{
    for (uint32_t start = girih_cycles(); girih_cycles() - start < cycles;)
        ;
}

int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint32_t now = girih_now();
        girih_barrier();
        uint8_t *command = girih_payload(message);
        uint32_t what = girih_get32(command), argument = girih_get32(command + 4);
        girih_put32(command + 8, girih_core());
        girih_put32(command + 12, ++count);
        girih_put32(command + 16, now);
        switch (what) {
        case Work:
            work(argument);
            break;
        case Drop:
            work(argument);
            girih_drop(message);
            continue;
        case Loop:
            for (;;)
                ;
        case Away:  // the message is sent, and then the core takes no more
            girih_send(message, girih_length(message));
            for (;;)
                ;
        case Wild:
            *(volatile uint32_t *)argument = argument;
            break;
        case Keep:
            continue;
        case Vanish:  // the message is sent, and then it is as Wild
            girih_send(message, girih_length(message));
            *(volatile uint32_t *)argument = argument;
            break;
        case Stop:
            girih_log("core %lu stops\n", girih_core());
            girih_stop(argument + girih_core());
        case Flood:  // as many bytes for the console, as fast as they go
            for (volatile uint32_t *console = girih_device(GIRIH_DEVICE_CONSOLE); argument; argument -= 8) {
                *console = 'a';
                *console = 'b';
                *console = 'c';
                *console = 'd';
                *console = 'e';
                *console = 'f';
                *console = 'g';
                *console = 'h';
            }
            break;
        case Mail:  // sends as many words as the low half says to the core that the high half says; the answer has how many were taken
            for (uint32_t left = argument & 0xffff, good = 0; left; left--) {
                good += (uint32_t)girih_mail(argument >> 16, girih_core() << 24 | number++);
                girih_put32(command + 4, good);
            }
            break;
        case Take:
            take();
            girih_put32(command + 4, taken);
            girih_put32(command, wrong);
            break;
        case Make: {  // sends as many copies of the message, each with its number, as there are slots for; the answer has how many
            uint32_t made = 0;
            for (girih_message *other; made < argument && (other = girih_make(message)); made++) {
                memcpy(girih_data(other), girih_data(message), girih_length(message));
                girih_put32(girih_payload(other) + 4, made);
                girih_send_to(other, girih_length(other), 1, 0);
            }
            girih_put32(command + 4, made);
            break;
        }
        case Churn: {  // makes and drops so many, fewer if there is no slot; the answer has how many
            uint32_t made = 0;
            for (; argument; argument--) {
                girih_message *other = girih_make(message);
                if (other) {
                    girih_drop(other);
                    made++;
                }
            }
            girih_put32(command + 4, made);
            break;
        }
        default:
            break;
        }
        girih_send(message, girih_length(message));
    }
}
