# SPDX-License-Identifier: Apache-2.0
"""The logs of a card, read over UDP (rtl/tiles/log/README.md). It asks again for records that were lost on the way, until it has all of them.

    with LogReader("10.77.0.2", card_logs(folder)[0]) as reader:
        records = reader.read()
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from girih.errors import GirihError
from girih.spec.formats import Format
from girih.spec.kinds import load_kind

FORMAT = Format("log_records")
WORD_BYTES, HEAD_BYTES = FORMAT.size("LogWordBytes"), FORMAT.size("LogHeadBytes")
TALK = FORMAT.names("talk")
KIND = "log"
HEADERS = (42, 46)  # bytes of the headers before the payload, at the card: without a tag, and with one
LARGEST_PAYLOAD = 1472  # bytes of a datagram in an Ethernet frame
QUESTIONS = 16  # requests in flight at a time
RETRY_SECONDS = 0.25
NOTICE_SECONDS = 2.0  # of silence after which the user is told
FIRST_SECONDS, PATIENCE_SECONDS = 12.0, 30.0  # of silence after which a card is given up that has not answered yet, or has
Said = Callable[[int, int], None]
Silent = Callable[[str], None]


@dataclass(frozen=True)
class CardLog:
    """A log tile as its card's design has it. port: of UDP; node: its number; asked_by: the node of the tile that brings it questions."""

    name: str
    node: int
    port: int
    entries: int
    asked_by: int
    flit_bytes: int


@dataclass(frozen=True)
class Record:
    """One flit that came to a log. cycle: in which it came, since the card's reset; number: from 0 on; source: the node from which it came; data: the bytes of it that
    belong to the message."""

    number: int
    cycle: int
    first: bool
    last: bool
    void: bool
    lossless: bool
    port: int
    tenant: int
    source: int
    data: bytes


@dataclass(frozen=True)
class LogText:
    """The result of reading a log. end: the number of the next record; gone: how many of the wanted records have been overwritten."""

    records: tuple[Record, ...]
    end: int
    gone: int


def card_logs(folder: Path) -> list[CardLog]:
    """The logs of a built design, in the order of the file. Raises GirihError if one cannot be asked by UDP."""
    path = Path(folder) / "card.json"
    facts = json.loads(path.read_text())
    nodes = {tile["name"]: tile["node"] for tile in facts["tiles"]}
    ports = {nodes[each["tile"]]: each["port"] for each in facts["addresses"]["udp"]}
    found = []
    usual = next(int(parameter.default) for parameter in load_kind(KIND).parameters if parameter.name == "entries")
    for tile in facts["tiles"]:
        if tile["kind"] != KIND:
            continue
        asked_by = tile["config"]["questions"]
        if asked_by not in ports:
            name = next(each for each, node in nodes.items() if node == asked_by)
            raise GirihError(f"no UDP port leads to {name}, which brings the log {tile['name']} its questions", facts["name"], f"Name one in next of the tile udp_rx: 5140: {name}.")
        found.append(CardLog(tile["name"], tile["node"], ports[asked_by], tile["config"].get("entries", usual), asked_by, facts["data_width"] // 8))
    return found


def question(log: CardLog, headers: int, mark: int, first: int, count: int) -> bytes:
    """The payload of a datagram that requests `count` records from number `first` on."""
    word = FORMAT.encode("question", {"mark": mark, "talk": "question", "first": first})
    head = max(HEAD_BYTES, log.flit_bytes) - headers
    return word.to_bytes(WORD_BYTES, "little").ljust(head + 2 * log.flit_bytes * count, b"\0")


def answer(log: CardLog, headers: int, payload: bytes) -> tuple[int, int, int, list[Record | None]] | None:
    """The mark, first number, end and records of an answer, None for each record that is missing; None if it is not an answer."""
    head, step = max(HEAD_BYTES, log.flit_bytes) - headers, 2 * log.flit_bytes
    if len(payload) <= head or (len(payload) - head) % step:
        return None
    said = FORMAT.decode("question", int.from_bytes(payload[:WORD_BYTES], "little"))
    if said["talk"] != TALK.index("answer"):
        return None
    records = [_record(log, payload[at : at + step]) for at in range(head, len(payload), step)]
    return said["mark"], said["first"], said["end_number"], records


def _record(log: CardLog, text: bytes) -> Record | None:
    said = FORMAT.decode("beside", int.from_bytes(text[:WORD_BYTES], "little"))
    if not said["there"]:
        return None
    first, last, void, lossless = (bool(said[name]) for name in ("first", "last", "void_message", "lossless"))
    data = text[log.flit_bytes : log.flit_bytes + said["bytes"]]
    return Record(said["number"], said["cycle"], first, last, void, lossless, said["port"], said["tenant"], said["source"], data)


@dataclass
class _Asked:
    first: int
    count: int
    due: float


class LogReader:
    """Reads one log of a card. Several may read at once: reading changes nothing in the card."""

    def __init__(self, host: str, log: CardLog, patience: float = PATIENCE_SECONDS):
        self.log, self._patience, self._where = log, patience, f"{host}:{log.port}"
        self._headers, self._mark = HEADERS[0], 0
        self._heard, self._noticed, self._kernel_says = 0.0, False, ""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.connect((host, log.port))
        except OSError as error:
            self._socket.close()
            raise GirihError(f"the card cannot be reached ({error.strerror or error})", self._where, "Check its address and the route to it.") from error
        self.address: str = self._socket.getpeername()[0]

    def __enter__(self) -> LogReader:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._socket.close()

    def read(self, first: int | None = None, said: Said = lambda done, total: None, silent: Silent = lambda text: None) -> LogText:
        """All records from number `first` on, or from the oldest, up to the latest when the reading begins. said: called with how
        many have come, and of how many; silent: called with a sentence when nothing has come for a while. Raises GirihError if the card is silent for
        `patience` seconds, or for FIRST_SECONDS before its first answer."""
        end = self._end(silent)
        start = max(0, end - self.log.entries) if first is None else first
        head = max(HEAD_BYTES, self.log.flit_bytes) - self._headers
        most = max(1, (LARGEST_PAYLOAD - head) // (2 * self.log.flit_bytes))
        wanted = [(at, min(most, end - at)) for at in range(start, end, most)][::-1]
        found: dict[int, Record] = {}
        asked: dict[int, _Asked] = {}
        done = 0
        self._listen()
        while wanted or asked:
            while wanted and len(asked) < QUESTIONS:
                at, count = wanted.pop()
                self._mark = (self._mark + 1) & 0xFFFF
                asked[self._mark] = _Asked(at, count, 0.0)
            for mark, item in asked.items():
                if item.due <= time.monotonic():
                    self._send(question(self.log, self._headers, mark, item.first, item.count))
                    item.due = time.monotonic() + RETRY_SECONDS
            text = self._hear()
            came = None if text is None else answer(self.log, self._headers, text)
            if came is None:
                self._judge(self._patience, silent)
                continue
            mark, at, _, records = came
            if mark not in asked or (asked[mark].first, asked[mark].count) != (at, len(records)):
                continue  # late: it has been requested again
            self._listen()
            del asked[mark]
            done += len(records)
            found |= {record.number: record for record in records if record}
            said(done, end - start)
        return LogText(tuple(found[number] for number in sorted(found)), end, max(0, end - (first or 0)) - len(found))

    def _end(self, silent: Silent) -> int:
        """The number of the next record; also finds out whether frames have tags at the card. A late answer counts, too."""
        asked = dict[int, int]()
        self._listen()
        while True:
            for headers in HEADERS:
                self._mark = (self._mark + 1) & 0xFFFF
                asked[self._mark] = headers
                self._send(question(self.log, headers, self._mark, 0, 1))
                until = time.monotonic() + RETRY_SECONDS
                while time.monotonic() < until:
                    text = self._hear() or b""
                    for known in HEADERS:
                        came = answer(self.log, known, text)
                        if came is not None and asked.get(came[0]) == known:
                            self._headers = known
                            return came[2]
                    self._judge(min(self._patience, FIRST_SECONDS), silent)

    def _listen(self) -> None:
        """Restarts the time of silence: the card has answered, or is asked for the first time."""
        self._heard, self._noticed, self._kernel_says = time.monotonic(), False, ""

    def _judge(self, patience: float, silent: Silent) -> None:
        """Reports once that the card is silent, and ends the reading after `patience` seconds of silence."""
        quiet = time.monotonic() - self._heard
        if quiet > patience:
            raise self._not_answered()
        if quiet > NOTICE_SECONDS and not self._noticed:
            self._noticed = True
            silent(f"The log {self.log.name} at {self._where} is silent{self._kernel_says}. It is asked for another {max(1, round(patience - quiet))} s.")

    def _send(self, payload: bytes) -> None:
        try:
            self._socket.send(payload)
        except OSError as error:
            self._kernel_says = f" ({error.strerror})"
            time.sleep(RETRY_SECONDS / 10)  # nobody is there yet, or the kernel has no room; it is sent again

    def _hear(self) -> bytes | None:
        self._socket.settimeout(RETRY_SECONDS / 4)
        try:
            return self._socket.recv(1 << 16)
        except TimeoutError:
            return None
        except OSError as error:
            self._kernel_says = f" ({error.strerror})"
            time.sleep(RETRY_SECONDS / 10)
            return None

    def _not_answered(self) -> GirihError:
        remedy = f"Check the address, and that the design lets this host read: reader and reader_mask of {self.log.name}; ./girih stats counts those who may not (drop_reader)."
        return GirihError(f"the log {self.log.name} does not answer{self._kernel_says}", self._where, remedy)
