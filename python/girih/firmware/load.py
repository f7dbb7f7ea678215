# SPDX-License-Identifier: Apache-2.0
"""Loads and starts the program of a core over the control network, and reads its console and its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from girih.spec.formats import Format
from girih.spec.windows import offset

if TYPE_CHECKING:
    from pathlib import Path

    from girih.card.registers import Registers

WINDOW = "core_window"
RUNS, HAS_BYTE = 1, 1 << 8
_MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
CONSOLE_BYTES = _MAP["ConsoleBytes"]


@dataclass(frozen=True)
class CoreState:
    """running: it is out of reset. stopped: it has stopped itself. restarts: since the card was reset. code: its last words when it stopped
    or restarted."""

    running: bool
    stopped: bool
    restarts: int
    code: int


def load(registers: Registers, tile: str, image: bytes) -> None:
    """Holds the cores of a tile, loads a program into them, and starts them. Their messages are dropped and counted."""
    hold(registers, tile)
    registers.write_window(tile, place(registers, tile, "address"), 0)
    words = image + bytes(-len(image) % 4)
    for at in range(0, len(words), 4):
        registers.write_window(tile, place(registers, tile, "data"), int.from_bytes(words[at : at + 4], "little"))
    registers.write_window(tile, place(registers, tile, "protect"), len(words))
    start(registers, tile)


def load_program(registers: Registers, tile: str, source: Path, defines: tuple[str, ...] = ()) -> None:
    """Compiles the program in a C file for a tile, and loads it. defines: macros, `NAME=VALUE`. Raises GirihError with the compiler's messages."""
    from girih.firmware.compile import compile_program

    made = registers.manifest.tile(tile)
    load(registers, tile, compile_program(source, memory_bytes=made.memory_bytes, defines=defines, card=made.card_header).image)


def place(registers: Registers, tile: str, part: str, core: int | None = None) -> int:
    """The offset of a part of the window of one core; None: of a write to all cores of the tile."""
    if core is None:
        return offset(WINDOW, part) + (_MAP["CoreWindowAll"] if registers.manifest.tile(tile).cores > 1 else 0)
    return offset(WINDOW, part) + core * _MAP["CoreWindowBytes"]


def hold(registers: Registers, tile: str, core: int | None = None) -> None:
    """Holds one core, or all cores of the tile, in reset; messages that come to them are dropped and counted."""
    registers.write_window(tile, place(registers, tile, "control", core), 0)


def start(registers: Registers, tile: str, core: int | None = None) -> None:
    """Starts one core, or all cores of the tile, that are held."""
    registers.write_window(tile, place(registers, tile, "control", core), RUNS)


def console(registers: Registers, tile: str, core: int = 0) -> str:
    """What a core has written to its console since the last call, as far as the console still holds it: a program may write faster than it is read.
    Control characters but tabs and ends of lines are shown by their numbers, so that what a program logs of a packet cannot command a terminal."""
    text = bytearray()
    while len(text) < CONSOLE_BYTES and (word := registers.read_window(tile, place(registers, tile, "console", core))) & HAS_BYTE:
        text.append(word & 0xFF)
    letters = text.decode(errors="backslashreplace")
    return "".join(letter if letter in "\n\t" or letter.isprintable() else f"\\x{ord(letter):02x}" for letter in letters)


def state(registers: Registers, tile: str, core: int = 0) -> CoreState:
    """The state of a core."""
    word = registers.read_window(tile, place(registers, tile, "state", core))
    return CoreState(bool(word & 1), bool(word & 2), word >> 8, registers.read_window(tile, place(registers, tile, "code", core)))
