# SPDX-License-Identifier: Apache-2.0
"""The register map of a card: SystemRDL that includes the kinds' own, the C header, a Python module."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from girih.compiler.emit.heading import heading, origin, summary
from girih.compiler.model import CARD_NODE, Card, Tile
from girih.paths import ROOT
from girih.spec.kinds import CARD, SHELL, TILE_BYTES, Register
from girih.spec.message import CardParams

COUNTERS = "counters."
HISTOGRAM = "latency.bin"


def base(node: int) -> int:
    """The first byte address of a node on AXI4-Lite."""
    return node * TILE_BYTES


def emit_rdl(card: Card) -> str:
    """`card.rdl`: every tile's address map at its place."""
    files = sorted({tile.kind.rdl for tile in card.tiles} | {CARD})
    lines = [*heading(card), *[f'`include "{path.relative_to(ROOT)}"' for path in files], ""]
    lines += ["addrmap girih_card {", f'    name = "{card.name}";', f'    desc = "{summary(card)}";', ""]
    lines += [f"    {tile.kind.name} {tile.name} @ 0x{base(tile.node):06x};" for tile in card.tiles]
    return "\n".join([*lines, f"    card card @ 0x{base(CARD_NODE):06x};", "};", ""])


def emit_c_header(card: Card, rdl: Path) -> str:
    """The C header of the emitted file `rdl`."""
    from peakrdl_cheader.exporter import CHeaderExporter
    from peakrdl_regblock.udps import ALL_UDPS
    from systemrdl import RDLCompiler

    compiler = RDLCompiler()
    for definition in ALL_UDPS:
        compiler.register_udp(definition, soft=False)
    compiler.compile_file(str(rdl), incl_search_paths=[str(ROOT), str(SHELL)])
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "card.h"  # the include guard comes from its name
        CHeaderExporter().export(compiler.elaborate("girih_card").top, str(out))
        return "\n".join([*heading(card), out.read_text()])


def registers(tile: Tile, params: CardParams) -> dict[str, Register]:
    """A tile's registers by short name (`mac`, `next_hop[0]`), arrays unrolled; no counters, no histogram."""
    found: dict[str, Register] = {}
    tenants = {f"cfg.{field.name}" for field in tile.kind.config if field.format == "tenant"}
    for register in tile.kind.registers:
        if register.name.startswith(COUNTERS) or register.name == HISTOGRAM:
            continue
        name = register.name.removeprefix("cfg.")
        for index in range(elements(tile, register)):
            width = params.tenant_bits if register.name in tenants else register.width
            found[name if register.count == 1 else f"{name}[{index}]"] = replace(register, offset=register.offset + index * register.stride, width=width, count=1, fields=(), elements="")
    return found


def elements(tile: Tile, register: Register) -> int:
    """How many elements of an array of registers a tile has; 1 for a single register."""
    if not register.elements:
        return register.count
    default = next(int(item.default) for item in tile.kind.parameters if item.name == register.elements)
    return dict(tile.parameters).get(register.elements, default)


def histogram(tile: Tile) -> Register | None:
    """The array of bins of a tile that measures latency."""
    return next((register for register in tile.kind.registers if register.name == HISTOGRAM), None)


def emit_python(card: Card) -> str:
    """`card_registers.py`: byte addresses on AXI4-Lite, one class for each tile."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {origin(card)}",
        f'"""Registers of the card {card.name}: byte addresses on its AXI4-Lite slave. Counters are 64 bits."""',
    ]
    for tile in card.tiles:
        start = base(tile.node)
        lines += ["", "", f"class {tile.name}:", f'    """{tile.kind.title}: {tile.kind.summary}."""', ""]
        lines += [f"    BASE = 0x{start:06x}"]
        for register in tile.kind.registers:
            name = register.name.removeprefix("cfg.").removeprefix(COUNTERS).removeprefix("shell.")
            constant = name.replace(".", "_").upper()
            count = elements(tile, register)
            shape = f", {count} of them, {register.stride} bytes apart" if register.count > 1 else ""
            lines.append(f"    {constant} = 0x{start + register.offset:06x}  # {register.access}{shape}: {register.doc}")
    return "\n".join([*lines, ""])
