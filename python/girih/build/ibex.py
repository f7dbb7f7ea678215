# SPDX-License-Identifier: Apache-2.0
"""lowRISC's Ibex, the RISC-V core: one file of SystemVerilog, made from the installed package `pythondata-cpu-ibex`.

Its modules include macros and need search paths that no other module of a card needs. Here they are preprocessed, once, and
Verilator's warnings about them are waived in this file and nowhere else.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
from functools import cache
from pathlib import Path

from girih.bootstrap import ensure
from girih.build.generate import alone, digest, write_if_changed
from girih.build.sources import PACKAGED
from girih.build.tools import tool_environment, verilator_root
from girih.build.vendored import without_warnings
from girih.errors import GirihError
from girih.paths import BUILD

PACKAGE = "pythondata_cpu_ibex"
_INCLUDED = ("vendor/lowrisc_ip/ip/prim/rtl", "vendor/lowrisc_ip/dv/sv/dv_utils")
_FOLDERS = ("rtl", "vendor/lowrisc_ip/ip/prim/rtl", "vendor/lowrisc_ip/ip/prim_generic/rtl")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_WAIVED = (
    "ALWCOMBORDER", "ASCRANGE", "BLKSEQ", "CASEINCOMPLETE", "GENUNNAMED", "IMPERFECTSCH", "PINCONNECTEMPTY", "SIDEEFFECT", "UNDRIVEN", "UNOPTFLAT", "UNUSEDGENVAR", "UNUSEDLOOP",
    "UNUSEDSIGNAL", "WIDTH", "VARHIDDEN", "SYNCASYNCNET",
)  # fmt: skip


def _root() -> Path:
    ensure(("cores",))
    importlib.invalidate_caches()
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise GirihError("the package of the Ibex core is not installed", PACKAGE, "Remove build/env/.installed-cores.txt and try again.")
    return Path(spec.origin).parent / "system_verilog"


def _files(root: Path) -> list[Path]:
    """What the tops need, leaves first, by the names in the files."""
    index = {path.stem: path for folder in _FOLDERS for path in sorted((root / folder).glob("*.sv"))}
    order: list[Path] = []
    visited: set[str] = set()

    def visit(name: str) -> None:
        visited.add(name)
        for word in sorted(set(_WORD.findall(_COMMENT.sub(" ", index[name].read_text())))):
            if word in index and word not in visited:
                visit(word)
        order.append(index[name])

    for top in PACKAGED:
        visit(top)
    return sorted((path for path in order if "assert" not in path.stem), key=lambda path: not path.stem.endswith("_pkg"))


@cache
def source(defines: tuple[str, ...] = ()) -> Path:
    """The file, made if it is not there. defines: macros, such as RVFI, which gives `ibex_core` the ports of a trace."""
    root = _root()
    files = _files(root)
    key = digest(*[part for path in files for part in (path.name, path.read_bytes())], *defines, *_WAIVED)
    folder = BUILD / "generated" / f"ibex-{key}"
    made = folder / "ibex_core.sv"
    with alone(folder):
        if not made.exists():
            write_if_changed(made, _text(root, files, defines))
    return made


def _text(root: Path, files: list[Path], defines: tuple[str, ...]) -> str:
    options = ["-E", "-P", "-DSYNTHESIS", *(f"-D{name}" for name in defines), *(f"-I{root / folder}" for folder in _INCLUDED)]
    done = subprocess.run([verilator_root() / "bin" / "verilator", *options, *files], env=tool_environment(), capture_output=True, text=True)
    if done.returncode:
        raise GirihError(f"Verilator cannot preprocess Ibex ({done.stderr.strip().splitlines()[0]})", str(root), "Reinstall the package.")
    heading = "// SPDX-License-Identifier: Apache-2.0\n// Ibex, by lowRISC contributors; preprocessed from the package pythondata-cpu-ibex by girih.build.ibex; do not edit.\n"
    return heading + without_warnings(done.stdout, _WAIVED)
