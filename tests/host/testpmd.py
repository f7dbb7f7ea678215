# SPDX-License-Identifier: Apache-2.0
"""DPDK's testpmd behind the vhost-user socket of a card: its port is a `virtio_user`, a driver of virtqueues that runs in the program and polls them."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = "dpdk-testpmd"
PROMPT = b"testpmd> "
SECONDS = 60  # far longer than any command takes
MEGABYTES = 64
BUFFERS = 4096  # of frames


class Testpmd:
    """A running testpmd and its commands. features: of virtio, that its driver has taken last."""

    __test__ = False  # it is no class of tests

    def __init__(self, process: subprocess.Popen):
        self.process = process
        self.said = ""

    def _answer(self) -> str:
        assert self.process.stdout
        got, deadline = b"", time.monotonic() + SECONDS
        while not got.endswith(PROMPT):
            ready = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]
            part = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            got += part
            if not part:
                break
        text = got.decode(errors="replace")
        self.said += text
        assert got.endswith(PROMPT), f"testpmd has ended or does not answer:\n{self.said}"
        return text

    def do(self, *lines: str) -> str:
        """Gives it commands one after the other; what it says to them."""
        answers = []
        for line in lines:
            self.write(line)
            answers.append(self._answer())
        text = "".join(answers)
        assert not re.search("Bad arguments|Command not found|Ambiguous command|Invalid", text), text
        return text

    def write(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def forward(self, mode: str) -> None:
        """Starts to handle frames in this mode."""
        self.do(f"set fwd {mode}", "start")

    def counts(self) -> dict[str, int]:
        """The port's own statistics, such as `RX-packets`."""
        return {name: int(value) for name, value in re.findall(r"([RT]X-\w+):\s*(\d+)", self.do("show port stats 0"))}

    def quit(self) -> str:
        """Ends it as its user does; what it has said since its start."""
        self.write("quit")
        output, _ = self.process.communicate(timeout=SECONDS)
        self.said += output.decode(errors="replace")
        assert self.process.returncode == 0, self.said
        return self.said

    def kill(self) -> None:
        """Ends it without its doing."""
        self.process.kill()
        self.process.communicate()

    @property
    def features(self) -> int:
        return int(re.findall(r"set features: (0x[0-9a-f]+)", self.said)[-1], 16)


@contextmanager
def started(socket: Path, folder: Path, device: str = "", *options: str) -> Iterator[Testpmd]:
    """Starts testpmd, and ends it with the block. device: options of virtio_user, such as `packed_vq=1`. options: further ones of testpmd. folder: for
    its own files."""
    assert shutil.which(PROGRAM), f"{PROGRAM} is not installed: as root, apt-get install --no-install-recommends dpdk-dev"
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    # It polls without a pause, so the card and other tests come first. Both of its threads may be on any processor.
    words = ["nice", "-n", "10", "stdbuf", "-oL", PROGRAM, f"--lcores=(0,1)@({processors})", "--no-huge", "-m", str(MEGABYTES), "--no-pci", "--no-telemetry"]
    words += ["--no-shconf", "--log-level=pmd.net.virtio.*:info", "--force-max-simd-bitwidth=512", f"--vdev=net_virtio_user0,path={socket}{device and ','}{device}"]
    words += ["--", "-i", f"--total-num-mbufs={BUFFERS}", *options]
    environment = {**os.environ, "RUNTIME_DIRECTORY": str(folder)}
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    try:
        one = Testpmd(process)
        one._answer()
        yield one
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
