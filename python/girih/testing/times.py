# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: at the end, the tests that took most processor time, and what each folder took.

Processor time includes all programs that a test started (Verilator, the C++ compiler, simulations,
proofs), so it does not depend on the load of the machine.
"""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pytest

SLOWEST = 10
PROPERTY = "girih_times"


def _processor() -> float:
    """Seconds of this process and of the children that it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@dataclass
class Times:
    """Seconds of processor and of clock."""

    processor: float = 0.0
    clock: float = 0.0

    def add(self, processor: float, clock: float) -> None:
        self.processor += processor
        self.clock += clock

    def __str__(self) -> str:
        return f"{self.processor:8.1f} s processor {self.clock:8.1f} s clock"


def by_folder(tests: dict[str, Times]) -> dict[str, Times]:
    """The sums of folders (`rtl/scheduler`, `tests`), the longest first; names of tests start with their file."""
    folders: defaultdict[str, Times] = defaultdict(Times)
    for name, times in tests.items():
        folder = str(PurePosixPath(name.partition("::")[0]).parent)
        folders[folder].add(times.processor, times.clock)
    return longest(folders)


def longest(times: dict[str, Times]) -> dict[str, Times]:
    return dict(sorted(times.items(), key=lambda item: -item[1].processor))


class Clock:
    """Adds to each report the time since the previous one; sums the reports of all workers."""

    def __init__(self) -> None:
        self._processor, self._clock = _processor(), time.monotonic()
        self.tests: defaultdict[str, Times] = defaultdict(Times)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, None]:
        report = (yield).get_result()
        processor, clock = _processor(), time.monotonic()
        report.user_properties = [*report.user_properties, (PROPERTY, (processor - self._processor, clock - self._clock))]
        self._processor, self._clock = processor, clock

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == PROPERTY and isinstance(value, tuple | list):
                self.tests[report.nodeid].add(*value)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.tests:
            return
        terminalreporter.section("time")
        for title, times in (
            ("slowest tests", list(longest(self.tests).items())[:SLOWEST]),
            ("folders", list(by_folder(self.tests).items())),
        ):
            terminalreporter.write_line(f"{title}:")
            for name, took in times:
                terminalreporter.write_line(f"{took}  {name}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Clock(), "girih-times")
