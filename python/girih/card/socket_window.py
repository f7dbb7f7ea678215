# SPDX-License-Identifier: Apache-2.0
"""The window of a tile of kind `socket` (spec/windows.yaml, `socket_window`): commands to the stack, its answers, and the connections that have opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address

from girih.card.registers import AccessRefused, Registers
from girih.errors import GirihError
from girih.spec.windows import offset

WINDOW = "socket_window"
READ, WRITE, CLOSE, ABORT, OPEN = 3, 4, 5, 6, 7  # stream_op
END = 8  # stream_end
BUSY, READING, ANSWERED = 1, 2, 4  # bits of the window's state
REFUSED, UNANSWERED = 0, 1  # why a connection was not opened (else there was no room for it), or why it is broken
MOST = 4096  # bytes of a message, if they fit into the card's frames
LOOKS = 5000  # looks at the tile within which the stack answers a read that need not wait
Address = tuple[str, int]


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[start : start + 4], "little") for start in range(0, len(data), 4)]


@dataclass(frozen=True)
class Answer:
    """The state of a connection. room: bytes that can be written. end: the peer sends nothing after `data`. reset: the connection is
    broken, and `room` says why."""

    data: bytes
    room: int
    end: bool
    reset: bool


@dataclass(frozen=True)
class Opened:
    """A connection that has opened, or could not be opened. number: the stack's number for it. asked: whether this tile asked for it. why: the reason why it was
    not opened; None: it is open."""

    peer: Address
    port: int
    number: int
    asked: bool
    why: int | None


class SocketWindow:
    """wait: called between two looks at the tile. A call that an exception ends, as Ctrl-C does, loses nothing that the stack has given."""

    def __init__(self, registers: Registers, tile: str, wait: Callable[[], None]):
        self._registers, self._tile, self.wait = registers, tile, wait
        self.most = min(MOST, registers.manifest.max_frame)
        """Bytes of a write."""
        self._asked: int | None = None  # the connection whose answer is still at the tile
        self._answers: dict[int, Answer] = {}  # answers that were taken, but not returned to a caller

    def _read(self, part: str, **index: int) -> int:
        return self._registers.read_window(self._tile, offset(WINDOW, part, **index))

    def _write(self, part: str, value: int, **index: int) -> None:
        self._registers.write_window(self._tile, offset(WINDOW, part, **index), value)

    def forget(self) -> None:
        """Cancels the requests of another program."""
        self._write("start", 0)

    def waiting(self) -> int:
        """Connections that `opened` will give."""
        return self._read("state") >> 16

    def command(self, op: int, number: int = 0, data: bytes = b"") -> None:
        """Raises AccessRefused if there is no room for the answer."""
        if op in (CLOSE, ABORT):
            self._answers.pop(number, None)
        while self._read("state") & BUSY:
            self.wait()
        for word, value in enumerate(_words(data)):
            self._write("out", value, word=word)
        for part, value in (("connection", number), ("bytes", len(data)), ("room", 0), ("start", op)):
            self._write(part, value)

    def ask(self, number: int) -> Answer:
        """The bytes that a connection has now, or had when an earlier call was interrupted."""
        taken = self._take_answer()
        if not taken and self._asked != number:
            self.forget()  # the stack does not know that connection
            taken = True
        if taken and number not in self._answers:
            self._asked = number
            try:
                self.command(READ, number)
            except AccessRefused:
                self._asked = None
                raise
            self._take_answer()
        if number not in self._answers:
            remedy = "It does not know the connection, another program drives the tile, or the stack's output stands: see ./girih stats."
            raise GirihError(f"the stack does not answer what {self._tile} asks of a connection", self._registers.manifest.name, remedy)
        return self._answers.pop(number)

    def _take_answer(self) -> bool:
        """Takes the answer to the read in flight from the tile; returns whether no read is in flight any more."""
        if self._asked is None:
            return True
        for _ in range(LOOKS):
            state = self._read("state")
            if not state & (READING | ANSWERED):  # a call was interrupted before the read began, or after the release
                break
            if state & ANSWERED:
                answer, room = self._read("answer"), self._read("space")
                size = answer & 0x3FFFFFFF
                data = b"".join(self._read("in", word=word).to_bytes(4, "little") for word in range(-(-size // 4)))[:size]
                self._answers[self._asked] = Answer(data, room, bool(answer >> 30 & 1), bool(answer >> 31))
                self._write("release", 1)
                break
            self.wait()
        else:
            return False
        self._asked = None
        return True

    def opened(self) -> Iterator[Opened]:
        """Takes from the tile the connections that have opened or could not be opened."""
        while (word := self._read("opened", word=5)) >> 31:
            text = b"".join(self._read("opened", word=index).to_bytes(4, "big") for index in range(5))
            self._write("next", 1)
            address = IPv6Address(text[:16])
            peer = (str(address.ipv4_mapped or address), int.from_bytes(text[16:18], "big"))
            yield Opened(peer, int.from_bytes(text[18:], "big"), word & 0xFFFF, bool(word >> 17 & 1), word >> 18 & 3 if word >> 16 & 1 else None)
