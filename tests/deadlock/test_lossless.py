# SPDX-License-Identifier: Apache-2.0
"""Lossless packets on a scheduler with one port: a packet without a token blocks nobody, so the card does not hang."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from girih.card import VirtualCard
from girih.compiler.check.card import check_file
from girih.compiler.compile import compile_design
from girih.paths import DESIGNS

DESIGN = DESIGNS / "panic_overload.yaml"  # two services in a chain, and a scheduler with one port and one token
WIRE = "wire: {kind: rmt_port, port: 0, exit: host}"
KEPT = 1 + 8  # of one tenant at least: its tokens and places
pytestmark = pytest.mark.slow


def frame(number: int) -> bytes:
    """Longer than a queue of the fabric."""
    packet = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=number, dport=2000) / bytes(1400)
    return bytes(Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / packet)


def test_the_design_is_accepted(tmp_path):
    text = DESIGN.read_text()
    assert WIRE in text
    path = tmp_path / "lossless.yaml"
    path.write_text(text.replace(WIRE, WIRE.replace("host}", "host, lossless: true}")))
    check_file(path)


@pytest.mark.thorough  # a minute to build; rtl/scheduler/test_scheduler_lossless.py shows it of the scheduler, test_random_services.py of a card with two ports
def test_it_does_not_hang():
    """Packets arrive faster than the first unit takes them. All except those without a token and a place come out, in order."""
    with VirtualCard(compile_design(DESIGN), collect=True) as card:
        for lossless in (0, 1):
            card.registers.write("wire.lossless", lossless)
            sent = [frame(number) for number in range(60)]
            for data in sent:
                card.inject(0, data)
            card.run_until_quiet()
            card.check_conservation()
            got = [each.data for each in card.collect(1)]
            if lossless:
                assert KEPT < len(got) < len(sent) and got[:KEPT] == sent[:KEPT]
                assert [data for data in sent if data in got] == got
                dropped = card.registers.counters("scheduler")["scheduler"]["drop_overflow"]
                assert len(got) + dropped == len(sent)
