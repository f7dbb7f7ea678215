# SPDX-License-Identifier: Apache-2.0
"""Actions of match-action entries: the format of `spec/action.yaml`.

    word = encode({"chain_set": 1, "chain_count": 1, "chain": [{"service": 3}], "state": {"enable": 1}})
    decode(word)["chain_count"] == 1
"""

from __future__ import annotations

from collections.abc import Mapping

from girih.spec.formats import Format

FORMAT = Format("action")
size, names, fields = FORMAT.size, FORMAT.names, FORMAT.fields


def most_hops() -> int:
    """The services that a chain can have in an action."""
    return next(field.count for field in fields("action") if field.name == "chain")


def encode(values: Mapping[str, object], struct: str = "action") -> int:
    """Packs a struct. Raises KeyError for an unknown name, ValueError for a value that does not fit."""
    return FORMAT.encode(struct, values)


def decode(word: int, struct: str = "action") -> dict:
    """The inverse of `encode`, with every field, structs as dicts and enums as numbers."""
    return FORMAT.decode(struct, word)
