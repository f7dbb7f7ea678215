# SPDX-License-Identifier: Apache-2.0
"""Every register of every tile of a card, over the control network."""

import re
import zlib

import pytest

from girih.card import VirtualCard
from girih.card.manifest import Register, Tile
from girih.card.registers import AccessRefused
from girih.paths import DESIGNS
from girih.spec.kinds import load_kinds
from tests.test_designs import LARGE

THOROUGH = {"tunnel", "dma_core", "stun"}  # no other test of the default run builds them
WIDTHS = {"balanced": 128}  # at which other tests build it


def cards() -> list:
    """The designs. Those whose kinds of tiles are all in the ones before are thorough tests."""
    found, seen = [], set()
    for path in sorted(DESIGNS.glob("*.yaml")):
        kinds = set(re.findall(r"kind: (\w+)", path.read_text()))
        if path.stem not in LARGE:
            found.append(pytest.param(path.stem, marks=() if kinds - seen and path.stem not in THOROUGH else pytest.mark.thorough))
            if path.stem not in THOROUGH:
                seen |= kinds
    return found


def values(register: Register, before: int) -> list[int]:
    """What is written to a register: each of its bits is set and cleared, and it has its former value in the end."""
    ones = (1 << register.width) - 1
    return [before ^ ones, before ^ 0x5555_5555_5555_5555_5555_5555_5555_5555 & ones, before]


def missing(tile: Tile) -> list[int]:
    """The offsets of the elements of arrays in the configuration that this tile has not, because a parameter says that it has fewer."""
    arrays = [field for field in load_kinds()[tile.kind].config if field.elements]
    return [
        field.offset + 4 * index for field in arrays for index in range(field.count)
        if f"{field.name}[{index}]" not in tile.registers
    ]  # fmt: skip


@pytest.mark.parametrize("design", cards())
def test_a_register_holds_what_is_written(built, design):
    """A register of the configuration holds every bit of what is written to it, and changes no other register. Tiles that make requests on the
    control network, such as a syslog tile that is given an address, write registers by themselves: theirs keep their values. What a tile does not have is
    refused."""
    with VirtualCard(built(design, WIDTHS.get(design, 512))) as card:
        registers = card.registers

        def state() -> dict[str, int]:
            return {f"{tile.name}.{name}": registers.read(f"{tile.name}.{name}") for tile in registers.manifest.tiles for name in tile.registers}

        before = state()
        for tile in registers.manifest.tiles:
            assert (before[f"{tile.name}.kind"], before[f"{tile.name}.node"]) == (zlib.crc32(tile.kind.encode()), tile.node)
            settings = () if load_kinds()[tile.kind].is_master else tile.settings
            for name, register in tile.registers.items():
                if "w" not in register.access:
                    continue
                where = f"{tile.name}.{name}"
                for value in values(register, before[where]) if name.partition("[")[0] in settings else [before[where]]:
                    registers.write(where, value)
                    assert registers.read(where) == value, where
            for offset in missing(tile):
                with pytest.raises(AccessRefused):
                    registers.bus.read32(tile.base + offset)
                with pytest.raises(AccessRefused):
                    registers.bus.write32(tile.base + offset, 0)
        assert state() == before
        card.run_until_quiet()
        counters = registers.counters()
        for name, bins in registers.histograms().items():
            assert sum(bins) <= counters[name]["out_frames"], "more latencies than frames"
        card.check_conservation()
