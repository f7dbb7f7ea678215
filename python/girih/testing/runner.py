# SPDX-License-Identifier: Apache-2.0
"""Runs cocotb tests of one module under pytest: the one runner of the repository's unit tests.

    def test_fifo():                       # pytest
        run_cocotb("fifo", __file__, parameters={"Depth": 4})

    @cocotb.test()
    async def everything_comes_out(dut):   # cocotb, in the same file; no `test_` prefix
        ...

Models are built once per content under build/cocotb.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from girih.build import coverage
from girih.build.generate import digest, generated_rtl
from girih.build.sources import resolve
from girih.build.tools import tool_environment
from girih.paths import BUILD, ROOT
from girih.power_up import VARIABLE, power_up_seed
from girih.spec.message import CardParams
from girih.testing.links import checks_of

if TYPE_CHECKING:
    from cocotb_tools.runner import Runner

SEED = 20_240_801  # fixed, and printed by cocotb in every log

# The narrowest, the 100G card's and the widest; what lies between is shown by its neighbours.
WIDTHS = (128, pytest.param(256, marks=pytest.mark.thorough), 512, 1024)

# Warnings are fatal; these two say nothing about a design with one module per file and unused
# package members.
VERILATOR_ARGS = ["-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDPARAM", "--assert", "-O3", "--x-initial", "unique"]


def _powered_up(seed: int) -> list[str]:
    """The arguments by which registers and memories of a simulation hold random values before reset; seed 0: zeros."""
    return ["+verilator+rand+reset+2", f"+verilator+seed+{seed}"] if seed else []


def _counted(name: str) -> list[str]:
    """The argument by which a simulation leaves its coverage under a name of its own, when it is counted."""
    folder = coverage.folder()
    return [f"+verilator+coverage+file+{folder / f'{name}-{uuid4().hex}.dat'}"] if folder else []


def _runner(inside: bool) -> Runner:
    """cocotb's runner. It makes every signal of a design public, each with code of its own; this one does only if `inside`."""
    from cocotb_tools.runner import Verilator

    class Shallow(Verilator):
        def _build_command(self) -> list[list[str]]:
            return [
                [new for word in command for new in (("--public-depth", "1") if word == "--public-flat-rw" else (word,))]
                for command in super()._build_command()
            ]

    return Verilator() if inside else Shallow()


def run_cocotb(
    top: str,
    test_file: str,
    *,
    data_width: int = 512,
    chained: bool = False,
    parameters: dict[str, object] | None = None,
    generated: Sequence[Path] = (),
    extra: Sequence[Path] = (),
    testcase: str | list[str] | None = None,
    environment: dict[str, str] | None = None,
    inside: bool = False,
) -> None:
    """Builds `top` for `data_width` and runs the cocotb tests of `test_file` on it; fails as pytest does.

    Registers, memories and inputs hold random values before reset when the environment has a GIRIH_SEED.

    chained: for a card with services, whose descriptor has a chain.
    parameters: Verilog parameters of the top. extra: files outside rtl/, such as a test-only wrapper.
    inside: the tests reach signals below the top, which keeps Verilator from optimizing: large modules then take
    twice as long to build. Without it they reach the ports and the top's own signals.
    """
    from cocotb_tools.check_results import get_results

    seed = power_up_seed(0)
    params = CardParams.chained(data_width) if chained else CardParams(data_width=data_width)
    folders = [generated_rtl(params), *generated]
    checks = checks_of(top)
    sources = resolve([top, *(path.stem for path in checks)], folders, [*(Path(p) for p in extra), *checks])
    verilator_args = [*VERILATOR_ARGS, *coverage.flags()]
    key = digest(top, repr(sorted((parameters or {}).items())), *[p.read_bytes() for p in sources], *verilator_args, str(inside))
    build_dir = BUILD / "cocotb" / f"{top}-{key}"
    saved, saved_path = dict(os.environ), list(sys.path)
    os.environ.update(tool_environment())
    try:
        runner = _runner(inside)
        done = build_dir / "built"
        runner.build(
            sources=sources,
            hdl_toplevel=top,
            parameters=parameters or {},
            build_args=verilator_args,
            build_dir=build_dir,
            always=not done.exists(),
            timescale=("1ns", "1ps"),
            log_file=build_dir / "build.log" if done.parent.exists() else None,
        )
        done.touch()
        test_path = Path(test_file).resolve()
        sys.path[:0] = [str(test_path.parent), str(ROOT / "python")]  # the runner hands sys.path on
        results = runner.test(
            hdl_toplevel=top,
            test_module=["girih.testing.power_up", test_path.stem],
            testcase=testcase,
            seed=SEED,
            build_dir=build_dir,
            test_dir=build_dir,
            plusargs=[*_powered_up(seed), *_counted(build_dir.name)],
            results_xml=str(build_dir / f"results-{os.getpid()}.xml"),
            extra_env={
                "GIRIH_DATA_WIDTH": str(data_width),
                "GIRIH_CHAINED": str(int(chained)),
                **(environment or {}),
            },
        )
        total, failed = get_results(results)
        assert total > 0, f"{test_file} holds no cocotb test for {top}"
        assert failed == 0, f"{failed} of {total} cocotb tests failed with {VARIABLE}={seed}; see {build_dir}"
    except SystemExit as stop:  # cocotb's runner leaves so when the simulation dies
        raise AssertionError(f"the simulation of {top} ended abnormally with {VARIABLE}={seed}; see {build_dir}") from stop
    finally:
        os.environ.clear()
        os.environ.update(saved)
        sys.path[:] = saved_path
