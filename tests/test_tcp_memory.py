# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/tcp_memory.yaml`, whose stream buffers are in external memory, against Linux's own stack: bytes come back whatever the wire, and however
late the memory; what happens when the memory fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.testing import some_of
from tests.tcp_wire import CARD, TAP, Wire, at_rest

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]
MEMORIES = {
    "as the design says": {},
    "random": {"latency": 20, "jitter": 200, "ready": 0.5, "seed": 3},
    "slow": {"latency": 400, "bytes_per_cycle": 16, "jitter": 7},
    "refreshed": {"latency": 60, "refresh_every": 2000, "refresh_for": 600, "jitter": 50},
}


@pytest.fixture(scope="module")
def card(built):
    with Namespace("tcp_memory") as namespace, VirtualCard(built("tcp_memory")) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        yield Wire(session, namespace)


@pytest.fixture
def wire(card):
    """With the design's memory and a good wire; after each test no connection is left, and the account of messages is even."""
    card.card.memory.set(**card.card.manifest.memory | {"ready": 1.0})
    with at_rest(card):
        yield card


@pytest.mark.parametrize(("memory",), some_of(2, [(name,) for name in MEMORIES]))
def test_bytes_come_back(wire, memory):
    wire.card.memory.set(**MEMORIES[memory])
    wire.stream(400_000)
    wire.echo(8, 5000)
    assert wire.count("mark_memory_errors") == 0
    assert wire.card.registers.counters("memory")["memory"]["mark_refused"] == 0


@pytest.mark.parametrize("size", [300_000, pytest.param(5_000_000, marks=pytest.mark.thorough)])
def test_over_a_bad_wire(wire, size):
    before = wire.count("mark_retransmitted")
    for direction in ("in", "out"):
        wire.card.set_faults(0, direction, loss=0.01, duplicate=0.01, corrupt=0.01, reorder=0.02, reorder_cycles=3000, seed=5)
    wire.stream(size)
    assert wire.count("mark_retransmitted") > before and wire.count("drop_checksum") > 0 and wire.count("mark_out_of_order") > 0


def test_many_connections_at_once(wire):
    wire.echo(128, 3000)


def test_a_memory_that_fails_ends_connections_and_nothing_else(wire):
    """Connections in the pages that fail are reset; later ones there, when it works again, are as if nothing had been."""


    text = f"""
import socket
ends = []
for _ in range(3):
    s = socket.create_connection(("{CARD}", 7))
    try:
        s.sendall(b"x" * 3000)
        got = b""
        while len(got) < 3000 and (piece := s.recv(4096)):
            got += piece
        ends.append(len(got))
    except ConnectionResetError:
        ends.append("reset")
    s.close()
print(*ends)
"""
    wire.card.memory.fail(0, 1 << 27)
    (output,) = wire.run([sys.executable, "-c", text])
    wire.card.memory.fail(0, 0)
    assert output.split() == ["reset"] * 3
    assert wire.count("mark_memory_errors") > 0
    wire.echo(4, 3000)
