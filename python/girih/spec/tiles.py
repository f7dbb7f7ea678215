# SPDX-License-Identifier: Apache-2.0
"""Makes the SystemVerilog of every tile kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from girih.paths import ROOT
from girih.spec.kinds import SHELL, TILES, Kind


def _heading(kind: Kind) -> str:
    return (
        "// SPDX-License-Identifier: Apache-2.0\n"
        f"// Generated from {kind.rdl.relative_to(ROOT)} by girih.spec.tiles; do not edit.\n"
    )


def _struct(name: str, members: list[tuple[str, int, str]]) -> list[str]:
    lines = ["  typedef struct packed {"]
    for member, width, doc in members:
        dimension = f"[{width - 1}:0] " if width > 1 else ""
        lines.append(f"    logic {dimension}{member};  // {doc}")
    return [*lines, f"  }} {name};", ""]


def package(kind: Kind) -> str:
    """`<kind>_pkg`: the types of an engine's `cfg_i` and `event_o`."""
    lines = [f"package {kind.name}_pkg;"]
    if kind.config:
        lines += _struct("cfg_t", [(field.name, field.width, field.doc) for field in kind.config])
    if kind.engine_counters:
        lines += _struct("event_t", [(counter.name, 1, counter.doc) for counter in kind.engine_counters])
    return _heading(kind) + "\n".join([*lines[:-1], "endpackage", ""])


def generate(out_dir: Path, kinds: Mapping[str, Kind]) -> None:
    """Writes the files of every kind into the folder `out_dir`."""
    for kind in kinds.values():
        (out_dir / f"{kind.name}_pkg.sv").write_text(package(kind))


def inputs() -> list[Path]:
    """The files that decide what `generate` writes."""
    descriptions = [path for suffix in ("rdl", "yaml") for path in sorted(TILES.glob(f"*/*.{suffix}"))]
    here = Path(__file__).parent
    return [*descriptions, SHELL / "tile.rdl", here / "kinds.py", here / "tiles.py"]
