# SPDX-License-Identifier: Apache-2.0
"""Lossless packets and one port of the scheduler for all: a packet that waits for a token stands before the one that has it."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.card import VirtualCard
from girih.card.manifest import Watch
from girih.card.stall import CIRCLE, CardStalled
from girih.compiler.check.card import check_file
from girih.compiler.check.deadlock import DeadlockError
from girih.compiler.compile import compile_design
from girih.compiler.emit.watch import watch
from girih.compiler.explain import name_of
from girih.paths import DESIGNS

DESIGN = DESIGNS / "panic_overload.yaml"  # two services in a chain, and a scheduler with one port and one token
WIRE = "wire: {kind: rmt_port, port: 0, exit: host}"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def refused(tmp_path_factory) -> DeadlockError:
    text = DESIGN.read_text()
    assert WIRE in text
    path = tmp_path_factory.mktemp("designs") / "lossless.yaml"
    path.write_text(text.replace(WIRE, WIRE.replace("host}", "host, lossless: true}")))
    with pytest.raises(DeadlockError) as raised:
        check_file(path)
    return raised.value


def frame(number: int) -> bytes:
    """Longer than a queue of the fabric, so that it shows on the link before the one that it waits for."""
    packet = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=number, dport=2000) / bytes(1400)
    return bytes(Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / packet)


def test_it_hangs_in_the_circle_that_is_named_and_droppable_packets_do_not(refused):
    chain = [name_of(refused.card, edge.holder) for edge in refused.cycle]
    assert any("token" in resource for resource in chain)
    with VirtualCard(compile_design(DESIGN)) as card:
        for lossless in (0, 1):
            card.registers.write("wire.lossless", lossless)
            for number in range(20):
                card.inject(0, frame(number))
            if not lossless:
                card.check_conservation()
        card.watch = Watch.read(watch(refused.card))
        with pytest.raises(CardStalled) as raised:
            card.run_until_quiet()
        stall = raised.value.stall
        assert stall.kind == CIRCLE
        start = stall.chain.index(chain[0])
        assert [*stall.chain[start:], *stall.chain[:start]] == chain
