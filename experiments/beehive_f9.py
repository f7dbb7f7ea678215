# SPDX-License-Identifier: Apache-2.0
"""Throughput of one TCP connection by the size of messages: to the card, from it, and both at once, which is an echo."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

PAYLOADS = (64, 256, 1024, 1460, 4096, 8192)
MSS = 1460
DIRECTIONS = {"receive": 9, "send": 19, "both": 7}  # and the port of the application
STACKS = {"tcp": "experiments/cards/tcp_stream.yaml", "tcp_duplex": "designs/tcp_duplex.yaml"}  # and the card
WARMUP, CYCLES = 6000, 15_000
ROOM = 16_000  # bytes of room that the generator waits for
LATE = 0.01
PAPER_MESSAGES = {64: 2.67}  # M/s, sent or received
BEEHIVE_MESSAGES, BEEHIVE_GBPS = {64: 2.98}, {8192: 53.7}  # its public RTL in the same simulator, echo
WANTED = "wanted: 100 Gbps; 27 M/s at 64 bytes"


def run(progress: Progress) -> list[Row]:
    from girih.experiments.echo import open_card
    from girih.experiments.tcp import Peer
    from girih.paths import ROOT

    rows = []
    for stack, path in STACKS.items():
        with open_card(ROOT / path, progress) as card:
            Peer(card, DIRECTIONS["both"]).connect()  # the card learns the peer's address
            own_port = 40001
            for direction in DIRECTIONS:
                for payload, late in [(payload, 0.0) for payload in PAYLOADS] + [(MSS, LATE)] * (direction != "send"):
                    progress(f"{stack}, {direction}, {payload} bytes" + f", {late:.0%} late" * bool(late))
                    rows += _rows(throughput(card, direction, payload, own_port, late), stack, direction, payload, late)
                    own_port += 1
    return rows


def _rows(bytes_per_cycle: float, stack: str, direction: str, payload: int, late: float) -> list[Row]:
    params: dict[str, object] = {"payload": payload, "direction": direction, "stack": stack} | ({"late": f"{late:.0%}"} if late else {})
    echoes = direction == "both"
    gbps, messages = bytes_per_cycle * 8 * CLOCK_MHZ / 1000, bytes_per_cycle / payload * CLOCK_MHZ
    return [
        Row("gbps", params, "Gbps", None, round(gbps, 1), BEEHIVE_GBPS.get(payload) if echoes else None, WANTED),
        Row("messages_per_second", params, "M/s", PAPER_MESSAGES.get(payload), round(messages, 2), BEEHIVE_MESSAGES.get(payload) if echoes else None, WANTED),
    ]


def throughput(card, direction: str, payload: int, own_port: int, late: float) -> float:
    """Bytes per cycle, each way. late: the share of the segments to the card that their successor overtakes."""
    from girih.errors import GirihError
    from girih.experiments.tcp_stream import IdealPeer, chargen_text

    card.registers.write_many({"discard.least": payload, "chargen.bytes": payload, "chargen.room": ROOM})
    sends = 0 if direction == "send" else min(payload, MSS)
    peer = IdealPeer(card, DIRECTIONS[direction], own_port, sends=sends, text=None if direction == "both" else chargen_text(), late=late)
    peer.open()
    peer.run(WARMUP)
    came, gone = peer.received, peer.acknowledged
    peer.run(CYCLES)
    rates = {"send": (peer.received - came) / CYCLES, "receive": (peer.acknowledged - gone) / CYCLES}
    peer.abort()
    drops = {name: count for name, count in card.registers.counters("eth_rx")["eth_rx"].items() if name.startswith("drop_") and count}
    if peer.again or drops:
        raise GirihError(f"{peer.again} bytes came again, and the port has {drops}", card.manifest.name, "The figures would be those of a loss.")
    return rates.get(direction, min(rates.values()))


EXHIBIT = Exhibit(
    id="beehive-f9",
    title="Throughput of one TCP connection",
    source="Beehive, figure 9",
    differs=(
        "the peer is ideal, with a link of 512 bits in every cycle: it answers within 40 cycles, loses nothing and always has data; the "
        "paper's is a host with Linux on a link of 100 Gbit/s. Segments carry a message, or 1,460 bytes of it. To receive is discard, to send is a character "
        "generator, both is an echo, whose figure is that of one way. tcp_duplex has a fabric port for the network and one for applications, tcp one for both. Beehive's RTL was measured with an echo."
    ),
    run=run,
)
