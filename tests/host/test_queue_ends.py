# SPDX-License-Identifier: Apache-2.0
"""Virtqueues of the card of designs/nic.yaml that are stopped in any cycle, amid chains and frames, and continue where they stopped."""

import random
from dataclasses import replace

import pytest

from girih.card import VirtualCard
from girih.card.host import SEND
from girih.experiments.host_driver import HEADER, HostMemory, PackedQueue, SplitQueue, pieces
from girih.testing import SEED

BUFFERS, SLOT = 0x20000, 4096
FRAME = bytes.fromhex("02676972696802000000000188b5")
SIZES = {SplitQueue: [1, 2, 4, 16, 64], PackedQueue: [1, 2, 3, 5, 16, 33]}


@pytest.mark.parametrize("rounds", [16, pytest.param(400, marks=pytest.mark.thorough)])
def test_a_queue_that_ends_in_any_cycle_goes_on(built, rounds):
    """Split and packed rings, with and without event index, with memory near and far, and with a wire that stalls at times. The index that the card
    reports counts exactly the chains that it has given back, and every frame leaves whole, in the order of the ring."""
    random.seed(SEED)
    with VirtualCard(built("nic"), collect=True) as card:
        memory = HostMemory(card, 1 << 20)
        for _ in range(rounds):
            ring = random.choice([SplitQueue, PackedQueue])
            size = random.choice(SIZES[ring])
            start = random.getrandbits(16) if ring is SplitQueue else random.randrange(size) | random.getrandbits(1) << 15
            queue = ring(memory, 0x0, size, start)
            place = replace(queue.place, event_index=random.random() < 0.5)
            card.host.set_latency(random.choice([1, 10, 100, 300]))
            sent: list[bytes] = []
            for last in (False,) * 6 + (True,):
                card.set_ready(0, last or random.random() < 0.7)
                card.host.start(SEND, replace(place, start=queue.seen))
                for _ in range(random.randint(1, 10)):
                    data = FRAME + random.randbytes(random.choice([46, 102, 1500]))
                    address = memory.base + BUFFERS + SLOT * len(sent) + random.randrange(2000)
                    memory.write(address, bytes(HEADER) + data)
                    if queue.add(pieces(address, HEADER + len(data), min(size, random.choice([1, 3, 32])))) is None:
                        break
                    sent.append(data[12:])
                queue.publish()
                card.host.kick(SEND)
                card.run(15_000 if last else random.randrange(700))
                index = card.host.stop(SEND)
                queue.used()
                assert (index, card.host.state(SEND).reason) == (queue.seen, None)
            assert not queue.chains
            whole = [one.data[12:] for one in card.collect() if not one.bad]
            assert list(dict.fromkeys(whole)) == sent  # chains that were not given back are sent again
        card.check_conservation()
