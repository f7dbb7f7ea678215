# SPDX-License-Identifier: Apache-2.0
"""Commands for a copy engine, through its window.

    copies = CopyEngine(card.registers, "copy")
    copies.start(0x1000, 0x8000, 4096)
    copies.start(at_host(0x7000), 0x8000, 4096)       # from the memory of the host
    while copies.running: card.run(1000)
    assert copies.failure is None
"""

from __future__ import annotations

from girih.card.registers import AccessRefused, Registers
from girih.errors import GirihError
from girih.spec.formats import Format
from girih.spec.windows import offset

WINDOW = "copy_window"
RUNS, WENT_WRONG = 1, 4  # the bit that is set while a copy runs, and the lowest bit of the error
HOST = 1 << 63  # the bit that marks an address in host memory
ADDRESS_BITS = 32  # of a word of the control network


def at_host(address: int) -> int:
    """An address in the memory of the host, for a copy engine whose `next` names a tile for each memory."""
    return address | HOST


class CopyEngine:
    """One copy engine. registers: with the rights of its tenant or of the operator."""

    def __init__(self, registers: Registers, tile: str):
        if registers.manifest.tile(tile).kind != "copy":
            raise GirihError(f"{tile} is not a copy engine", registers.manifest.name, "Name a tile of kind copy.")
        self._registers, self._tile = registers, tile

    def start(self, source: int, destination: int, size: int) -> None:
        """Starts to copy `size` bytes; all three are multiples of a flit. Raises GirihError, also while a copy runs."""
        try:
            for part, address in (("source", source), ("destination", destination)):
                for half in (0, 1):
                    self._write(offset(WINDOW, part, half=half), address >> ADDRESS_BITS * half & 0xFFFFFFFF)
            self._write(offset(WINDOW, "size"), size)
            self._write(offset(WINDOW, "start"), 1)
        except AccessRefused as refused:
            flit = self._registers.manifest.data_width // 8
            remedy = f"Give addresses and a size that are multiples of {flit}, as the tile's tenant, when no copy runs."
            raise GirihError(f"the copy of {size} bytes from {source:#x} to {destination:#x} is refused", self._tile, remedy) from refused

    def _write(self, at: int, value: int) -> None:
        self._registers.write_window(self._tile, at, value)

    def _read(self, part: str) -> int:
        return self._registers.read_window(self._tile, offset(WINDOW, part))

    @property
    def running(self) -> bool:
        """Whether a copy is in progress."""
        return bool(self._read("state") & RUNS)

    @property
    def left(self) -> int:
        """Bytes of the copy that are not known to be written."""
        return self._read("left")

    @property
    def failure(self) -> str | None:
        """The first error of the latest copy: refused, malformed, slave or decode; None: no error."""
        number = self._read("state") >> WENT_WRONG & 7
        return Format("memory_access").names("status")[number] if number else None
