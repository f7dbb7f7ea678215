# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ that Verilator writes, without its makefile.

Most of the makefile's time goes into reading headers: once for each of many small files, and twice to
precompile those of each model. Here a model's files are joined into a few, the headers of Verilator's
runtime are precompiled once for all models, and every object is kept by content.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from girih.build import coverage
from girih.build.generate import digest, write_if_changed
from girih.build.tools import tool_environment, verilator_root
from girih.errors import GirihError, program_failed
from girih.paths import BUILD

OBJECTS = BUILD / "objects"
# Late garbage collection: the compiler takes half a gigabyte for a unit, and a tenth less time.
COMMON_FLAGS = ["-std=gnu++20", "-pipe", "--param", "ggc-min-expand=300", "--param", "ggc-min-heapsize=2000000"]
RUNTIME = ("verilated.cpp", "verilated_threads.cpp")  # the part of Verilator's runtime that every model needs
NOT_OPTIMIZED = '#pragma GCC optimize ("O0")\n'  # from here to the end of the file
UNIT_BYTES = 3_000_000  # of C++ for one run of the compiler; they take a few seconds more than the header of a large model alone
# For code that is hardly optimized, and where other work keeps the cores busy: a large model's header is read half as often, which takes a tenth off.
LARGE_UNIT_BYTES = 6_000_000

Progress = Callable[[str, int, int], None]
"""Called with the name of the current step, the number of steps done, and their total."""


def silent(_what: str, _done: int, _total: int) -> None:
    pass


def run(command: Sequence[str], what: str) -> None:
    """Runs a program of the build. Raises GirihError with its first error and the file that holds its whole output."""
    done = subprocess.run(command, env=tool_environment(), capture_output=True, text=True)
    if done.returncode != 0:
        log = BUILD / "logs" / f"{digest(*command)}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(" ".join(command) + "\n" + done.stdout + done.stderr)
        raise program_failed(what, done.stdout + done.stderr, log)


def contents(paths: Iterable[Path]) -> str:
    """A digest of files and their names."""
    return digest(*[part for path in sorted(paths) for part in (path.name, path.read_bytes())])


@cache
def runtime_version() -> str:
    """What objects depend on when they include headers of Verilator's runtime."""
    return (verilator_root() / "include" / "verilated_config.h").read_text()


def runtime_includes() -> list[str]:
    include = verilator_root() / "include"
    return [f"-I{include}", f"-I{include / 'vltstd'}"]


@cache
def _machine() -> str:
    """The compiler's version and the processor: an object made for this one must not be used on another."""
    if shutil.which("g++") is None:
        raise GirihError("there is no C++ compiler", "g++", "Run as root: apt-get install g++")
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return version + next((line for line in lines if line.startswith("flags")), "")


@dataclass(frozen=True)
class Job:
    """One run of the compiler. includes: options that name folders; depends: a digest of what the source includes."""

    source: Path
    flags: Sequence[str]
    includes: Sequence[str]
    depends: str

    def object(self) -> Path:
        """The object, made if there is none of this content yet."""
        command = ["g++", *COMMON_FLAGS, *self.flags]
        target = OBJECTS / f"{self.source.stem}-{self._key(command)}.o"
        if not target.exists():
            _make(target, [*command, *self.includes, "-c", str(self.source)], f"compiling {self.source.name}")
        return target

    def precompiled(self) -> list[str]:
        """Options with which compilations that have the same flags use the source, a header, in precompiled form."""
        command = ["g++", *COMMON_FLAGS, *self.flags]
        header = OBJECTS / f"{self.source.stem}-{self._key(command)}.h"
        if not header.with_suffix(".h.gch").exists():
            header.parent.mkdir(parents=True, exist_ok=True)
            write_if_changed(header, f'#include "{self.source.name}"\n')
            made = [*command, *self.includes, "-x", "c++-header", str(header)]
            _make(header.with_suffix(".h.gch"), made, f"precompiling {self.source.name}")
        return ["-include", str(header)]

    def _key(self, command: list[str]) -> str:
        return digest(_machine(), runtime_version(), self.depends, self.source.read_bytes(), *command)


def _make(target: Path, command: list[str], what: str) -> None:
    """Runs a command that writes a file, which appears whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(f".{os.getpid()}.tmp")
    run([*command, "-o", str(temporary)], what)
    temporary.replace(target)


def model_jobs(
    folder: Path, flags: Sequence[str], *, header: str = "verilated.h", main: Path | None = None, defines: Sequence[str] = (),
    unit_bytes: int = UNIT_BYTES,
) -> list[Job]:  # fmt: skip
    """The compilations for the model that Verilator wrote into `folder`.

    header: of the runtime; it is precompiled. main: a file that drives the model, compiled with `defines`. unit_bytes: how much
    one of them compiles at most, if no file has more.
    """
    flags = [*flags, "-w", *_counting()]
    precompiled = Job(verilator_root() / "include" / header, flags, runtime_includes(), "").precompiled()
    includes = [*precompiled, *runtime_includes(), f"-I{folder}"]
    headers = contents(folder.glob("*.h"))
    jobs = [Job(source, flags, includes, headers) for source in _units(folder, folder / "units", unit_bytes)]
    if main:
        jobs.append(Job(main, [*flags, *defines], includes, headers))
    return jobs


def runtime_jobs(flags: Sequence[str], more: Sequence[str] = (), depends: str = "") -> list[Job]:
    """The same for Verilator's runtime. more: files beyond those that every model needs."""
    include = verilator_root() / "include"
    names = [*RUNTIME, *more, *(["verilated_cov.cpp"] if coverage.folder() else [])]
    return [Job(include / name, [*flags, "-w", *_counting()], runtime_includes(), depends) for name in names]


def _counting() -> list[str]:
    return ["-DVM_COVERAGE=1"] if coverage.folder() else []


def _units(verilated: Path, folder: Path, most: int) -> list[Path]:
    """Verilator's files joined into a few. Code that runs once, such as constructors, comes last and is not optimized."""
    texts: list[str] = []
    for slow, source in sorted(("__Slow" in path.name, path) for path in verilated.glob("*.cpp")):
        text = NOT_OPTIMIZED * slow + source.read_text()
        if not texts or len(texts[-1]) + len(text) > most:
            texts.append("")
        texts[-1] += text
    paths = [folder / f"unit{number}.cpp" for number in range(len(texts))]
    for path, text in zip(paths, texts):
        write_if_changed(path, text)
    return paths


def compile_all(jobs: Sequence[Job], progress: Progress = silent) -> list[Path]:
    """The objects of all jobs. Raises GirihError."""
    objects: list[Path] = []
    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as pool:
        futures = [pool.submit(job.object) for job in jobs]
        try:
            for future, job in zip(futures, jobs):
                progress(f"compiling {job.source.name}", len(objects), len(jobs))
                objects.append(future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return objects


def link(target: Path, objects: Sequence[Path], options: Sequence[str], what: str) -> None:
    """Links a program or a library."""
    _make(target, ["g++", *map(str, objects), *options], f"linking {what}")
