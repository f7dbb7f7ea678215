# SPDX-License-Identifier: Apache-2.0
"""A trace of a processor core: each instruction as it is executed, disassembled, with the value that it leaves in its register."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from girih.errors import GirihError
from girih.firmware.compile import symbols_of
from girih.firmware.debug import DPC, Debugger
from girih.firmware.gdb import NAMES

NUMBERS = {name: number for number, name in enumerate(NAMES)} | {"s0": NAMES.index("fp")}  # objdump's name for it
# Instructions whose first operand is not what they write.
_WRITES_NOTHING = re.compile(r"(s[bhw]|b\w+|j|jr|ret|e(call|break)|fence\w*|wfi|mret|nop|csr[wsc]i?|unimp)$")
_INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(\S.*)$")
_SYMBOL = re.compile(r"([0-9a-f]{8}) <([^>]+)>:$")


@dataclass(frozen=True)
class Listing:
    """A disassembled program. text: by address, the instruction. symbols: the starts of functions, in order, with their names."""

    text: dict[int, str]
    symbols: list[tuple[int, str]]

    @classmethod
    def parse(cls, lines: str) -> Listing:
        """From objdump's output, which has lines of the source between instructions."""
        text, symbols = {}, []
        for line in lines.splitlines():
            if found := _SYMBOL.match(line):
                symbols.append((int(found[1], 16), found[2]))
            elif found := _INSTRUCTION.match(line):
                text[int(found[1], 16)] = " ".join(found[3].split())
        return cls(text, sorted(symbols))

    @classmethod
    def of(cls, debugger: Debugger) -> Listing:
        """Of the program that the core holds. Raises GirihError if it was not compiled in this checkout."""
        elf: Path | None = symbols_of(debugger.program_bytes(), lambda at: debugger.read(at, 4))
        if elf is None:
            raise GirihError("its program was not compiled in this checkout", debugger.tile, "Load it from its source: ./girih core TILE --load FILE.c")
        return cls.parse(elf.with_name("program.lst").read_text(errors="replace"))

    def place(self, address: int) -> str:
        """The function that an address lies in, and how far from its start."""
        index = bisect_right(self.symbols, (address, "\x7f")) - 1
        if index < 0:
            return ""
        start, name = self.symbols[index]
        return f"{name}+{address - start:#x}" if address > start else name


def written(instruction: str) -> str | None:
    """The register that an instruction writes; None: none, or it is x0."""
    name, _, operands = instruction.partition(" ")
    first, comma, _ = operands.partition(",")
    if name in ("jal", "jalr") and not comma:
        first = "ra"  # objdump leaves out the usual one
    return None if _WRITES_NOTHING.match(name) or not NUMBERS.get(first) else first


def trace(debugger: Debugger, count: int) -> Iterator[str]:
    """Has the core execute `count` instructions, one by one, and lets it run on; a line for each. It ends early if the program ends.

    Raises GirihError if the core has no debug mode, does not run, or holds a program of which there is no listing.
    """
    debugger.attach()
    try:
        listing = Listing.of(debugger)
        debugger.why()
        for _ in range(count):
            at = debugger.csr(DPC)
            text = listing.text.get(at, "?")
            goes_on = debugger.step()
            register = written(text) if goes_on else None
            value = "" if register is None else f"{register} = {debugger.register(NUMBERS[register]):#010x}"
            yield f"{at:08x}  {listing.place(at):24}  {text:36}  {value}".rstrip()
            if not goes_on:
                return
    finally:
        debugger.leave()
