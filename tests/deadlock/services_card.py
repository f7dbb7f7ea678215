# SPDX-License-Identifier: Apache-2.0
"""One card with services for many designs: ports, scheduler, units, relays, a buffer and a balancer, whose node tables,
exits, chains, pushes and rates are written when it runs.

A design for it has the tiles of this card by the same names at the same places; it may leave out those of `MIDDLE`.

    with ServicesCard() as generic:
        generic.load(card)       # a `Card`: writes everything that the design says
        run = saturate(generic, random.Random(1))
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace

from girih.build.generate import write_if_changed
from girih.card import VirtualCard
from girih.card.manifest import Watch
from girih.compiler.check.card import check_file
from girih.compiler.compile import emit
from girih.compiler.emit.scheduling import describe
from girih.compiler.emit.watch import watch
from girih.compiler.model import Card, Tile
from girih.paths import BUILD

WIDTH = 256  # the narrowest that a scheduler takes
WATCHDOG_CYCLES = 6000  # longer than any message waits here while wires take all
FIRST_PORT = 4500  # chain n matches this UDP port + n

PLACES = {
    "wire": [0, 0], "relay_0": [1, 0], "unit_0": [2, 0], "relay_1": [3, 0],
    "relay_2": [0, 1], "relay_3": [2, 1], "unit_1": [3, 1],
    "buffer": [0, 2], "balancer": [1, 2], "relay_4": [3, 2],
    "unit_2": [0, 3], "relay_5": [1, 3], "relay_6": [2, 3], "host": [3, 3],
}  # fmt: skip
SCHEDULER = "scheduler: {kind: scheduler, at: [[1, 1], [2, 2]]"
MIDDLE = {name: name.split("_")[0] for name in PLACES if name.startswith(("relay", "buffer", "balancer"))}
PORTS = {"wire": 0, "host": 1}
UNITS = {"unit_0": "unit_null", "unit_1": "unit_null", "unit_2": "unit_delay"}
SERVICES = {"first": ("unit_0",), "second": ("unit_1", "unit_2")}


def heading() -> list[str]:
    """The first lines of a design for this card."""
    return ["fabric: {mesh: [4, 4]}", f"width: {WIDTH}", "ports: 2", "tiles:"]


def tile_line(name: str, kind: str, *more: str) -> str:
    return f"  {name}: {{{', '.join([f'kind: {kind}', f'at: {PLACES[name]}', *more])}}}"


def port_line(name: str, exit: str, *more: str) -> str:
    """A port, with the smallest table that chains allow."""
    return tile_line(name, "rmt_port", f"port: {PORTS[name]}", f"exit: {exit}", "entries_0: 16", "key_halves_0: 2", *more)


def whole_design() -> str:
    """A design that has every tile."""
    after = dict(zip(MIDDLE, [*list(MIDDLE)[1:], "host"], strict=True))
    lines = heading()
    lines += [port_line("wire", "relay_0"), port_line("host", "wire"), f"  {SCHEDULER}}}"]
    lines += [tile_line(name, kind) for name, kind in UNITS.items()]
    lines += [
        tile_line(name, kind, f"next: [{after[name]}, wire]" if kind == "balancer" else f"next: {after[name]}")
        for name, kind in MIDDLE.items()
    ]
    lines += ["services:", *(f"  {name}: [{', '.join(units)}]" for name, units in SERVICES.items())]
    return "\n".join([*lines, ""])


class ServicesCard:
    """The running card. design: what is loaded. ports: Ethernet ports of the design, each by the card's own number."""

    def __init__(self):
        path = BUILD / "tests" / "deadlock" / "generic_services.yaml"
        write_if_changed(path, whole_design())
        self.built = check_file(path, allow_deadlock=True)
        self.card = VirtualCard(emit(self.built), collect=True, watchdog=WATCHDOG_CYCLES)
        self.manifest = self.card.manifest
        self.design: Card | None = None
        self.ports = {port: port for port in PORTS.values()}

    def __enter__(self) -> ServicesCard:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.card.close()

    def load(self, design: Card) -> None:
        """Resets the card and writes what the design says; a tile that is not in it sends nowhere."""
        manifest = replace(self.manifest, scheduling=describe(design))
        self.card.manifest = self.card.registers.manifest = manifest
        self.card.reset()
        self.card.watch = Watch.read(watch(design, self.built))
        self.design = design
        tiles = {tile.name: tile for tile in design.tiles}
        for tile in self.built.tiles:
            there = tiles.get(tile.name)
            assert there is None or (there.places, there.kind) == (tile.places, tile.kind)
            if there:
                self._configure(there)
            if tile.kind.next:
                self._write_table(tile, there)

    def _configure(self, tile: Tile) -> None:
        for name, value in tile.config:
            if isinstance(value, tuple):
                for index, element in enumerate(value):
                    if f"{name}[{index}]" in self.manifest.tile(tile.name).registers:  # those of units and services that no design here has are not
                        self._write(f"{tile.name}.{name}[{index}]", element)
            else:
                self._write(f"{tile.name}.{name}", value)

    def _write_table(self, tile: Tile, there: Tile | None) -> None:
        hops = there.hops if there else ()
        nodes = {hop: self.design.tile(hop.to).nodes[hop.port] for hop in hops}
        entries = [1 << 31 | (hop.key is None) << 24 | nodes[hop] << 16 | (hop.key or 0) for hop in hops]
        for index, entry in enumerate([*entries, *[0] * (tile.kind.next.entries - len(entries))]):
            self._write(f"{tile.name}.next_hop[{index}]", entry)

    def _write(self, register: str, value: int) -> None:
        self.card.registers.write(register, value)
        assert self.card.registers.read(register) == value


class Frames:
    """Makes frames whose bytes from the 14th on say which they are. chains: by port, the chains of which each frame takes
    one at random; the number of a chain that the card does not have makes a frame without a chain."""

    def __init__(self, chains: Mapping[int, Sequence[int]]):
        self.chains = chains

    def __call__(self, port: int, number: int, size: int, rng: random.Random) -> bytes:
        chain = FIRST_PORT + rng.choice(self.chains[port])
        payload = struct.pack("!I", number) + rng.randbytes(max(size - 46, 0))
        udp = struct.pack("!HHHH", rng.getrandbits(16), chain, 8 + len(payload), 0) + payload
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), number & 0xFFFF, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
        return bytes.fromhex("020000000001020000000099") + b"\x08\x00" + head + udp


def all_chains(card: Card) -> dict[int, list[int]]:
    """By port: the numbers of all chains of a design, and one more."""
    return {port: list(range(len(card.scheduling.chains) + 1)) for port in PORTS.values()}
