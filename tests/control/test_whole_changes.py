# SPDX-License-Identifier: Apache-2.0
"""A change of several words over the network, while a packet arrives in every second cycle: no packet sees half of it."""

import random

from girih.card import Flow, VirtualCard
from girih.experiments.operator import PinOperator
from girih.management.key import unlock
from girih.management.protocol import Entry
from girih.testing import SEED

KEY = bytes(range(32))
CHANGES, EVERY = 40, 800  # cycles from one change to the next


def test_a_change_of_several_words_is_never_seen_half_done(built):
    """The balancer's one way is now one entry of its node table, now another: between the two words of a change there is none, and a packet would be dropped."""
    rng = random.Random(SEED)
    with VirtualCard(built("managed"), collect=True) as card:
        balancer, addresses = card.manifest.tile("balancer"), card.manifest.addresses
        table = balancer.registers["next_hop[0]"].offset
        unlock(card.registers, KEY, SEED)
        operators = [PinOperator(card, KEY, 40000 + number) for number in range(2)]
        ways = [1 << 31 | card.manifest.tile(name).node << 16 for name in ("echo_0", "echo_1")]
        card.registers.write_many({"balancer.replicas": 1, "balancer.next_hop[0]": ways[0], "balancer.next_hop[1]": 0})
        before = card.registers.counters("controller")["controller"]["mark_changes"]
        start = card.cycle + 2000
        for turn in range(CHANGES):
            words = (0, ways[1]) if turn % 2 == 0 else (ways[0], 0)
            entries = [Entry(balancer.node, table + 4 * index, word) for index, word in enumerate(words)]
            rng.shuffle(entries)
            operators[turn % 2].schedule(start + turn * EVERY + rng.randrange(EVERY // 4), *entries)
        card.add_flow(Flow(payload=18, dst_mac=addresses["mac"], dst_ip=addresses["ip"], dst_port=7, src_port=50000, rate=0.5))
        flow = card.run_flows(count=(CHANGES * EVERY + 2000) // 2).flows[0]
        counters = card.registers.counters()
        assert (flow.lost, flow.corrupted, flow.duplicated) == (0, 0, 0), counters["balancer"]
        assert counters["controller"]["mark_changes"] - before == CHANGES
        assert min(counters[echo]["in_messages"] for echo in ("echo_0", "echo_1")) > CHANGES * EVERY / 8
