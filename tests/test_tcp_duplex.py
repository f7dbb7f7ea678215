# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/tcp_duplex.yaml`, whose applications have a fabric port of their own, against Linux's own stack, and with an ideal peer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.experiments.tcp import Peer
from girih.experiments.tcp_stream import IdealPeer
from tests.tcp_wire import CARD, at_rest, wired
from tests.test_tcp_socket import HOST, WAIT, Sockets

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]
MSS = 1460
SHARE = 0.85  # of the link's bits that are bytes of a connection, at least


@pytest.fixture(scope="module")
def card(built):
    with wired(built("tcp_duplex"), Sockets) as wire:
        yield wire


@pytest.fixture
def wire(card):
    with at_rest(card):
        yield card


def test_bytes_come_back(wire):
    wire.stream(1_000_000)
    wire.stream(200_000, clients=4)
    wire.echo(48, 3000)


def test_over_a_bad_wire(wire):
    before = wire.count("mark_retransmitted")
    for direction in ("in", "out"):
        wire.card.set_faults(0, direction, loss=0.01, duplicate=0.01, corrupt=0.01, reorder=0.02, reorder_cycles=3000, seed=5)
    wire.stream(300_000)
    assert wire.count("mark_retransmitted") > before and wire.count("drop_checksum") > 0 and wire.count("mark_out_of_order") > 0


def test_sockets_find_the_stack_by_its_second_port(wire):
    with wire.program(f"import socket\ns = socket.create_connection(('{CARD}', 5000))\ns.sendall(b'hello')\nprint(s.recv(100))") as process:
        listener = wire.tile.listen(5000)
        connection = listener.accept(WAIT)
        assert connection.recv(5, WAIT) == b"hello"
        connection.sendall(b"good day", WAIT)
        assert wire.output(process) == repr(b"good day")
        connection.close()
        listener.close()
    with wire.server(5006, "s.sendall(s.recv(100)[::-1])\ns.close()") as process:
        connection = wire.tile.connect(HOST, 5006, timeout=WAIT)
        connection.sendall(b"abc", WAIT)
        assert connection.recv(3, WAIT) == b"cba"
        connection.close()
        assert wire.output(process) == ""


def test_one_connection_fills_the_link_both_ways_at_once(built):
    """With segments in order, and one in a hundred overtaken by its successor. A stack with one fabric port has half of that."""
    with VirtualCard(built("tcp_duplex")) as card:
        Peer(card, 7).connect()
        for number, late in enumerate((0.0, 0.01)):
            peer = IdealPeer(card, 7, 40001 + number, sends=MSS, text=None, late=late)
            peer.open()
            peer.run(6000)
            before = peer.received, peer.acknowledged
            peer.run(10_000)
            for bytes_before, now in zip(before, (peer.received, peer.acknowledged), strict=True):
                assert (now - bytes_before) / 10_000 > SHARE * card.manifest.data_width / 8
            peer.abort()
            assert peer.again == 0
