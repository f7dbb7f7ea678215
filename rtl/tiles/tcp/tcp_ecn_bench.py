# SPDX-License-Identifier: Apache-2.0
"""What the tests of ECN share: hand-shakes with its flags, and a connection over a path with a round-trip time whose acknowledgements the test chooses.

Flags as scapy writes them: E is ECN-Echo, C is Congestion Window Reduced.
"""

from __future__ import annotations

import random

from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from rtl.tiles.tcp.tcp_bench import MODULUS, PORT, TICK, WINDOW, Peer, TcpBench

MSS = 64
ROUND = 4  # ticks of a round trip
PATIENT = {"rto_initial": 60, "rto_min": 60, "rto_max": 100, "mss": MSS}
OPTIONS = [("MSS", MSS)]
NOT_CAPABLE, CAPABLE, MARKED = 0b00, 0b10, 0b11  # of the type of service (RFC 3168, 5)


def tos(segment: TCP) -> int:
    return segment.underlayer.tos


async def start(dut, **config) -> TcpBench:
    bench = await TcpBench.start(dut, **(PATIENT | {"ecn": PORT} | config))
    bench.services = {NOT_CAPABLE, CAPABLE}
    return bench


async def shake(peer: Peer, syn: str = "SEC") -> str:
    """Sends a SYN; returns the flags of the answer."""
    peer.bench.give(peer.make(syn, options=OPTIONS))
    peer.seq = (peer.seq + 1) % MODULUS
    answer = await peer.bench.segment()
    assert tos(answer) == NOT_CAPABLE
    peer.ack = (answer.seq + 1) % MODULUS
    return str(answer.flags)


async def agreed(bench: TcpBench, port: int | None = None) -> Peer:
    """A connection that uses ECN."""
    peer = bench.peer(port)
    assert await shake(peer) == "SAE"
    peer.send()
    await peer.opened()
    return peer


class Flow:
    """A connection whose application always has bytes to send, over a path of ROUND ticks."""

    def __init__(self, peer: Peer):
        self.peer, self.bench, self.unacked = peer, peer.bench, 0

    @classmethod
    async def start(cls, bench: TcpBench) -> Flow:
        return cls(await agreed(bench))

    async def come(self) -> list[TCP]:
        """Fills the card's buffer, and waits a round trip: what has come meanwhile."""
        if self.unacked < WINDOW:
            self.peer.write(random.randbytes(WINDOW - self.unacked))
            self.unacked = WINDOW
        await ClockCycles(self.bench.dut.clk_i, ROUND * TICK)
        self.bench._sort()
        segments = self.bench.segments[:]
        self.bench.segments.clear()
        return segments

    def acknowledge(self, behind: int, flags: str = "A") -> None:
        self.unacked -= (behind - self.peer.ack) % MODULUS
        self.peer.ack = behind % MODULUS
        self.bench.give(self.peer.make(flags))

    def each(self, segments: list[TCP], flags: str = "A") -> None:
        """An acknowledgement for each segment."""
        for segment in segments:
            self.acknowledge(end(segment), flags)

    def repeat(self, count: int, flags: str = "A") -> None:
        for _ in range(count):
            self.bench.give(self.peer.make(flags))


def end(segment: TCP) -> int:
    return (segment.seq + len(segment.payload)) % MODULUS


def last(segments: list[TCP]) -> int:
    """The end of the bytes in all of them, of which the first begins first."""
    return (segments[0].seq + max((end(segment) - segments[0].seq) % MODULUS for segment in segments)) % MODULUS


def flags(segments: list[TCP]) -> list[str]:
    """Without PSH, which depends on when the application writes."""
    return [str(segment.flags).replace("P", "") for segment in segments]
