# SPDX-License-Identifier: Apache-2.0
"""The tenants of a running card: shares, parts of the packet memory, rights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from girih.errors import GirihError
from girih.rmt import stage

if TYPE_CHECKING:  # the compiler takes its limits from here; everything else here depends on the compiler's output
    from girih.card.registers import Registers
    from girih.services.facts import Facts
    from girih.services.stages import Stages

WEIGHT_ONE = 2048  # the inverse of weight 1
MOST_WEIGHT = 255
MOST_BYTES = 1 << 24
MOST_ENTRIES = 1 << 12
OBJECTS = ("meters", "counters", "registers")  # of each stage of each port, which actions name by their numbers
ENTRIES = "entries"  # of the table of each stage


@dataclass(frozen=True)
class Memory:
    """The scheduler's packet memory: bytes of a cell, cells of all channels, packets that can be queued."""

    cell_bytes: int
    cells: int
    entries: int

    @property
    def bytes(self) -> int:
        return self.cells * self.cell_bytes


def changed(
    old: dict, memory: Memory, others_guarantee: int, *, weight: int | None, guarantee: int | None, limit: int | None
) -> dict[str, int]:
    """Values of a tenant's scheduler registers, by name, for the given settings. Raises GirihError.

    old: the present tenant. others_guarantee: bytes guaranteed to the other tenants.
    """
    name = old["name"]
    _check(name, "weight", weight, 1, MOST_WEIGHT)
    _check(name, "guarantee", guarantee, 0, memory.bytes - others_guarantee)
    _check(name, "limit", limit, 0, MOST_BYTES)
    least = old["guarantee"] if guarantee is None else guarantee
    most = old["limit"] if limit is None else limit
    if most and most < least:
        raise GirihError(f"limit {most} is below the guarantee of {least}", f"tenant {name}", "Raise the limit (0: none), or lower the guarantee.")
    values = {}
    if weight is not None:
        values["inverse_weight"] = WEIGHT_ONE // weight
    if guarantee is not None:
        values["guaranteed_cells"] = -(-guarantee // memory.cell_bytes)
        values["guaranteed_entries"] = guarantee * memory.entries // memory.bytes
    if limit is not None:
        values["limit"] = -(-limit // memory.cell_bytes)
    return values


def _check(tenant: str, what: str, value: int | None, least: int, most: int) -> None:
    if value is not None and (not isinstance(value, int) or not least <= value <= most):
        raise GirihError(f"{what} {value}", f"tenant {tenant}", f"It may be {least} to {most}.")


class Tenants:
    """Access through the operator's registers; the card refuses a tenant's."""

    def __init__(self, registers: Registers, facts: Facts, stages: Stages):
        self._registers = registers
        self._facts = facts
        self._stages = stages
        self._memory = Memory(**facts.memory)

    def read_all(self) -> list[dict]:
        return [self._read(tenant) for tenant in self._facts.tenants]

    def set(
        self,
        name: str,
        services: Sequence[str] | None,
        ranges: Mapping[str, Sequence[int] | None],
        stage_number: int | None = None,
        **given: int | None,
    ) -> None:
        """Changes the given settings: weight, guarantee, limit; services: all to which it has a right; ranges: see OBJECTS, and
        ENTRIES, of one stage or of all."""
        number = self._facts.tenant(name)["number"]
        rights = [self._facts.service(service)["number"] for service in services or ()]
        tenants = self.read_all()
        old = next(tenant for tenant in tenants if tenant["name"] == name)
        others = sum(tenant["guarantee"] for tenant in tenants if tenant["name"] != name)
        entries = self._entries(name, ranges.get(ENTRIES), stage_number)
        values = changed(old, self._memory, others, **given)
        own = {what: self._range(name, what, ranges.get(what)) for what in OBJECTS}
        if entries is not None:  # first, because this can fail
            self._stages.give([place for place in self._all_stages() if stage_number in (None, place[1])], number, entries)
        if services is not None:
            values["rights"] = sum(1 << right for right in set(rights))
        for register, value in values.items():
            self._registers.write(self._register(register, number), value)
        if services is not None:
            for port in self._facts.ports:
                self.write_table_rights(port, number, services)
        if any(each is not None for each in own.values()):
            for port, each in self._all_stages():
                self._stages.run(port, each, stage.set_ranges(number, **own))

    def _entries(self, name: str, given: Sequence[int] | None, stage_number: int | None) -> range | None:
        if stage_number is not None and not any(stage_number == each for _, each in self._all_stages()):
            raise GirihError(f"there is no stage {stage_number}", f"tenant {name}", "Leave --stage out for all of them.")
        if given is None:
            return None
        good = all(isinstance(value, int) and value >= 0 for value in given)
        if not good or len(given) not in (0, 2) or list(given) != sorted(given):
            raise GirihError(f"entries {'-'.join(map(str, given))}", f"tenant {name}", "Give the first and the last one.")
        return range(given[0], given[1] + 1) if given else range(0)

    def _range(self, name: str, what: str, given: Sequence[int] | None) -> range | None:
        """First and last, or an empty range for an empty list."""
        if given is None:
            return None
        most = min(getattr(self._stages.shape(port, each), what) for port, each in self._all_stages()) - 1
        good = all(isinstance(value, int) and 0 <= value <= most for value in given)
        if not good or len(given) not in (0, 2) or list(given) != sorted(given):
            raise GirihError(f"{what} {'-'.join(map(str, given))}", f"tenant {name}", f"Give the first and the last one of 0 to {most}.")
        return range(given[0], given[1] + 1) if given else range(0)

    def _all_stages(self) -> list[tuple[str, int]]:
        return [(port, each) for port in self._facts.ports for each in self._stages.numbers(port)]

    def write_table_rights(self, port: str, number: int, services: Sequence[str]) -> None:
        """Writes what the actions of a tenant's controller may use in the tables of a port; the operator's may use everything."""
        if number:
            numbers = [self._facts.service(service)["number"] for service in services]
            for each in self._stages.numbers(port):
                self._stages.run(port, each, stage.set_rights(number, numbers))

    def _read(self, tenant: Mapping) -> dict:
        def read(register: str) -> int:
            return self._registers.read(self._register(register, tenant["number"]))

        rights = read("rights")
        return {
            "name": tenant["name"],
            "number": tenant["number"],
            "weight": round(WEIGHT_ONE / max(read("inverse_weight"), 1)),
            "guarantee": read("guaranteed_cells") * self._memory.cell_bytes,
            "limit": read("limit") * self._memory.cell_bytes,
            "services": [service["name"] for service in self._facts.services if rights >> service["number"] & 1],
            "ports": list(tenant["ports"]),
            **self._owned(tenant["number"]),
            ENTRIES: self._own_entries(tenant["number"]),
        }

    def _owned(self, number: int) -> dict[str, list[int] | None]:
        """The first and the last of a tenant's meters, counters and registers, the same in all stages; the operator has all."""
        own = self._stages.run(next(iter(self._facts.ports)), 0, stage.ranges(number))
        return {what: [each.start, each.stop - 1] if number and each else None for what, each in zip(OBJECTS, own)}

    def _own_entries(self, number: int) -> dict[str, list[int]]:
        """The first and the last of a tenant's own entries, by table."""
        found = {(port, each): self._stages.run(port, each, stage.entries_of(number)) for port, each in self._all_stages()}
        return {f"{port}.{each}": [own.start, own.stop - 1] for (port, each), own in found.items() if own}

    def _register(self, name: str, number: int) -> str:
        return f"{self._facts.scheduler}.{name}[{number}]"
