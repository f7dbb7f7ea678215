# SPDX-License-Identifier: Apache-2.0
"""The format of parser programs: reads `spec/parser.yaml`, gives a codec and `parser_pkg.sv`.

    encode("place", {"base": "l3", "halfword": 4})

A struct is a dict of its nonzero fields, an array a list with element 0 first.
"""

from __future__ import annotations

from functools import cache

from ruamel.yaml import YAML

from girih.paths import SPEC
from girih.spec.message import Field, pack

WINDOW_BYTES = 0x800  # of the parser in the tile's window


@cache
def _spec() -> dict:
    return YAML(typ="safe").load((SPEC / "parser.yaml").read_text())


def size(name: str) -> int:
    return _spec()["sizes"][name]["value"]


@cache
def fields(struct: str) -> tuple[Field, ...]:
    """The fields of a struct, first one at the most significant end."""
    return tuple(
        Field(e["name"], e.get("bits") or bits(e["type"]), e.get("count", 1), e.get("type"), e.get("doc", ""))
        for e in _spec()["structs"][struct]
    )


def bits(kind: str) -> int:
    """Bits of an enum or a struct."""
    if kind in _spec()["enums"]:
        return _spec()["enums"][kind]["bits"]
    return sum(field.width for field in fields(kind))


def names(enum: str) -> list[str]:
    """The values of an enum, as `encode` takes them: `l3` for BaseL3."""
    return [name[len(enum.split("_", maxsplit=1)[0]) :].lower() for name in _spec()["enums"][enum]["names"]]


def encode(kind: str, value) -> int:
    """Packs a struct or an enum. Raises KeyError for an unknown name, ValueError for a value that does not fit."""
    if isinstance(value, dict):
        types = {field.name: field.type or "" for field in fields(kind)}
        numbers = {
            name: [encode(types.get(name, ""), v) for v in item]
            if isinstance(item, (list, tuple))
            else encode(types.get(name, ""), item)
            for name, item in value.items()
        }
        return pack(list(fields(kind)), numbers)
    return names(kind).index(value) if isinstance(value, str) else int(value)


def package() -> str:
    """The text of `parser_pkg.sv`."""
    spec = _spec()
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from spec/parser.yaml by girih.rmt.program; do not edit.",
        "package parser_pkg;",
    ]
    lines += [f"  localparam int unsigned {n} = {e['value']};  // {e['doc']}" for n, e in spec["sizes"].items()]
    for name, enum in spec["enums"].items():
        members = [f"    {member} = {enum['bits']}'d{i}" for i, member in enumerate(enum["names"])]
        lines += ["", f"  // {enum['doc']}", f"  typedef enum logic [{enum['bits'] - 1}:0] {{", ",\n".join(members)]
        lines += [f"  }} {name}_e;"]
    for name in spec["structs"]:
        lines += ["", "  typedef struct packed {"]
        for field in fields(name):
            dims = f"[{field.count - 1}:0] " if field.count > 1 else ""
            if field.type:
                kind = f"{field.type}{'_e' if field.type in spec['enums'] else '_t'} {dims}"
            else:
                kind = f"logic {dims}[{field.bits - 1}:0] " if field.bits > 1 else f"logic {dims}"
            lines.append(f"    {kind}{field.name};" + (f"  // {field.doc}" if field.doc else ""))
        lines += [f"  }} {name}_t;"]
    return "\n".join([*lines, "endpackage", ""])
