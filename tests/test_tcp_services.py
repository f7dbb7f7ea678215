# SPDX-License-Identifier: Apache-2.0
"""Discard and character generator against Linux's own stack."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.paths import ROOT
from tests.registers import keep_what_is_written
from tests.tcp_wire import CARD, TAP, Wire, ended

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]


@pytest.fixture(scope="module")
def wire():
    with Namespace("services") as namespace, VirtualCard.open(ROOT / "experiments" / "cards" / "tcp_stream.yaml") as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        yield Wire(session, namespace)


@pytest.mark.parametrize("tile", ["discard", "chargen"])
def test_registers_keep_what_is_written(wire, tile):
    keep_what_is_written(wire.card.registers, tile)


def test_discard_takes_all(wire):
    size = 300_000
    text = f"""
import socket
clients = [socket.create_connection(("{CARD}", 9)) for _ in range(3)]
for client in clients:
    client.sendall(bytes({size}))
for client in clients:
    client.shutdown(socket.SHUT_WR)
    print(client.recv(1))
"""
    assert wire.python(text).splitlines() == ["b''"] * 3
    ended(wire)


def test_the_text_of_rfc_864(wire):
    """For two clients at once, one of which also sends, until they have had enough."""
    text = f"""
import socket
clients = [socket.create_connection(("{CARD}", 19)) for _ in range(2)]
ring = "".join(map(chr, range(32, 127))) * 2
for turn, client in enumerate(clients * 2):
    if turn % 2:
        client.sendall(b"never mind" * 1000)
    lines = client.makefile("r", newline="") if turn < 2 else lines_of[client]
    lines_of = {{}} if turn == 0 else lines_of
    lines_of[client] = lines
    for number in range(700 * (turn // 2), 700 * (turn // 2 + 1)):
        start = number % 95
        line = lines.readline()
        assert line == ring[start : start + 72] + "\\r\\n", (turn, number, line)
for client in clients:
    client.shutdown(socket.SHUT_WR)
    while client.recv(1 << 16):
        pass
print("all")
"""
    assert wire.python(text).splitlines()[-1:] == ["all"]
    ended(wire)
