# SPDX-License-Identifier: Apache-2.0
"""Area and netlist of RTL by open synthesis for UltraScale+ (Yosys, `synth_xilinx -family xcup`).

    synthesize("fifo", parameters={"Depth": 16}).lut
    timing_of(netlist("fifo", parameters={"Depth": 16})).worst_ns

Results are kept by content under build/synth.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from girih.build.generate import alone, digest, generated_rtl, params_for
from girih.build.sources import resolve
from girih.errors import GirihError
from girih.paths import BUILD
from girih.spec.message import CardParams
from girih.synth.area import Area, area_of, total
from girih.synth.netlist import Netlist, read_netlist
from girih.synth.yosys import read_command, relative, run

__all__ = ["Area", "netlist", "synthesize", "synthesize_all", "total"]

WORKERS = 2  # each uses a core and, for a large tile, a gigabyte
# Bits that are to be kept become wires of their own before the mapping. Of a wire of which one bit is also a register or a constant, the mapper would lose
# the drivers of the other bits, and what they lead to would be wrong.
COMMANDS = """
synth_xilinx -family xcup -flatten -noiopad -top {top} -run begin:map_luts
splitnets a:keep
synth_xilinx -family xcup -flatten -noiopad -top {top} -run map_luts:
setattr -mod -unset keep_hierarchy *
setattr -unset keep_hierarchy */a:keep_hierarchy
flatten
tee -q -o {folder}/partial.json stat -json
write_json -selected -noscopeinfo {folder}/netlist.json
"""
# Checks are for simulation and proofs; as cells they would keep their logic alive.
READ_OPTIONS = "--ignore-assertions"
# A module, or an instance, with this attribute is mapped to look-up tables by itself, so that the logic around it does not change its depth. The reader
# keeps modules only if it is told to.
KEPT = b"(* keep_hierarchy *)"
KEEP_OPTION = "--best-effort-hierarchy"

Job = TypeVar("Job")  # the name of a job


def synthesize(
    top: str,
    params: CardParams | None = None,
    parameters: dict[str, object] | None = None,
    generated: Sequence[Path] = (),
    extra: Sequence[Path] = (),
) -> Area:
    """The area of module `top`, flattened, by itself (nothing known about its inputs).

    params: those of the card; None: a plain card of 512 bits that can contain the module. parameters: Verilog
    parameters of the top. generated: folders with generated modules. extra:
    single files outside rtl/. Raises GirihError when synthesis fails.
    """
    folder = _synthesized(top, params, parameters, generated, extra)
    return area_of(json.loads((folder / "stat.json").read_text())["design"].get("num_cells_by_type", {}))


def netlist(
    top: str,
    params: CardParams | None = None,
    parameters: dict[str, object] | None = None,
    generated: Sequence[Path] = (),
    extra: Sequence[Path] = (),
) -> Netlist:
    """The cells and wires of the synthesis whose area `synthesize` gives for the same arguments."""
    with gzip.open(_synthesized(top, params, parameters, generated, extra) / "netlist.json.gz") as file:
        return read_netlist(json.load(file))


def _synthesized(
    top: str,
    params: CardParams | None,
    parameters: dict[str, object] | None,
    generated: Sequence[Path],
    extra: Sequence[Path],
) -> Path:
    """The folder with the results: `stat.json`, which is there when all are, and `netlist.json.gz`."""
    parameters = parameters or {}
    params = params or params_for(top)
    sources = resolve([top], [generated_rtl(params), *generated], extra)
    texts = [path.read_bytes() for path in sources]
    options = f"{READ_OPTIONS} {KEEP_OPTION}" if any(KEPT in text for text in texts) else READ_OPTIONS
    read = read_command(top, sources, parameters, options)
    key = digest(top, repr(sorted(parameters.items())), options, COMMANDS, *texts)
    folder = BUILD / "synth" / f"{top}-{key}"
    result = folder / "stat.json"
    with alone(folder):
        if not result.exists():
            run(read + COMMANDS.format(top=top, folder=relative(folder)), folder)
            plain = folder / "netlist.json"
            _refuse_lost_nets(top, json.loads(plain.read_bytes()))
            with plain.open("rb") as source, gzip.open(folder / "netlist.json.gz", "wb", compresslevel=3) as packed:
                shutil.copyfileobj(source, packed)
            plain.unlink()
            (folder / "partial.json").rename(result)
    return folder


def _refuse_lost_nets(top: str, written: dict) -> None:
    """Raises GirihError if a net of Yosys' JSON that is to be kept has a bit without a driver: what it leads to is wrong, and its area too small."""
    for module in written["modules"].values():
        for name, net in module["netnames"].items():
            if "keep" in net["attributes"] and "x" in net["bits"]:
                raise GirihError(
                    f"synthesis lost the driver of {name}, which is marked keep", top,
                    "Keep only bits that logic drives: a bit that is a constant, a register or a port needs no wire of its own.",
                )  # fmt: skip


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
