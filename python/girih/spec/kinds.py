# SPDX-License-Identifier: Apache-2.0
"""Tile kinds: reads `<area>/<kind>.rdl` (registers, counters) and `<kind>.yaml` (the rest), wherever they are in the hardware."""

from __future__ import annotations

import hashlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from ruamel.yaml import YAML

from girih import interrupts
from girih.paths import BUILD, HARDWARE, ROOT, RTL, SPEC
from girih.spec import streams, units
from girih.spec.files import keep, look
from girih.spec.kind import (
    CONFIG_WORDS,
    HEADERS,
    LARGEST_KEY,
    REFUSED,
    RIGHTS,
    TILE_MAP,
    ConfigField,
    Counter,
    Kind,
    NodeTable,
    Register,
    RegisterField,
)
from girih.spec.message import MOST_TENANT_BITS, STREAM, SUPPORTED_WIDTHS, group_names
from girih.spec.parameters import EngineParameter

if TYPE_CHECKING:  # the compiler of register descriptions takes longer to import than the rest, and is seldom needed
    from systemrdl.node import AddrmapNode, FieldNode, RegfileNode, RegNode

SHELL = RTL / "shell"
CARD = RTL / "control" / "card.rdl"
BUFFERING = ("cut_through", "store_and_forward", "drops", "sink")
WAITS = ("reply", "control", "data", "request")
TENANT = ("keeps", "chooses", "own")
USES = ("axis_in", "axis_out", "axi", "host", "host_interrupt", "now", "latency", "window", "credits_in", "credits_out", "control", "interrupts")
FABRIC = ("in", "out", "both", "none")
REPLIES = ("takes", "sends", "both", "none")
ROUTE = "route"  # the group of fields by which a reply finds its way
WINDOW, WINDOW_BYTES, COPIES, DROPS = (TILE_MAP.size(name) for name in ("WindowBase", "WindowBytes", "CopiesBase", "DropsBase"))
WINDOW_INDEX, WINDOW_DATA = (TILE_MAP.size(name) for name in ("WindowIndex", "WindowData"))  # indirect access to a window larger than WINDOW_BYTES
INTERRUPTS = {"interrupt_pending": TILE_MAP.size("InterruptPending"), "interrupt_enable": TILE_MAP.size("InterruptEnable")}  # the registers of a kind with interrupts
PLACES = {RIGHTS: "RightsBase", "next_hop": "NodeTableBase", "latency.bin": "HistogramBase"}  # of the arrays of registers that a kind may have
LEAST_WINDOW_BITS = (WINDOW_BYTES - 1).bit_length()
MOST_WINDOW_BITS = 24
TILE_BYTES = 1 << 16  # of the address space that each node has on the control network
MOST_INTERRUPTS = 32
MOST_DROP_REASONS = 32  # bits of a record of a drop
CREDIT_UNITS = "units"  # the parameter that says how many credit links a kind with credits_in has


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C to the end of the block: the C++ parser of register descriptions would lose the exception and a token."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread is interrupted
        yield
        return
    late: list[int] = []
    before = {number: signal.signal(number, lambda came, _frame: late.append(came)) for number in interrupts.NUMBERS}
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
    from peakrdl_regblock.udps import ALL_UDPS
    from systemrdl import RDLCompiler

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
    from systemrdl.node import RegfileNode, RegNode

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
                    elements=child.get_property("elements", default=None) or "",
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
            width=cast("FieldNode", register.get_child_by_name("value")).width,
            format=register.get_property("format"),
            default=register.get_property("initial"),
            doc=_doc(register),
            offset=register.raw_absolute_address,
            count=register.array_dimensions[0] if register.is_array else 0,
            elements=register.get_property("elements", default=None) or "",
        )
        for register in block.registers()
    ]


def _counters(block: RegfileNode, suffix: str = "") -> list[Counter]:
    return [Counter(reg.inst_name + suffix, reg.absolute_address, _doc(reg)) for reg in block.registers()]


def read_kind(description: Path) -> Kind:
    """The kind that a `.yaml` file and the `.rdl` file beside it describe. Raises ValueError if they contradict each other."""
    facts, core = units.completed(YAML(typ="safe").load(description.read_text()))
    facts, stream = streams.completed(facts)
    rdl = description.with_suffix(".rdl")
    top = compile_rdl(rdl)
    table = None
    if "next" in facts:
        entries = cast("RegNode", top.get_child_by_name("next_hop")).array_dimensions[0]
        node_table = facts["next"]
        table = NodeTable(
            str(node_table["key"]),
            entries,
            dict(node_table.get("names", {})),
            node_table.get("most", LARGEST_KEY),
            dict(node_table.get("asked_by", {})),
            tuple(node_table.get("requests", ())),
            {word: tuple(names) for word, names in node_table.get("leads_to", {}).items()},
            tuple(node_table.get("first_port", ())),
        )
    counters = cast("RegfileNode", top.get_child_by_name("counters"))
    shells = _elements(counters.get_child_by_name("shell"))
    uses = tuple(facts["uses"])
    kind = Kind(
        name=facts["kind"],
        area=description.parent.name,
        title=top.get_property("name"),
        summary=facts["summary"],
        engine=facts["engine"],
        core=core,
        stream=stream,
        uses=uses,
        window_bits=facts.get("window_bits", LEAST_WINDOW_BITS),
        fabric=facts.get("fabric", "out" if "axis_in" in uses else "in" if "axis_out" in uses else "both"),
        fabric_ports=facts.get("fabric_ports", 1),
        replies=facts.get("replies", "none"),
        reads=tuple(facts.get("reads", ())),
        may_read=tuple(facts.get("may_read", ())),
        writes=tuple(facts.get("writes", ())),
        output_register=facts.get("output_register", False),
        buffering=facts["buffering"],
        waits=tuple(facts.get("waits", ())),
        tenant=facts.get("tenant", "keeps"),
        lossless=facts.get("lossless"),
        holds=facts.get("holds"),
        revisits=tuple(facts.get("revisits", ())),
        widths=tuple(facts.get("widths", SUPPORTED_WIDTHS)),
        next=table,
        needs=tuple(facts.get("needs", ())),
        gives=tuple(facts.get("gives", ())),
        programs=facts.get("programs", False),
        leases=facts.get("leases", False),
        watches=facts.get("watches", False),
        parameters=tuple(EngineParameter(name, **p) for name, p in facts.get("parameters", {}).items()),
        config=tuple(_config(top)),
        shell_counters=tuple(c for index, shell in enumerate(shells) for c in _counters(shell, _suffix(index))),
        counted_ports=len(shells),
        rights=next((register.count for register in _registers(top) if register.name == RIGHTS), 0),
        interrupts=dict(facts.get("interrupts", {})),
        engine_counters=tuple(_counters(counters)),
        registers=tuple(_registers(top)),
        rdl=rdl,
        yaml=description,
        request_port=facts.get("request_port", False),
    )
    _check(kind)
    return kind


CROSSES = {"window", "now", "control", "interrupts", "credits_out"}
"""What a tile with a clock of its own may use: girih.compiler.emit.apart connects it."""


def _check(kind: Kind) -> None:
    """Raises ValueError, with file and remedy, if the two files of a kind contradict each other."""

    def require(good: bool, complaint: str) -> None:
        if not good:
            raise ValueError(f"{kind.yaml}: {complaint}")

    require(kind.core is None or kind.stream is None, "a kind has a core or a stream; remove one of them")
    require(kind.name == kind.yaml.stem, f"kind is {kind.name}; it must be the name of the file, {kind.yaml.stem}")
    require(kind.buffering in BUFFERING, f"buffering is {kind.buffering}; it must be one of {', '.join(BUFFERING)}")
    both = sorted({field.name for field in kind.config} & {item.name for item in kind.parameters})
    require(not both, f"{', '.join(both)} is both a parameter and a register of the configuration; a tile could not set one without the other; rename the parameter")
    require(kind.core is None or kind.replies == "none", "a compute unit neither asks nor answers by replies; remove replies")
    for wait in kind.waits:
        require(wait in WAITS, f"waits names {wait}; it may name {', '.join(WAITS)}")
    require("control" not in kind.waits or kind.is_master, "waits names control; only a kind that uses control waits for it")
    strange = sorted({*kind.uses} - CROSSES) + ["interrupts of its own"] * bool(kind.interrupts) + ["several fabric ports"] * kind.many_ports
    require(not kind.programs or not strange, f"a kind with programs may have a clock of its own, which {', '.join(strange)} cannot cross; remove it, or programs")
    refusals = [counter.name for counter in kind.engine_counters if counter.name == REFUSED]
    require(
        kind.is_master == (kind.rights > 0) == bool(refusals),
        f"a kind that uses control, and no other, has registers control_right {RIGHTS}[n] @ 0x0800 and a counter {REFUSED}",
    )
    there = {register.name: register.offset for register in kind.registers if register.name in INTERRUPTS}
    require(
        there == (INTERRUPTS if kind.interrupts else {}),
        "a kind with interrupts, and no other, has registers external interrupt_pending interrupt_pending @ 0x0C00 and external interrupt_enable interrupt_enable @ 0x0C04",
    )
    require(len(kind.drop_reasons) <= MOST_DROP_REASONS, f"it has {len(kind.drop_reasons)} reasons of drops, with the shell's; there may be {MOST_DROP_REASONS}")
    require(len(kind.interrupts) <= MOST_INTERRUPTS, f"it has {len(kind.interrupts)} interrupts; there may be {MOST_INTERRUPTS}")
    require(not kind.watches or "interrupts" in kind.uses, "a kind that watches takes interrupts; write uses: [control, interrupts]")
    require("interrupts" not in kind.uses or kind.is_master, "uses names interrupts; only a kind that uses control gets those of other tiles")
    for register in kind.registers:
        place = TILE_MAP.size(PLACES[register.name]) if register.name in PLACES else register.offset
        require(register.offset == place, f"{register.name} is at {register.offset:#x}; spec/tile_map.yaml says {place:#x}")
        if register.name == RIGHTS:
            said = {field.name: (field.lsb, field.width) for field in register.fields}
            known = {name: place for name, place in TILE_MAP.places("control_right").items() if name in said}
            require(said == known, f"the fields of {RIGHTS} are {said}; spec/tile_map.yaml says {known}")
    first = kind.counters[0].offset
    require(first == TILE_MAP.size("CountersBase"), f"the counters are at {first:#x}; spec/tile_map.yaml says {TILE_MAP.size('CountersBase'):#x}")
    require(kind.config_base in CONFIG_WORDS, f"cfg is at {kind.config_base:#x}; it may be at {' or '.join(hex(place) for place in CONFIG_WORDS)}")
    offset = kind.config_base
    for field in kind.config:
        require(field.offset == offset, f"cfg.{field.name} is at {field.offset:#x}; the registers of cfg follow one another, so it must be at {offset:#x}")
        require(field.format != "tenant" or field.width == MOST_TENANT_BITS, f"cfg.{field.name} is a tenant and has {field.width} bits; it must have {MOST_TENANT_BITS}")
        require(not (field.pair and field.count), f"cfg.{field.name} is an array of registers of two words; the elements of an array must fit into one word")
        offset += 4 * (field.count or 1) * (1 + field.pair)
        sizes = [parameter for parameter in kind.parameters if parameter.name == field.elements]
        longest = field.count if not field.elements else int(sizes[0].max) if sizes else -1
        require(longest == field.count, f"cfg.{field.name} has {field.count} elements; it must have as many as its parameter {field.elements} allows")
    words = (offset - kind.config_base) // 4
    require(words <= CONFIG_WORDS[kind.config_base], f"cfg has {words} words; there is room for {CONFIG_WORDS[kind.config_base]} at {kind.config_base:#x}")
    flags = [field.name for field in kind.config]
    require(kind.lossless is None or kind.lossless in flags, f"lossless is {kind.lossless}, which its configuration does not have")
    for word, setting in (kind.next.asked_by if kind.next else {}).items():
        joined = word in kind.next.names and any(field.name == setting and field.format == "tile" for field in kind.config)
        require(joined, f"asked_by says {word}: {setting}; it joins a word of names to a setting of its configuration that names a tile")
    for word in kind.next.requests if kind.next else ():
        require(kind.takes_replies and word in kind.next.names, f"requests names {word}; it names words of names, of a kind that takes replies")
    for word, names in (kind.next.leads_to if kind.next else {}).items():
        require(bool(names) and word in kind.next.names, f"leads_to says {word}: {list(names)}; it joins a word of names to a list of kinds")
    for word in kind.next.first_port if kind.next else ():
        apart = kind.fabric_ports == 2 and STREAM in kind.reads
        require(apart and word in kind.next.names, f"first_port names {word}; it names words of names, of a kind that reads {STREAM} and has fabric_ports: 2")
    possible = LEAST_WINDOW_BITS <= kind.window_bits <= MOST_WINDOW_BITS and (kind.window_bits == LEAST_WINDOW_BITS or "window" in kind.uses)
    require(possible, f"window_bits is {kind.window_bits}; it may be {LEAST_WINDOW_BITS} to {MOST_WINDOW_BITS}, of a kind that uses window")
    for use in kind.uses:
        require(use in USES, f"uses names {use}; it may name {', '.join(USES)}")
    for header in (*kind.needs, *kind.gives):
        require(header in HEADERS, f"needs or gives names {header}; they may name {', '.join(HEADERS)}")
    for key, groups in (("reads", kind.reads), ("may_read", kind.may_read), ("writes", kind.writes)):
        for group in groups:
            require(group in group_names(), f"{key} names {group}; it may name {', '.join(group_names())}")
    require(kind.has_output or not kind.output_register, "a kind that does not send to the fabric has no output_register")
    require(kind.fabric in FABRIC, f"fabric is {kind.fabric}; it must be one of {', '.join(FABRIC)}")
    routed = kind.chained and kind.next is None  # all its messages have a source route
    require(routed or kind.has_output == (kind.next is not None), "a kind has a node table (next) if it sends to the fabric")
    parameters = {parameter.name: parameter for parameter in kind.parameters}
    ports = kind.fabric_ports
    if isinstance(ports, str):
        require(ports in parameters, f"fabric_ports is {ports}; it must be a number or a parameter")
        ports = int(parameters[ports].max)
    links = ports + kind.request_port + (kind.replies != "none")
    require(kind.counted_ports == links, f"counters has {kind.counted_ports} shell; write shell_counters shell[{links}]")
    require(kind.replies in REPLIES, f"replies is {kind.replies}; it must be one of {', '.join(REPLIES)}")
    require(kind.replies == "none" or not kind.many_ports, "a kind with replies has one fabric port")
    require(not kind.sends_replies or kind.has_input, "a kind that sends replies takes requests; write fabric: in or both")
    require(not kind.sends_replies or ROUTE in kind.groups, f"a kind that sends replies sends them by a source route; write writes: [{ROUTE}]")
    require(not kind.takes_replies or kind.has_output, "a kind that takes replies sends requests; write fabric: out or both")
    require("request" not in kind.waits or kind.request_port, "a kind whose requests have no port of their own does not wait for them apart; remove request from waits")
    apart = kind.takes_replies and kind.has_input and bool(kind.requests)
    require(not kind.request_port or apart, "a kind with a request_port takes messages and replies, and names its requests in next")
    require("reply" not in kind.waits or kind.replies != "sends", "a kind that takes no replies does not wait for them; remove reply from waits")
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


class _Kept(NamedTuple):
    kinds: dict[str, Kind]
    card: tuple[Register, ...]


def _made_from() -> Iterator[Path]:
    """The files from which the kinds are read."""
    for folder in HARDWARE:
        for suffix in ("rdl", "yaml"):
            yield from sorted(folder.rglob(f"*.{suffix}"))
    yield from (SPEC / name for name in ("message.yaml", "tile_map.yaml"))
    yield from (Path(__file__).with_name(f"{name}.py") for name in ("formats", "kind", "kinds", "message", "parameters", "streams", "units"))
    yield from units.inputs()
    yield from streams.inputs()


@cache
def _file() -> Path:
    """The file that keeps all kinds once they have been read, named by the content of their sources."""
    state = hashlib.sha256(f"{ROOT} {metadata.version('systemrdl-compiler')}".encode())
    for path in _made_from():
        state.update(f"{path} {path.stat().st_size} ".encode() + path.read_bytes())
    return BUILD / "kinds" / state.hexdigest()[:16]


@cache
def _kept() -> _Kept | None:
    return look(_file())


@cache
def _all() -> _Kept:
    """All kinds, and the registers of the card: from the kept file, or else read now and kept."""
    kept = _kept()
    if kept is None:
        kept = _Kept({name: read_kind(path) for name, path in _descriptions().items()}, tuple(_registers(compile_rdl(CARD))))
        keep(_file(), kept)
    return kept


def load_kinds() -> dict[str, Kind]:
    """All kinds by name, in order of area and name."""
    return _all().kinds


@cache
def load_kind(name: str) -> Kind:
    """One kind. If none are kept, reading one is ten times as fast as reading all. Raises KeyError."""
    kept = _kept()
    return kept.kinds[name] if kept else read_kind(_descriptions()[name])


def card_registers() -> tuple[Register, ...]:
    """The registers of the card itself, at node 0xFF of the control network."""
    return _all().card
