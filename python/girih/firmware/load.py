# SPDX-License-Identifier: Apache-2.0
"""Loads and starts the program of a core over the control network, and reads its console and its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from girih.spec.formats import Format
from girih.spec.windows import offset

if TYPE_CHECKING:
    from girih.card.registers import Registers

WINDOW = "core_window"
RUNS, HAS_BYTE = 1, 1 << 8
CONSOLE_BYTES = Format("core_map").sizes["ConsoleBytes"]["value"]


@dataclass(frozen=True)
class CoreState:
    """running: it is out of reset. stopped: it has stopped itself. restarts: since the card was reset. code: its last words when it stopped
    or restarted."""

    running: bool
    stopped: bool
    restarts: int
    code: int


def load(registers: Registers, tile: str, image: bytes) -> None:
    """Holds the core of a tile, loads a program, and starts it. What its messages were is dropped and counted."""
    hold(registers, tile)
    registers.write_window(tile, offset(WINDOW, "address"), 0)
    words = image + bytes(-len(image) % 4)
    for at in range(0, len(words), 4):
        registers.write_window(tile, offset(WINDOW, "data"), int.from_bytes(words[at : at + 4], "little"))
    registers.write_window(tile, offset(WINDOW, "protect"), len(words))
    start(registers, tile)


def hold(registers: Registers, tile: str) -> None:
    """Holds a core in reset; messages that come are dropped and counted."""
    registers.write_window(tile, offset(WINDOW, "control"), 0)


def start(registers: Registers, tile: str) -> None:
    """Starts a core that is held."""
    registers.write_window(tile, offset(WINDOW, "control"), RUNS)


def console(registers: Registers, tile: str) -> str:
    """What a core has written to its console since the last call, as much as the console holds: a program may write faster than it is read.
    Control characters but tabs and ends of lines are shown by their numbers, so that what a program logs of a packet cannot command a terminal."""
    text = bytearray()
    while len(text) < CONSOLE_BYTES and (word := registers.read_window(tile, offset(WINDOW, "console"))) & HAS_BYTE:
        text.append(word & 0xFF)
    letters = text.decode(errors="backslashreplace")
    return "".join(letter if letter in "\n\t" or letter.isprintable() else f"\\x{ord(letter):02x}" for letter in letters)


def state(registers: Registers, tile: str) -> CoreState:
    """The state of a core."""
    word = registers.read_window(tile, offset(WINDOW, "state"))
    return CoreState(bool(word & 1), bool(word & 2), word >> 8, registers.read_window(tile, offset(WINDOW, "code")))
