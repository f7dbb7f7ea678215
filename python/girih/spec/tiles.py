# SPDX-License-Identifier: Apache-2.0
"""Makes the SystemVerilog of every tile kind, and the register blocks.

    <kind>_pkg.sv   cfg_t and event_t, which the engine is written against
    <kind>_regs.sv  the register block, by PeakRDL-regblock, with <kind>_regs_pkg.sv
    <kind>.sv       the tile: engine, registers and shell joined
    <kind>_cover.sv  cover points of the engine's events
    <kind>_engine.sv  of a compute unit: its core behind a traffic manager; of an engine with plain AXI4-Stream ports: that engine behind UDP
    shell_pkg.sv    shell_event_t, what the shell itself counts
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

from girih import verilog
from girih.paths import BUILD, HARDWARE, ROOT
from girih.spec import axi, histogram, streams, units
from girih.spec.files import keep, look
from girih.spec.kinds import CARD, SHELL, Kind, compile_rdl
from girih.spec.message import CardParams
from girih.verilog import render

# Verilator's rules that the text of PeakRDL breaks: all fields of a block are in one variable, each with an always_comb of its
# own; generate blocks have no names; a block does not use all of its ports.
_WAIVED = ("MULTIDRIVEN", "GENUNNAMED", "UNUSEDSIGNAL")

TEMPLATES = Path(__file__).parent / "templates"


def package(kind: Kind) -> str:
    """`<kind>_pkg`: the types of an engine's `cfg_i`, `event_o` and `interrupt_o`."""
    structs = {}
    if kind.config:
        structs["cfg_t"] = [_member(field.name, field.doc, field.count, field.width) for field in kind.config]
    if kind.engine_counters:
        structs["event_t"] = [_member(counter.name, counter.doc) for counter in reversed(kind.engine_counters)]
    if kind.interrupts:  # the first one is bit 0
        structs["interrupt_t"] = [_member(name, doc) for name, doc in reversed(list(kind.interrupts.items()))]
    return _types(kind.name, kind.rdl, structs)


def shell_package(kind: Kind) -> str:
    """`shell_pkg`: the shell's counters, which are the same for every kind."""
    return _types("shell", SHELL / "tile.rdl", {"shell_event_t": [_member(event.name, event.doc) for event in reversed(kind.shell_events)]})


def _member(name: str, doc: str, count: int = 0, width: int = 1) -> dict[str, str]:
    """A member of a struct; a count makes an array."""
    dimensions = (f"[{count - 1}:0]" if count else "") + (f"[{width - 1}:0]" if width > 1 else "")
    return {"type": f"logic {dimensions}".rstrip(), "name": name, "doc": doc}


def _types(name: str, source: Path, structs: Mapping[str, list[dict[str, str]]]) -> str:
    return render(TEMPLATES / "types_pkg.sv.j2", name=name, source=source.relative_to(ROOT), structs=structs)


def tile(kind: Kind) -> str:
    """The text of the tile's module, with the ports that the fabric, the control ring and the card connect to."""
    return render(TEMPLATES / "tile.sv.j2", kind=kind, root=ROOT, axi=axi.PINS)


def cover(kind: Kind) -> str:
    """The text of the module with the cover points of an engine that has events."""
    return render(TEMPLATES / "tile_cover.sv.j2", kind=kind, root=ROOT)


def unit_engine(kind: Kind) -> str:
    """The text of the engine's module of a compute unit."""
    return render(TEMPLATES / "unit_engine.sv.j2", kind=kind, root=ROOT, slots=units.SLOTS)


def stream_engine(kind: Kind) -> str:
    """The text of the engine's module of a kind whose engine has plain AXI4-Stream ports."""
    return render(TEMPLATES / "stream_engine.sv.j2", kind=kind, root=ROOT)


def registers(rdl: Path) -> dict[str, str]:
    """The texts of `<name>_regs.sv` and `<name>_regs_pkg.sv` of one `.rdl` file, by file name. They are kept in the build folder, because they are the same
    for all sets of parameters, and making those of all kinds takes seconds."""
    state = _made_from().copy()
    state.update(f"{rdl.relative_to(ROOT)} ".encode() + rdl.read_bytes())
    kept = BUILD / "registers" / f"{rdl.stem}-{state.hexdigest()[:16]}"
    texts = look(kept)
    if texts is None:
        texts = _export(rdl)
        keep(kept, texts)
    return texts


@cache
def _made_from() -> hashlib._Hash:
    """Of what all register blocks depend on: the descriptions, which include one another, and the programs that read and write them."""
    state = hashlib.sha256(" ".join(metadata.version(name) for name in ("systemrdl-compiler", "peakrdl-regblock")).encode())
    for path in (Path(__file__), *(path for path in inputs() if path.suffix == ".rdl")):
        state.update(f"{path.relative_to(ROOT)} {path.stat().st_size} ".encode() + path.read_bytes())
    return state


def _export(rdl: Path) -> dict[str, str]:
    # Imported here, because it takes longer than most commands, and only the first one makes register blocks.
    from peakrdl_regblock import RegblockExporter
    from peakrdl_regblock.cpuif.passthrough import PassthroughCpuif

    name = f"{rdl.stem}_regs"
    heading = f"// SPDX-License-Identifier: Apache-2.0\n// Generated from {rdl.relative_to(ROOT)} by girih.spec.tiles; do not edit.\n"
    off = "".join(f"// verilator lint_off {rule}\n" for rule in _WAIVED)
    on = "".join(f"// verilator lint_on {rule}\n" for rule in _WAIVED)
    with tempfile.TemporaryDirectory() as folder:
        RegblockExporter().export(
            compile_rdl(rdl),
            folder,
            cpuif_cls=PassthroughCpuif,
            module_name=name,
            address_width=16,
            err_if_bad_addr=True,
            err_if_bad_rw=True,
        )
        texts = {file: (Path(folder) / file).read_text().rstrip() for file in (f"{name}.sv", f"{name}_pkg.sv")}
    texts[f"{name}.sv"] = _decoded(texts[f"{name}.sv"])
    return {file: heading + off + text + "\n" + on for file, text in texts.items()}


_RANGE = re.compile(r"\(([a-z_]+) >= 16'h([0-9a-f]+)\)( &&?) \(\1 <= 16'h\2 \+ 16'h([0-9a-f]+)\)")
_HELD = re.compile(r"    logic \[15:0\] pending_rd_addr;\n.*?    assign rd_mux_addr = [^\n]*\n", re.DOTALL)


def _decoded(text: str) -> str:
    """A register block that decodes addresses in fewer steps: a range by equal upper bits and, if needed, a small comparison, instead of two long ones;
    and a read by the address of the request, which holds until its answer, so that no copy is needed."""
    return _HELD.sub("    assign rd_mux_addr = decoded_addr;  // holds until the answer\n", _RANGE.sub(_range, text))


def _range(found: re.Match[str]) -> str:
    name, joined = found[1], found[3]
    first, size = int(found[2], 16), int(found[4], 16) + 1
    bits = (size - 1).bit_length()  # those that may differ within the range
    whole = size == 1 << bits
    if first % (1 << bits) or not (whole or bits > 2):
        return found[0]
    upper = f"({name}[15:{bits}] == {16 - bits}'h{first >> bits:x})"
    if whole:
        return upper
    return f"{upper}{joined} ({name}[{bits - 1}:2] <= {bits - 2}'h{(size - 1) >> 2:x})"


def generate(out_dir: Path, kinds: Mapping[str, Kind], params: CardParams) -> None:
    """Writes the files of every kind, and those of the card's own registers, into the folder `out_dir`."""
    for kind in kinds.values():
        (out_dir / f"{kind.name}_pkg.sv").write_text(package(kind))
        (out_dir / f"{kind.name}.sv").write_text(tile(kind))
        if kind.covered_counters:
            (out_dir / f"{kind.name}_cover.sv").write_text(cover(kind))
        if kind.core:
            (out_dir / f"{kind.engine}.sv").write_text(unit_engine(kind))
        if kind.stream:
            (out_dir / f"{kind.engine}.sv").write_text(stream_engine(kind))
        (out_dir / "shell_pkg.sv").write_text(shell_package(kind))
    (out_dir / "histogram_pkg.sv").write_text(histogram.package(params))
    for rdl in (*(kind.rdl for kind in kinds.values()), CARD):
        for name, text in registers(rdl).items():
            (out_dir / name).write_text(text)


def inputs() -> list[Path]:
    """The files that decide what `generate` writes."""
    descriptions = [path for folder in HARDWARE for suffix in ("rdl", "yaml") for path in sorted(folder.rglob(f"*.{suffix}"))]
    here = Path(__file__).parent
    programs = [here / name for name in ("axi.py", "histogram.py", "kind.py", "kinds.py", "parameters.py", "tiles.py")]
    programs += [Path(verilog.__file__), *sorted(verilog.SHARED.glob("*.j2")), *sorted(TEMPLATES.rglob("*.j2"))]
    return [*descriptions, *programs, *units.inputs(), *streams.inputs()]
