# SPDX-License-Identifier: Apache-2.0
"""Finds and checks where a module crosses from one clock to another, in its logic before it is mapped to cells.

A register whose input comes from another clock has the attribute `crossing` in the RTL:

    code   one bit, or several of which one changes at a time, straight from registers
    data   bits that such a code declares stable, perhaps through logic
    reset  an asynchronous set or reset, by a pin or by another clock

A crossing into any other register is an error, and so is logic in front of a code, which could be caught half-way. A set or reset straight from a register
of the same clock, such as that of a core, is none.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from girih.build.generate import digest, generated_rtl, params_for
from girih.build.sources import resolve
from girih.errors import GirihError, GirihErrors
from girih.paths import BUILD
from girih.spec.message import CardParams
from girih.synth.yosys import read_command, relative, run

COMMANDS = "\nproc\nopt_clean\nmemory_collect\nwrite_json -noscopeinfo {out}\n"
CLOCKS = ("CLK", "WR_CLK", "RD_CLK")
SETS = ("ARST", "ALOAD", "SET", "CLR")  # pins of a register that work without its clock
_INDEX = re.compile(r"(\[\d+\])+$")

Bit = int


@dataclass(frozen=True, order=True)
class Crossing:
    """Registers `source` of one clock drive registers `target` of another. Names are hierarchical, as `u_fifo.write_gray_q`,
    without the index of a bit; that of a pin, which is the source of resets only, is "". width: bits of the source that cross."""

    source: str
    target: str
    kind: str
    width: int


def crossings_of(
    top: str, params: CardParams | None = None, generated: Sequence[Path] = (), extra: Sequence[Path] = ()
) -> list[Crossing]:
    """The crossings inside module `top`, in the order of their names; arguments as those of `synthesize`.

    Raises GirihErrors, one for each crossing that is unmarked or has logic where none is allowed.
    """
    sources = resolve([top], [generated_rtl(params or params_for(top)), *generated], extra)
    folder = BUILD / "crossings" / f"{top}-{digest(*[path.read_bytes() for path in sources])}"
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "design.json"
    run(read_command(top, sources, {}, "--ignore-assertions") + COMMANDS.format(out=relative(out)), folder)
    return judge(json.loads(out.read_text())["modules"][top])


def judge(module: Mapping[str, Any]) -> list[Crossing]:
    """The crossings of a module as Yosys writes it. Raises as `crossings_of`."""
    logic = _Logic(module)
    widths: dict[tuple[str, str, str], set[Bit]] = defaultdict(set)
    errors = set()
    for target, pin, bit, clock in logic.ends:
        name, kind = logic.register(target)
        for source in logic.cone(bit):
            from_clock = logic.clocks.get(source)
            start = logic.register(source)[0] if from_clock is not None else ""
            if pin in SETS and from_clock == clock and bit == source:
                continue  # a register of the same clock, whose paths are timed
            if pin in SETS:
                if kind != "reset":
                    errors.add(
                        (name, "is set or reset without its clock, and is not marked as a crossing of the kind reset")
                    )
            elif from_clock in (None, clock):
                continue
            elif kind not in ("code", "data"):
                errors.add((name, f"takes {start}, of another clock, and is not marked as a crossing"))
            elif kind == "code" and bit != source:
                errors.add((name, f"takes {start}, of another clock, through logic"))
            widths[start, name, kind].add(source)
    if errors:
        remedy = "Use the modules of rtl/cdc, straight from a register."
        raise GirihErrors([GirihError(f"{name} {what}", remedy=remedy) for name, what in sorted(errors)])
    return sorted(Crossing(*names, len(bits)) for names, bits in widths.items())


class _Logic:
    """The registers of a module, and what drives them.

    clocks: of each bit that a register drives. ends: (bit of the register, pin, bit at that pin, clock).
    """

    def __init__(self, module: Mapping[str, Any]):
        self.clocks: dict[Bit, Bit] = {}
        self.ends: list[tuple[Bit, str, Bit, Bit]] = []
        self._drivers: dict[Bit, tuple[Bit, ...]] = {}  # what the logic that drives a bit reads
        self._names: dict[Bit, tuple[int, str, str]] = {}
        for name, cell in module["cells"].items():
            pins = {
                pin: tuple(bit for bit in bits if isinstance(bit, int)) for pin, bits in cell["connections"].items()
            }
            self._add(name, cell, pins)
        for name, net in module["netnames"].items():
            if not net.get("hide_name"):
                self._name(name, net)

    def _add(self, name: str, cell: Mapping[str, Any], pins: Mapping[str, tuple[Bit, ...]]) -> None:
        clock = next((pins[pin][0] for pin in CLOCKS if pins.get(pin)), None)
        inputs = [pin for pin in pins if cell["port_directions"][pin] == "input"]
        outputs = [bit for pin, bits in pins.items() if pin not in inputs for bit in bits]
        if clock is None or cell["type"].startswith("$mem"):  # a memory is read without a clock
            read = tuple(bit for pin in inputs for bit in pins[pin] if clock is None or pin == "RD_ADDR")
            self._drivers |= dict.fromkeys(outputs, read)
        if clock is None:
            return
        self.clocks |= dict.fromkeys(outputs, clock)
        if cell["type"].startswith("$mem"):
            memory = cell["parameters"]["MEMID"].lstrip("\\")
            self._names |= dict.fromkeys(outputs, (-1, memory, ""))
        for pin in inputs:
            if pin in CLOCKS or pin in ("RD_ADDR", "AD") or not outputs:
                continue
            together = len(pins[pin]) == len(outputs)
            for index, bit in enumerate(pins[pin]):
                self.ends.append((outputs[index if together else 0], pin, bit, clock))

    def _name(self, name: str, net: Mapping[str, Any]) -> None:
        kind = net["attributes"].get("crossing", "")
        base = _INDEX.sub("", name)
        for bit in net["bits"]:
            if isinstance(bit, int):
                # A register ends in _q, and has its own name at the deepest place.
                rank = (0 if kind else 1 if base.endswith("_q") else 2, base, kind)
                if bit not in self._names or rank < self._names[bit]:
                    self._names[bit] = rank

    def register(self, bit: Bit) -> tuple[str, str]:
        """The name of the register or memory that drives a bit, and the kind of crossing into it; "" is none."""
        _, name, kind = self._names.get(bit, (0, f"net {bit}", ""))
        return name, kind

    def cone(self, bit: Bit) -> Iterator[Bit]:
        """The bits of registers, memories and pins that a bit depends on within a cycle."""
        seen, waiting = {bit}, [bit]
        while waiting:
            now = waiting.pop()
            if now in self.clocks or now not in self._drivers:
                yield now
            for before in self._drivers.get(now, ()):
                if before not in seen:
                    seen.add(before)
                    waiting.append(before)
