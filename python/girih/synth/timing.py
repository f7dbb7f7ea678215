# SPDX-License-Identifier: Apache-2.0
"""The longest paths of a netlist: an estimate before placement, ± 30 %; see docs/timing.md.

timing = timing_of(netlist("fifo"))
timing.worst_ns, timing.levels, timing.clock_mhz
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from girih.errors import GirihError
from girih.synth.arcs import Arc, End, Graph, Start, build
from girih.synth.netlist import Cell, Net, Netlist, nets

THRESHOLD_NS = 4.0  # 250 MHz
PATHS = 10  # paths that a report keeps of each group
_INDEX = re.compile(r"\[\d+\]|\.\d+\b")  # of bits and of generated instances, and the parts of a memory


@dataclass(frozen=True)
class Point:
    """A named net on a path: when it has changed, in ns from the clock's edge, and how many cells read it."""

    net: str
    ns: float
    loads: int


@dataclass(frozen=True)
class Path:
    """From a register or pin to another, by RTL names; `through` are the named nets from first to last."""

    start: str
    end: str
    ns: float
    levels: int
    through: tuple[Point, ...]


@dataclass(frozen=True)
class Group:
    """Paths between two kinds of ends.

    endpoints: inputs of registers, or output pins, where such paths end. over: how many of them are later than the
    threshold. paths: some of the worst, slowest first, no two from the same vector to the same instance. deepest: the path of
    most levels, or one of them; it need not be slow.
    """

    endpoints: int = 0
    over: int = 0
    paths: tuple[Path, ...] = ()
    deepest: Path | None = None

    @property
    def levels(self) -> int:
        """The most on any path; 0 if there is none."""
        return self.deepest.levels if self.deepest else 0

    @property
    def worst_ns(self) -> float:
        """The time of the slowest path; 0 if there is none."""
        return self.paths[0].ns if self.paths else 0.0

    @property
    def share_over(self) -> float:
        """The share of the endpoints that are over the threshold, 0 to 1."""
        return self.over / self.endpoints if self.endpoints else 0.0


@dataclass(frozen=True)
class Timing:
    """registers: from register to register, within one clock. Paths between clocks are left out.

    from_pins, to_pins: the part of a path that is inside the module, between a pin and a register; its
    neighbour adds the rest. across: from pin to pin.
    """

    top: str
    registers: Group
    from_pins: Group
    to_pins: Group
    across: Group

    @property
    def worst_ns(self) -> float:
        """Of paths from register to register."""
        return self.registers.worst_ns

    @property
    def levels(self) -> int:
        """The most on any path from register to register."""
        return self.registers.levels

    @property
    def clock_mhz(self) -> float:
        """The clock that the slowest path from register to register allows; 0 if there is no such path."""
        return 1000 / self.worst_ns if self.worst_ns else 0.0


def timing_of(netlist: Netlist, threshold_ns: float = THRESHOLD_NS) -> Timing:
    """The longest paths. Raises GirihError for cells of unknown timing, and for loops without a register."""
    graph = build(netlist)
    order = _topological(netlist, graph)
    pins = _Arrivals(graph, order, [start for start in graph.starts if start.clock is None])
    into = [end for end in graph.ends if end.cell]
    out = [end for end in graph.ends if not end.cell]
    registers, leaving = [], []
    for clock in sorted({start.clock for start in graph.starts if start.clock is not None}):
        arrivals = _Arrivals(graph, order, [start for start in graph.starts if start.clock == clock])
        registers += [(end, arrivals) for end in into if end.clock == clock]
        leaving += [(end, arrivals) for end in out]
    namer = _Namer(netlist, graph)
    return Timing(
        top=netlist.top,
        registers=_group(registers, namer, threshold_ns),
        from_pins=_group([(end, pins) for end in into], namer, threshold_ns),
        to_pins=_group(leaving, namer, threshold_ns),
        across=_group([(end, pins) for end in out], namer, threshold_ns),
    )


def _topological(netlist: Netlist, graph: Graph) -> list[Net]:
    """The nets from which arcs start, each after all nets that change it."""
    waiting: dict[Net, int] = {}
    for arcs in graph.arcs.values():
        for arc in arcs:
            waiting[arc.target] = waiting.get(arc.target, 0) + 1
    order = [net for net in graph.arcs if net not in waiting]
    for net in order:  # which grows
        for arc in graph.arcs.get(net, ()):
            waiting[arc.target] -= 1
            if not waiting[arc.target]:
                order.append(arc.target)
    stuck = {net for net, count in waiting.items() if count}
    if stuck:
        names = " > ".join(netlist.names.get(net, "an unnamed net") for net in _loop(graph, stuck))
        raise GirihError(f"a loop without a register: {names}", where=netlist.top, remedy="Put a register into it.")
    return order


def _loop(graph: Graph, stuck: set[Net]) -> list[Net]:
    """The nets of a loop, the first one again at its end. stuck: those on loops and behind them."""
    before = {arc.target: net for net in stuck for arc in graph.arcs.get(net, ()) if arc.target in stuck}
    walked = [min(stuck)]
    while walked[-1] not in walked[:-1]:
        walked.append(before[walked[-1]])
    return walked[walked.index(walked[-1]) :][::-1]


Steps = dict[Net, tuple[Net, Arc]]
"""By the net where a step of a path ends: where it starts, and its arc."""


@dataclass
class _Arrivals:
    """When each net that is reached from `starts` has changed at the latest, and the most levels up to it.

    slow, deep: the last step of the slowest path to each net, and of the deepest.
    """

    graph: Graph
    order: list[Net]
    starts: list[Start]
    ns: dict[Net, float] = field(default_factory=dict)
    deepest: dict[Net, int] = field(default_factory=dict)
    slow: Steps = field(default_factory=dict)
    deep: Steps = field(default_factory=dict)

    def __post_init__(self) -> None:
        ns, deepest = self.ns, self.deepest
        for start in self.starts:
            ns[start.net], deepest[start.net] = start.ns, 0
        for net in self.order:
            if net not in ns:
                continue
            here, depth = ns[net], deepest[net]
            for arc in self.graph.arcs.get(net, ()):
                if here + arc.ns > ns.get(arc.target, -1.0):
                    ns[arc.target] = here + arc.ns
                    self.slow[arc.target] = net, arc
                if depth + arc.levels > deepest.get(arc.target, -1):
                    deepest[arc.target] = depth + arc.levels
                    self.deep[arc.target] = net, arc

    def path(self, end: End, steps: Steps, namer: _Namer) -> Path:
        """The path to an end; steps: `slow` for the slowest one, `deep` for the deepest."""
        arcs, walked = [], [end.net]
        while walked[-1] in steps:
            source, arc = steps[walked[-1]]
            walked.append(source)
            arcs.append(arc)
        walked.reverse()
        ns = {walked[0]: self.ns[walked[0]]}
        for arc in reversed(arcs):
            ns[arc.target] = ns[walked[len(ns) - 1]] + arc.ns
        levels = sum(arc.levels for arc in arcs)
        return Path(namer.start(walked[0]), namer.end(end), ns[end.net] + end.ns, levels, namer.through(walked, ns))


class _Namer:
    """Names of starts and ends for people."""

    def __init__(self, netlist: Netlist, graph: Graph):
        self.names, self.loads, self.makers = netlist.names, netlist.loads, graph.makers

    def start(self, net: Net) -> str:
        return self.cell(self.makers[net]) if net in self.makers else self.names.get(net, "?")

    def end(self, end: End) -> str:
        if end.cell is None:
            return self.names.get(end.net, "?")
        return self.cell(end.cell) + ("" if end.pin == "D" else f".{end.pin}")

    def instance(self, end: End) -> str:
        """The instance that an end is in."""
        return "" if end.cell is None else self.cell(end.cell).rpartition(".")[0]

    def cell(self, cell: Cell) -> str:
        """The name of a memory or of the output of a flip-flop, else of the data written to it."""
        if "$" not in cell.name:
            return cell.name
        held = [self.names[net] for _pin, net in nets(cell.outputs) if net in self.names]
        taken = [
            f"register of {self.names[net]}"
            for pin, net in nets(cell.inputs)
            if net in self.names and pin.startswith("D")
        ]
        return next(iter([*held, *taken]), f"unnamed {cell.type}")

    def through(self, walked: Iterable[Net], ns: dict[Net, float]) -> tuple[Point, ...]:
        return tuple(Point(self.names[net], ns[net], self.loads.get(net, 0)) for net in walked if net in self.names)


def _group(ends: list[tuple[End, _Arrivals]], namer: _Namer, threshold_ns: float) -> Group:
    reached = [(arrivals.ns[end.net] + end.ns, end, arrivals) for end, arrivals in ends if end.net in arrivals.ns]
    reached.sort(key=lambda item: -item[0])
    paths: dict[tuple[str, str], Path] = {}
    for _ns, end, arrivals in reached:
        path = arrivals.path(end, arrivals.slow, namer)
        paths.setdefault((_INDEX.sub("", path.start), _INDEX.sub("", namer.instance(end))), path)
        if len(paths) == PATHS:
            break
    deepest = max(reached, key=lambda item: item[2].deepest[item[1].net], default=None)
    return Group(
        endpoints=len(reached),
        over=sum(ns > threshold_ns for ns, _end, _arrivals in reached),
        paths=tuple(paths.values()),
        deepest=deepest and deepest[2].path(deepest[1], deepest[2].deep, namer),
    )
