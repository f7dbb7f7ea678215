# SPDX-License-Identifier: Apache-2.0
"""Builds the virtual card of a design: Verilator, then one shared library per content.

The compiler is driven from here, not by Verilator's makefile: a file that has not changed is never
compiled again, the objects of the runtime are shared by all designs, and progress can be shown.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from girih.build.generate import digest, write_if_changed
from girih.build.tools import tool_environment, verilator_root
from girih.errors import GirihError
from girih.paths import BUILD, ROOT
from girih.build import coverage

if TYPE_CHECKING:
    from girih.card.manifest import Manifest

RUNTIME = ROOT / "card" / "runtime"
INCLUDE = ROOT / "card" / "include"

# What registers hold before reset is the card's seed's to say (`--x-initial`). Checks stay on. A C++
# file of about this many operations takes few seconds to compile, so that two processors share the work.
VERILATOR_FLAGS = [
    "--cc", "--top-module", "card_sim", "--prefix", "Vcard_sim", "--assert", "-O3",
    "--x-assign", "fast", "--x-initial", "unique", "--output-split", "12000", "--output-split-cfuncs", "1500",
    "-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDPARAM",
]  # fmt: skip
COMMON_FLAGS = ["-std=gnu++20", "-fPIC", "-fno-gnu-unique", "-fvisibility=hidden", "-pipe"]
FAST_FLAGS = ["-O2", "-march=native"]
SLOW_FLAGS = ["-O0"]  # constructors and resets, run once
UNIT_BYTES = 1_200_000  # of C++ in one run of the compiler
STRICT_FLAGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
VERILATED = ["verilated.cpp", "verilated_threads.cpp"]

Progress = Callable[[str, int, int], None]
"""Called with what is being done, and how many steps of how many are done."""


def _silent(_what: str, _done: int, _total: int) -> None:
    pass


def _run(command: list[str], what: str) -> None:
    done = subprocess.run(command, env=tool_environment(), capture_output=True, text=True)
    if done.returncode != 0:
        log = BUILD / "logs" / f"{digest(*command)}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(" ".join(command) + "\n" + done.stdout + done.stderr)
        output = (done.stdout + done.stderr).splitlines()
        lines = [line for line in output if "rror" in line or line.startswith("%Warning")] or ["no message"]
        raise GirihError(f"{what} failed ({lines[0].strip()})", str(log), "The log there has the whole of it.")


class _Compiler:
    """Compiles C++ files to objects that are kept by content."""

    def __init__(self, flags: list[str]):
        if shutil.which("g++") is None:
            raise GirihError("there is no C++ compiler", "g++", "Run as root: apt-get install g++")
        self._flags = flags
        self._launcher = ["ccache"] if shutil.which("ccache") else []
        self._version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout
        # An object made for this processor must not be used on another one.
        self._machine = next((line for line in _cpu_info() if line.startswith("flags")), "")
        self.folder = BUILD / "objects"

    def compile(self, source: Path, flags: list[str], depends: str) -> Path:
        """The object of `source`; depends: a digest of all that it includes."""
        command = ["g++", *COMMON_FLAGS, *self._flags, *flags]
        key = digest(self._version, self._machine, depends, source.read_bytes(), *command)
        target = self.folder / f"{source.stem}-{key}.o"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_suffix(f".{os.getpid()}.tmp")
            _run([*self._launcher, *command, "-c", str(source), "-o", str(temporary)], f"compiling {source.name}")
            temporary.replace(target)
        return target


def _cpu_info() -> list[str]:
    info = Path("/proc/cpuinfo")
    return info.read_text().splitlines() if info.exists() else []


def _contents(paths: list[Path]) -> str:
    return digest(*[part for path in sorted(paths) for part in (path.name, path.read_bytes())])


def build_model(
    folder: Path, *, trace: bool = False, sanitize: bool = False, progress: Progress = _silent
) -> Path:
    """The shared library of the design in `folder` (as the compiler wrote it); built when it is not there.

    trace: with FST waves. sanitize: under AddressSanitizer and UBSan, for tests. Raises GirihError.
    """
    from girih.card.manifest import Manifest  # here, because girih.card builds models itself

    manifest = Manifest.load(folder)
    include = verilator_root() / "include"
    extra = SANITIZERS if sanitize else []
    runtime = [path for pattern in ("*.cpp", "*.hpp") for path in RUNTIME.glob(pattern)]
    verilator_flags = [*VERILATOR_FLAGS, *(["--trace-fst"] if trace else []), *coverage.flags()]
    key = digest(
        _contents(manifest.sources), _contents([*runtime, *INCLUDE.glob("*.h")]), repr(verilator_flags), repr(extra),
        Path(__file__).read_text(), (include / "verilated_config.h").read_text(),
    )  # fmt: skip
    library = BUILD / "models" / f"{manifest.name}-{key}" / "libcard.so"
    if library.exists():
        return library
    if trace and not Path("/usr/include/lz4.h").exists():
        raise GirihError("waves need liblz4 and zlib", "lz4.h", "Run as root: apt-get install liblz4-dev zlib1g-dev")

    verilated = library.parent / "verilated"
    verilated.mkdir(parents=True, exist_ok=True)
    with open(library.parent / "lock", "w") as lock:  # two programs may want the same card
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            _build(library, verilated, manifest, verilator_flags, trace, extra, progress)
    return library


def _build(
    library: Path,
    verilated: Path,
    manifest: Manifest,
    verilator_flags: list[str],
    trace: bool,
    extra: list[str],
    progress: Progress,
) -> None:
    include = verilator_root() / "include"
    headers = [*RUNTIME.glob("*.hpp"), *INCLUDE.glob("*.h")]
    progress("Verilator", 0, 1)
    _run(
        [str(verilator_root() / "bin" / "verilator"), *verilator_flags, "--Mdir", str(verilated), *map(str, manifest.sources)],
        f"Verilator on design {manifest.name}",
    )
    compiler = _Compiler(extra)
    includes = [f"-I{include}", f"-I{include / 'vltstd'}"]
    traced = ["-DVM_TRACE=1", "-DVM_TRACE_FST=1"] if trace else []
    traced += ["-DVM_COVERAGE=1"] if coverage.folder() else []
    model_headers = _contents(list(verilated.glob("*.h")))
    hooks = ["-include", str(RUNTIME / "hooks.hpp")]
    own = _contents(headers)
    jobs: list[tuple[Path, list[str], str]] = []
    for source in _units(verilated, library.parent / "units"):
        flags = SLOW_FLAGS if source.stem.startswith("slow") else FAST_FLAGS
        jobs.append((source, [*flags, *includes, f"-I{verilated}", *traced, "-w"], model_headers))
    for source in sorted(RUNTIME.glob("*.cpp")):
        if source.name == "model.cpp":
            jobs.append((source, ["-O1", f"-I{verilated}", *_as_system(includes), *traced, *STRICT_FLAGS], own + model_headers))
        else:
            jobs.append((source, [*FAST_FLAGS, *STRICT_FLAGS], own))
    counting = ["verilated_cov.cpp"] if coverage.folder() else []
    for name in [*VERILATED, *counting, *(["verilated_fst_c.cpp"] if trace else [])]:
        jobs.append((include / name, ["-O1", *includes, f"-I{include / 'fstcpp'}", *traced, *hooks, "-w"], own))
    objects = _compile_all(compiler, jobs, progress)
    temporary = library.with_suffix(f".{os.getpid()}")
    _run(
        ["g++", "-shared", *extra, "-o", str(temporary), *map(str, objects), "-lpthread", *(["-llz4", "-lz"] if trace else [])],
        f"linking design {manifest.name}",
    )
    temporary.replace(library)


def _units(verilated: Path, folder: Path) -> list[Path]:
    """Verilator's files joined into a few: reading its headers takes longer than compiling most of them."""
    folder.mkdir(exist_ok=True)
    units: list[tuple[str, list[str]]] = []
    for kind in ("fast", "slow"):
        size = UNIT_BYTES  # so that the first file opens a unit
        for source in sorted(verilated.glob("*.cpp")):
            if ("__Slow" in source.name) == (kind == "slow"):
                text = source.read_text()
                if size + len(text) > UNIT_BYTES:
                    units.append((f"{kind}{len(units)}", []))
                    size = 0
                units[-1][1].append(text)
                size += len(text)
    paths = []
    for name, texts in units:
        paths.append(folder / f"{name}.cpp")
        write_if_changed(paths[-1], "".join(texts))
    return paths


def _as_system(includes: list[str]) -> list[str]:
    return [word for path in includes for word in ("-isystem", path.removeprefix("-I"))]


def _compile_all(compiler: _Compiler, jobs: list[tuple[Path, list[str], str]], progress: Progress) -> list[Path]:
    objects: list[Path] = []
    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as pool:
        futures = [pool.submit(compiler.compile, *job) for job in jobs]
        try:
            for future, (source, *_rest) in zip(futures, jobs):
                progress(f"compiling {source.name}", len(objects), len(jobs))
                objects.append(future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return objects
