# SPDX-License-Identifier: Apache-2.0
"""Combines what other tests do separately: bad frames back to back, ports that stall, control requests, and chains
that change. Which frames are dropped for lack of room cannot be predicted. But each frame is answered or counted
exactly once, each answer is correct, and answers stay in order."""

import random
from collections import Counter

import pytest

from girih.card import VirtualCard
from girih.errors import GirihError
from girih.testing import SEED
from tests.frames import Traffic
from tests.oracle import ARP, Oracle, comparable, network_header
from tests.test_bad_input import CARD, HOSTS, STRANGER, Bench, introductions, protocol_of
from tests.test_panic import UNITS, frame

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
    """Whether a frame is not ARP: the order in which frames of two protocols reach the ARP table cannot be predicted here."""
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


@pytest.mark.parametrize("ready", [0.1, 0.6])
def test_services_under_everything_at_once(built, ready):
    """From both ports: packets of chains and others, bad and random frames. Ports stall, a chain is added and deleted, and
    a tenant asks for what belongs to another. Each packet leaves unchanged and once, or is counted; afterwards the card works."""
    draw = random.Random(SEED)
    random.seed(SEED)
    with VirtualCard(built("panic_delay"), collect=True) as card:
        sent: list[list[tuple[bytes, bool]]] = []
        for _ in (0, 1):
            frames = [(frame(1000 + draw.randrange(6), draw.choice([18, 64, 470, 1472, 8972])), draw.random() < 0.1) for _ in range(400)]
            frames += [(draw.randbytes(draw.randint(1, 2000)), draw.random() < 0.5) for _ in range(100)]
            draw.shuffle(frames)
            sent.append(frames)
        for port in (0, 1):
            card.set_ready(port, ready, SEED + port)
            inject(card, port, sent[port])
        there = False

        def ask() -> None:
            nonlocal there
            if there:
                card.services.delete_chain("late")
            else:
                card.services.add_chain("late", ["third", {"service": "first", "class": 2}], match={"udp.dst": 1005})
            there = not there
            with pytest.raises(GirihError):
                card.registers.as_tenant(1).write("unit_0.slots", 0)
            counters(card)

        busily(card, ask)
        card.check_conservation()
        for port in (0, 1):
            good = Counter(data.ljust(60, b"\0") for data, bad in sent[1 - port] if not bad)  # short ones are padded
            got = Counter(one.data for one in card.collect(port) if not one.bad)
            assert not got - good, "a packet came out that was not sent, or twice, or was void"
            assert sum(got.values()) > 20
        for port in (0, 1):
            card.set_ready(port, 1.0)
        again = [frame(1004, 64) for _ in range(20)]
        inject(card, 0, [(data, False) for data in again])
        card.run_until_quiet()
        assert [one.data for one in card.collect(1)] == again
        assert all(value["in_messages"] for unit in UNITS for value in card.registers.counters(unit).values())
        card.check_conservation()
