# SPDX-License-Identifier: Apache-2.0
"""Builds the virtual card of a design: Verilator, then one shared library per content.

Objects are kept by content, and all designs share those of the runtime. Progress can be shown.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from girih.build import coverage, cxx
from girih.build.cxx import Job, contents
from girih.build.generate import alone, digest
from girih.build.tools import SHARED_CODE, verilator_root
from girih.errors import GirihError
from girih.paths import BUILD, ROOT

if TYPE_CHECKING:
    from girih.card.manifest import Manifest

RUNTIME = ROOT / "card" / "runtime"
INCLUDE = ROOT / "card" / "include"

# The card's seed decides what registers hold before reset (`--x-initial`). Checks stay on. `--output-split-cfuncs`: functions of
# this size compile in seconds. `--expand-limit`: values of more words, such as flits, are copied in loops, which makes a quarter
# less C++ that compiles in two thirds of the time and runs as fast. `--no-decoration`: without white space and comments, another
# quarter less, which takes a sixth off the time.
VERILATOR_FLAGS = [
    "--cc", "--top-module", "card_sim", "--prefix", "Vcard_sim", "--assert", "-O3",
    "--x-assign", "fast", "--x-initial", "unique", "--output-split", "12000", "--output-split-cfuncs", "1500", "--expand-limit", "20", "--no-decoration",
    "-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDPARAM",
]  # fmt: skip
# With this variable in the environment, as in tests, a card is built in about two fifths of the time and simulates about two thirds of the cycles per second.
QUICK_BUILD = "GIRIH_QUICK_BUILD"
LIBRARY_FLAGS = ["-fPIC", "-fno-gnu-unique", "-fvisibility=hidden"]
FAST_FLAGS = ["-O2", "-march=native"]
QUICK_FLAGS = ["-Og", "-march=native"]
STRICT_FLAGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
SANITIZERS = ["-Og", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]  # after FAST_FLAGS, which they override


def build_model(
    folder: Path, *, trace: bool = False, sanitize: bool = False, progress: cxx.Progress = cxx.silent
) -> Path:
    """The shared library of the design in `folder` (as the compiler wrote it); built when it is not there.

    trace: with FST waves. sanitize: the runtime under AddressSanitizer and UBSan, for tests. Raises GirihError.
    """
    from girih.card.manifest import Manifest  # imported here, because girih.card imports this module

    manifest = Manifest.load(folder)
    quick = QUICK_BUILD in os.environ
    optimized = QUICK_FLAGS if quick else FAST_FLAGS
    extra = SANITIZERS if sanitize else []
    runtime = [path for pattern in ("*.cpp", "*.hpp") for path in RUNTIME.glob(pattern)]
    verilator_flags = [*VERILATOR_FLAGS, *(SHARED_CODE if quick else []), *(["--trace-fst"] if trace else []), *coverage.flags()]
    key = digest(
        contents(manifest.sources), contents([*runtime, *INCLUDE.glob("*.h")]), repr(verilator_flags), repr(optimized), repr(extra),
        contents([Path(__file__), Path(cxx.__file__)]), cxx.runtime_version(),
    )  # fmt: skip
    library = BUILD / "models" / f"{manifest.name}-{key}" / "libcard.so"
    if library.exists():
        return library
    if trace and not Path("/usr/include/lz4.h").exists():
        raise GirihError("waves need liblz4 and zlib", "lz4.h", "Run as root: apt-get install liblz4-dev zlib1g-dev")

    with alone(library.parent):  # two programs may build the same card at once
        if not library.exists():
            _build(library, library.parent / "verilated", manifest, verilator_flags, optimized, trace, extra, progress)
    return library


def _build(
    library: Path,
    verilated: Path,
    manifest: Manifest,
    verilator_flags: list[str],
    optimized: list[str],
    trace: bool,
    extra: list[str],
    progress: cxx.Progress,
) -> None:
    progress("Verilator", 0, 1)
    cxx.run(
        [str(verilator_root() / "bin" / "verilator"), *verilator_flags, "--Mdir", str(verilated), *map(str, manifest.sources)],
        f"Verilator on design {manifest.name}",
    )
    flags = LIBRARY_FLAGS
    fast = [*FAST_FLAGS, *extra]
    # What Verilator's own makefile would define: model.cpp writes waves and coverage only if these say so.
    defines = ["-DVM_TRACE=1", "-DVM_TRACE_FST=1"] if trace else []
    defines += ["-DVM_COVERAGE=1"] if coverage.folder() else []
    own = contents([*RUNTIME.glob("*.hpp"), *INCLUDE.glob("*.h")])
    unit_bytes = cxx.LARGE_UNIT_BYTES if optimized is QUICK_FLAGS else cxx.UNIT_BYTES
    jobs = cxx.model_jobs(verilated, [*flags, *optimized, *defines], unit_bytes=unit_bytes)
    for source in sorted(RUNTIME.glob("*.cpp")):
        if source.name == "model.cpp":
            includes = [f"-I{verilated}", *_as_system(cxx.runtime_includes())]
            jobs.append(Job(source, [*flags, "-O1", *extra, *defines, *STRICT_FLAGS], includes, own + contents(verilated.glob("*.h"))))
        else:
            jobs.append(Job(source, [*flags, *fast, *STRICT_FLAGS], [], own))
    hooks = ["-include", str(RUNTIME / "hooks.hpp")]
    fst = f"-I{verilator_root() / 'include' / 'fstcpp'}"
    for job in cxx.runtime_jobs([*flags, "-O1", *extra, *defines], ["verilated_fst_c.cpp"] if trace else [], own):
        jobs.append(replace(job, includes=[*job.includes, fst, *hooks]))
    objects = cxx.compile_all(jobs, progress)
    cxx.link(library, objects, ["-shared", *extra, "-lpthread", *(["-llz4", "-lz"] if trace else [])], f"design {manifest.name}")


def _as_system(includes: list[str]) -> list[str]:
    return [word for path in includes for word in ("-isystem", path.removeprefix("-I"))]
