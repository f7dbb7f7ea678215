# SPDX-License-Identifier: Apache-2.0
"""Formats that software and RTL share: a file of `spec/` with sizes, enums and packed structs gives a codec and a package.

    ACTION = Format("action")
    word = ACTION.encode("action", {"chain_count": 1, "chain": [{"service": 3}], "state": {"enable": 1}})
    ACTION.decode("action", word)["chain_count"] == 1

A struct is a dict of its nonzero fields, an array a list with element 0 first. An enum is a number, or its name without the
prefix, in lower case with underscores: `drop_if_true` for TargetDropIfTrue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from girih.paths import ROOT, SPEC
from girih.spec.files import read_spec
from girih.spec.message import Field, declared, pack, struct_fields, type_widths, unpack
from girih.verilog import render

TEMPLATE = Path(__file__).parent / "templates" / "format_pkg.sv.j2"


class Format:
    """What `spec/<name>.yaml` describes. Types of the message, such as `node` and `hop`, are known, too."""

    def __init__(self, name: str):
        self._name = name
        self._fields: dict[str, list[Field]] = {}

    @property
    def _spec(self) -> Mapping[str, Any]:
        return read_spec(self._name)

    def size(self, name: str) -> int:
        """A constant, such as `CommandWord`."""
        return self._spec["sizes"][name]["value"]

    @property
    def sizes(self) -> Mapping[str, Mapping[str, Any]]:
        """All constants: `value` and `doc` by name."""
        return self._spec["sizes"]

    def fields(self, struct: str) -> list[Field]:
        """The fields of a struct, first one at the most significant end."""
        if struct not in self._spec["structs"]:
            return struct_fields(struct)
        if struct not in self._fields:
            self._fields[struct] = [
                Field(e["name"], e.get("bits") or self.bits(e["type"]), e.get("count", 1), e.get("type"), e.get("doc", ""))
                for e in self._spec["structs"][struct]
            ]
        return self._fields[struct]

    def places(self, struct: str) -> dict[str, tuple[int, int]]:
        """The lowest bit and the width of each field of a struct."""
        fields = self.fields(struct)
        return {field.name: (sum(below.width for below in fields[at + 1 :]), field.width) for at, field in enumerate(fields)}

    def bits(self, kind: str) -> int:
        """Bits of a type."""
        if kind in self._spec["enums"]:
            return self._spec["enums"][kind]["bits"]
        return type_widths().get(kind) or sum(field.width for field in self.fields(kind))

    def names(self, enum: str) -> list[str]:
        """The values of an enum, as `encode` takes them."""
        snake = [re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in self._spec["enums"][enum]["names"]]
        return [name[len(enum.split("_", maxsplit=1)[0]) + 1 :] for name in snake]

    def encode(self, kind: str, value: object) -> int:
        """Packs a struct or an enum. Raises KeyError for an unknown field, ValueError for a value that does not fit."""
        if isinstance(value, Mapping):
            types = {field.name: field.type or "" for field in self.fields(kind)}
            return pack(self.fields(kind), {name: self._member(types.get(name, ""), item) for name, item in value.items()})
        if isinstance(value, str):
            if value not in self.names(kind):
                raise ValueError(f"{value}: {kind} is one of {', '.join(self.names(kind))}")
            return self.names(kind).index(value)
        return int(value)  # type: ignore[call-overload]

    def _member(self, kind: str, value: object) -> int | list[int]:
        return [self.encode(kind, item) for item in value] if isinstance(value, (list, tuple)) else self.encode(kind, value)

    def decode(self, struct: str, word: int) -> dict:
        """The inverse of `encode`, with every field, structs as dicts and enums as numbers."""
        values = unpack(self.fields(struct), word)
        for field in self.fields(struct):
            if field.type and field.type not in self._spec["enums"] and field.type not in type_widths():
                value = values[field.name]
                values[field.name] = [self.decode(field.type, v) for v in value] if field.count > 1 else self.decode(field.type, value)
        return values

    def package(self) -> str:
        """The text of `<name>_pkg.sv`."""
        known = {*self._spec["structs"], *self._spec["enums"]}
        structs = {name: [declared(field, self._spec["enums"]) for field in self.fields(name)] for name in self._spec["structs"]}
        return render(
            TEMPLATE,
            name=self._name,
            source=(SPEC / f"{self._name}.yaml").relative_to(ROOT),
            imports=any(field.type and field.type not in known for name in structs for field in self.fields(name)),
            sizes=self._spec["sizes"],
            enums=self._spec["enums"],
            structs=structs,
        )
