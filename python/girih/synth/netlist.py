# SPDX-License-Identifier: Apache-2.0
"""A flat netlist of UltraScale+ cells, read from what Yosys' `write_json` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from girih.errors import GirihError

Net = int  # a wire of one bit, by Yosys' number


@dataclass(frozen=True)
class Cell:
    """A cell. inputs, outputs: by pin, the nets of its bits, least significant first; None is a constant or nothing."""

    name: str
    type: str
    inputs: Mapping[str, tuple[Net | None, ...]]
    outputs: Mapping[str, tuple[Net | None, ...]]


@dataclass(frozen=True)
class Netlist:
    """A module without hierarchy.

    inputs, outputs: nets of its pins. names: of nets that have one in the RTL, as `u_fifo.count_q[2]`; what a carry
    chain makes has its line, as `fifo.sv:41`, if it has no name. loads: how many cells and output pins read a net.
    """

    top: str
    cells: tuple[Cell, ...]
    inputs: tuple[Net, ...]
    outputs: tuple[Net, ...]
    names: Mapping[Net, str]
    loads: Mapping[Net, int] = field(repr=False)


def nets(pins: Mapping[str, tuple[Net | None, ...]]) -> Iterator[tuple[str, Net]]:
    """Each pin's nets, without constants."""
    return ((pin, net) for pin, bits in pins.items() for net in bits if net is not None)


def read_netlist(document: Mapping[str, Any]) -> Netlist:
    """The only module of a document. Raises GirihError if it has none or several."""
    modules = document["modules"]
    if len(modules) != 1:
        raise GirihError(
            f"the netlist has {len(modules)} modules, not one",
            remedy="Synthesize with -flatten, and write only what is selected.",
        )
    ((top, module),) = modules.items()
    cells = tuple(_cell(name, cell) for name, cell in module["cells"].items())
    pins: dict[str, list[Net]] = {"input": [], "output": []}
    for port in module["ports"].values():
        if port["direction"] not in pins:
            raise GirihError(
                "a pin of the netlist goes both ways", where=top, remedy="Split it into an input and an output."
            )
        pins[port["direction"]] += [net for net in _bits(port["bits"]) if net is not None]
    loads = Counter(pins["output"])
    for cell in cells:
        loads.update({net for _pin, net in nets(cell.inputs)})
    names = _lines(module["cells"]) | _names(module["netnames"])
    return Netlist(top, cells, tuple(pins["input"]), tuple(pins["output"]), names, loads)


def _bits(bits: list[int | str]) -> tuple[Net | None, ...]:
    return tuple(bit if isinstance(bit, int) else None for bit in bits)


def _cell(name: str, cell: Mapping[str, Any]) -> Cell:
    pins: dict[str, dict[str, tuple[Net | None, ...]]] = {"input": {}, "output": {}}
    for pin, bits in cell["connections"].items():
        pins[cell["port_directions"][pin]][pin] = _bits(bits)
    return Cell(name, cell["type"], pins["input"], pins["output"])


def _names(netnames: Mapping[str, Any]) -> dict[Net, str]:
    """The name nearest to the top for each net that has one: fewest levels of hierarchy, then shortest."""
    best: dict[Net, tuple[tuple[int, int, str], str]] = {}
    for name, net in netnames.items():
        if net.get("hide_name") or "$" in name:  # made by synthesis
            continue
        rank = (name.count("."), len(name), name)
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int) and (bit not in best or rank < best[bit][0]):
                best[bit] = rank, f"{name}[{index}]" if len(net["bits"]) > 1 else name
    return {bit: name for bit, (_rank, name) in best.items()}


def _lines(cells: Mapping[str, Any]) -> dict[Net, str]:
    """The lines in the RTL from which carry chains come; those of other cells are lost in synthesis."""
    lines: dict[Net, str] = {}
    for cell in cells.values():
        source = cell["attributes"].get("src", "").split("|")[0]
        if cell["type"].startswith("CARRY") and not source.startswith("/"):
            place = ".".join(source.rpartition("/")[2].split(".")[:2])
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    lines |= {bit: place for bit in bits if isinstance(bit, int)}
    return lines
