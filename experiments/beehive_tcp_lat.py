# SPDX-License-Identifier: Apache-2.0
"""TCP latency pin to pin: a SYN's answer, and a request's echo on an established connection."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from girih.experiments import Exhibit, Progress, Row

if TYPE_CHECKING:
    from girih.experiments.tcp import Peer

CARDS = {"tcp": "tcp_echo.yaml", "tcp_duplex": "tcp_duplex.yaml"}
PAYLOADS = (1, 64, 1024)
FULL = {False: 1460, True: 1448}  # bytes of a full segment, without time stamps and with them
COUNT = 20
BEEHIVE_SYN, BEEHIVE_ECHO = 85, {64: 283}  # its public RTL in the same simulator
AT_LEAST, AIM = {64: 80}, {64: 50}
SYN_AT_LEAST, SYN_AIM = 45, 30
ECHO_PORT = 7


def run(progress: Progress) -> list[Row]:
    return [row for kind, design in CARDS.items() for row in _of_card(kind, design, progress)]


def _of_card(kind: str, design: str, progress: Progress) -> list[Row]:
    from girih.experiments.echo import open_card
    from girih.experiments.tcp import Peer
    from girih.paths import DESIGNS

    with open_card(DESIGNS / design, progress) as card:
        Peer(card, ECHO_PORT).connect()  # the card learns the peer's address
        rows, own_port = [], 40001
        for stamps, paced in product((False, True), repeat=2):
            params = {"kind": kind, "time_stamps": "yes" if stamps else "no", "pacing": "yes" if paced else "no"}
            progress(", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in params.items()))
            card.registers.write("tcp.pacing[0]", ECHO_PORT if paced else 0)
            peers = [Peer(card, ECHO_PORT, own_port=own_port + number, stamps=stamps) for number in range(COUNT)]
            own_port += COUNT
            rows.append(Row("syn_cycles", params, "cycles", None, max(peer.connect() for peer in peers), BEEHIVE_SYN, f"wanted: {SYN_AT_LEAST}, aim: {SYN_AIM}"))
            slowest = dict.fromkeys((*PAYLOADS, FULL[stamps]), 0)
            for number, payload in product(range(COUNT), slowest):
                text = bytes((number + index) % 256 for index in range(payload))
                slowest[payload] = max(slowest[payload], echo_cycles(peers[number], text))
            for payload, cycles in slowest.items():
                note = f"wanted: {AT_LEAST[payload]}, aim: {AIM[payload]}" if payload in AT_LEAST else ""
                rows.append(Row("echo_cycles", {"payload": payload} | params, "cycles", None, cycles, BEEHIVE_ECHO.get(payload), note))
    return rows


def echo_cycles(peer: Peer, text: bytes) -> int:
    """From the first beat of a request to that of its echo, which is then acknowledged."""
    from girih.errors import GirihError

    start = peer.send(text)
    got = peer.take()
    while not got.data:
        got = peer.take()
    if got.data != text:
        raise GirihError("the echo has other bytes", peer.card.manifest.name, "This is a fault of the card: its figures mean nothing.")
    peer.send(flags=0x10)
    peer.card.run(200)
    return got.first_cycle - start


EXHIBIT = Exhibit(
    id="beehive-tcp-lat",
    title="TCP latency",
    source="Beehive, section VII-D",
    differs=(
        "cycles count from the first beat of a segment at the card's input pins to the first beat of the answer at its output pins, with "
        "seven tiles on a mesh; the options of the SYN are those of Linux. The largest of 20 connections is given, one segment under way at a time. "
        "time_stamps: both ends use them. pacing: the card paces these connections."
    ),
    run=run,
)
