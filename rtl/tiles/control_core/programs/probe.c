// SPDX-License-Identifier: Apache-2.0
// For tests of the control core: does what the words of each message request (test_control_core_engine.py), then sends the answer back. Events are reported in
// order, in answer to messages that ask for them.
#include "girih_control.h"

struct command {
    uint32_t what, at, value, more;
};

enum { Read, Write, Count, Watch, Unwatch, Event, Listen, Flood, Loop, Ask, Last };

int main(void)
{
    for (;;) {
        girih_message *message = girih_wait();
        if (!message)
            continue;
        struct command *command = (struct command *)girih_data(message);
        switch (command->what) {
        case Read:
            command->what = (uint32_t)girih_read(command->at, &command->value);
            break;
        case Write:
            command->what = (uint32_t)girih_write(command->at, command->value);
            break;
        case Count: {
            uint64_t count = 0;
            command->what = (uint32_t)girih_count(command->at, &count);
            command->value = (uint32_t)count;
            command->more = (uint32_t)(count >> 32);
            break;
        }
        case Watch:
            command->what = (uint32_t)girih_watch(command->more, command->at, command->value);
            break;
        case Unwatch:
            command->what = (uint32_t)girih_unwatch(command->more);
            break;
        case Event: {
            girih_event event = {0};
            command->what = (uint32_t)girih_poll_event(&event);
            command->at = event.number;
            command->value = event.value;
            command->more = (uint32_t)event.line << 1 | (uint32_t)event.failed;
            break;
        }
        case Listen:
            girih_listen(command->at);
            break;
        case Flood:  // makes requests without end, and overwrites those in flight
            for (;;) {
                *girih_device(GIRIH_DEVICE_CONTROL_DATA) = command->value;
                *girih_device(GIRIH_DEVICE_CONTROL_WRITE) = command->at;
                *girih_device(GIRIH_DEVICE_WATCH_NUMBER) = command->more;
                *girih_device(GIRIH_DEVICE_WATCH) = command->at;
            }
        case Loop:  // with its message, or without one
            if (command->value)
                girih_drop(message);
            for (;;)
                ;
        case Ask:  // without waiting for the answer
            *girih_device(GIRIH_DEVICE_CONTROL_READ) = command->at;
            break;
        case Last:
            command->what = (uint32_t)girih_control_ended();
            command->value = *girih_device(GIRIH_DEVICE_CONTROL_WORD);
            break;
        default:
            break;
        }
        girih_send(message, girih_length(message));
    }
}
