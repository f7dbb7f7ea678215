# SPDX-License-Identifier: Apache-2.0
"""A netlist as a graph of delays: where signals start, how they spread from net to net, where they must have arrived.

A delay through a cell includes the wire to it. Levels count LUTs, reads of LUTRAM or shift registers, multipliers and carry
chains; a chain of any length, with the LUTs in front of it in its own slice, is one level.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from girih.errors import GirihError
from girih.synth import delays
from girih.synth.netlist import Cell, Net, Netlist, nets


class Arc(NamedTuple):
    """A change of one net changes `target` after `ns`."""

    target: Net
    ns: float
    levels: int


class Start(NamedTuple):
    """`net` changes `ns` after the edge of `clock`; None: it is a pin."""

    net: Net
    ns: float
    clock: Net | None


class End(NamedTuple):
    """`net` must have changed `ns` before the edge of `clock`, for the input `pin` of `cell`; None: it is a pin."""

    net: Net
    ns: float
    clock: Net | None
    cell: Cell | None
    pin: str


@dataclass
class Graph:
    """arcs: by the net that they start from. makers: the register cell that drives a net."""

    arcs: dict[Net, list[Arc]] = field(default_factory=lambda: defaultdict(list))
    starts: list[Start] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    makers: dict[Net, Cell] = field(default_factory=dict)


class _Builder:
    """Adds the cells of a netlist to a graph."""

    def __init__(self, netlist: Netlist):
        self.graph = Graph()
        self._wires = {net: delays.wire(loads) for net, loads in netlist.loads.items()}
        self._loads = netlist.loads
        self._drivers = {net: (cell.type, pin) for cell in netlist.cells for pin, net in nets(cell.outputs)}
        self._clocks = _clocks(netlist)

    def arc(self, source: Net | None, target: Net | None, ns: float, levels: int, wire: float | None = None) -> None:
        """wire: its delay, if it is not a routed one."""
        if source is not None and target is not None:
            self.graph.arcs[source].append(Arc(target, ns + (self._wires[source] if wire is None else wire), levels))

    def register(self, cell: Cell, output: float, setup: Callable[[str], float | None]) -> None:
        """All its outputs start from its clock; paths end at the inputs that have a `setup`, by pin."""
        clocks = {self._clocks[net] for pin, net in nets(cell.inputs) if pin in CLOCK_PINS}
        if len(clocks) > 1:
            raise GirihError(
                f"{cell.name}, a {cell.type}, has two clocks",
                where="timing",
                remedy="Give both of its ports the same clock.",
            )
        clock = clocks.pop() if clocks else None
        for _pin, net in nets(cell.outputs):
            self.graph.starts.append(Start(net, output, clock))
            self.graph.makers[net] = cell
        for pin, net in nets(cell.inputs):
            needed = setup(pin) if pin not in CLOCK_PINS else None
            if needed is not None:
                self.graph.ends.append(End(net, self._wires[net] + needed + delays.UNCERTAINTY, clock, cell, pin))

    def in_slice(self, net: Net) -> bool:
        """Whether a net leads from a LUT to nothing but one cell of the same slice."""
        return self._loads[net] == 1 and self._drivers.get(net, ("", ""))[0].startswith("LUT")

    def is_carry(self, net: Net) -> bool:
        """Whether a net is the carry output of a chain."""
        kind, pin = self._drivers.get(net, ("", ""))
        return kind in CARRIES and pin == "CO"


def build(netlist: Netlist) -> Graph:
    """The graph of a netlist. Raises GirihError for cells with unknown delays."""
    unknown = Counter(cell.type for cell in netlist.cells if cell.type not in _ADD)
    if unknown:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(unknown.items()))
        raise GirihError(
            f"the timing of these cells is not known: {kinds}",
            where=netlist.top,
            remedy="Add them to python/girih/synth/arcs.py.",
        )
    builder = _Builder(netlist)
    for cell in netlist.cells:
        _ADD[cell.type](builder, cell)
    builder.graph.starts += [Start(net, 0.0, None) for net in netlist.inputs]
    builder.graph.ends += [End(net, delays.UNCERTAINTY, None, None, "") for net in netlist.outputs]
    return builder.graph


FLIP_FLOPS = ("FDRE", "FDSE", "FDCE", "FDPE")
CARRIES = ("CARRY4", "CARRY8")
SHIFT_REGISTERS = ("SRL16E", "SRLC32E")
LUTRAMS_BY_LETTER = ("RAM32M", "RAM64M", "RAM32M16", "RAM64M8", "RAM32X16DR8")  # port DOx is read at ADDRx
LUTRAMS_SINGLE = ("RAM32X1S", "RAM64X1S", "RAM128X1S", "RAM256X1S", "RAM512X1S", "RAM64X8SW")
LUTRAMS_DUAL = ("RAM32X1D", "RAM64X1D", "RAM128X1D", "RAM256X1D")
BLOCKS = ("RAMB18E2", "RAMB36E2", "URAM288")
CLOCK_PINS = ("C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK")
WRITE_ADDRESSES = ("ADDRH", "ADDRD")  # the last port of LUTRAMs, by letter


def _clocks(netlist: Netlist) -> dict[Net, Net]:
    """Each net that clocks a register, and the net that drives its clock buffer."""
    buffers = {cell.outputs["O"][0]: cell.inputs["I"][0] for cell in netlist.cells if cell.type == "BUFG"}
    clocks = (net for cell in netlist.cells for pin, net in nets(cell.inputs) if pin in CLOCK_PINS)
    return {net: buffers.get(net) or net for net in clocks}


def _flip_flop(builder: _Builder, cell: Cell) -> None:
    builder.register(cell, delays.FF_OUTPUT, lambda pin: delays.FF_SETUP if pin == "D" else delays.FF_CONTROL_SETUP)


def _lut(builder: _Builder, cell: Cell) -> None:
    for _pin, net in nets(cell.inputs):
        builder.arc(net, cell.outputs["O"][0], delays.LUT, 1)


def _inverter(builder: _Builder, cell: Cell) -> None:
    # It merges into the cell that reads it.
    builder.arc(cell.inputs["I"][0], cell.outputs["O"][0], 0.0, 0, wire=0.0)


def _wide_mux(builder: _Builder, cell: Cell) -> None:
    for pin, net in nets(cell.inputs):
        builder.arc(net, cell.outputs["O"][0], delays.WIDE_MUX, 0, None if pin == "S" else delays.SITE_WIRE)


def _carry(builder: _Builder, cell: Cell) -> None:
    sums, carries = cell.outputs["O"], cell.outputs["CO"]
    for pin, net in nets({pin: cell.inputs.get(pin, ()) for pin in ("CI", "CYINIT", "CI_TOP")}):
        chained = pin == "CI" and builder.is_carry(net)
        levels, wire = (0, 0.0) if chained else (1, None)
        for bit, (total, carry) in enumerate(zip(sums, carries)):
            builder.arc(net, total, delays.CARRY_TO_SUM + delays.CARRY_STEP * bit, levels, wire)
            builder.arc(net, carry, delays.CARRY_THROUGH + delays.CARRY_STEP_THROUGH * bit, levels, wire)
    for pin, first in (("S", 0), ("DI", 1)):  # the sum of a bit depends on its S only
        for entry, source in enumerate(cell.inputs[pin]):
            if source is None:
                continue
            levels, wire = (0, delays.SITE_WIRE) if builder.in_slice(source) else (1, None)
            for bit in range(entry, len(sums)):
                ns = delays.CARRY_IN + delays.CARRY_STEP * (bit - entry)
                if bit >= entry + first:
                    builder.arc(source, sums[bit], ns, levels, wire)
                builder.arc(source, carries[bit], ns, levels, wire)


def _read(builder: _Builder, cell: Cell, address: str, outputs: Iterable[Net | None]) -> None:
    """A read of memory in LUTs. address: what its pins start with."""
    for output in outputs:
        for pin, net in nets(cell.inputs):
            if pin.startswith(address):
                builder.arc(net, output, delays.LUT, 1)


def _shift_register(builder: _Builder, cell: Cell) -> None:
    builder.register(cell, delays.SHIFT_OUTPUT, lambda pin: delays.LUTRAM_SETUP if pin in ("D", "CE") else None)
    _read(builder, cell, "A", cell.outputs["Q"])


def _lutram(builder: _Builder, cell: Cell) -> None:
    written = next((pin for pin in WRITE_ADDRESSES if pin in cell.inputs), None)
    builder.register(
        cell,
        delays.LUTRAM_OUTPUT,
        lambda pin: None if pin.startswith(("ADDR", "DPRA")) and pin != written else delays.LUTRAM_SETUP,
    )
    for pin, outputs in cell.outputs.items():
        address = f"ADDR{pin[-1]}" if cell.type in LUTRAMS_BY_LETTER else "DPRA" if pin == "DPO" else "A"
        _read(builder, cell, address, outputs)


def _block(builder: _Builder, cell: Cell) -> None:
    builder.register(cell, delays.BLOCK_OUTPUT, lambda _pin: delays.BLOCK_SETUP)


def _multiplier(builder: _Builder, cell: Cell) -> None:
    if any(pin in CLOCK_PINS for pin, _net in nets(cell.inputs)):
        raise GirihError(
            f"{cell.name}, a {cell.type}, has registers, whose timing is not known",
            where="timing",
            remedy="Add them to python/girih/synth/arcs.py.",
        )
    for output in cell.outputs["P"]:
        for _pin, net in nets(cell.inputs):
            builder.arc(net, output, delays.MULTIPLIER, 1)


def _nothing(_builder: _Builder, _cell: Cell) -> None:
    """A clock's buffer."""


_ADD: dict[str, Callable[[_Builder, Cell], None]] = {
    **dict.fromkeys(FLIP_FLOPS, _flip_flop),
    **{f"LUT{inputs}": _lut for inputs in range(1, 7)},
    "INV": _inverter,
    **dict.fromkeys(("MUXF7", "MUXF8", "MUXF9"), _wide_mux),
    **dict.fromkeys(CARRIES, _carry),
    **dict.fromkeys(SHIFT_REGISTERS, _shift_register),
    **dict.fromkeys((*LUTRAMS_BY_LETTER, *LUTRAMS_SINGLE, *LUTRAMS_DUAL), _lutram),
    **dict.fromkeys(BLOCKS, _block),
    "DSP48E2": _multiplier,
    "BUFG": _nothing,
}
