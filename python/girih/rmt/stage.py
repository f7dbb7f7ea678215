# SPDX-License-Identifier: Apache-2.0
"""Access to a match-action stage through its window.

Operations are generators that yield accesses and are sent the data read, so that the
same code works with a live card and a simulation:

    entry = run(stage.read_entry(3), access)                # access(write, offset, data) -> data
    entry = await run_async(stage.read_entry(3), access)    # the same, as a coroutine

`access` raises Refused when the card answers with an error.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from girih.errors import GirihError
from girih.rmt import action as actions

WINDOW_BYTES = 0x800  # of a stage
KINDS = ("exact", "ternary", "lpm")
RIGHTS = ("exit", "mirror", "lossless", "rank", "edit")
FIRST_RANGE = 2  # the row of rights with the ranges of meters
_WORD = (1 << 32) - 1


class Refused(GirihError):
    """The card refused a request: its object belongs to another tenant, or does not exist."""


@dataclass(frozen=True)
class Access:
    """One access to a window: a read, or a write of `data`. offset: bytes from the start of the stage."""

    write: bool
    offset: int
    data: int = 0


T = TypeVar("T")
Steps = Generator[Access, int, T]


def run(steps: Steps[T], access: Callable[[bool, int, int], int]) -> T:
    """Executes steps one after the other."""
    advance: Callable[[Any], Access] = steps.send
    given: Any = None
    while True:
        try:
            step = advance(given)
        except StopIteration as end:
            return end.value
        try:
            advance, given = steps.send, access(step.write, step.offset, step.data)
        except Refused as refused:
            advance, given = steps.throw, refused


async def run_async(steps: Steps[T], access: Callable[[bool, int, int], Awaitable[int]]) -> T:
    """The same with awaited accesses."""
    advance: Callable[[Any], Access] = steps.send
    given: Any = None
    while True:
        try:
            step = advance(given)
        except StopIteration as end:
            return end.value
        try:
            advance, given = steps.send, await access(step.write, step.offset, step.data)
        except Refused as refused:
            advance, given = steps.throw, refused


@dataclass(frozen=True)
class Entry:
    """An entry of a table. key, mask: the key's halves, the first one most significant.

    owner: the tenant whose packets it matches, and who may change it; 0: every tenant's packets, the operator.
    order: the matching entry with the lowest order wins (not in exact tables). action: the argument of
    `girih.rmt.action.encode`.
    """

    key: int
    action: dict = field(default_factory=dict)
    owner: int = 0
    mask: int = (1 << 160) - 1
    order: int = 0


@dataclass(frozen=True)
class Shape:
    """The kind and sizes of a stage. key_halves: 16-bit halves of its key. tenants: how many there can be."""

    kind: str
    entries: int
    key_halves: int
    meters: int
    counters: int
    registers: int
    tenants: int

    @property
    def key_bits(self) -> int:
        return 16 * self.key_halves


@dataclass(frozen=True)
class MeterRates:
    """A two-rate three-colour meter. Rates in bits per second, bursts in bytes."""

    committed_rate: float
    committed_burst: int
    peak_rate: float
    peak_burst: int

    def words(self, meters: int, clock_hz: float) -> list[int]:
        """The words for the card, in a stage with `meters` meters."""
        unit = self.rate_unit(meters, clock_hz)
        return [round(self.committed_rate / unit), self.committed_burst, round(self.peak_rate / unit), self.peak_burst]

    @classmethod
    def from_words(cls, words: list[int], meters: int, clock_hz: float) -> MeterRates:
        """The inverse of `words`, with the card's rounding."""
        unit = cls.rate_unit(meters, clock_hz)
        return cls(words[0] * unit, words[1], words[2] * unit, words[3])

    @staticmethod
    def rate_unit(meters: int, clock_hz: float) -> float:
        """The card's unit of rates, 2^-12 bytes per turn of `meters` cycles, in bits per second."""
        return 8 * clock_hz / meters / 4096


def _split(number: int, count: int) -> list[int]:
    return [number >> 32 * i & _WORD for i in range(count)]


def _join(words: list[int]) -> int:
    return sum(word << 32 * i for i, word in enumerate(words))


def _write(word: str, index: int, data: int) -> Steps[None]:
    yield Access(True, 4 * (actions.size(word) + index), data)


def _read(word: str, index: int = 0) -> Steps[int]:
    return (yield Access(False, 4 * (actions.size(word) + index)))


def _command(name: str, index: int = 0) -> Steps[None]:
    yield from _write("CommandWord", 0, actions.names("command").index(name) << 24 | index)


def _stage(words: list[int], start: int = 0) -> Steps[None]:
    for i, word in enumerate(words):
        yield from _write("StagedWords", start + i, word)


def _staged(count: int, start: int = 0) -> Steps[list[int]]:
    words = []
    for i in range(count):
        words.append((yield from _read("StagedWords", start + i)))
    return words


def shape() -> Steps[Shape]:
    """The kind and sizes of the stage."""
    kind = yield from _read("KindWord")
    objects = yield from _read("ObjectsWord")
    meters, counters, registers, tenants = (1 << (objects >> shift & 0xFF) for shift in (16, 8, 0, 24))
    return Shape(KINDS[kind >> 24], kind & 0xFFFF, kind >> 16 & 0xFF, meters, counters, registers, tenants)


def set_key(halves: list[int | tuple[int, int]]) -> Steps[None]:
    """Sets the halves of the header vector that form the key, the first one most significant; (half, mask) or half."""
    for i, half in enumerate(halves):
        number, mask = half if isinstance(half, tuple) else (half, 0xFFFF)
        yield from _write("KeyWords", i, mask << 16 | number)


def key(halves: int) -> Steps[list[tuple[int, int]]]:
    """The key's halves, as (half, mask); their number is in the stage's shape."""
    words = []
    for i in range(halves):
        words.append((yield from _read("KeyWords", i)))
    return [(word & 0x3F, word >> 16) for word in words]


def _write_right(row: int, tenant: int, word: int) -> Steps[None]:
    yield from _write("RightsWords", actions.size("RowWords") * row + tenant, word)


def set_rights(
    tenant: int,
    services: Iterable[int] = (),
    rights: Iterable[str] = (),
    meters: range | None = None,
    counters: range | None = None,
    registers: range | None = None,
) -> Steps[None]:
    """Sets what a tenant's own controller may use in its actions; a range of None is not changed. Only for the operator."""
    allowed, others = sum(1 << service for service in set(services)), 0
    for right in set(rights):
        if right not in RIGHTS:
            raise ValueError(f"{right}: rights are {', '.join(RIGHTS)}")
        others |= 1 << actions.size(f"Right{right.capitalize()}")
    yield from _write_right(0, tenant, allowed)
    yield from _write_right(1, tenant, others)
    yield from set_ranges(tenant, meters, counters, registers)


def set_ranges(tenant: int, meters: range | None, counters: range | None, registers: range | None) -> Steps[None]:
    """The meters, counters and registers that are a tenant's own; None leaves them as they are. Only for the operator."""
    for i, own in enumerate((meters, counters, registers)):
        if own is not None:
            yield from _write_right(FIRST_RANGE + i, tenant, own.stop << 16 | own.start)


def ranges(tenant: int) -> Steps[tuple[range, range, range]]:
    """The meters, counters and registers that are a tenant's own."""
    found = []
    for i in range(3):
        word = yield from _read("RightsWords", actions.size("RowWords") * (FIRST_RANGE + i) + tenant)
        found.append(range(word & 0xFFFF, word >> 16))
    meters, counters, registers = found
    return meters, counters, registers


def set_entries(tenant: int, entries: range) -> Steps[None]:
    """Sets the entries that are a tenant's own. Only for the operator. In an exact table their number is 0, or a power of two
    from 4, aligned, and the tenant's packets are looked up only there; packets of tenants without entries, in tenant 0's."""
    yield from _write("EntriesWords", tenant, entries.stop << 16 | entries.start)


def entries_of(tenant: int) -> Steps[range]:
    """The entries that are a tenant's own."""
    word = yield from _read("EntriesWords", tenant)
    return range(word & 0xFFFF, word >> 16)


def write_entry(index: int, entry: Entry) -> Steps[None]:
    """Writes or replaces an entry; packets see either all of the new one or all of the old one."""
    mask, owner, start = (actions.size(name) for name in ("StagedMask", "StagedOwner", "StagedAction"))
    yield from _stage(_split(entry.key, mask))
    yield from _stage(_split(entry.mask, owner - mask), mask)
    yield from _stage([entry.order << 16 | entry.owner], owner)
    yield from _stage(_split(actions.encode(entry.action), actions.size("ActionWords")), start)
    yield from _command("write", index)


def delete_entry(index: int) -> Steps[None]:
    yield from _command("delete", index)


def read_entry(index: int) -> Steps[Entry | None]:
    """The entry at an index; None if there is none."""
    mask, owner, start = (actions.size(name) for name in ("StagedMask", "StagedOwner", "StagedAction"))
    yield from _command("read", index)
    if not (yield from _read("StagedWords", owner)) >> 15 & 1:
        return None
    words = yield from _staged(start + actions.size("ActionWords"))
    return Entry(
        key=_join(words[:mask]),
        mask=_join(words[mask:owner]),
        owner=words[owner] & 0x3F,
        order=words[owner] >> 16,
        action=actions.decode(_join(words[start:])),
    )


def write_default(action: dict) -> Steps[None]:
    """Sets the action for packets that no entry matches. Only for the operator."""
    yield from _stage(_split(actions.encode(action), actions.size("ActionWords")), actions.size("StagedAction"))
    yield from _command("write_default")


def read_default() -> Steps[dict]:
    yield from _command("read_default")
    return actions.decode(_join((yield from _staged(actions.size("ActionWords"), actions.size("StagedAction")))))


def write_meter(index: int, words: list[int]) -> Steps[None]:
    """Configures a meter with the words of `MeterRates.words`; its buckets start full."""
    yield from _stage(words)
    yield from _command("write_meter", index)


def read_meter(index: int) -> Steps[list[int]]:
    yield from _command("read_meter", index)
    return (yield from _staged(4))


def read_counter(index: int) -> Steps[tuple[int, int]]:
    """Packets and bytes."""
    yield from _command("read_counter", index)
    words = yield from _staged(4)
    return _join(words[:2]), _join(words[2:])


def read_register(index: int) -> Steps[int]:
    yield from _command("read_register", index)
    return (yield from _staged(1))[0]


def write_register(index: int, value: int) -> Steps[None]:
    yield from _stage([value])
    yield from _command("write_register", index)
