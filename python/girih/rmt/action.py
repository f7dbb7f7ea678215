# SPDX-License-Identifier: Apache-2.0
"""Actions of match-action entries: reads `spec/action.yaml`, gives a codec and `action_pkg.sv`.

    word = encode({"chain_set": 1, "chain_count": 1, "chain": [{"service": 3}], "state": {"enable": 1}})
    decode(word)["chain_count"] == 1

A struct is a dict of its nonzero fields; an enum is a number or its name without the prefix, in lower case with
underscores ("drop_if_true").
"""

from __future__ import annotations

import re
from functools import cache

from ruamel.yaml import YAML

from girih.paths import SPEC
from girih.spec.message import Field, pack, struct_fields, type_widths, unpack


@cache
def _spec() -> dict:
    return YAML(typ="safe").load((SPEC / "action.yaml").read_text())


@cache
def fields(struct: str) -> tuple[Field, ...]:
    """The fields of a struct, first one at the most significant end."""
    if struct not in _spec()["structs"]:
        return tuple(struct_fields(struct))
    return tuple(
        Field(e["name"], e.get("bits") or _bits(e["type"]), e.get("count", 1), e.get("type"), e["doc"])
        for e in _spec()["structs"][struct]
    )


def _bits(kind: str) -> int:
    if kind in _spec()["enums"]:
        return _spec()["enums"][kind]["bits"]
    if kind in type_widths():
        return type_widths()[kind]
    return sum(field.width for field in fields(kind))




def names(enum: str) -> list[str]:
    """The values of an enum, as `encode` takes them: `drop_if_true` for TargetDropIfTrue."""
    snake = [re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in _spec()["enums"][enum]["names"]]
    prefix = len(enum.split("_", maxsplit=1)[0]) + 1
    return [name[prefix:] for name in snake]


def size(name: str) -> int:
    """A constant shared with the hardware, such as `CommandWord`."""
    return _spec()["sizes"][name]["value"]


def _number(kind: str, value) -> int:
    if isinstance(value, dict):
        return encode(value, kind)
    if isinstance(value, str):
        if value not in names(kind):
            raise ValueError(f"{value}: {kind} is one of {', '.join(names(kind))}")
        return names(kind).index(value)
    return int(value)


def encode(values: dict, struct: str = "action") -> int:
    """Packs a struct. Raises KeyError for an unknown name, ValueError for a value that does not fit."""
    types = {field.name: field.type or "" for field in fields(struct)}
    numbers = {}
    for name, value in values.items():
        kind = types.get(name, "")
        numbers[name] = [_number(kind, v) for v in value] if isinstance(value, (list, tuple)) else _number(kind, value)
    return pack(list(fields(struct)), numbers)


def decode(word: int, struct: str = "action") -> dict:
    """The inverse of `encode`, with every field, structs as dicts and enums as numbers."""
    values = unpack(list(fields(struct)), word)
    for field in fields(struct):
        if field.type and (field.type in _spec()["structs"] or field.type == "hop"):
            value = values[field.name]
            values[field.name] = (
                [decode(v, field.type) for v in value] if field.count > 1 else decode(value, field.type)
            )
    return values


def package() -> str:
    """The text of `action_pkg.sv`."""
    spec = _spec()
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from spec/action.yaml by girih.rmt.action; do not edit.",
        "package action_pkg;",
        "  import girih_pkg::*;",
        "",
        *[f"  localparam int unsigned {name} = {e['value']};  // {e['doc']}" for name, e in spec["sizes"].items()],
    ]
    for name, enum in spec["enums"].items():
        members = [f"    {member} = {enum['bits']}'d{i}" for i, member in enumerate(enum["names"])]
        lines += ["", f"  // {enum['doc']}", f"  typedef enum logic [{enum['bits'] - 1}:0] {{", ",\n".join(members)]
        lines += [f"  }} {name}_e;"]
    for name in spec["structs"]:
        lines += ["", "  typedef struct packed {"]
        for field in fields(name):
            suffix = "_e" if field.type in spec["enums"] else "_t"
            dims = f"[{field.count - 1}:0] " if field.count > 1 else ""
            kind = f"{field.type}{suffix} {dims}"
            if not field.type:
                kind = f"logic [{field.bits - 1}:0] " if field.bits > 1 else "logic "
            lines.append(f"    {kind}{field.name};" + (f"  // {field.doc}" if field.doc else ""))
        lines += [f"  }} {name}_t;"]
    return "\n".join([*lines, "endpackage", ""])
