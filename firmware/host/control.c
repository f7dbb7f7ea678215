// SPDX-License-Identifier: Apache-2.0
// The control network and the clock of a control core, for tests of programs on the host. Among the messages on the standard input are four words that begin with
// EVENT (what DeviceEvent and DeviceEventValue say), TIME (low half, high half), or ANSWER (address, how requests to it end from now on, the word that they
// read). For each request ASKED, the address, whether it writes, and the word that it writes go to the standard output.
#include <stdio.h>
#include <stdlib.h>

#include "girih_control.h"

#define EVENT 0xfffffff0u
#define TIME 0xfffffff1u
#define ANSWER 0xfffffff2u
#define ASKED 0xfffffff3u
#define MOST 64

static struct {
    uint32_t at, ended, value;
} answers[MOST];
static uint32_t answered, event[2];
static uint64_t now;

int girih_host_control(const uint32_t *head);
int girih_host_control(const uint32_t *head)
{
    switch (head[0]) {
    case EVENT:
        event[0] = head[1] | 1u << 31;
        event[1] = head[2];
        return 1;
    case TIME:
        now = (uint64_t)head[2] << 32 | head[1];
        return 1;
    case ANSWER:
        if (answered == MOST)
            exit(1);
        answers[answered].at = head[1];
        answers[answered].ended = head[2];
        answers[answered++].value = head[3];
        return 1;
    default:
        return 0;
    }
}

int girih_request(uint32_t device, uint32_t at, uint32_t *value)
{
    int writes = device == GIRIH_DEVICE_CONTROL_WRITE;
    uint32_t asked[] = {ASKED, at, (uint32_t)writes, writes ? *value : 0};
    fwrite(asked, sizeof asked, 1, stdout);
    fflush(stdout);
    for (uint32_t i = answered; i-- > 0;) {
        if (answers[i].at != at)
            continue;
        if (!writes && answers[i].ended == GIRIH_CONTROL_DONE)
            *value = answers[i].value;
        return (int)answers[i].ended;
    }
    return (int)GIRIH_CONTROL_DONE;
}

int girih_set_watch(uint32_t number, uint32_t at, uint32_t step)
{
    (void)at, (void)step;
    return number < 16;
}

int girih_take_event(uint32_t *what, uint32_t *value)
{
    *what = event[0];
    *value = event[1];
    event[0] = 0;
    return (int)(*what >> 31);
}

uint64_t girih_time(void)
{
    return now;
}
