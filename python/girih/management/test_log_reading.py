# SPDX-License-Identifier: Apache-2.0
"""The reader of logs beside a card that answers late, and the file of records: an incomplete or inconsistent file is refused with a sentence."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from girih.errors import GirihError
from girih.management import log as log_module
from girih.management import log_file
from girih.management.log import RETRY_SECONDS, CardLog, LogReader, LogText, Record
from girih.management.log_file import LogFile
from girih.whole_file import check_place

FLIT = 64
HERE = "127.0.0.1"


@contextmanager
def slow_card(headers: int, delay: float, oldest: int, end: int, mute_from: int | None = None) -> Iterator[CardLog]:
    """A card in a thread, whose frames have so many bytes of headers, and whose answers come after `delay` seconds, but for records from `mute_from` on; by the layout in rtl/tiles/log/README.md."""
    card = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    card.bind((HERE, 0))
    card.settimeout(0.02)
    ended = threading.Event()

    def serve() -> None:
        late: list[tuple[float, bytes, tuple[str, int]]] = []
        while not ended.is_set():
            try:
                text, sender = card.recvfrom(2048)
            except TimeoutError:
                text, sender = b"", (HERE, 0)
            size = len(text) + headers - FLIT
            if size > 0 and size % (2 * FLIT) == 0 and text[2] == 0:
                first = int.from_bytes(text[4:10], "little")
                answer = text[:2] + b"\1" + text[3:10] + end.to_bytes(6, "little") + text[16 : FLIT - headers]
                for number in range(first, first + size // (2 * FLIT)):
                    there = oldest <= number < end
                    beside = ((7 | FLIT << 6 if there else 0) | 3 << 24).to_bytes(4, "little") + (1000 + number).to_bytes(6, "little") + number.to_bytes(6, "little")
                    answer += beside.ljust(FLIT, b"\0") + number.to_bytes(FLIT, "little")
                if mute_from is None or first < mute_from:
                    late.append((time.monotonic() + delay, answer, sender))
            while late and late[0][0] <= time.monotonic():
                _, answer, sender = late.pop(0)
                card.sendto(answer, sender)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield CardLog("rx_log", 1, card.getsockname()[1], 16, 2, FLIT)
    finally:
        ended.set()
        thread.join()
        card.close()


@pytest.mark.parametrize("headers", [42, 46])
@pytest.mark.parametrize("delay", [0.0, 1.5 * RETRY_SECONDS])
def test_an_answer_counts_however_late_it_comes(headers, delay):
    with slow_card(headers, delay, 25, 40) as log, LogReader(HERE, log, patience=5) as reader:
        text = reader.read()
    assert [record.number for record in text.records] == list(range(25, 40))
    assert text.records[0].data == (25).to_bytes(FLIT, "little") and text.records[0].cycle == 1025
    assert (text.end, text.gone) == (40, 25), "the records before the oldest one are gone, also those that were not asked for"


def test_a_silent_card_is_said_to_be_so_and_given_up(monkeypatch):
    """Nobody at the port, which the kernel knows; somebody who says nothing; a card that stops in the middle, which gets more time."""
    for name, seconds in (("NOTICE_SECONDS", 0.2), ("FIRST_SECONDS", 0.8)):
        monkeypatch.setattr(log_module, name, seconds)

    def given_up(log: CardLog, patience: float) -> tuple[float, str, str]:
        said: list[str] = []
        begun = time.monotonic()
        with LogReader(HERE, log, patience=patience) as reader, pytest.raises(GirihError, match="the log rx_log does not answer") as caught:
            reader.read(silent=said.append)
        (notice,) = said
        return time.monotonic() - begun, notice, str(caught.value)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind((HERE, 0))
        log = CardLog("rx_log", 1, mute.getsockname()[1], 16, 2, FLIT)
        seconds, notice, _ = given_up(log, 60)
        assert 0.8 <= seconds < 20
        assert notice == f"The log rx_log at {HERE}:{log.port} is silent. It is asked for another 1 s."
        assert given_up(log, 0.3)[0] >= 0.3
    _, notice, error = given_up(log, 60)
    assert "is silent (Connection refused)" in notice and "does not answer (Connection refused)" in error
    with slow_card(42, 0.0, 0, 40, 25) as log:
        seconds, _, error = given_up(log, 1.5)
        assert seconds >= 1.5, "a card that has answered has more patience"


RECORDS = tuple(Record(n, 100 + n, n == 0, n == 2, False, False, 0, 0, 1, bytes(64)) for n in range(3))


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "card.log"
    content = LogFile("designs/logged.yaml", "10.77.0.2", {"rx_log": LogText(RECORDS, 3, 0), "tx_log": LogText((), 0, 0)})
    log_file.write(path, content)
    assert log_file.read(path) == content
    return path


def refused(path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(GirihError, match="the log cannot be read") as caught:
        log_file.read(path)
    return str(caught.value)


def test_a_file_that_ends_too_soon_is_refused(written):
    """After any line, and within one."""
    lines = written.read_text().splitlines(keepends=True)
    assert "it has 2 of the 3 records of rx_log" in refused(written, "".join(lines[:-1]))
    refused(written, lines[0])
    refused(written, "".join(lines)[:-20])
    refused(written, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [("cycle", -1), ("cycle", "5"), ("cycle", 1 << 48), ("cycle", 1.5), ("cycle", 0), ("number", 0), ("source", [1]), ("port", None), ("last", 1), ("tenant", True), ("data", 5), ("more", 1)],
)
def test_a_record_that_cannot_be_is_refused(written, name, value):
    lines = written.read_text().splitlines(keepends=True)
    lines[2] = json.dumps(json.loads(lines[2]) | {name: value}) + "\n"
    assert "card.log:3:" in refused(written, "".join(lines))


def test_a_file_of_another_kind_is_refused(written):
    for text in ("[" * 100_000, "{}", "[]", '{"format": "girih log 1"}', '{"format": "girih log 1", "logs": ["rx_log"], "design": "", "address": ""}'):
        refused(written, text)


def test_the_place_of_the_file_is_looked_at_before_anything_is_read(tmp_path):
    for place in (tmp_path, tmp_path / "none" / "card.log"):
        with pytest.raises(GirihError, match="the records cannot be written there"):
            check_place(place, "records")
    check_place(tmp_path / "card.log", "records")
    assert not list(tmp_path.iterdir())
