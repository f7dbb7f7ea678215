# SPDX-License-Identifier: Apache-2.0
"""A STUN server on the card, an engine with plain AXI4-Stream ports, against sockets of Linux; scapy parses the answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from scapy.contrib.stun import STUN

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.paths import DESIGNS
from tests.tcp_wire import CARD, TAP, Wire

pytestmark = [
    pytest.mark.thorough,  # a card of its own; the tile's tests are in the default run
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

CLIENTS = 20
PROGRAM = f"""
import os, socket
for _ in range({CLIENTS}):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(20)
    client.connect(("{CARD}", 3478))
    client.send(b"no request")
    transaction = os.urandom(12)
    client.send(b"\\0\\1\\0\\0" + 0x2112a442.to_bytes(4, "big") + transaction)
    print(client.getsockname()[0], client.getsockname()[1], transaction.hex(), client.recv(2000).hex())
"""


def test_clients_learn_their_addresses():
    with Namespace("stun") as namespace, VirtualCard.open(DESIGNS / "stun.yaml") as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        answers = Wire(session, namespace).python(PROGRAM).splitlines()
        assert len(answers) == CLIENTS, answers
        for address, port, transaction, answer in map(str.split, answers):
            stun = STUN(bytes.fromhex(answer))
            assert (stun.stun_message_type, stun.transaction_id) == (0x0101, int(transaction, 16))
            (mapped,) = stun.attributes
            assert (mapped.xip, mapped.xport) == (address, int(port))
        card.check_conservation()
        counters = card.registers.counters("stun")["stun"]
        assert counters["mark_answered"] == CLIENTS and counters["mark_void"] == CLIENTS
