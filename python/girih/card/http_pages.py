# SPDX-License-Identifier: Apache-2.0
"""The pages of a tile `http`: the scripts of its answers, which it runs byte by byte (`http_script.sv` says what each byte means).

`/metrics` has a line for each counter of each tile that the tile has a right to read, in the text format of Prometheus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from girih.errors import GirihError

if TYPE_CHECKING:
    from girih.card.registers import Registers

KIND = "http"
PAGE_BYTES, WORD_BYTES, COUNTER_BYTES = 16384, 4, 8
COUNTER, CALL, END, RETURN, BODY, JUMP = range(0x80, 0x86)
SUBJECTS = 8  # of scripts in a table, whose entries are jumps; a second table is for clients of HTTP/1.0
ENTRY_BYTES = 4
TEXT, HTML = "text/plain; version=0.0.4", "text/html"
HOME = '<!DOCTYPE html><title>Girih</title><a href="/metrics">metrics</a>\n'
RIGHT_READS, RIGHT_NODE = 1, 16  # a bit, and the lowest bit of a field, of a register `right`


class Counted(Protocol):
    """What a page needs of a tile. counters: their offsets."""

    @property
    def name(self) -> str: ...
    @property
    def node(self) -> int: ...
    @property
    def counters(self) -> Mapping[str, int]: ...


class _Script:
    """Bytes of scripts, with each text that several share once."""

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

    def answer(self, subject: int, status: str, media: str, body: int) -> None:
        """The entries of the two tables for a subject."""
        for old in (0, 1):
            framing = "Connection: close" if old else "Transfer-Encoding: chunked"
            head = f"HTTP/1.{1 - old} {status}\r\nContent-Type: {media}\r\n{framing}\r\n\r\n"
            start = self.add(head.encode("ascii") + bytes([BODY, JUMP]) + body.to_bytes(2, "big"))
            at = (old * SUBJECTS + subject) * ENTRY_BYTES
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
    bodies = [(lines + bytes([END]), "200 OK", TEXT), (HOME.encode("ascii") + bytes([END]), "200 OK", HTML)]
    bodies += [(f"{status}\n".encode("ascii") + bytes([END]), status, TEXT) for status in ("404 Not Found", "400 Bad Request", "501 Not Implemented")]
    for subject, (body, status, media) in enumerate(bodies):
        script.answer(subject, status, media, script.add(bytes(body)))
    if len(script.bytes) > PAGE_BYTES:
        what = f"the counters of {len(tiles)} tiles take {len(script.bytes)} bytes of the {PAGE_BYTES} that an HTTP server has for its pages"
        raise GirihError(what, "control", "Give it the right to read fewer tiles.")
    return bytes(script.bytes) + bytes(-len(script.bytes) % WORD_BYTES)


def load(registers: Registers, name: str) -> None:
    """Writes the pages of the server `name`, which answers from then on. Its rights say which tiles it may read."""
    server = registers.manifest.tile(name)
    rights = [registers.read(f"{name}.{right}") for right in server.registers if right.startswith("right")]
    nodes = {right >> RIGHT_NODE for right in rights if right & RIGHT_READS}
    image = pages([tile for tile in registers.manifest.tiles if tile.node in nodes])
    for at in (*range(WORD_BYTES, len(image), WORD_BYTES), 0):  # the first word opens the server
        registers.write_window(name, at, int.from_bytes(image[at : at + WORD_BYTES], "little"))
