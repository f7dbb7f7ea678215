# SPDX-License-Identifier: Apache-2.0
"""Patterns and actions from and to the words of rte_flow.

    parse_pattern("ipv4 dst is 10.0.0.0/8 / udp dst is 4500")
    parse_actions("queue aes class 1 / queue sha / port_id host", facts)
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from girih.compiler.values import address, did_you_mean, ipv4_text, mac_text
from girih.errors import GirihError
from girih.rmt import action as actions
from girih.rmt.parse_graph import Piece
from girih.services import register_words
from girih.services.chains import HEADERS_HALF, Key, match_fields, shipped_program
from girih.services.facts import Facts

PATTERN_EXAMPLE = 'Write a pattern such as "ipv4 dst is 10.0.0.1 / udp dst is 4500".'
ACTIONS_EXAMPLE = 'Write actions such as "queue aes class 1 / queue sha / port_id host".'
_ITEM = re.compile(r"(?P<header>\w+(?:\.\w+)*?)[. ](?P<field>\w+)(?: is |=)(?P<value>\S+)")
RED = 2  # of the colours of a meter
Halves = dict[int, tuple[int, int]]
"""Mask and value of halves of the header vector, by number."""


@dataclass(frozen=True)
class Pattern:
    """Values of fields by name, and their masks, if not all bits are compared."""

    values: Mapping[str, int]
    masks: Mapping[str, int] = field(default_factory=dict)


def parse_pattern(text: str) -> Pattern:
    """Fields of a packet, `HEADER FIELD is VALUE` or `HEADER.FIELD=VALUE`; a value may be VALUE/PREFIX."""
    values, masks, fields = {}, {}, match_fields()
    for item in _items(text):
        found = _ITEM.fullmatch(item)
        if not found:
            raise GirihError(f"the pattern {item!r} cannot be read", "pattern", PATTERN_EXAMPLE)
        name = f"{found['header']}.{found['field']}"
        if name not in fields:
            raise GirihError(f"no match on {name}", "pattern", f"{did_you_mean(name, fields)}Fields: {', '.join(fields)}.")
        if name in values:
            raise GirihError(f"{name} is matched twice", "pattern", "Leave one out.")
        value, slash, prefix = found["value"].partition("/")
        values[name] = _field_value(name, value, fields[name])
        if slash:
            masks[name] = _prefix_mask(name, prefix, fields[name])
            values[name] &= masks[name]
    if not values:
        raise GirihError("the pattern matches nothing", "pattern", PATTERN_EXAMPLE)
    return Pattern(values, masks)


def _items(text: str) -> Iterator[str]:
    """The items between slashes with spaces around them, without a last `end`."""
    items = [" ".join(item.split()) for item in re.split(r"\s+/\s+|\s+/$", text.strip())]
    if items and items[-1] == "end":
        items.pop()
    return (item for item in items if item)


def _field_value(name: str, text: str, bits: int) -> int:
    number = _number(text)
    if number is None:
        number = address(text, bits)
    if number is None or not 0 <= number < 1 << bits:
        raise GirihError(f"{name} is {text}", "pattern", f"It has {bits} bits: a number, or an address as text.")
    return number


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


def _prefix_mask(name: str, text: str, bits: int) -> int:
    length = _number(text)
    if length is None or not 0 <= length <= bits:
        raise GirihError(f"{name} has a prefix of {text} bits", "pattern", f"It may be 0 to {bits}.")
    return (1 << bits) - (1 << bits - length)


def pattern_text(values: Mapping[str, int], masks: Mapping[str, int] = {}) -> str:
    """A pattern in the syntax of `parse_pattern`."""
    items = []
    for name, value in values.items():
        header, _, last = name.rpartition(".")
        bits = match_fields()[name]
        mask = masks.get(name, (1 << bits) - 1)
        prefix = "" if mask.bit_count() == bits else f"/{mask.bit_count()}"
        items.append(f"{header} {last} is {_value_text(name, value, bits)}{prefix}")
    return " / ".join(items)


def _value_text(name: str, value: int, bits: int) -> str:
    if bits == 32 and name.endswith((".src", ".dst")):
        return ipv4_text(value)
    if bits == 48:
        return mac_text(value)
    return str(ipaddress.IPv6Address(value)) if bits == 128 else str(value)


def entry_headers(key: Key, entry_key: int, entry_mask: int) -> set[str]:
    """The headers that the packets of an entry have."""
    mask, there = _entry_halves(key, entry_key, entry_mask).get(HEADERS_HALF, (0, 0))
    return {name for name, bit in shipped_program().headers.items() if mask & there & 1 << bit}


def _entry_halves(key: Key, entry_key: int, entry_mask: int) -> Halves:
    halves: Halves = {}
    for place, (half, key_mask) in enumerate(key.halves):
        shift = 16 * (key.slots - 1 - place)
        mask = entry_mask >> shift & key_mask
        halves[half] = mask, entry_key >> shift & mask
    return halves


def entry_pattern(key: Key, entry_key: int, entry_mask: int) -> str:
    """The pattern of an entry: fields if its bits are those of whole fields, else halves of the header vector."""
    halves = _entry_halves(key, entry_key, entry_mask)
    program, headers = shipped_program(), entry_headers(key, entry_key, entry_mask)
    halves.pop(HEADERS_HALF, None)
    values, masks = {}, {}
    for name, pieces in sorted(program.fields.items(), key=lambda item: -match_fields()[item[0]]):
        places = _places(pieces)
        value, mask = _joined(halves, places)
        bits = match_fields()[name]
        if name.rpartition(".")[0] not in headers or not mask or mask != (1 << bits) - (1 << bits - mask.bit_count()):
            continue
        values[name] = value
        if mask.bit_count() < bits:
            masks[name] = mask
        for half, of_field in places:
            have, is_value = halves.get(half, (0, 0))
            halves[half] = have & ~of_field, is_value & ~of_field
    rest = [f"half {half} & {mask:#06x} is {value:#06x}" for half, (mask, value) in halves.items() if mask]
    return " / ".join([*([pattern_text(values, masks)] if values else []), *rest]) or "any"


def _places(pieces: Iterable[Piece]) -> list[tuple[int, int]]:
    """Where a field is in the header vector: halves and its bits in each, the most significant first."""
    bits_of = [(piece.word, ((1 << piece.high - piece.low + 1) - 1) << piece.low) for piece in pieces]
    places = [(2 * word + high, bits >> 16 * high & 0xFFFF) for word, bits in bits_of for high in (1, 0)]
    return [(half, bits) for half, bits in places if bits]


def _joined(halves: Halves, places: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Value and mask of a field whose bits are at these places."""
    value = mask = 0
    for half, of_field in places:
        have, is_value = halves.get(half, (0, 0))
        low = (of_field & -of_field).bit_length() - 1
        value = value << of_field.bit_count() | (is_value & of_field) >> low
        mask = mask << of_field.bit_count() | (have & of_field) >> low
    return value, mask


# ---- actions ----


def parse_actions(text: str, facts: Facts) -> dict:
    """An action in the form that `girih.rmt.action.encode` takes. Raises GirihError if the words are not an action."""
    action: dict = {}
    for item in _items(text):
        word, *rest = item.split()
        if word not in ACTIONS:
            raise GirihError(f"no action is called {word}", "actions", f"{did_you_mean(word, ACTIONS)}There are: {', '.join(ACTIONS)}.")
        usage, carry_out = ACTIONS[word]
        try:
            carry_out(action, rest, facts)
        except (ValueError, IndexError) as error:
            raise GirihError(f"the action {item!r} cannot be read", "actions", f"Write: {usage}.") from error
    if not action:
        raise GirihError("there are no actions", "actions", ACTIONS_EXAMPLE)
    if "chain" in action:
        facts.chain_fits(len(action["chain"]), "actions")
    return checked(action)


def checked(action: dict) -> dict:
    """The action, if its values fit their fields."""
    try:
        actions.encode(action)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise GirihError(f"the actions do not fit an entry ({error})", "actions", "Give smaller numbers, or fewer of them.") from error
    return action


def _one(words: list[str]) -> str:
    if len(words) != 1:
        raise ValueError(words)
    return words[0]


def _natural(text: str) -> int:
    number = int(text, 0)
    if number < 0:
        raise ValueError(text)
    return number


def _setter(name: str, value: Callable[[str, Facts], int]) -> Callable:
    def carry_out(action: dict, words: list[str], facts: Facts) -> None:
        if name in action:
            raise GirihError(f"{name} is set twice", "actions", "Leave one out.")
        action |= {f"{name}_set": 1, name: value(_one(words), facts)}

    return carry_out


def _flag(name: str, also: dict) -> Callable:
    def carry_out(action: dict, words: list[str], _facts: Facts) -> None:
        if words:
            raise ValueError(words)
        action |= {name: 1, **also}

    return carry_out


def _queue(action: dict, words: list[str], facts: Facts) -> None:
    hop = {"service": facts.service(words[0])["number"]}
    if len(words) % 2 == 0:
        raise ValueError(words)
    for name, value in zip(words[1::2], words[2::2]):
        hop[{"class": "rank_class", "meta": "meta"}.get(name) or _one([])] = _natural(value)
    chain = [*action.get("chain", ()), hop]
    action |= {"chain_set": 1, "chain_count": len(chain), "chain": chain}


def _mark(action: dict, words: list[str], _facts: Facts) -> None:
    action |= {"meta_set": 3, "meta": _natural(_one(words))}


def _meter(action: dict, words: list[str], _facts: Facts) -> None:
    treatment: list[dict] = [{} for _ in range(3)]
    treatment[RED] = {"drop": 1}
    action |= {"meter_set": 1, "meter": _natural(_one(words)), "treatment": treatment}


def _modify(action: dict, words: list[str], _facts: Facts) -> None:
    name, operation, text = words
    if operation not in ("set", "add"):
        raise ValueError(operation)
    if name not in match_fields():
        raise GirihError(f"there is no field {name}", "actions", f"{did_you_mean(name, match_fields())}Fields: {', '.join(match_fields())}.")
    pieces = shipped_program().fields[name]
    bits = match_fields()[name]
    if not _is_editable(pieces) or (operation == "add" and len(pieces) > 1):
        remedy = "Choose a field of whole halfwords; to add, it must be in one word."
        raise GirihError(f"{name} cannot be changed alone", "actions", remedy)
    left, value = bits, _field_value(name, text, bits)
    edits = list(action.get("edit", ()))
    for piece in pieces:
        width = piece.high - piece.low + 1
        left -= width
        part = (value >> left & (1 << width) - 1) << piece.low
        edits.append({"op": operation, "number": piece.word, "halves": _halves(piece), "value": part})
    if len(edits) > 2:
        raise GirihError("an entry changes at most two words of a packet", "actions", "Put the rest in another stage.")
    action["edit"] = edits


def _is_editable(pieces: Iterable[Piece]) -> bool:
    return not any(piece.low % 16 or (piece.high + 1) % 16 for piece in pieces)


def _halves(piece: Piece) -> int:
    """The halves of its word that a piece of a field fills, a bit each."""
    return sum(1 << half for half in (0, 1) if piece.low <= 16 * half <= piece.high)


def _register(action: dict, words: list[str], _facts: Facts) -> None:
    if "state" in action:
        raise GirihError("an entry changes at most one register", "actions", "Put one of them in another stage.")
    action["state"] = register_words.parse(words)


# By word: its syntax, and its effect on the action.
ACTIONS: dict[str, tuple[str, Callable]] = {
    "drop": ("drop", _flag("drop", {})),
    "queue": ("queue SERVICE [class N] [meta N]", _queue),
    "port_id": ("port_id TILE", _setter("exit", lambda text, facts: facts.exit(text))),
    "tenant": ("tenant NAME", _setter("tenant", lambda text, facts: facts.tenant(text)["number"])),
    "mark": ("mark N", _mark),
    "rank": ("rank N", _setter("rank", lambda text, _: _natural(text))),
    "flow": ("flow N", _setter("flow", lambda text, _: _natural(text))),
    "lossless": ("lossless", _flag("lossless", {"lossless_set": 1})),
    "count": ("count N", _setter("count", lambda text, _: _natural(text))),
    "meter": ("meter N", _meter),
    "register": (register_words.USAGE, _register),
    "sample": ("sample TILE", _setter("mirror", lambda text, facts: facts.exit(text))),
    "modify_field": ("modify_field HEADER.FIELD set|add VALUE", _modify),
}


def action_text(action: Mapping, facts: Facts, headers: Container[str] = ()) -> str:
    """A decoded action in words; parts for which `parse_actions` has no words are named.

    headers: those that the packets are known to have, which tell fields at the same place of the header vector apart.
    """
    items = ["drop"] if action.get("drop") else []
    for hop in list(action.get("chain", ()))[: action.get("chain_count", 0) if action.get("chain_set") else 0]:
        extra = "".join(f" {word} {hop[name]}" for word, name in (("class", "rank_class"), ("meta", "meta")) if hop.get(name))
        items.append(f"queue {facts.service_name(hop['service'])}{extra}")
    for word, name, value in (
        ("port_id", "exit", facts.tile_name),
        ("tenant", "tenant", facts.tenant_name),
        ("rank", "rank", str),
        ("flow", "flow", str),
        ("count", "count", str),
        ("meter", "meter", str),
        ("sample", "mirror", facts.tile_name),
    ):
        if action.get(f"{name}_set"):
            items.append(f"{word} {value(action.get(name, 0))}")
    if action.get("meta_set"):
        items.append(f"mark {action['meta']}")
    if action.get("lossless_set"):
        items.append("lossless" if action.get("lossless") else "not lossless")
    items += _edit_texts(action.get("edit", ()), headers)
    if action.get("state", {}).get("enable"):
        items.append(register_words.text(action["state"]))
    return " / ".join(items) or "none"


def _edit_texts(edits: Iterable[Mapping], headers: Container[str]) -> list[str]:
    """Edits as changes of fields; one of a word's halves that are no field is named."""
    left = [(_operation(edit), edit) for edit in edits if _operation(edit) != "none"]
    texts = []
    while left:
        names = [name for name, pieces in shipped_program().fields.items() if name in match_fields() and _is_edit_of(pieces, left)]
        if names:
            name = min(names, key=lambda name: (name.rpartition(".")[0] not in headers, -len(shipped_program().fields[name])))
            texts.append(_edit_text(name, left))
            left = left[len(shipped_program().fields[name]) :]
        else:
            operation, edit = left.pop(0)
            texts.append(f"word {edit['number']} halves {edit['halves']} {operation} {edit['value']:#x}")
    return texts


def _operation(edit: Mapping) -> str:
    operation = edit.get("op", 0)
    return operation if isinstance(operation, str) else actions.names("edit_op")[operation]


def _is_edit_of(pieces: Sequence[Piece], edits: Sequence[tuple[str, Mapping]]) -> bool:
    """Whether the first edits are what `modify_field` makes of a field."""
    first = edits[: len(pieces)]
    return (
        _is_editable(pieces)
        and [(edit["number"], edit["halves"]) for _, edit in first] == [(piece.word, _halves(piece)) for piece in pieces]
        and (len(pieces) == 1 or all(operation == "set" for operation, _ in first))
    )


def _edit_text(name: str, edits: Sequence[tuple[str, Mapping]]) -> str:
    """The first edits as a change of a field."""
    value = 0
    for piece, (_, edit) in zip(shipped_program().fields[name], edits):
        width = piece.high - piece.low + 1
        value = value << width | edit["value"] >> piece.low & (1 << width) - 1
    operation = edits[0][0]
    return f"modify_field {name} {operation} {_value_text(name, value, match_fields()[name]) if operation == 'set' else value}"
