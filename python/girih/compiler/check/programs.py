# SPDX-License-Identifier: Apache-2.0
"""The programs of processor cores: that each core has one, and that it compiles and fits."""

from __future__ import annotations

from pathlib import Path

from girih.compiler import values
from girih.compiler.emit.program import emit_card_header
from girih.compiler.model import Card, Tile, TileText
from girih.compiler.read.parse import Report, Scalar
from girih.errors import GirihError
from girih.firmware.compile import FIRMWARE, Program, compile_program, why_no_file
from girih.spec.kinds import Kind

MEMORY = "memory_bytes"  # the parameter of every kind that runs programs
CORES = "cores"  # the parameter of kinds with several cores


def program_of(text: TileText, kind: Kind, report: Report) -> Path | None:
    """The C file of a tile, beside the design file or an example; None if the kind runs none."""
    tree = text.program
    if tree is None:
        if kind.programs:
            report.error(text.line, f"tile {text.name} of kind {kind.name} has no program", "Add one, such as program: udp_echo.c")
        return None
    if not kind.programs:
        report.error(tree.line, f"tile {text.name} of kind {kind.name} runs no program", "Remove program, or choose kind: core.")
        return None
    if not isinstance(tree, Scalar) or not tree.text.endswith(".c"):
        report.error(tree.line, f"the program of tile {text.name} is {values.what_it_is(tree)}", "Name a file of C: program: udp_echo.c")
        return None
    paths = [folder / tree.text for folder in (Path(report.file).parent, FIRMWARE / "programs")]
    good = next((path for path in paths if path.is_file()), None)
    if good is not None:
        return good
    there = next((path for path in paths if path.exists()), paths[0])
    what = f"the program of tile {text.name}, {tree.text}, {why_no_file(there)}"
    report.error(tree.line, what, "Name a file of C, relative to the design file, or one of firmware/programs.")
    return None


def memory_of(tile: Tile) -> int:
    """Bytes of a core's memory."""
    return _parameter(tile, MEMORY)


def cores_of(tile: Tile) -> int:
    """The cores that run the program of a tile."""
    return _parameter(tile, CORES) if any(parameter.name == CORES for parameter in tile.kind.parameters) else 1


def _parameter(tile: Tile, name: str) -> int:
    default = next(parameter.default for parameter in tile.kind.parameters if parameter.name == name)
    return int(dict(tile.parameters).get(name, default))


def compiled(card: Card, tile: Tile) -> Program | None:
    """The program of a tile, as it is loaded. Raises GirihError."""
    if tile.program is None:
        return None
    return compile_program(tile.program, memory_bytes=memory_of(tile), card=emit_card_header(card, tile))


def check_programs(card: Card, report: Report) -> None:
    """Compiles the programs of all cores. Raises the compiler's errors, with file and line."""
    for tile in card.tiles:
        try:
            compiled(card, tile)
        except GirihError as error:
            report.error(tile.line, f"tile {tile.name}: {error.what}", error.remedy)
    report.raise_if_any()
