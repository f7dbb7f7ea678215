# SPDX-License-Identifier: Apache-2.0
"""Area of RTL by open synthesis for UltraScale+ (Yosys, `synth_xilinx -family xcup`).

    synthesize("fifo", parameters={"Depth": 16}).lut

Results are kept by content under build/synth.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from girih.build.generate import digest, generated_rtl, params_for
from girih.build.sources import resolve
from girih.paths import BUILD
from girih.spec.message import CardParams
from girih.synth.area import Area, area_of, total
from girih.synth.yosys import read_command, relative, run

__all__ = ["Area", "synthesize", "synthesize_all", "total"]

WORKERS = 2  # each takes a core and, for a large tile, a gigabyte
COMMANDS = "synth_xilinx -family xcup -flatten -noiopad -top {top}"
# Checks are for simulation and proofs; as cells they would keep their logic alive.
READ_OPTIONS = "--ignore-assertions"

Job = TypeVar("Job")  # what a job is called by


def synthesize(
    top: str,
    params: CardParams | None = None,
    parameters: dict[str, object] | None = None,
    generated: Sequence[Path] = (),
    extra: Sequence[Path] = (),
) -> Area:
    """The area of module `top`, flattened, by itself (nothing known about its inputs).

    params: of the card; None: a plain one of 512 bits that the module can be part of. parameters: Verilog
    parameters of the top. generated: folders with generated modules. extra:
    single files outside rtl/. Raises RuntimeError with the end of the log when synthesis fails.
    """
    parameters = parameters or {}
    params = params or params_for(top)
    sources = resolve([top], [generated_rtl(params), *generated], extra)
    read = read_command(top, sources, parameters, READ_OPTIONS)
    key = digest(top, repr(sorted(parameters.items())), READ_OPTIONS, COMMANDS, *[p.read_bytes() for p in sources])
    folder = BUILD / "synth" / f"{top}-{key}"
    result = folder / "stat.json"
    if not result.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / "partial.json"
        run(
            "\n".join([read, COMMANDS.format(top=top), f"tee -q -o {relative(partial)} stat -json", ""]),
            folder,
        )
        partial.rename(result)
    return area_of(json.loads(result.read_text())["design"].get("num_cells_by_type", {}))


def synthesize_all(jobs: dict[Job, dict], progress=None) -> dict[Job, Area]:
    """`synthesize(**job)` for each named job, two at a time; `progress(name, area)` after each."""

    def one(item: tuple[Job, dict]) -> tuple[Job, Area]:
        name, job = item
        area = synthesize(**job)
        if progress:
            progress(name, area)
        return name, area

    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(pool.map(one, jobs.items()))
