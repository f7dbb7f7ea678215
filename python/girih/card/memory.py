# SPDX-License-Identifier: Apache-2.0
"""The external memory of a running virtual card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from girih.card.library import Library
from girih.errors import GirihError


@dataclass(frozen=True)
class MemoryStats:
    """The traffic at the AXI4 port: transactions, their beats, and the most reads that were in flight at a time."""

    reads: int
    writes: int
    read_beats: int
    write_beats: int
    most_reads: int

    @property
    def text(self) -> str:
        return (
            f"External memory: {self.reads} reads of {self.read_beats} beats, {self.writes} writes of {self.write_beats} beats, "
            f"at most {self.most_reads} reads in flight"
        )


class ExternalMemory:
    """What stands behind the card's AXI4 port: its content, and how fast it is.

    settings: those of the design. Raises GirihError for settings that the memory does not support.
    """

    def __init__(self, library: Library, card, settings: Mapping[str, float]):
        self._ffi, self._call, self._card = library.ffi, library.call, card
        self._params = self._ffi.new("girih_memory_params *")
        library.api.girih_memory_params_init(self._params)
        self.set(**settings)

    def set(self, **settings: float) -> None:
        """Changes some of size, latency, jitter, bytes_per_cycle, refresh_every, refresh_for, ready, seed."""
        params = self._ffi.new("girih_memory_params *", self._params[0])
        for name, value in settings.items():
            if name not in dir(params):
                raise GirihError(f"no setting is called {name!r}", "memory", f"There are: {', '.join(dir(params))}.")
            try:
                setattr(params, name, value)
            except (OverflowError, TypeError) as error:
                raise GirihError(f"{name} of the memory is {value!r}", "memory", "Give a number in its range.") from error
        self._call("memory_set", self._card, params)
        self._params = params

    def fail(self, first: int, size: int) -> None:
        """Makes later accesses to these bytes end with a slave error; size 0: none."""
        self._call("memory_fail", self._card, first, size)

    def read(self, address: int, size: int) -> bytes:
        """Reads the memory directly, not through the card."""
        data = self._ffi.new("uint8_t[]", size)
        self._call("memory_read", self._card, address, data, size)
        return bytes(self._ffi.buffer(data, size))

    def write(self, address: int, data: bytes) -> None:
        """Writes the memory directly, not through the card."""
        self._call("memory_write", self._card, address, data, len(data))

    @property
    def stats(self) -> MemoryStats:
        stats = self._ffi.new("girih_memory_stats *")
        self._call("memory_stats_get", self._card, stats)
        return MemoryStats(**{name: getattr(stats, name) for name in MemoryStats.__dataclass_fields__})
