# SPDX-License-Identifier: Apache-2.0
"""Commands for a memory probe, through its window.

    probe = MemoryProbe(card.registers, "probe")
    probe.start(Accesses("read", address=0x1000, size=64, count=1000, window=16))
    while probe.running: card.run(1000)
    print(probe.measured.mean_cycles)
"""

from __future__ import annotations

from dataclasses import dataclass

from girih.card.registers import AccessRefused, Registers
from girih.errors import GirihError
from girih.spec.formats import Format
from girih.spec.windows import offset

WINDOW = "probe_window"
ORDERED = 8  # the bit of the operation for an ordered access
OPERATIONS = [name for name in Format("memory_access").names("op") if name not in ("gather", "scatter")]  # of one range


@dataclass(frozen=True)
class Accesses:
    """count: how many. window: how many can be in flight. stride: bytes from one to the next; after `rounds` of them the addresses start again; 0: never."""

    what: str  # read, write, add …, of spec/memory_access.yaml
    address: int
    size: int
    count: int = 1
    window: int = 1
    stride: int = 0
    rounds: int = 0
    ordered: bool = False


@dataclass(frozen=True)
class Measured:
    """cycles: from the start to the last reply. waits: the sum over all accesses of the cycles from the offer of the request to its reply. posted: the
    cycles in which the probe's link had a request. failed: replies with an error. sum: the exclusive or of the words that were read."""

    count: int
    cycles: int
    waits: int
    posted: int
    failed: int
    sum: int

    @property
    def mean_cycles(self) -> float:
        """The mean latency of an access, in cycles."""
        return self.waits / self.count

    @property
    def per_cycle(self) -> float:
        """Accesses per cycle."""
        return self.count / self.cycles


class MemoryProbe:
    """One probe. registers: with the rights of the operator."""

    def __init__(self, registers: Registers, tile: str):
        if registers.manifest.tile(tile).kind != "memory_probe":
            raise GirihError(f"{tile} is not a memory probe", registers.manifest.name, "Name a tile of kind memory_probe.")
        self._registers, self._tile = registers, tile
        self._count = 0

    def start(self, accesses: Accesses) -> None:
        """Starts the accesses. Raises GirihError, also while the probe runs."""
        if accesses.what not in OPERATIONS:
            raise GirihError(f"a probe makes no access {accesses.what!r}", self._tile, f"Choose one of {', '.join(OPERATIONS)}.")
        words = {
            "stride": accesses.stride, "rounds": accesses.rounds, "bytes": accesses.size, "window": accesses.window, "count": accesses.count,
            "what": OPERATIONS.index(accesses.what) | ORDERED * accesses.ordered, "start": 1,
        }  # fmt: skip
        try:
            for half in (0, 1):
                self._registers.write_window(self._tile, offset(WINDOW, "address", half=half), accesses.address >> 32 * half & 0xFFFFFFFF)
            for part, value in words.items():
                self._registers.write_window(self._tile, offset(WINDOW, part), value)
        except AccessRefused as refused:
            remedy = "Give at least one byte and a window of at least one, no more bytes than the card's messages have, and start it when it is at rest."
            raise GirihError(f"{accesses.count} accesses of {accesses.size} bytes are refused", self._tile, remedy) from refused
        self._count = accesses.count

    def _read(self, part: str) -> int:
        return self._registers.read_window(self._tile, offset(WINDOW, part))

    @property
    def running(self) -> bool:
        """Whether accesses are still unanswered."""
        return bool(self._read("state") & 1)

    @property
    def measured(self) -> Measured:
        """The results of the latest accesses."""
        return Measured(self._count, *(self._read(part) for part in ("cycles", "waits", "posted", "failed", "sum")))
