# SPDX-License-Identifier: Apache-2.0
"""The client of a control socket, against a test server instead of a card."""

import json
import signal
import socket
import threading
from contextlib import suppress

import pytest

from girih.card.client import ControlClient


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
