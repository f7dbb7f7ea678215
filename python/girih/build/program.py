# SPDX-License-Identifier: Apache-2.0
"""Builds a program of one module: what Verilator makes of it and a `main` that drives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from girih.build import coverage, cxx
from girih.build.generate import alone, digest
from girih.build.tools import verilator_root
from girih.paths import BUILD

FLAGS = ["-Og"]  # compiled in two thirds of the time of -O1; tests run as fast
RUNTIME_FLAGS = ["-O2"]
HEADER = "verilated_vpi.h"  # cocotb's main includes it, and it includes everything else


def build_program(
    top: str,
    sources: Sequence[Path],
    main: Path,
    *,
    parameters: Mapping[str, object],
    options: Sequence[str],
    defines: Sequence[str] = (),
    libraries: Sequence[str] = (),
) -> Path:
    """The program, in a folder of its own; built when there is none of this content.

    parameters: of the top. options: for Verilator. main: C++ that includes `V<top>.h`, or `Vtop.h` with `--prefix Vtop`.
    defines: what `main` is compiled with. libraries: for the linker. Raises GirihError.
    """
    given = [f"-G{name}={value}" for name, value in sorted(parameters.items())]
    options = [*options, *given, *coverage.flags()]
    texts = [path.read_bytes() for path in (*sources, main)]
    key = digest(top, repr(options), repr(defines), cxx.contents([Path(__file__), Path(cxx.__file__)]), cxx.runtime_version(), *texts)
    folder = BUILD / "programs" / f"{top}-{key}"
    program = folder / top
    with alone(folder):
        if not program.exists():
            verilated = folder / "verilated"
            verilator = [str(verilator_root() / "bin" / "verilator"), "--cc", "--top-module", top, "--Mdir", str(verilated)]
            cxx.run([*verilator, *options, *map(str, sources)], f"Verilator on {top}")
            jobs = cxx.model_jobs(verilated, FLAGS, header=HEADER, main=main, defines=defines)
            jobs += cxx.runtime_jobs(RUNTIME_FLAGS, ["verilated_vpi.cpp"])
            cxx.link(program, cxx.compile_all(jobs), [*libraries, "-lpthread"], top)
    return program
