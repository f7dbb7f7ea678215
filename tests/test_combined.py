# SPDX-License-Identifier: Apache-2.0
"""Combines what other tests do separately: bad frames back to back, ports that stall and control requests. Which frames are dropped for lack of room cannot be predicted. But each frame is answered or counted
exactly once, each answer is correct, and answers stay in order."""

from collections import Counter

import pytest

from girih.card import VirtualCard
from girih.testing import SEED
from tests.frames import Traffic
from tests.oracle import ARP, Oracle, comparable, network_header
from tests.test_bad_input import CARD, HOSTS, STRANGER, Bench, introductions, protocol_of

OVERFLOW = "eth_rx.drop_overflow"
ANSWERED = "answered"
pytestmark = pytest.mark.slow


def busily(card: VirtualCard, ask, rest: int = 2000) -> None:
    """Runs until the ports are quiet, and makes control requests all the time."""
    while card.quiet_cycles < rest:
        card.run(500)
        ask()


def inject(card: VirtualCard, port: int, frames: list[tuple[bytes, bool]]) -> None:
    """Sends frames back to back."""
    cycle, flit_bytes = card.cycle, card.manifest.data_width // 8
    for data, bad in frames:
        card.inject(port, data, cycle=cycle, bad=bad)
        cycle += -(-len(data) // flit_bytes)


def keeps_order(part: list[bytes], whole: list[bytes]) -> bool:
    left = iter(whole)
    return all(item in left for item in part)


def changes_no_neighbour(data: bytes) -> bool:
    """Not ARP: the order in which frames of two protocols reach the ARP table cannot be predicted here."""
    return len(data) < 18 or network_header(data)[1] != ARP


@pytest.mark.parametrize("ready", [0.05, 0.5, 1.0])
def test_bad_frames_at_full_rate_with_a_wire_that_stalls(built, ready):
    with VirtualCard(built("demo"), collect=True) as card:
        bench = Bench(card, resolves=True)
        bench.run(introductions(HOSTS))
        oracle = Oracle(CARD.mac, CARD.ip, resolves=True)
        oracle.neighbours = dict(bench.oracle.neighbours)
        traffic = Traffic(CARD, HOSTS, STRANGER, SEED)
        frames = [(data, bad) for _kind, data, bad in (traffic.next() for _ in range(3000)) if changes_no_neighbour(data)]
        verdicts = [oracle.judge(data, bad) for data, bad in frames]
        fates = Counter(verdict.counter or ANSWERED for verdict in verdicts)
        before = counters(card)
        card.set_ready(0, ready, SEED)
        inject(card, 0, frames)
        busily(card, lambda: counters(card))
        card.check_conservation()

        found = counters(card)
        sent = card.collect()
        assert not any(one.bad for one in sent)
        answers = [comparable(one.data) for one in sent]
        counted = Counter({name: found[name] - before[name] for name in fates if name != ANSWERED}) + Counter({ANSWERED: len(answers)})
        lost = found[OVERFLOW] - before[OVERFLOW]
        assert not counted - fates, "more frames were counted for a reason than there are"
        assert sum((fates - counted).values()) == lost, "a frame was not counted, or counted twice"
        assert answers and (lost > len(frames) // 10 or ready > 0.3), "the wire stalls too much, or too little, for this test"
        right = [verdict.answer for verdict in verdicts if verdict.answer is not None]
        for protocol in {protocol_of(data) for data in right}:
            assert keeps_order(*([data for data in all_of if protocol_of(data) == protocol] for all_of in (answers, right)))

        card.set_ready(0, 1.0)  # afterwards the card works as before
        bench = Bench(card, resolves=True)
        bench.oracle.neighbours = dict(oracle.neighbours)
        bench.run([("echo", *one) for one in frames[:200]])


def counters(card: VirtualCard) -> Counter[str]:
    return Counter({f"{tile}.{name}": value for tile, all_of in card.registers.counters().items() for name, value in all_of.items()})
