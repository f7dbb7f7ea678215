# SPDX-License-Identifier: Apache-2.0
"""Runs cocotb tests of one module under pytest: the one runner of the repository's unit tests.

    def test_fifo():                       # pytest
        run_cocotb("fifo", __file__, parameters={"Depth": 4})

    @cocotb.test()
    async def everything_comes_out(dut):   # cocotb, in the same file; no `test_` prefix
        ...

Models are built once per content under build/programs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from girih.build.tools import SHARED_CODE, VERILATOR_CHECKS
from girih.paths import ROOT
from girih.power_up import VARIABLE, power_up_seed
from girih.testing import time_limit

# What builds programs is imported where it is used: simulations import this module, too, and build nothing.

SEED = 20_240_801  # fixed, and printed by cocotb in every log

# The narrowest, on which headers take several flits, in each run. Cards of 512 bits, on which headers take one, run in other tests, and one of
# 1,024 bits echoes (tests/test_designs.py).
WIDTHS = (128, *(pytest.param(width, marks=pytest.mark.thorough) for width in (256, 512, 1024)))

# In these files a failed assertion shows its values. cocotb rewrites every module that a simulation imports otherwise,
# which takes longer than most simulations.
SHOWING_ASSERTIONS = "test_*.py *_bench.py"

VERILATOR_ARGS = [*VERILATOR_CHECKS, "--x-initial", "unique", "--no-decoration"]  # C++ without white space compiles faster

QUICK_TO_COMPILE = [*SHARED_CODE, "--expand-limit", "20"]  # flits are copied in loops; tests run as fast


def _powered_up(seed: int) -> list[str]:
    """The arguments by which registers and memories of a simulation hold random values before reset; seed 0: zeros."""
    return ["+verilator+rand+reset+2", f"+verilator+seed+{seed}"] if seed else []


def _build(top: str, sources: list[Path], parameters: dict[str, object], inside: bool) -> Path:
    """The simulation of a module, with cocotb in it. inside: all signals are public, each with code of its own."""
    from cocotb_tools import config

    from girih.build.program import build_program

    public = ["--public-flat-rw"] if inside else ["--public-depth", "1"]
    options = ["--vpi", *public, "--prefix", "Vtop", "--timescale", "1ns/1ps", *VERILATOR_ARGS, *QUICK_TO_COMPILE]
    main = Path(config.share_dir) / "lib" / "verilator" / "verilator.cpp"
    libraries = [f"-Wl,-rpath,{config.libs_dir}", f"-L{config.libs_dir}", "-lcocotbvpi_verilator"]
    return build_program(top, sources, main, parameters=parameters, options=options, libraries=libraries)


def run_cocotb(
    top: str,
    test_file: str,
    *,
    data_width: int = 512,
    max_frame: int = 9018,
    chained: bool = False,
    groups: Sequence[str] = (),
    tenants: int | None = None,
    service_bits: int | None = None,
    parameters: dict[str, object] | None = None,
    generated: Sequence[Path] = (),
    extra: Sequence[Path] = (),
    testcase: str | list[str] | None = None,
    environment: dict[str, str] | None = None,
    inside: bool = False,
    seconds: int = time_limit.SECONDS,
) -> None:
    """Builds `top` for `data_width` and runs the cocotb tests of `test_file` on it; fails as pytest does.

    Registers, memories and inputs hold random values before reset.

    max_frame: bytes of the card's largest frame. chained: for a card with services, whose descriptor has a chain.
    groups: of the descriptor's fields, beside the basic ones. tenants, service_bits: as in CardParams; None: its default.
    parameters: Verilog parameters of the top. extra: files outside rtl/, such as a test-only wrapper.
    inside: the tests reach signals below the top, which keeps Verilator from optimizing: large modules then take
    twice as long to build. Without it they reach the ports and the top's own signals.
    seconds: of processor time that the simulation may take; then it has failed.
    """
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import Verilator

    from girih.build import coverage
    from girih.build.generate import generated_rtl
    from girih.build.sources import resolve
    from girih.spec.message import CHAIN, CardParams
    from girih.testing.links import checks_of

    seed = power_up_seed(SEED)
    more = [*groups, CHAIN] if chained else groups
    params = CardParams.with_groups(data_width, max_frame, more)
    params = replace(params, tenants=tenants or params.tenants, service_bits=service_bits or params.service_bits)
    folders = [generated_rtl(params), *generated]
    checks = checks_of(top)
    sources = resolve([top, *(path.stem for path in checks)], folders, [*(Path(p) for p in extra), *checks])
    program = _build(top, sources, parameters or {}, inside)
    folder = program.parent
    note = folder / f"running-{os.getpid()}"
    saved, saved_path = dict(os.environ), list(sys.path)
    try:
        test_path = Path(test_file).resolve()
        sys.path[:0] = [str(test_path.parent), str(ROOT / "python")]  # the runner passes sys.path to the simulation
        results = Verilator().test(
            hdl_toplevel=program.name,
            hdl_toplevel_lang="verilog",
            test_module=["girih.testing.in_simulation", test_path.stem],
            testcase=testcase,
            seed=SEED,
            build_dir=folder,
            test_dir=folder,
            plusargs=[*_powered_up(seed), *coverage.arguments(folder.name)],
            results_xml=str(folder / f"results-{os.getpid()}.xml"),
            extra_env={
                "COCOTB_REWRITE_ASSERTION_FILES": SHOWING_ASSERTIONS,
                "GIRIH_DATA_WIDTH": str(data_width),
                "GIRIH_MAX_FRAME": str(max_frame),
                "GIRIH_GROUPS": ",".join(more),
                **time_limit.environment(seconds, note),
                **(environment or {}),
            },
        )
        total, failed = get_results(results)
        assert total > 0, f"{test_file} holds no cocotb test for {top}"
        assert failed == 0, f"{failed} of {total} cocotb tests failed with {VARIABLE}={seed}; see {folder}"
    except (SystemExit, RuntimeError) as stop:  # cocotb's runner raises one of these when the simulation dies
        if time_limit.ended_by_it(str(stop)):
            raise AssertionError(time_limit.sentence(top, seconds, note)) from None
        raise AssertionError(f"the simulation of {top} ended abnormally with {VARIABLE}={seed}; see {folder}") from stop
    finally:
        note.unlink(missing_ok=True)
        os.environ.clear()
        os.environ.update(saved)
        sys.path[:] = saved_path
