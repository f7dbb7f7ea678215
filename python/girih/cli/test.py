# SPDX-License-Identifier: Apache-2.0
"""`girih test`: every test of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated

import typer

from girih.build.model import QUICK_BUILD
from girih.errors import GirihError
from girih.paths import ROOT

LEFT_OUT = "not thorough"
QUICK = "not slow and not thorough"


def register(app: typer.Typer) -> None:
    @app.command(
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
        epilog="Example: ./girih test rtl/primitives -k fifo",
    )
    def test(
        context: typer.Context,
        quick: Annotated[bool, typer.Option("--quick", help="Leave out the tests marked slow.")] = False,
        thorough: Annotated[bool, typer.Option("--thorough", help="Run more of each, for example at 256 and 1,024 bits, on each side of a router, and with DPDK's driver.")] = False,
        shuffle: Annotated[int | None, typer.Option(metavar="SEED", help="Run them in a random order with this seed.")] = None,
        coverage: Annotated[bool, typer.Option("--coverage", help="Count the hits of the RTL's lines and cover points, and print those never hit, by folder.")] = False,
        jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Tests that run at the same time; one more than two processors, because some wait.")] = 3,
    ) -> None:
        """Runs the tests: units of RTL, proofs, the compiler, and whole cards on the wire.

        Other arguments go to pytest: a folder or a file limits the run to it, -k picks by name. Models, proofs and lint
        of unchanged modules are kept by content, so the second run is faster than the first. At the end: the tests that
        took the most time, and the time of each folder.
        """
        _check_paths(context.args)
        arguments = ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else []
        arguments += [] if thorough else ["-m", QUICK if quick else LEFT_OUT]
        arguments += [] if shuffle is None else ["-p", "girih.testing.shuffle", "--shuffle", str(shuffle)]
        arguments += ["-p", "girih.testing.times"]
        os.environ[QUICK_BUILD] = "1"  # also for processes that the tests start
        command = [sys.executable, "-m", "pytest", *arguments, *context.args]
        if not coverage:
            raise typer.Exit(subprocess.call(command, cwd=ROOT))
        raise typer.Exit(_counted(command, whole=not context.args))


def _check_paths(arguments: list[str]) -> None:
    """Reports a path that does not exist, about which pytest's workers say nothing. Raises GirihError."""
    for path in (argument.partition("::")[0] for argument in arguments):
        if "/" in path and not path.startswith("-") and not (ROOT / path).exists():
            raise GirihError("the test does not exist", path, "Name a folder or a file of the checkout, such as rtl/primitives.")


def _counted(command: list[str], whole: bool) -> int:
    """Runs the tests with coverage and shows it; a full run can fail by it."""
    import shutil

    from girih.build import coverage

    shutil.rmtree(coverage.FOLDER, ignore_errors=True)
    coverage.FOLDER.mkdir(parents=True)
    code = subprocess.call(command, cwd=ROOT, env={**os.environ, coverage.VARIABLE: str(coverage.FOLDER)})
    report = coverage.Report.of(coverage.FOLDER)
    print(coverage.show(report))
    faults = coverage.judge(report, coverage.exceptions()) + coverage.never_simulated(report) if whole else []
    print(*faults, sep="\n")
    return code or bool(faults)
