# SPDX-License-Identifier: Apache-2.0
"""A card over the network, with the interface of girih.card.client: what the commands need works the same.

    with NetworkCard.connect("10.77.0.2", read_key(path), "designs/managed.yaml") as card:
        card.registers.write_many({"balancer.by_flow": 1})
        print(card.call("snapshot")["tiles"]["tcp"])
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from girih.card.drops import drops_by_key, last_drops
from girih.card.manifest import Manifest, Tile
from girih.card.registers import WORD_BYTES, Registers
from girih.errors import GirihError
from girih.management.network import PORT, NetworkBus, Refused
from girih.management.protocol import MOST_ENTRIES
from girih.services.control import ServiceControl
from girih.services.monitor import Monitor
from girih.services.remote import RemoteServices, perform

CHAINS = ("list_chains", "add_chain", "add_rule", "delete_chain")  # only the card's process knows their names


def manifest_of(design: Path) -> Manifest:
    """The manifest of a design file, or of the folder of one that is built."""
    from girih.compiler.compile import compile_design

    return Manifest.load(design if design.is_dir() else compile_design(design))


class NetworkRegisters(Registers):
    """The registers that the card's controller may read; a request reads as many words as it has entries."""

    def __init__(self, manifest: Manifest, bus: NetworkBus):
        super().__init__(manifest, bus)
        self.bus: NetworkBus = bus
        bus.name_of = self.name_of
        self._readable = self._probe()

    def _probe(self) -> list[Tile]:
        """The tiles that the controller may read. Raises GirihError if they are not those of the manifest."""
        left, found = list(self.manifest.tiles), []
        while left:
            try:
                kinds = self.bus.read_many([tile.base for tile in left[:MOST_ENTRIES]])
            except Refused as refused:
                if refused.status != "right":
                    raise
                del left[refused.index]
                continue
            for tile, kind in zip(left, kinds):
                if kind != zlib.crc32(tile.kind.encode()):
                    raise GirihError(f"tile {tile.name} of the card is no {tile.kind}", self.bus.where, f"The card is not {self.manifest.name}: name its design with --design.")
                found.append(tile)
            del left[:MOST_ENTRIES]
        return found

    @property
    def shown(self) -> list[Tile]:
        return self._readable

    def counters(self, tile_name: str | None = None) -> dict[str, dict[str, int]]:
        """Tile to counter to value. Each counter is read consistently, all of them one after the other."""
        tiles = [self.manifest.tile(tile_name)] if tile_name else self.shown
        values = iter(self.read_counters([tile.base + offset for tile in tiles for offset in tile.counters.values()]))
        return {tile.name: {name: next(values) for name in tile.counters} for tile in tiles}

    def read_counters(self, addresses: Sequence[int]) -> list[int]:
        values, left = dict.fromkeys(addresses, 0), list(addresses)
        while left:
            words = iter(self.bus.read_many([address + at for address in left for at in (WORD_BYTES, 0, WORD_BYTES)]))
            again = []
            for address, high, low, after in zip(left, words, words, words):
                values[address] = high << 32 | low
                if high != after:
                    again.append(address)
            left = again
        return [values[address] for address in addresses]

    def link_stalls(self, counters: Mapping[str, Mapping[str, int]] | None = None) -> dict[str, int]:
        """The stalls of links between a tile and the fabric; only the host reaches those of other links."""
        return self._tile_stalls(counters)


class NetworkCard:
    """One connection to a card's controller."""

    def __init__(self, manifest: Manifest, bus: NetworkBus):
        self._bus = bus
        self.registers = NetworkRegisters(manifest, bus)
        self.services = RemoteServices(self.call)
        self._control: ServiceControl | None = None

    @classmethod
    def connect(cls, host: str, key: bytes, design: Path | str) -> NetworkCard:
        """host: `HOST` or `HOST:PORT`. design: the card's design file, or the folder of it built."""
        name, _, port = host.partition(":")
        if port and not port.isdecimal():
            raise GirihError(f"the port {port!r} is no number", host, f"Write HOST or HOST:PORT, such as 10.77.0.2:{PORT}.")
        manifest = manifest_of(Path(design))
        bus = NetworkBus.connect(name, key, int(port or PORT))
        try:
            return cls(manifest, bus)
        except BaseException:
            bus.close()
            raise

    def __enter__(self) -> NetworkCard:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the card keeps running."""
        self._bus.close()

    def call(self, op: str, **arguments):
        """One of the operations of girih.card.control that need no more than registers."""
        operation: Callable | None = getattr(self, f"_do_{op}", None)
        if operation is None:
            names = ", ".join(sorted(name[4:] for name in dir(self) if name.startswith("_do_")))
            raise GirihError(f"{op} is for the control socket alone", self._bus.where, f"Over the network there are: {names}.")
        return operation(**arguments)

    def _do_info(self) -> dict:
        return {"name": self.registers.manifest.name, "cycle": self._bus.cycle, "where": self._bus.where}

    def _do_counters(self, tile: str | None = None) -> dict:
        return self.registers.counters(tile)

    def _do_snapshot(self) -> dict:
        tiles = self.registers.counters()
        return {
            "cycle": self._bus.cycle,
            "tiles": tiles,
            "link_stalls": self.registers.link_stalls(tiles),
            "histograms": self.registers.histograms(),
            "drops_by_key": drops_by_key(self.registers),
        }

    def _do_drops(self, tiles: list[str]) -> dict:
        return {tile: asdict(last_drops(self.registers, tile)) for tile in tiles}

    def _do_services(self, call: str, args: tuple = (), named: dict | None = None, as_tenant: str | None = None) -> object:
        manifest = self.registers.manifest
        if call in CHAINS:
            raise GirihError("chains have names in the card's process alone", self._bus.where, "Use ctl table over the network, or ctl chain at the control socket.")
        if manifest.scheduling and self._control is None:
            self._control = ServiceControl(self.registers)
        return perform(self._control, manifest.name, self._state, call, args, named or {}, as_tenant)

    def _state(self) -> dict:
        state = Monitor(self.registers).state()
        return {"cycle": self._bus.cycle, "clock_mhz": self.registers.manifest.clock_mhz, "pins": None, **state}
