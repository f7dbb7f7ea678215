# SPDX-License-Identifier: Apache-2.0
"""Random designs with all features of design files: each compiles to a card in clean SystemVerilog that works."""

import random

import pytest

from girih.card import VirtualCard
from girih.compiler.check.card import check_file
from girih.compiler.compile import compile_design
from girih.compiler.dependencies import dependencies
from girih.compiler.emit.card import emit_card
from girih.spec.kinds import load_kinds
from girih.testing import SEED
from girih.testing.designs import lint_design
from tests.frames import Host, ethernet, ipv4, udp
from tests.oracle import IPV4, UDP
from tests.random_cards import random_card, services, stack

CHECKED = 80  # designs
MIDDLE = 3  # a design of middle size
ELSEWHERE = {"nat", "icmp_error", "ipip_rx", "ipip_tx", "tcp_memory"}  # their cards are in test_nat.py, test_tunnel.py and test_tcp_memory.py
LINTED = [pytest.param(number, marks=() if number == MIDDLE else pytest.mark.thorough) for number in range(60)]
RUN = [pytest.param(number, marks=pytest.mark.thorough) for number in range(6)]
HOST = Host(bytes([2, 0, 0, 0, 0, 0x11]), bytes([10, 77, 0, 1]))


def design_file(number: int, folder, make=random_card):
    """The design of a number, in a file. A random design that can deadlock is skipped."""
    rng = random.Random(f"{SEED} {number}")
    path = folder / "card.yaml"
    while True:
        path.write_text(make(rng))
        card = check_file(path, allow_deadlock=True)
        if dependencies(card).shortest_cycle() is None:
            return path, card


def test_random_designs_are_cards(tmp_path):
    used = set()
    for number in range(CHECKED):
        path, card = design_file(number, tmp_path)
        try:
            emit_card(card, "0")
        except Exception:
            print(path.read_text())
            raise
        used |= {tile.kind.name for tile in card.tiles}
    # Those with a program are in test_core.py.
    assert used == {name for name, kind in load_kinds().items() if not kind.programs} - ELSEWHERE


@pytest.mark.parametrize("number", LINTED)
def test_random_designs_are_clean_systemverilog(number, tmp_path):
    path, _ = design_file(number, tmp_path)
    result = lint_design(f"random_{number}", path.read_text())
    assert result.clean, f"{path.read_text()}\n{result.output}"


def on_the_wire(frame: bytes, most: int, rng: random.Random) -> bytes:
    """A frame with Ethernet's padding, sometimes with bytes after its packet, sometimes truncated."""
    draw = rng.random()
    if draw < 0.1:
        return frame[: rng.randint(43, len(frame))] if len(frame) > 43 else frame
    return (frame.ljust(60, b"\0") + bytes(rng.choice((1, 64, 200)) if draw < 0.3 else 0))[:most]


@pytest.mark.parametrize("number", RUN)
def test_random_designs_work(number, tmp_path):
    """Every received frame leaves or is counted, and something leaves: an answer, an ARP request, or a packet whose chain is done."""
    path, card = design_file(1000 + number, tmp_path, (stack, services)[number % 2])
    print(path.read_text())
    rng = random.Random(number)
    with VirtualCard(compile_design(path, tmp_path / "card"), collect=True) as virtual:
        most = card.params.max_frame - 46
        for port in range(card.ports):
            own, mac = bytes([10, 77, port, 2]), bytes([2, 0, 0, 0, 0, 1 + port])
            for index in range(40):
                payload = rng.randbytes(rng.choice((min(18, most), rng.randint(0, most))))
                destination = rng.choice((7, 8, 9, 1000, 1001, 1005, 60000))
                packet = ipv4(HOST.ip, own, UDP, udp(HOST.ip, own, payload, destination=destination))
                frame = on_the_wire(ethernet(mac, HOST.mac, IPV4, packet), card.params.max_frame, rng)
                virtual.inject(port, frame, cycle=virtual.cycle + 600 * index)
        virtual.run_until_quiet()
        virtual.check_conservation()
        assert any(virtual.collect(port) for port in range(card.ports))
