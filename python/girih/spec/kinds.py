# SPDX-License-Identifier: Apache-2.0
"""Tile kinds: reads `<area>/<kind>.rdl` (registers, counters) and `<kind>.yaml` (the rest), wherever they are in the hardware."""

from __future__ import annotations

import signal
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from peakrdl_regblock.udps import ALL_UDPS
from ruamel.yaml import YAML
from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegfileNode, RegNode

from girih.paths import HARDWARE, RTL
from girih.spec.message import SUPPORTED_WIDTHS, type_widths
from girih.spec.parameters import EngineParameter
from girih.spec.units import Core, completed

SHELL = RTL / "shell"
CARD = RTL / "control" / "card.rdl"
BUFFERING = ("cut_through", "store_and_forward", "drops", "sink")
WAITS = ("reply", "control", "data")
TENANT = ("keeps", "chooses", "own")
USES = ("axis_in", "axis_out", "now", "latency", "window", "credits_in", "credits_out")
HEADERS = ("network", "transport", "payload")  # that a descriptor has offsets of
FABRIC = ("in", "out", "both", "none")
LARGEST_KEY = (1 << type_widths()["next_key"]) - 1
CONFIG = 0x400  # where the configuration starts
WINDOW = 0x4000  # where the window of a kind that uses one starts
WINDOW_BYTES = 0x4000
CREDIT_UNITS = "units"  # the parameter that says how many credit links a kind with credits_in has


@dataclass(frozen=True)
class RegisterField:
    """Bits [lsb + width - 1 : lsb] of a register."""

    name: str
    lsb: int
    width: int
    doc: str


@dataclass(frozen=True)
class Register:
    """A register, or an array of `count` registers, 4 bytes apart (8 if wider than 32 bits).

    offset: bytes from the start of the tile. width: the number of bits in use. access: "r" or "rw".
    """

    name: str
    offset: int
    width: int
    access: str
    doc: str
    count: int = 1
    fields: tuple[RegisterField, ...] = ()

    @property
    def stride(self) -> int:
        return 8 if self.width > 32 else 4


@dataclass(frozen=True)
class ConfigField:
    """A field of the kind's `cfg_t`, first one at the most significant end.

    format: how it is written in a design file ("mac", "ipv4", "number", "flag", "node").
    default: its value when a design file gives none; None: a design file must give it.
    count: elements of an array, 0 for a single value; width, format and default are those of an element.
    """

    name: str
    width: int
    format: str
    default: int | None
    doc: str
    offset: int
    count: int = 0

    @property
    def word(self) -> int:
        """Its first word, counted from where the configuration starts."""
        return (self.offset - CONFIG) // 4

    @property
    def pair(self) -> bool:
        """Whether it takes two words."""
        return self.width > 32

    @property
    def bits(self) -> int:
        """Bits of the whole field in `cfg_t`."""
        return self.width * (self.count or 1)

    @property
    def whole_default(self) -> int:
        """The default of the whole field, element 0 in the low bits; 0 where there is none."""
        return sum((self.default or 0) << self.width * index for index in range(self.count or 1))


@dataclass(frozen=True)
class Counter:
    """A 64-bit counter. The prefix of its name says to which term of the conservation law it belongs."""

    name: str
    offset: int
    doc: str


@dataclass(frozen=True)
class NodeTable:
    """The node table of a kind. key: what it is searched with. names: words for keys in a design file. most: the largest key."""

    key: str
    entries: int
    names: Mapping[str, int]
    most: int = LARGEST_KEY


@dataclass(frozen=True)
class Kind:
    """One kind of tile.

    engine: its module, written by hand, or generated around its core if it has one. fabric: whether the engine takes messages
    from the fabric ("in"), sends them ("out"), "both" or "none". fabric_ports: the number of its fabric ports, or the parameter
    that gives it. chained: it is only for cards with services. output_register: one cycle more between engine and fabric on cards
    timed for 250 MHz or more. buffering, waits: what messages in it wait for, see docs/deadlock.md. tenant: how the tenant of its
    messages is decided, see docs/contracts.md. lossless: the flag of its configuration that makes its messages lossless, or None.
    holds: what messages may wait for in it while everything else rests, or None. widths: data widths that it supports. needs,
    gives: headers whose offsets incoming messages must have, and those that it adds. rdl, yaml: its files, for error messages.
    """

    name: str
    area: str
    title: str
    summary: str
    engine: str
    core: Core | None
    uses: tuple[str, ...]
    fabric: str
    fabric_ports: int | str
    chained: bool
    output_register: bool
    buffering: str
    waits: tuple[str, ...]
    tenant: str
    lossless: str | None
    holds: str | None
    widths: tuple[int, ...]
    next: NodeTable | None
    needs: tuple[str, ...]
    gives: tuple[str, ...]
    parameters: tuple[EngineParameter, ...]
    config: tuple[ConfigField, ...]
    shell_counters: tuple[Counter, ...]
    counted_ports: int
    engine_counters: tuple[Counter, ...]
    registers: tuple[Register, ...]
    rdl: Path
    yaml: Path

    @property
    def counters(self) -> tuple[Counter, ...]:
        return self.shell_counters + self.engine_counters

    @property
    def has_input(self) -> bool:
        """Whether messages come in from the fabric."""
        return self.fabric in ("in", "both")

    @property
    def has_output(self) -> bool:
        """Whether messages leave for the fabric."""
        return self.fabric in ("out", "both")

    @property
    def at_port(self) -> bool:
        """Whether its tiles sit at an Ethernet port of the card."""
        return "axis_in" in self.uses or "axis_out" in self.uses

    @property
    def many_ports(self) -> bool:
        """Whether its links with the fabric are arrays."""
        return self.fabric_ports != 1

    @property
    def has_lanes(self) -> bool:
        """Whether its fabric ports are lanes of what its Ethernet port receives. Messages then arrive only at the first one."""
        return self.many_ports and "axis_in" in self.uses

    def in_ports(self, ports: int) -> range:
        """Those of so many fabric ports at which messages arrive."""
        return range(0 if not self.has_input else 1 if self.has_lanes else ports)

    def ports_of(self, parameters: Mapping[str, int]) -> int:
        """The fabric ports of a tile with these parameters."""
        if isinstance(self.fabric_ports, int):
            return self.fabric_ports
        default = int(next(p.default for p in self.parameters if p.name == self.fabric_ports))
        return int(parameters.get(self.fabric_ports, default))

    @property
    def ports_expression(self) -> str:
        """The number of fabric ports in SystemVerilog."""
        if isinstance(self.fabric_ports, int):
            return str(self.fabric_ports)
        return next(p.verilog_name for p in self.parameters if p.name == self.fabric_ports)

    @property
    def shell_events(self) -> tuple[Counter, ...]:
        """What the shell counts at one fabric port."""
        return self.shell_counters[: len(self.shell_counters) // self.counted_ports]

    @property
    def identity(self) -> int:
        """What the tile's identity register reads."""
        return zlib.crc32(self.name.encode())


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C to the end of the block: the parser of register descriptions, in C++, would lose the exception and a token."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread is interrupted
        yield
        return
    late: list[int] = []
    before = {number: signal.signal(number, lambda came, _frame: late.append(came)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for came in late:
            signal.raise_signal(came)


def compile_rdl(path: Path) -> AddrmapNode:
    """The elaborated address map of one `.rdl` file. Raises RDLCompileError after printing why.

    Each file has a compiler of its own, since SystemRDL has one name space and every file includes `tile.rdl`.
    """
    compiler = RDLCompiler()
    for definition in ALL_UDPS:  # the exporter asks every register for them
        compiler.register_udp(definition, soft=False)
    with _uninterrupted():
        compiler.compile_file(str(path), incl_search_paths=[str(SHELL)])
    return compiler.elaborate(path.stem).top


def _doc(node) -> str:
    return node.get_property("desc") or ""


def _registers(block: AddrmapNode | RegfileNode, prefix: str = "") -> list[Register]:
    """All registers below `block`, named by their path."""
    registers = []
    for child in block.children():
        if isinstance(child, RegfileNode):
            for index, element in enumerate(_elements(child)):
                registers += _registers(element, f"{prefix}{child.inst_name}{_suffix(index)}.")
        elif isinstance(child, RegNode):
            fields = sorted(child.fields(), key=lambda field: field.low)
            registers.append(
                Register(
                    name=prefix + child.inst_name,
                    offset=child.raw_absolute_address,
                    width=fields[-1].high + 1,
                    access="rw" if child.has_sw_writable else "r",
                    doc=_doc(child),
                    count=child.array_dimensions[0] if child.is_array else 1,
                    fields=tuple(_field(field) for field in fields) if len(fields) > 1 else (),
                )
            )
    return registers


def _elements(node) -> list:
    """A node, or the elements of an array of it."""
    return list(node.unrolled()) if node.is_array else [node]


def _suffix(index: int) -> str:
    return f"_{index}" if index else ""


def _field(field: FieldNode) -> RegisterField:
    return RegisterField(field.inst_name, field.low, field.width, _doc(field))


def _config(top: AddrmapNode) -> list[ConfigField]:
    block = top.get_child_by_name("cfg")
    if block is None:
        return []
    return [
        ConfigField(
            name=register.inst_name,
            width=cast(FieldNode, register.get_child_by_name("value")).width,
            format=register.get_property("format"),
            default=register.get_property("initial"),
            doc=_doc(register),
            offset=register.raw_absolute_address,
            count=register.array_dimensions[0] if register.is_array else 0,
        )
        for register in block.registers()
    ]


def _counters(block: RegfileNode, suffix: str = "") -> list[Counter]:
    return [Counter(reg.inst_name + suffix, reg.absolute_address, _doc(reg)) for reg in block.registers()]


def read_kind(description: Path) -> Kind:
    """The kind that a `.yaml` file and the `.rdl` file beside it describe. Raises ValueError if they contradict each other."""
    facts, core = completed(YAML(typ="safe").load(description.read_text()))
    rdl = description.with_suffix(".rdl")
    top = compile_rdl(rdl)
    table = None
    if "next" in facts:
        entries = cast(RegNode, top.get_child_by_name("next_hop")).array_dimensions[0]
        node_table = facts["next"]
        table = NodeTable(str(node_table["key"]), entries, dict(node_table.get("names", {})), node_table.get("most", LARGEST_KEY))
    counters = cast(RegfileNode, top.get_child_by_name("counters"))
    shells = _elements(counters.get_child_by_name("shell"))
    uses = tuple(facts["uses"])
    kind = Kind(
        name=facts["kind"],
        area=description.parent.name,
        title=top.get_property("name"),
        summary=facts["summary"],
        engine=facts["engine"],
        core=core,
        uses=uses,
        fabric=facts.get("fabric", "out" if "axis_in" in uses else "in" if "axis_out" in uses else "both"),
        fabric_ports=facts.get("fabric_ports", 1),
        chained=facts.get("chained", False),
        output_register=facts.get("output_register", False),
        buffering=facts["buffering"],
        waits=tuple(facts.get("waits", ())),
        tenant=facts.get("tenant", "keeps"),
        lossless=facts.get("lossless"),
        holds=facts.get("holds"),
        widths=tuple(facts.get("widths", SUPPORTED_WIDTHS)),
        next=table,
        needs=tuple(facts.get("needs", ())),
        gives=tuple(facts.get("gives", ())),
        parameters=tuple(EngineParameter(name, **p) for name, p in facts.get("parameters", {}).items()),
        config=tuple(_config(top)),
        shell_counters=tuple(c for index, shell in enumerate(shells) for c in _counters(shell, _suffix(index))),
        counted_ports=len(shells),
        engine_counters=tuple(_counters(counters)),
        registers=tuple(_registers(top)),
        rdl=rdl,
        yaml=description,
    )
    _check(kind)
    return kind


def _check(kind: Kind) -> None:
    """Raises ValueError, with file and remedy, if the two files of a kind contradict each other."""

    def require(good: bool, complaint: str) -> None:
        if not good:
            raise ValueError(f"{kind.yaml}: {complaint}")

    require(kind.name == kind.yaml.stem, f"kind is {kind.name}; it must be the name of the file, {kind.yaml.stem}")
    require(kind.buffering in BUFFERING, f"buffering is {kind.buffering}; it must be one of {', '.join(BUFFERING)}")
    for wait in kind.waits:
        require(wait in WAITS, f"waits names {wait}; it may name {', '.join(WAITS)}")
    offset = CONFIG
    for field in kind.config:
        require(field.offset == offset, f"cfg.{field.name} is at {field.offset:#x}; the registers of cfg follow one another, so it must be at {offset:#x}")
        require(not (field.pair and field.count), f"cfg.{field.name} is an array of registers of two words; the elements of an array must fit into one word")
        offset += 4 * (field.count or 1) * (1 + field.pair)
    flags = [field.name for field in kind.config]
    require(kind.lossless is None or kind.lossless in flags, f"lossless is {kind.lossless}, which its configuration does not have")
    for use in kind.uses:
        require(use in USES, f"uses names {use}; it may name {', '.join(USES)}")
    for header in (*kind.needs, *kind.gives):
        require(header in HEADERS, f"needs or gives names {header}; they may name {', '.join(HEADERS)}")
    require(kind.has_output or not kind.output_register, "a kind that does not send to the fabric has no output_register")
    require(kind.fabric in FABRIC, f"fabric is {kind.fabric}; it must be one of {', '.join(FABRIC)}")
    routed = kind.chained and kind.next is None  # all its messages have a source route
    require(routed or kind.has_output == (kind.next is not None), "a kind has a node table (next) if it sends to the fabric")
    parameters = {parameter.name: parameter for parameter in kind.parameters}
    ports = kind.fabric_ports
    if isinstance(ports, str):
        require(ports in parameters, f"fabric_ports is {ports}; it must be a number or a parameter")
        ports = int(parameters[ports].max)
    require(kind.counted_ports == ports, f"counters has {kind.counted_ports} shell; write shell_counters shell[{ports}]")
    require(not kind.many_ports or kind.fabric == "both", "a kind with several fabric ports has fabric: both")
    require(kind.tenant in TENANT, f"tenant is {kind.tenant}; it must be one of {', '.join(TENANT)}")
    keeps_nothing = kind.tenant == "keeps" and kind.has_output and not kind.has_input
    require(not keeps_nothing, "a kind that takes no messages has no tenant to keep; write tenant: own or chooses")
    require("credits_in" not in kind.uses or CREDIT_UNITS in parameters, f"credits_in needs a parameter {CREDIT_UNITS}")
    for counter in kind.counters:
        prefix = counter.name.split("_")[0]
        require(
            prefix in ("in", "made", "out", "drop", "used", "mark"),
            f"counter {counter.name}: its name must start with in_, made_, out_, drop_, used_ or mark_",
        )


@cache
def _descriptions() -> dict[str, Path]:
    """The `.yaml` of each kind, in order of area and name. A kind exists if both of its files do."""
    files = [path for folder in HARDWARE for path in folder.rglob("*.yaml") if path.with_suffix(".rdl").exists()]
    return {path.stem: path for path in sorted(files, key=lambda path: (path.parent.name, path.name))}


@cache
def load_kinds() -> dict[str, Kind]:
    """All kinds by name, in order of area and name."""
    return {name: load_kind(name) for name in _descriptions()}


@cache
def load_kind(name: str) -> Kind:
    """One kind, ten times as fast as all. Raises KeyError."""
    return read_kind(_descriptions()[name])


@cache
def card_registers() -> tuple[Register, ...]:
    """The registers of the card itself, at node 0xFF of the control network."""
    return tuple(_registers(compile_rdl(CARD)))
