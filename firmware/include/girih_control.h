// SPDX-License-Identifier: Apache-2.0
// For programs on a control core (docs/cores.md): they read and write registers of other tiles, as far as the design allows, and get events from
// them. card.h has the addresses: girih_card.TILE.REGISTER.
//
//   girih_watch(0, girih_card.echo.drop_overrun, 1);
//   for (;;) {
//       girih_message *message = girih_wait();
//       if (message)
//           girih_drop(message);
//       girih_event event;
//       while (girih_poll_event(&event))
//           girih_write(girih_card.balancer.replicas, 2);
//   }
#ifndef GIRIH_CONTROL_H
#define GIRIH_CONTROL_H

#include "card.h"
#include "girih_core.h"

typedef struct girih_event {
    uint32_t number;  // of its watch or its line
    uint32_t value;   // how much the register has grown; for a watch that has ended, the reason: GIRIH_CONTROL_REFUSED …
    int line;         // the event is of an interrupt line
    int failed;       // the watch has ended, because its register cannot be read
} girih_event;

// Implemented by the hardware; in tests of programs on the host, by firmware/host.
#ifdef __riscv
static inline int girih_control_ended(void)
{
    uint32_t state;
    do
        state = *girih_device(GIRIH_DEVICE_CONTROL);
    while (state >> 31);
    return (int)(state & 3);
}

static inline int girih_request(uint32_t device, uint32_t at, uint32_t *value)
{
    girih_control_ended();  // a former program may have left a request in flight
    *girih_device(GIRIH_DEVICE_CONTROL_DATA) = *value;
    *girih_device(device) = at;
    int ended = girih_control_ended();
    if (device == GIRIH_DEVICE_CONTROL_READ && ended == (int)GIRIH_CONTROL_DONE)
        *value = *girih_device(GIRIH_DEVICE_CONTROL_WORD);
    return ended;
}

static inline int girih_set_watch(uint32_t number, uint32_t at, uint32_t step)
{
    *girih_device(GIRIH_DEVICE_WATCH_NUMBER) = number;
    *girih_device(GIRIH_DEVICE_WATCH_STEP) = step;
    *girih_device(GIRIH_DEVICE_WATCH) = at;
    return number < (*girih_device(GIRIH_DEVICE_CONTROL) >> 8 & 0xff);
}

static inline int girih_take_event(uint32_t *what, uint32_t *value)
{
    *what = *girih_device(GIRIH_DEVICE_EVENT);
    if (!(*what >> 31))
        return 0;
    *value = *girih_device(GIRIH_DEVICE_EVENT_VALUE);
    return 1;
}

// Requests one event when an interrupt line (girih_line.TILE) is up, now or later. The program clears the interrupt in its tile and then listens
// again.
static inline void girih_listen(uint32_t line)
{
    *girih_device(GIRIH_DEVICE_LISTEN) = line;
}
#else
int girih_request(uint32_t device, uint32_t at, uint32_t *value);
int girih_set_watch(uint32_t number, uint32_t at, uint32_t step);
int girih_take_event(uint32_t *what, uint32_t *value);
uint64_t girih_time(void);
#endif

// Reads a register of another tile. Returns GIRIH_CONTROL_DONE, which is 0, or another number if the tile has no right to it or it does not exist;
// `value` is then unchanged. It waits for the answer, so girih_on_alarm must call none of these functions.
static inline int girih_read(uint32_t at, uint32_t *value)
{
    return girih_request(GIRIH_DEVICE_CONTROL_READ, at, value);
}

// Writes a register; returns as girih_read does.
static inline int girih_write(uint32_t at, uint32_t value)
{
    return girih_request(GIRIH_DEVICE_CONTROL_WRITE, at, &value);
}

// Reads a counter of 64 bits; returns as girih_read does.
static inline int girih_count(uint32_t at, uint64_t *value)
{
    uint32_t high = 0, low = 0, before;
    int ended = girih_read(at + 4, &high);
    do {
        before = high;
        if (!ended)
            ended = girih_read(at, &low);
        if (!ended)
            ended = girih_read(at + 4, &high);
    } while (!ended && high != before);
    if (!ended)
        *value = (uint64_t)high << 32 | low;
    return ended;
}

// Watches a register of another tile from now on: an event comes whenever it has grown by `step` since then, or since the last event. Returns 1, or 0
// if the core has no watch of this number. Setting a watch again discards its register and its event.
static inline int girih_watch(uint32_t number, uint32_t at, uint32_t step)
{
    return girih_set_watch(number, at, step);
}

static inline int girih_unwatch(uint32_t number)
{
    return girih_set_watch(number, GIRIH_WATCH_NONE, 0);
}

// Takes the next event: 1, or 0 if there is none.
static inline int girih_poll_event(girih_event *event)
{
    uint32_t what, value;
    if (!girih_take_event(&what, &value))
        return 0;
    event->number = what & 0xff;
    event->value = value;
    event->line = (int)(what >> GIRIH_EVENT_LINE & 1);
    event->failed = (int)(what >> GIRIH_EVENT_FAILED & 1);
    return 1;
}

#endif
