# SPDX-License-Identifier: Apache-2.0
"""TCP with many connections: messages of 64 bytes over 1,024 of them at random, and connections opened and closed."""

from itertools import product

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

CARDS = {"tcp": "tcp_many.yaml", "tcp_duplex": "tcp_many_duplex.yaml"}
SIZE, COUNTS = 64, (1, 1024)
DIRECTIONS = {"receive": 9, "both": 7}  # and the port of the application
SPACINGS = (8.0, 7.0, 6.5, 6.0, 5.5, 5.0, 4.75, 4.5, 4.25, 4.0, 3.75, 3.5, 3.25, 3.0, 2.75, 2.5, 2.25, 2.0)  # cycles from one message to the next
CYCLES = 12_000
UNDER_WAY = (16, 64, 128)
WANTED_MESSAGES = "wanted: 60 M/s, as over one connection"
WANTED_CONNECTIONS = "wanted: 5 M/s; aim: 10"


def run(progress: Progress) -> list[Row]:
    from girih.experiments.echo import open_card
    from girih.experiments.tcp_crowd import Crowd, connections, messages
    from girih.paths import ROOT

    rows = []
    for (kind, name), (direction, port), count in product(CARDS.items(), DIRECTIONS.items(), COUNTS):
        with open_card(ROOT / "experiments" / "cards" / name, progress) as card:
            progress(f"{kind}: {direction}, {count} connections")
            if direction == "receive":
                card.registers.write("discard.least", SIZE)
            crowd, best = Crowd(card), 0.0
            peers = crowd.connect(port, count)
            for spacing in SPACINGS:
                rate = messages(crowd, peers, SIZE, spacing, CYCLES, echo=direction == "both")
                if rate is None:
                    break
                best = max(best, rate)
        params = {"kind": kind, "payload": SIZE, "connections": count, "direction": direction}
        rows.append(Row("messages_per_second", params, "M/s", None, round(best * CLOCK_MHZ, 1), None, WANTED_MESSAGES))
    for kind, name in CARDS.items():
        best = 0.0
        for under_way in UNDER_WAY:
            with open_card(ROOT / "experiments" / "cards" / name, progress) as card:
                progress(f"{kind}: opening and closing, {under_way} at a time")
                crowd = Crowd(card)
                crowd.connect(DIRECTIONS["receive"], 1)  # the card learns the peer's address
                best = max(best, connections(crowd, DIRECTIONS["receive"], under_way, CYCLES))
        rows.append(Row("connections_per_second", {"kind": kind}, "M/s", None, round(best * CLOCK_MHZ, 2), None, WANTED_CONNECTIONS))
    return rows


EXHIBIT = Exhibit(
    id="tcp-many",
    title="TCP with many connections",
    source="no published exhibit",
    differs=(
        "the peers are ideal, with a link of 512 bits in every cycle. A figure is the greatest rate at which the card's port loses nothing, or at which "
        "connections come and go; the application takes everything (discard), or returns it (echo)."
    ),
    run=run,
)
