# SPDX-License-Identifier: Apache-2.0
"""The facts about a kind of tile: its engine, its registers and counters, and what its messages wait for."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from girih.spec.formats import Format
from girih.spec.message import CHAIN, has_setter, type_widths
from girih.spec.parameters import EngineParameter
from girih.spec.streams import Stream
from girih.spec.units import Core

LARGEST_KEY = (1 << type_widths()["next_key"]) - 1
TILE_MAP = Format("tile_map")
CONFIG, LONG_CONFIG, RIGHTS_BASE, WINDOW = (TILE_MAP.size(name) for name in ("ConfigBase", "LongConfigBase", "RightsBase", "WindowBase"))
CONFIG_WORDS = {CONFIG: (RIGHTS_BASE - CONFIG) // 4, LONG_CONFIG: (WINDOW - LONG_CONFIG) // 4}  # the room for a configuration at each of its places
RIGHTS = "right"  # the registers with the rights of a master of the control network
# The headers that a descriptor has offsets of, which are groups of its fields, too.
HEADERS = ("network", "transport", "payload")


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

    offset: bytes from the start of the tile. width: the number of bits in use. access: "r" or "rw". elements: the parameter
    that says how many of `count` a tile has; "": it has all.
    """

    name: str
    offset: int
    width: int
    access: str
    doc: str
    count: int = 1
    fields: tuple[RegisterField, ...] = ()
    elements: str = ""

    @property
    def stride(self) -> int:
        return 8 if self.width > 32 else 4


@dataclass(frozen=True)
class ConfigField:
    """A field of the kind's `cfg_t`, first one at the most significant end.

    format: how it is written in a design file ("mac", "ipv4", "number", "flag", "tenant": a number, of as many bits as the card's tenants need, "node": a tile to
    which it sends messages, "tile": another tile, "counter": one of a tile that it may read).
    default: its value when a design file gives none; None: a design file must give it.
    count: elements of an array, 0 for a single value; width, format and default are those of an element. elements: the parameter
    that says how many of them a tile has; "": it has all.
    """

    name: str
    width: int
    format: str
    default: int | None
    doc: str
    offset: int
    count: int = 0
    elements: str = ""

    @property
    def word(self) -> int:
        """Its first word, counted from the start of the configuration."""
        return (self.offset - (LONG_CONFIG if self.offset >= LONG_CONFIG else CONFIG)) // 4

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


REFUSED = "mark_control_refused"  # a master's counter of requests for which it has no right
FEW_KEYS = 8
UNSAID = "none"  # `key` of a table whose keys say nothing about a message


@dataclass(frozen=True)
class NodeTable:
    """The node table of a kind. key: what it is searched with. names: words for keys in a design file. most: the largest key.

    asked_by: words that apply only to messages from one tile, and the setting that names this tile; the other words apply to all other messages.
    requests: the words by which it sends requests of its own, if by the others it sends messages on. leads_to: words that may lead only to tiles of
    some kinds, and these kinds. first_port: the words whose messages leave by the first fabric port, of a kind whose second one is for applications.
    """

    key: str
    entries: int
    names: Mapping[str, int]
    most: int = LARGEST_KEY
    asked_by: Mapping[str, str] = field(default_factory=dict)
    requests: tuple[str, ...] = ()
    leads_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_port: tuple[str, ...] = ()

    @property
    def direct(self) -> int:
        """The number of keys, if there are so few that the table is searched for all of them when it is written; else 0."""
        keys = max(self.most, *self.names.values(), 0) + 1
        return keys if keys <= FEW_KEYS else 0

    @property
    def meaning(self) -> str | None:
        """What a key says about a message, such as its EtherType; None if nothing."""
        return None if self.key == UNSAID else self.key


@dataclass(frozen=True)
class Kind:
    """One kind of tile.

    engine: its module, written by hand, or generated around its core or stream if it has one. fabric: whether the engine takes messages
    from the fabric ("in"), sends them ("out"), "both" or "none". fabric_ports: the number of its fabric ports, or the parameter
    that gives it. replies: whether it "takes" them, "sends" them, "both" or "none", by links of their own. request_port: its requests leave by
    a fabric port of their own, so they never wait for its other messages.
    reads, may_read, writes: groups of the descriptor's fields, see docs/contracts.md. output_register: one cycle more between engine
    and fabric on cards timed for 250 MHz or more. buffering, waits: what messages in it wait for, see docs/deadlock.md. tenant: how the tenant of its
    messages is decided, see docs/contracts.md. lossless: the flag of its configuration that makes its messages lossless, or None.
    window_bits: of the address of a byte in its window. rights: the number of nodes for which a master of the control network can have rights; 0 if it is none. interrupts: the meaning of each interrupt, by name.
    holds: what messages in it may wait for while everything else is at rest, or None. revisits: the words of its
    node table by which a message may come back to it, but only a few times, which it ensures. programs: whether it runs a program, which the design names. leases: whether it writes addresses into other tiles
    while the card runs; a register `places` says where. watches: whether it waits for the interrupts of tiles; a register `line` says whose. widths: data widths that it supports. needs,
    gives: headers whose offsets incoming messages must have, and those that it adds. rdl, yaml: its files, for error messages.
    """

    name: str
    area: str
    title: str
    summary: str
    engine: str
    core: Core | None
    stream: Stream | None
    uses: tuple[str, ...]
    window_bits: int
    fabric: str
    fabric_ports: int | str
    replies: str
    reads: tuple[str, ...]
    may_read: tuple[str, ...]
    writes: tuple[str, ...]
    output_register: bool
    buffering: str
    waits: tuple[str, ...]
    tenant: str
    lossless: str | None
    holds: str | None
    revisits: tuple[str, ...]
    widths: tuple[int, ...]
    next: NodeTable | None
    needs: tuple[str, ...]
    gives: tuple[str, ...]
    programs: bool
    leases: bool
    watches: bool
    parameters: tuple[EngineParameter, ...]
    config: tuple[ConfigField, ...]
    shell_counters: tuple[Counter, ...]
    counted_ports: int
    rights: int
    interrupts: Mapping[str, str]
    engine_counters: tuple[Counter, ...]
    registers: tuple[Register, ...]
    rdl: Path
    yaml: Path
    request_port: bool = False

    @property
    def counters(self) -> tuple[Counter, ...]:
        return self.shell_counters + self.engine_counters

    @property
    def covered_counters(self) -> tuple[Counter, ...]:
        """The counters of events whose cover points are generated for the kind. Where one module makes the events of many kinds, it has these points
        itself: traffic_manager those of every compute unit, udp_stream those of every engine with plain streams, ctrl_master that of refused requests."""
        return () if self.core or self.stream else tuple(counter for counter in self.engine_counters if counter.name != REFUSED)

    @property
    def drop_reasons(self) -> tuple[str, ...]:
        """The counters of drops, in the order of their bits in a record of the tile's last drops: the shell's, of any port, then the engine's."""
        names = [counter.name for counter in (*self.shell_events, *self.engine_counters)]
        return tuple(name for name in names if name.startswith("drop_"))

    @property
    def config_base(self) -> int:
        """Where its configuration starts."""
        return self.config[0].offset if self.config else CONFIG

    @property
    def config_bits(self) -> int:
        """Bits of the number of a word of its configuration."""
        return (CONFIG_WORDS[self.config_base] - 1).bit_length()

    def elements_of(self, field: ConfigField) -> str:
        """The number of elements of an array of its configuration, as an expression over its parameters."""
        return next((item.verilog_name for item in self.parameters if item.name == field.elements), str(field.count))

    @property
    def groups(self) -> frozenset[str]:
        """The groups of fields that its RTL names, so that every card with it has them."""
        return frozenset((*self.reads, *self.may_read, *self.needs, *(group for group in self.writes if not has_setter(group))))

    @property
    def written(self) -> frozenset[str]:
        """The groups of fields that it writes."""
        return frozenset((*self.writes, *self.gives))

    @property
    def chained(self) -> bool:
        """Whether it is only for cards with services."""
        return CHAIN in self.groups

    @property
    def gives_chains(self) -> bool:
        """Whether its tables set the chains of messages: of those from its Ethernet port, or, if it is at none, of those that come to it."""
        return CHAIN in self.writes

    @property
    def has_input(self) -> bool:
        """Whether messages come in from the fabric."""
        return self.fabric in ("in", "both")

    @property
    def has_output(self) -> bool:
        """Whether messages leave for the fabric."""
        return self.fabric in ("out", "both")

    @property
    def takes_replies(self) -> bool:
        """Whether it sends requests whose replies arrive on a separate link."""
        return self.replies in ("takes", "both")

    @property
    def requests(self) -> dict[str, int]:
        """The words, and their keys, by which it sends requests of its own, if by the others of its node table it sends messages on."""
        return {word: self.next.names[word] for word in self.next.requests} if self.next else {}

    @property
    def sends_replies(self) -> bool:
        """Whether it answers requests, on a separate link for replies."""
        return self.replies in ("sends", "both")

    @property
    def sides(self) -> tuple[str, ...]:
        """Its links with the fabric: `in`, `out`, that of its own for requests, and those for replies."""
        there = (("in", self.has_input), ("out", self.has_output), ("request_out", self.request_port), ("reply_in", self.takes_replies), ("reply_out", self.sends_replies))
        return tuple(side for side, has in there if has)

    @property
    def is_master(self) -> bool:
        """Whether its tiles make requests on the control network."""
        return "control" in self.uses

    def right_bit(self, name: str) -> int:
        """The bit position of a named field in a register of rights."""
        return TILE_MAP.places("control_right")[name][0]

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

    @property
    def applications_apart(self) -> bool:
        """Whether messages from and to applications have a fabric port of their own, the second one."""
        return bool(self.next and self.next.first_port)

    def in_ports(self, ports: int) -> range:
        """The fabric ports at which messages arrive, for a tile with `ports` of them."""
        return range(0 if not self.has_input else 1 if self.has_lanes or self.request_port else ports)

    def ports_of(self, parameters: Mapping[str, int]) -> int:
        """The fabric ports of a tile with these parameters."""
        if isinstance(self.fabric_ports, int):
            return self.fabric_ports + self.request_port
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
        """The shell's counters at one fabric port."""
        return self.shell_counters[: len(self.shell_counters) // self.counted_ports]

    @property
    def identity(self) -> int:
        """The value of the tile's identity register."""
        return zlib.crc32(self.name.encode())
