# SPDX-License-Identifier: Apache-2.0
"""TCP latency pin to pin: a SYN's answer, and a request's echo on an established connection."""

from girih.experiments import Exhibit, Progress, Row

PAYLOADS = (1, 64, 1024, 1460)
COUNT = 20
BEEHIVE_SYN, BEEHIVE_ECHO = 85, {64: 283}  # its public RTL in the same simulator
AT_LEAST, AIM = {64: 80}, {64: 50}
SYN_AT_LEAST, SYN_AIM = 45, 30
ECHO_PORT = 7


def run(progress: Progress) -> list[Row]:
    from girih.errors import GirihError
    from girih.experiments.echo import open_card
    from girih.experiments.tcp import Peer
    from girih.paths import DESIGNS

    with open_card(DESIGNS / "tcp_echo.yaml", progress) as card:
        Peer(card, ECHO_PORT).connect()  # the card learns the peer's address
        progress("connections")
        peers = [Peer(card, ECHO_PORT, own_port=40001 + number) for number in range(COUNT)]
        rows = [Row("syn_cycles", {}, "cycles", None, max(peer.connect() for peer in peers), BEEHIVE_SYN, f"wanted: {SYN_AT_LEAST}, aim: {SYN_AIM}")]
        for payload in PAYLOADS:
            progress(f"{payload} bytes")
            slowest = 0
            for number, peer in enumerate(peers):
                text = bytes((number + index) % 256 for index in range(payload))
                start = peer.send(text)
                got = peer.take()
                while not got.data:
                    got = peer.take()
                if got.data != text:
                    raise GirihError("the echo has other bytes", card.manifest.name, "This is a fault of the card: its figures mean nothing.")
                slowest = max(slowest, got.first_cycle - start)
                peer.send(flags=0x10)
                card.run(200)
            note = f"wanted: {AT_LEAST[payload]}, aim: {AIM[payload]}" if payload in AT_LEAST else ""
            rows.append(Row("echo_cycles", {"payload": payload}, "cycles", None, slowest, BEEHIVE_ECHO.get(payload), note))
    return rows


EXHIBIT = Exhibit(
    id="beehive-tcp-lat",
    title="TCP latency",
    source="Beehive, section VII-D",
    differs=(
        "cycles count from the first beat of a segment at the card's input pins to the first beat of the answer at its output pins, with "
        "seven tiles on a mesh; the options of the SYN are those of Linux. The largest of 20 connections is given, one segment under way at a time."
    ),
    run=run,
)
