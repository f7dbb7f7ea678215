# SPDX-License-Identifier: Apache-2.0
"""The client of a control socket, against a test server instead of a card."""

import json
import signal
import socket
import threading
from contextlib import suppress

import pytest

from girih.card.client import ControlClient
from girih.errors import GirihError


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """The path of a socket that answers each request with its own argument, late if that is odd."""
    monkeypatch.setattr("girih.card.client.Manifest.load", lambda folder: None)
    path, ends = tmp_path / "card.sock", threading.Event()

    def serve(connection):
        with suppress(OSError), connection:
            for line in connection.makefile("rb"):
                request = json.loads(line)
                if request.get("address", 0) % 2:
                    ends.wait(0.5)
                answer = {"ok": True, "result": {"folder": "/"} if request["op"] == "info" else request["address"]}
                connection.sendall(json.dumps(answer).encode() + b"\n")

    def accept():
        while True:
            try:
                threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
            except OSError:
                return

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=accept, daemon=True).start()
        yield path
        ends.set()
        listener.shutdown(socket.SHUT_RDWR)


def test_an_interrupted_request_is_not_answered_to_the_next_one(slow):
    """Clean-up after Ctrl-C uses the same client."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with ControlClient(slow) as client:
            assert client.read32(2) == 2
            for odd in (1, 3):
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                with pytest.raises(KeyboardInterrupt):
                    client.read32(odd)
                assert [client.read32(even) for even in (4, 6, 8)] == [4, 6, 8]
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("answer", [b"{not json", b"[" * 100_000, b"5", b"{}", b"\xff"], ids=lambda answer: repr(answer[:9]))
def test_an_answer_that_is_none_is_an_error(tmp_path, answer):
    path = tmp_path / "card.sock"

    def serve(listener):
        connection = listener.accept()[0]
        with connection:
            connection.recv(1000)
            connection.sendall(answer + b"\n")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=serve, args=[listener], daemon=True).start()
        with pytest.raises(GirihError, match="the answer cannot be read"):
            ControlClient(path)


@pytest.mark.parametrize("part", [b"", b'{"ok": tr'])
def test_a_card_that_has_ended_is_said_so(tmp_path, monkeypatch, part):
    """Also when there is something to send that it never takes, and when the client is closed then."""
    monkeypatch.setattr("girih.card.client.Manifest.load", lambda folder: None)
    path = tmp_path / "card.sock"

    def serve(listener):
        connection = listener.accept()[0]
        with connection:
            for answer in (b'{"ok": true, "result": {"folder": "/"}}\n', part):
                connection.recv(1000)
                connection.sendall(answer)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=serve, args=[listener], daemon=True).start()
        with ControlClient(path) as client:
            for _ in range(2):
                with pytest.raises(GirihError, match="the card has ended"):
                    client.read32(0)
