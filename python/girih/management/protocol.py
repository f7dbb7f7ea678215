# SPDX-License-Identifier: Apache-2.0
"""The messages between operators and a card's controller (docs/management.md); spec/management.yaml has the layout."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from girih.spec.formats import Format

FORMAT = Format("management")
REQUEST_BYTES, SIGNED_BYTES, MOST_ENTRIES = (FORMAT.size(name) for name in ("RequestBytes", "SignedBytes", "MostEntries"))
KEY_BYTES, NONCE_BYTES = FORMAT.size("KeyBytes"), FORMAT.size("NonceBytes")
ENTRY_BYTES = 8
ENTRIES_AT = 16  # of a request's bytes


@dataclass(frozen=True)
class Entry:
    """One access. data: to write, or what was read."""

    node: int
    offset: int
    data: int = 0


@dataclass(frozen=True)
class Request:
    """A request, a hello or a confirmation, without its MAC. status: the name of one, without its prefix."""

    number: int
    kind: str
    entries: tuple[Entry, ...] = ()
    status: str = "done"
    index: int = 0
    cycle: int = 0

    def signed(self) -> bytes:
        """The bytes that the MAC covers."""
        fields = {"number": self.number, "kind": self.kind, "count": len(self.entries), "status": self.status, "index": self.index, "cycle": self.cycle}
        entries = [{"node": entry.node, "offset": entry.offset, "data": entry.data} for entry in self.entries]
        word = FORMAT.encode("request", fields | ({"entries": entries + [{}] * (MOST_ENTRIES - len(entries))} if entries else {}))
        return word.to_bytes(REQUEST_BYTES, "little")[:SIGNED_BYTES]


def mac(key: bytes, nonce: bytes, signed: bytes) -> bytes:
    """SHA3-256 of all three, one after the other."""
    return hashlib.sha3_256(key + nonce + signed).digest()


def sealed(key: bytes, nonce: bytes, request: Request) -> bytes:
    """A request as it goes over the wire."""
    signed = request.signed()
    return signed + mac(key, nonce, signed)


def opened(text: bytes) -> Request:
    """The message in the bytes; its MAC is not checked."""
    fields = FORMAT.decode("request", int.from_bytes(text, "little"))
    entries = [Entry(entry["node"], entry["offset"], entry["data"]) for entry in fields["entries"][: fields["count"]]]
    kinds, states = FORMAT.names("kind"), FORMAT.names("status")
    kind, status = fields["kind"], fields["status"]
    known = kind < len(kinds) and status < len(states)
    return Request(fields["number"], kinds[kind] if known else "none", tuple(entries), states[status] if known else "malformed", fields["index"], fields["cycle"])


def nonce_of(hello: bytes) -> bytes:
    """The nonce in a hello."""
    return hello[ENTRIES_AT : ENTRIES_AT + NONCE_BYTES]


def chunks(accesses: Sequence[Entry]) -> list[tuple[Entry, ...]]:
    """In groups that fit in a request."""
    return [tuple(accesses[at : at + MOST_ENTRIES]) for at in range(0, len(accesses), MOST_ENTRIES)]
