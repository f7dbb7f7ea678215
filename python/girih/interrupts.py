# SPDX-License-Identifier: Apache-2.0
"""The interrupts of a command, from its start on. The exception that a signal handler raises is lost if it comes within a destructor or the callback of a weak
reference, which Python only reports. So what begins to wait for an interrupt asks first whether one has come."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""By Ctrl-C, by `kill`, and by a terminal that is closed."""

came: list[int] = []
"""The signals, in their order."""


def check() -> None:
    """Raises KeyboardInterrupt if there has been one."""
    if came:
        raise KeyboardInterrupt


def taken() -> list[int]:
    """The signals that end what runs until it is interrupted. SIGINT is one even where a shell has had its background jobs ignore it; SIGHUP is not where
    it is ignored, as by nohup, which lets a command outlive its terminal."""
    return [number for number in NUMBERS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]


def ignore_hangups() -> None:
    """For the end of a command: the kernel and the shell may both send a SIGHUP when a terminal is closed, and the second must not end the clean-up."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


@contextmanager
def held_back() -> Iterator[None]:
    """Signals that come meanwhile are handled at the end, so that none comes between something that is made and what remembers to remove it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, NUMBERS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
