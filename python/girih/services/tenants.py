# SPDX-License-Identifier: Apache-2.0
"""What the scheduler holds of a tenant: its share, its part of the packet memory, its rights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from girih.errors import GirihError

WEIGHT_ONE = 2048  # the inverse of weight 1
MOST_WEIGHT = 255
MOST_BYTES = 1 << 24


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
    """Values of the scheduler's registers of a tenant, by name, for what is given. Raises GirihError.

    old: the tenant as it is. others_guarantee: bytes that the other tenants are sure of.
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


def read_tenant(read: Callable[[str], int], memory: Memory) -> dict[str, int]:
    """A tenant as the card has it. read: the value of one of the scheduler's registers of this tenant."""
    return {
        "weight": round(WEIGHT_ONE / max(read("inverse_weight"), 1)),
        "guarantee": read("guaranteed_cells") * memory.cell_bytes,
        "limit": read("limit") * memory.cell_bytes,
    }


def rights_bits(numbers: Iterable[int]) -> int:
    """Services as the bits of a word of rights."""
    return sum(1 << number for number in set(numbers))
