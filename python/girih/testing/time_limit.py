# SPDX-License-Identifier: Apache-2.0
"""Ends a simulation that hangs in Python or in the model: the kernel stops it with SIGXCPU.

The limit is of processor time, so it does not depend on the load of the machine. The simulation notes the test that runs,
so that the runner can name it.
"""

from __future__ import annotations

import logging
import os
import re
import resource
import signal
from pathlib import Path

SECONDS = 900  # several times what the longest simulation takes, with coverage, too
SECONDS_VARIABLE = "GIRIH_PROCESSOR_SECONDS"
NOTE_VARIABLE = "GIRIH_RUNNING_TEST"


def environment(seconds: int, note: Path) -> dict[str, str]:
    """The environment of a simulation. note: the file in which it keeps the name of the running test."""
    note.unlink(missing_ok=True)
    return {SECONDS_VARIABLE: str(seconds), NOTE_VARIABLE: str(note)}


def enforce() -> None:
    """In the simulation: limits it, and notes each test that starts."""
    seconds = int(os.environ[SECONDS_VARIABLE])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the signal would leave the memory of the process in a file
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    logging.getLogger("cocotb.regression").addHandler(_Note(Path(os.environ[NOTE_VARIABLE])))


class _Note(logging.Handler):
    """Keeps the name of the test that cocotb reports as running."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        found = re.search(r"running\S* (\S+) \(\d+/\d+\)", record.getMessage())
        if found:
            self._path.write_text(found[1])


def ended_by_it(text: str) -> bool:
    """Whether the runner's error, which contains the exit code, means that a simulation reached its limit."""
    return bool(re.search(rf"-{signal.SIGXCPU.value}\b", text))


def sentence(top: str, seconds: int, note: Path) -> str:
    """The message about a simulation that has reached its limit."""
    test = note.read_text() if note.exists() else "no test yet"
    return f"the simulation of {top} has used {seconds} s of processor time, which is its limit, in {test}: it hangs, or run_cocotb needs more `seconds`"
