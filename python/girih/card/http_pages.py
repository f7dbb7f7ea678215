# SPDX-License-Identifier: Apache-2.0
"""The pages of a tile `http`: the scripts of its answers, which it runs byte by byte (`spec/http_script.yaml`
says what each byte means).

`/metrics` has a line for each counter of each tile that the server may read, in the text format of Prometheus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from girih.errors import GirihError
from girih.spec.formats import Format
from girih.spec.kind import RIGHTS, TILE_MAP

if TYPE_CHECKING:
    from girih.card.registers import Registers

KIND = "http"
SCRIPT = Format("http_script")
PAGE_BYTES, ENTRY_BYTES = SCRIPT.size("PageBytes"), SCRIPT.size("EntryBytes")
COUNTER, CALL, END, RETURN, BODY, JUMP = (SCRIPT.size(f"Directive{name}") for name in ("Counter", "Call", "End", "Return", "Body", "Jump"))
SUBJECTS = 1 << SCRIPT.bits("subject")  # entries of each of the two tables; the second one is for clients of HTTP/1.0
COUNTER_BYTES = TILE_MAP.size("CounterBytes")
WORD_BYTES = 4
TEXT, HTML = "text/plain; version=0.0.4", "text/html"
REFUSALS = {"missing": "404 Not Found", "bad_request": "400 Bad Request", "unimplemented": "501 Not Implemented"}
HOME = '<!DOCTYPE html><title>Girih</title><a href="/metrics">metrics</a>\n'


class Counted(Protocol):
    """The facts about a tile that a page needs. counters: their offsets."""

    @property
    def name(self) -> str: ...
    @property
    def node(self) -> int: ...
    @property
    def counters(self) -> Mapping[str, int]: ...


class _Script:
    """Bytes of scripts; a text that several of them use is stored once."""

    def __init__(self) -> None:
        self.bytes = bytearray(2 * SUBJECTS * ENTRY_BYTES)
        self._shared: dict[str, int] = {}

    def share(self, text: str) -> bytes:
        """A call of a text."""
        if text not in self._shared:
            self._shared[text] = len(self.bytes)
            self.bytes += text.encode("ascii") + bytes([RETURN])
        return bytes([CALL]) + self._shared[text].to_bytes(2, "big")

    def add(self, script: bytes) -> int:
        """Where the script has been put."""
        self.bytes += script
        return len(self.bytes) - len(script)

    def answer(self, subject: str, status: str, media: str, body: int) -> None:
        """The entries of the two tables for a subject."""
        for old in (0, 1):
            framing = "Connection: close" if old else "Transfer-Encoding: chunked"
            head = f"HTTP/1.{1 - old} {status}\r\nContent-Type: {media}\r\n{framing}\r\n\r\n"
            start = self.add(head.encode("ascii") + bytes([BODY, JUMP]) + body.to_bytes(2, "big"))
            at = (old * SUBJECTS + SCRIPT.encode("subject", subject)) * ENTRY_BYTES
            self.bytes[at : at + 3] = bytes([JUMP]) + start.to_bytes(2, "big")


def pages(tiles: Sequence[Counted]) -> bytes:
    """The page memory of a server that reads the counters of these tiles. Raises GirihError if they need more than there is."""
    script = _Script()
    names = {name: None for tile in tiles for name in tile.counters}
    lines = bytearray()
    for name in names:
        lines += script.share("# TYPE girih_") + script.share(f"{name}_total") + script.share(" counter") + b"\n"
        for tile in tiles:
            if name in tile.counters:
                index = (tile.counters[name] - min(tile.counters.values())) // COUNTER_BYTES
                lines += script.share("girih_") + script.share(f"{name}_total") + script.share(f'{{tile="{tile.name}"}} ')
                lines += bytes([COUNTER, tile.node, index]) + b"\n"
    bodies = {"metrics": (lines, "200 OK", TEXT), "root": (HOME.encode("ascii"), "200 OK", HTML)}
    bodies |= {subject: (f"{status}\n".encode("ascii"), status, TEXT) for subject, status in REFUSALS.items()}
    for subject, (body, status, media) in bodies.items():
        script.answer(subject, status, media, script.add(bytes(body) + bytes([END])))
    if len(script.bytes) > PAGE_BYTES:
        what = f"the counters of {len(tiles)} tiles take {len(script.bytes)} bytes of the {PAGE_BYTES} that an HTTP server has for its pages"
        raise GirihError(what, "control", "Give it the right to read fewer tiles.")
    return bytes(script.bytes) + bytes(-len(script.bytes) % WORD_BYTES)


def load(registers: Registers, name: str) -> None:
    """Writes the pages of the server `name`, which answers from then on. Its rights say which tiles it may read."""
    server = registers.manifest.tile(name)
    words = [registers.read(f"{name}.{register}") for register in server.registers if register.startswith(RIGHTS)]
    nodes = {right["node"] for right in (TILE_MAP.decode("control_right", word) for word in words) if right["read"]}
    image = pages([tile for tile in registers.manifest.tiles if tile.node in nodes])
    for at in (*range(WORD_BYTES, len(image), WORD_BYTES), 0):  # the first word opens the server
        registers.write_window(name, at, int.from_bytes(image[at : at + WORD_BYTES], "little"))
