# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running a command as a user does."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from girih.card.client import ControlClient
from girih.paths import ROOT

Found = TypeVar("Found")

ADDRESS = "10.77.0.2"
BUILD_SECONDS = 600
needs_tap = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/net/tun").exists(), reason="a TAP device needs root and /dev/net/tun"
)


def command(*words: object) -> list[str]:
    """The command as `./girih` runs it, without the check of the environment, in which the tests run already."""
    return [sys.executable, "-m", "girih.cli", *map(str, words)]


def options() -> dict:
    """Options for each command: wide lines, so that no word is cut by the width of a terminal."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "COLUMNS": "200"}
    return {"cwd": ROOT, "env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


def girih(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run(command(*words), timeout=BUILD_SECONDS, **options())


@contextmanager
def running(*words: object, under: Sequence[str] = ()) -> Iterator[tuple[subprocess.Popen, ControlClient]]:
    """A card in the background, and a client of its control socket. under: what starts it, such as `env`."""
    process = subprocess.Popen([*under, *command("run", *words)], **options())
    path = None
    try:
        deadline = time.monotonic() + BUILD_SECONDS
        while path is None:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.1)
            path = next((p for p in ControlClient.sockets() if p.stem.endswith(f"-{process.pid}")), None)
        with ControlClient(path) as card:
            yield process, card
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
        if path:
            path.unlink(missing_ok=True)


def processor_seconds(process: subprocess.Popen) -> float:
    """The processor time of a running process and of the compilers that it has called."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def wait_for(look: Callable[[], Found], enough: Callable[[Found], bool], seconds: float = 60) -> Found:
    """Calls `look` until its result is `enough`, and returns that result."""
    deadline = time.monotonic() + seconds
    while not enough(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


@contextmanager
def full_disk(most: int = 100) -> Iterator[None]:
    """No file of this process can have more bytes than this meanwhile: what is written beyond them fails, as on a disk without space."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def namespaces(pid: int) -> list[str]:
    """The network namespaces of the card that this process runs."""
    return sorted(path.name for path in Path("/run/netns").glob(f"girih-{pid}*"))


def ping(pid: int, *words: str) -> subprocess.CompletedProcess:
    """Pings the card from the namespace of its port 0. ping awaits the last reply for an interval, in which a busy machine must have let the card run."""
    program = ["ip", "netns", "exec", f"girih-{pid}", "ping", "-n", "-q", *(words or ("-c", "5", "-i", "0.2")), ADDRESS]
    return subprocess.run(program, capture_output=True, text=True, timeout=60)
