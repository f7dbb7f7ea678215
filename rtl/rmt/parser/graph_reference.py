# SPDX-License-Identifier: Apache-2.0
"""The reference of the tests: classifies a frame by walking the parse graph header by header, without paths, entries or probes. Fields are bits of
the frame; `Parsed.words` is the expected content of the packet header vector."""

from __future__ import annotations

from dataclasses import dataclass, field

SEEN = 128  # bytes of a frame that the parser sees
HALVES = 32


@dataclass
class Parsed:
    headers: dict[str, int] = field(default_factory=dict)  # name: offset, in order
    end: int = 0  # the byte behind the last header
    words: dict[int, tuple[int, int]] = field(default_factory=dict)  # number: (value, bytes)
    owners: dict[int, tuple[str, int]] = field(default_factory=dict)  # number: (header, byte in it)
    l3: int = 0
    l4: int = 0
    payload: int = 0
    length: int = 0
    flow: int = 0

    @property
    def runt(self) -> bool:
        return not self.headers


def bits_of(frame: bytes, at: int, first: int, bits: int) -> int:
    number = int.from_bytes(frame[at : at + (first + bits + 7) // 8], "big")
    return number >> (-(first + bits) % 8) & ((1 << bits) - 1)


def interpret(graph, frame: bytes) -> Parsed:
    out = Parsed()
    name, at = graph.start, 0
    behind: dict[str, int] = {}
    seen = frame[:SEEN]
    while name:
        header = graph.headers[name]
        if at + header["bytes"] > len(seen):
            break

        def value(what: str, header=header, at=at) -> int:
            return bits_of(seen, at, *header["fields"][what])

        if any(value(f) != v for f, v in header.get("check", {}).items()):
            break
        size, last = header["bytes"], False
        if "size" in header:
            real = value(header["size"]["field"]) * header["size"]["unit"]
            if real < size:
                break
            if set(out.headers) <= set(graph.link):  # the network header
                size = real
                if at + size > len(seen):
                    break
            else:
                last = real != size
        out.headers[name], out.end = at, at + size
        behind[name] = at + size
        follow = header.get("next", {})
        allowed = all(value(f) & mask == v for f, (v, mask) in follow.get("when", {}).items())
        cases = follow.get("cases", {})
        if last or not allowed or not cases:
            break
        name = cases["any"] if "any" in cases else cases.get(value(follow["select"]))
        at = out.end
    if not out.runt:
        _describe(graph, seen, out, behind)
    return out


def _describe(graph, seen: bytes, out: Parsed, behind: dict[str, int]) -> None:
    for number, name, byte in graph.words:
        if name in out.headers:
            count = min(4, graph.headers[name]["bytes"] - byte)
            at = out.headers[name] + byte
            out.words[number] = (int.from_bytes(seen[at : at + count].ljust(4, b"\0"), "big"), count)
            out.owners[number] = (name, byte)
    out.payload = out.end
    roles = {}
    for name in out.headers:
        roles.setdefault(graph.headers[name].get("role"), name)
    network, transport = roles.get("l3"), roles.get("l4")
    if network:
        out.l3, out.payload = out.headers[network], behind[network]
    if transport:
        out.l4, out.payload = out.headers[transport], behind[transport]
    if network and "length" in graph.headers[network]:
        rule = graph.headers[network]["length"]
        told = bits_of(seen, out.l3, *graph.headers[network]["fields"][rule["field"]])
        length = told + out.l3 + rule["add"]
        out.length = 0 if length < out.payload else min(length, (1 << 14) - 1)
    for half in range(HALVES):
        number, second = divmod(half, 2)
        if number not in out.owners:
            continue
        header, byte = out.owners[number]
        first = 8 * (byte + 2 * second)
        names = [n.rpartition(".") for n in graph.flow]
        fields = [graph.headers[header]["fields"][name] for owner, _, name in names if owner == header]
        if any(f < first + 16 and first < f + n for f, n in fields):
            value = out.words[number][0] >> (0 if second else 16) & 0xFFFF
            turn = (5 * number + 3 * (1 - second)) % 16
            out.flow ^= (value >> turn | value << (16 - turn)) & 0xFFFF
