// SPDX-License-Identifier: Apache-2.0
// A control plane without a host: shares the messages of a balancer among as many of its REPLICAS as the load needs. A replica that drops messages, since it
// cannot keep up, brings one more; QUIET cycles with fewer than FEW messages take one away. Who sends a datagram to this program gets the state in
// four words, in network order: replicas in use, replicas added, replicas taken away, messages dropped.
//
// The design (designs/balanced.yaml) has the tiles `balancer`, `echo_0` and `echo_1`.
#include "girih_control.h"

#ifndef QUIET
#define QUIET 50000
#endif
#define FEW 250
#define REPLICAS 2
#define UDP_BYTES 8
#define STATE_BYTES 16

enum { Load, Drops };  // watches: of the balancer, and from Drops on of each replica

static uint32_t replicas = 1, added, taken, dropped;

// If the operator has taken the right to write the register away, all stays as it is.
static int use(uint32_t count)
{
    if (girih_write(girih_card.balancer.replicas, count)) {
        girih_log("the balancer cannot be changed\n");
        return 0;
    }
    replicas = count;
    girih_log("%u in use\n", (unsigned)replicas);
    return 1;
}

static void answer(girih_message *message)
{
    uint8_t *ip = girih_network(message), *udp = girih_transport(message), *state = girih_payload(message);
    uint32_t source = girih_get32(ip + 12), length = (uint32_t)(state - girih_data(message)) + STATE_BYTES;
    uint16_t port = girih_get16(udp);
    if (port < 1024) {  // of a server, which would answer in turn
        girih_drop(message);
        return;
    }
    girih_put32(ip + 12, girih_get32(ip + 16));
    girih_put32(ip + 16, source);
    girih_put16(udp, girih_get16(udp + 2));
    girih_put16(udp + 2, port);
    girih_put32(state, replicas);
    girih_put32(state + 4, added);
    girih_put32(state + 8, taken);
    girih_put32(state + 12, dropped);
    girih_send(message, length);
}

int main(void)
{
    const uint32_t drops_at[REPLICAS] = {girih_card.echo_0.drop_overrun, girih_card.echo_1.drop_overrun};
    uint64_t since = girih_time();
    uint32_t load = 0;
    use(1);
    girih_watch(Load, girih_card.balancer.in_messages, 1);
    for (uint32_t i = 0; i < REPLICAS; i++)
        girih_watch(Drops + i, drops_at[i], 1);
    for (;;) {
        girih_message *message = girih_wait();
        if (message)
            answer(message);
        girih_event event;
        while (girih_poll_event(&event)) {
            if (event.failed) {
                girih_log("watch %u ended: %u\n", (unsigned)event.number, (unsigned)event.value);
            } else if (event.number == Load) {
                load += event.value;
            } else {
                dropped += event.value;
                if (replicas < REPLICAS)
                    added += (uint32_t)use(replicas + 1);
                since = girih_time();
                load = 0;
            }
        }
        if (girih_time() - since >= QUIET) {
            if (load < FEW && replicas > 1)
                taken += (uint32_t)use(replicas - 1);
            since = girih_time();
            load = 0;
        }
    }
}
