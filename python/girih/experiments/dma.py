# SPDX-License-Identifier: Apache-2.0
"""Accesses of a tile to the memory of the host, one at a time and many in flight, by size: as in both of iPipe's figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from girih.experiments import Progress

LATENCY = 100  # cycles of 4 ns, of the host's memory
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)  # bytes
WAYS = ("read", "write")
IN_FLIGHT = 256  # of those that do not block
BLOCKING, FREE = 100, 1000  # accesses that are measured
STEP = 2048  # bytes from one access to the next
DIFFERS = (
    "the paper's accesses are those of a core of a LiquidIO CN2350 by its DMA engine and PCIe, without the share of the host's memory told; here a tile in hardware asks by "
    f"messages, and the host answers {LATENCY} cycles after an access, with 64 bytes in a cycle (twice the bandwidth of the paper's PCIe at 250 MHz). A write brings its data with it, so "
    "to post it takes a cycle for each flit, where the paper's instruction word has the address alone. Most of the paper's points are in pictures, which the text does not have."
)


@dataclass(frozen=True)
class Point:
    """blocking: cycles of an access, one at a time. posting: cycles of its requester. per_cycle: bytes, one at a time. free_per_cycle: bytes, many in flight."""

    way: str
    size: int
    blocking: float
    posting: float
    per_cycle: float
    free_per_cycle: float


def points(progress: Progress) -> Iterator[Point]:
    """Both ways, for each size. Raises GirihError if an access fails."""
    from girih.card.probe import Accesses, Measured, MemoryProbe
    from girih.card.virtual import VirtualCard
    from girih.errors import GirihError
    from girih.experiments.host_driver import BASE, HostMemory
    from girih.paths import DESIGNS

    with VirtualCard.open(DESIGNS / "dma.yaml") as card:
        card.host.set_latency(LATENCY)
        HostMemory(card, 1 << 22)
        probe = MemoryProbe(card.registers, "probe")
        granted = BASE + (1 << 20)

        def measure(way: str, size: int, count: int, window: int) -> Measured:
            probe.start(Accesses(way, granted, size, count, window, stride=STEP, rounds=128))
            while probe.running:
                card.run(200)
            if probe.measured.failed:
                raise GirihError(f"{probe.measured.failed} accesses of {size} bytes failed", "dma", "This is a fault of the card.")
            return probe.measured

        for way in WAYS:
            for size in SIZES:
                progress(f"{way} of {size} bytes")
                one, many = measure(way, size, BLOCKING, 1), measure(way, size, FREE, IN_FLIGHT)
                yield Point(way, size, one.mean_cycles, one.posted / one.count, size * one.per_cycle, size * many.per_cycle)
