# SPDX-License-Identifier: Apache-2.0
"""Programs of Linux on the far side of a card's TAP device, for tests of TCP."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.paths import ROOT

TAP = "girih0"
CARD = "10.77.0.2"
SECONDS = 200
Wired = TypeVar("Wired", bound="Wire")
# For programs of a test: whether the kernel's side of a connection has agreed on time stamps (TCPI_OPT_TIMESTAMPS of tcpi_options), the bytes of its largest segment
# (tcpi_snd_mss), and those of the largest that it has received (tcpi_rcv_mss; 536 at first).
TCP_INFO = """
def tcp_info(s):
    info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return bool(info[5] & 1), int.from_bytes(info[16:20], "little"), int.from_bytes(info[20:24], "little")
"""

# Sends and receives at once, and compares hashes.
STREAM = """
import hashlib, os, socket, sys, threading
size = int(sys.argv[1])
s = socket.create_connection((sys.argv[2], 7))
sent, got = hashlib.sha256(), hashlib.sha256()
def send():
    left = size
    while left:
        piece = os.urandom(min(left, 50000))
        sent.update(piece)
        s.sendall(piece)
        left -= len(piece)
    s.shutdown(socket.SHUT_WR)
thread = threading.Thread(target=send)
thread.start()
count = 0
while piece := s.recv(65536):
    got.update(piece)
    count += len(piece)
thread.join()
print(count, sent.hexdigest() == got.hexdigest())
"""


class Wire:
    def __init__(self, session: Session, namespace: Namespace):
        self.session, self.card, self.namespace = session, session.card, namespace

    def run(self, *commands: list[str], seconds: float = SECONDS) -> list[str]:
        """Runs programs at the same time while the card runs; returns the output of each."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        with contextlib.ExitStack() as files:
            # Output goes into files: a pipe that is full would stop a program, since nothing reads it while the card runs.
            outputs = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in commands]
            running = [
                self.namespace.popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT) for command, output in zip(commands, outputs, strict=True)
            ]
            try:
                self.session.serve(seconds=seconds, until=lambda: all(process.poll() is not None for process in running))
                assert all(process.poll() is not None for process in running), f"{commands} did not end"
            finally:
                for process in running:
                    if process.poll() is None:
                        process.kill()
                        process.wait()
            for output in outputs:
                output.seek(0)
            return [output.read() for output in outputs]

    def python(self, text: str) -> str:
        (output,) = self.run([sys.executable, "-c", text])
        return output.strip()

    def echo(self, connections: int, size: int, seconds: float = SECONDS) -> None:
        """Fails unless each of so many clients at once gets all its bytes back."""
        (text,) = self.run([sys.executable, "-m", "girih.card.tcp_client", CARD, "7", str(connections), str(size)], seconds=seconds)
        result = json.loads(text)
        assert result["right"] == connections and result["bytes"] == connections * size and not result["problems"], result

    def stream(self, size: int, clients: int = 1) -> None:
        """Fails unless each client at once, which sends and receives at the same time, gets all its bytes back."""
        for text in self.run(*[[sys.executable, "-c", STREAM, str(size), CARD]] * clients):
            assert text.split() == [str(size), "True"], text

    def count(self, name: str) -> int:
        return self.card.registers.counters("tcp")["tcp"][name]


def leaked(wire: Wire) -> int:
    counters = wire.card.registers.counters("tcp")["tcp"]
    return counters["mark_opened"] + counters["mark_unopened"] - counters["mark_freed"]


def ended(wire: Wire) -> None:
    """No connection is left, and the account of messages is even."""
    wire.session.serve(seconds=SECONDS, until=lambda: leaked(wire) == 0)
    assert leaked(wire) == 0
    wire.card.check_conservation()


@contextlib.contextmanager
def wired(folder: Path, kind: type[Wired]) -> Iterator[Wired]:
    """The card in this folder, with the kernel's own stack at its port."""
    with Namespace("tcp") as namespace, VirtualCard(folder) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        yield kind(session, namespace)


@contextlib.contextmanager
def at_rest(wire: Wire) -> Iterator[Wire]:
    """Without faults at first. In the end no connection is left, and the account of messages is even."""
    for direction in ("in", "out"):
        wire.card.set_faults(0, direction)
    yield wire
    ended(wire)
