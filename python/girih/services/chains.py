# SPDX-License-Identifier: Apache-2.0
"""Chains as entries of match-action tables: the bits of a packet that a chain matches, and the action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from girih.errors import GirihError
from girih.rmt import action as actions
from girih.rmt.parse_graph import Program, compile_graph, load_graph
from girih.rmt.stage import Entry

HALF_BITS = 16
# The half of a key's sources (match_pkg) with a bit for each header that a packet has.
HEADERS_HALF = 2 * actions.size("SourceCard") + 1


@cache
def shipped_program() -> Program:
    """The parser program that cards start with."""
    return compile_graph(load_graph())


@cache
def match_fields() -> dict[str, int]:
    """The fields that a chain can match, and their bits."""
    return {name: sum(p.high - p.low + 1 for p in pieces) for name, pieces in shipped_program().fields.items()}


@dataclass(frozen=True)
class Bits:
    """Bits of halves of a packet's header vector that must have a value: {half: (mask, value)}."""

    halves: Mapping[int, tuple[int, int]]

    @property
    def masks(self) -> dict[int, int]:
        """The mask of each half."""
        return {half: mask for half, (mask, _) in self.halves.items()}


def bits_of(match: Mapping[str, int], masks: Mapping[str, int] = {}) -> Bits:
    """The bits of a packet that matches: its fields, and the presence of their headers.

    masks: the compared bits of a field, if not all.
    """
    program = shipped_program()
    halves: dict[int, tuple[int, int]] = {}

    def require(half: int, mask: int, value: int) -> None:
        old_mask, old_value = halves.get(half, (0, 0))
        halves[half] = (old_mask | mask, old_value | value)

    for name, value in match.items():
        header = name.rpartition(".")[0]
        require(HEADERS_HALF, 1 << program.headers[header], 1 << program.headers[header])
        for other in program.hides.get(name, ()):  # if it is present, the field's words do not hold the field
            require(HEADERS_HALF, 1 << program.headers[other], 0)
        left = match_fields()[name]
        of_field = masks.get(name, (1 << left) - 1)
        for piece in program.fields[name]:
            width = piece.high - piece.low + 1
            left -= width
            word_mask = (of_field >> left & (1 << width) - 1) << piece.low
            word = (value >> left) << piece.low & word_mask
            for high in (0, 1):
                mask = word_mask >> HALF_BITS * high & 0xFFFF
                if mask:
                    require(2 * piece.word + high, mask, word >> HALF_BITS * high & 0xFFFF)
    return Bits(halves)


@dataclass(frozen=True)
class Key:
    """The key of a stage: halves in order, the first one most significant, with their masks."""

    halves: tuple[tuple[int, int], ...]
    slots: int

    def entry(self, bits: Bits, action: dict, *, owner: int, order: int) -> Entry:
        """An entry for packets with these bits. Raises GirihError for bits that the key does not have."""
        key = mask = 0
        left = dict(bits.halves)
        for half, _ in self.halves:
            half_mask, value = left.pop(half, (0, 0))
            key, mask = key << HALF_BITS | value, mask << HALF_BITS | half_mask
        missing = [half for half, (half_mask, _) in left.items() if half_mask]
        if missing:
            raise GirihError("the key of the stage lacks a field of the match", "chain", "Match only fields that other chains match.")
        unused = HALF_BITS * (self.slots - len(self.halves))
        return Entry(key << unused, action, owner=owner, mask=mask << unused, order=order)


def key_for(all_bits: Iterable[Bits], slots: int) -> Key:
    """The key of a stage of `slots` halves whose entries match these bits. Raises GirihError if they do not fit."""
    masks: dict[int, int] = {}
    for bits in all_bits:
        for half, (mask, _) in bits.halves.items():
            masks[half] = masks.get(half, 0) | mask
    if len(masks) > slots:
        raise GirihError(
            f"the chains match {len(masks)} halfwords of a packet; the stage's key has {slots}", "chains", "Match fewer fields, or set key_halves_0."
        )
    return Key(tuple(sorted(masks.items())), slots)


def chain_action(chain: Mapping) -> dict:
    """The action for the packets of a chain of the manifest, or of `ServiceControl`."""
    hops = [{"service": hop["number"], "rank_class": hop["class"], "meta": hop["meta"]} for hop in chain["hops"]]
    action: dict = {"chain_set": 1, "chain_count": len(hops), "chain": hops}
    if chain.get("tenant_number") is not None:
        action |= {"tenant_set": 1, "tenant": chain["tenant_number"]}
    if chain.get("exit_node") is not None:
        action |= {"exit_set": 1, "exit": chain["exit_node"]}
    return action
