# SPDX-License-Identifier: Apache-2.0
"""Verilator's lint of a design. Its result depends on its input only, so results are kept by content, as builds are."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from girih.build.cxx import runtime_version
from girih.build.generate import digest, write_if_changed
from girih.build.tools import VERILATOR_CHECKS, tool_environment, verilator_root
from girih.paths import BUILD, ROOT

COMPLETED = (0, 1)  # other exit codes are those of a Verilator that crashed or was killed


@dataclass(frozen=True)
class Lint:
    """clean: there is no warning and no error. output: the warnings and errors."""

    clean: bool
    output: str


def lint(top: str, sources: Sequence[Path | str], *options: str) -> Lint:
    """Lints the module `top`. sources: all files that it needs, in compile order. options: more of Verilator's, such as `-GDepth=3`.

    Raises RuntimeError if Verilator does not complete.
    """
    paths = [ROOT / source for source in sources]
    command = ["--lint-only", *VERILATOR_CHECKS, *options, "--top-module", top]
    inputs = [part for path in paths for part in (path.name, path.read_bytes())]
    kept = BUILD / "lint" / f"{top}-{digest(runtime_version(), *command, *inputs)}.json"
    if kept.exists():
        return Lint(**json.loads(kept.read_text()))
    program = verilator_root() / "bin" / "verilator"
    done = subprocess.run([program, *command, *paths], cwd=ROOT, env=tool_environment(), capture_output=True, text=True)
    if done.returncode not in COMPLETED:
        raise RuntimeError(f"Verilator ended with {done.returncode} on {top}:\n{done.stderr}")
    result = Lint(done.returncode == 0, done.stderr)
    write_if_changed(kept, json.dumps(asdict(result)))
    return result
