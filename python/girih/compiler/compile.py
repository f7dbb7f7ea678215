# SPDX-License-Identifier: Apache-2.0
"""A design file in, a folder with everything about its card out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from girih.build.generate import digest, generated_rtl, write_if_changed
from girih.build.sources import resolve
from girih.compiler.check.card import check_file
from girih.compiler.draw.card import draw
from girih.compiler.emit.addresses import without_addresses
from girih.compiler.emit.card import emit_card
from girih.compiler.emit.manifest import emit_manifest, emit_tables
from girih.compiler.emit.pins import card_ports
from girih.compiler.emit.registers import emit_c_header, emit_python, emit_rdl
from girih.compiler.emit.sim import Nets, emit_sim, simulation
from girih.compiler.model import Card
from girih.paths import BUILD, ROOT
from girih.spec.message import CardParams

PROBE = ROOT / "card" / "sim" / "link_probe.sv"


def compile_design(path: Path, out: Path | None = None, *, ip: str | None = None, mac: str | None = None) -> Path:
    """Compiles a design file into `out`, or into build/designs/<name>-<digest>; returns the folder.

    ip (`10.77.0.2/24`), mac: override those in the file. Raises GirihError(s) for mistakes in the file. The same file gives the same bytes, and files
    that did not change keep their time.
    """
    return emit(check_file(Path(path), ip=ip, mac=mac), out)


def emit(card: Card, out: Path | None = None) -> Path:
    """Writes everything about a card; returns the folder."""
    texts = {
        "card_sim.sv": emit_sim(card),
        "card.rdl": emit_rdl(card),
        "card_registers.py": emit_python(card),
        "tables.txt": emit_tables(card),
        "card.svg": draw(card),
    }
    descriptions = [tile.kind.rdl.read_bytes() for tile in card.tiles]
    unaddressed = without_addresses(card)
    hardware = digest(emit_card(unaddressed, "0"), *descriptions)
    texts["card.sv"] = emit_card(card, hardware)
    name = digest(emit_manifest(card, hardware, []), *texts.values())
    folder = Path(out) if out else BUILD / "designs" / f"{card.name}-{name}"
    for file, text in texts.items():
        write_if_changed(folder / file, text)
    write_if_changed(folder / "card.h", emit_c_header(card, folder / "card.rdl"))
    top = _of_the_virtual_card(unaddressed, hardware)
    sources = resolve(["card_sim"], [generated_rtl(card.params)], [top, folder / "card_sim.sv", PROBE])
    write_if_changed(folder / "card.json", emit_manifest(card, hardware, sources))
    return folder


def simulated(tops: Sequence[Path], params: CardParams, *, ports: int, probed: Sequence[Nets] = (), watched: Sequence[Nets] = (), memory: bool = False) -> list[Path]:
    """The sources of a card that no design file describes, for the virtual card. tops: its own files, with a module `card` that
    has the pins of a card. probed, watched: its links. memory: it has the port for external memory."""
    text = simulation(f"Generated around {tops[0].relative_to(ROOT)}; do not edit.", ports, probed, watched, card_ports(["axi"] if memory else []))
    around = BUILD / "generated" / digest(text) / "card_sim.sv"
    write_if_changed(around, text)
    return resolve(["card_sim"], [generated_rtl(params)], [*tops, around, PROBE])


def _of_the_virtual_card(unaddressed: Card, hardware: str) -> Path:
    """The top level from which the virtual card is built: card.sv with addresses of 0 after reset."""
    text = emit_card(unaddressed, hardware)
    path = BUILD / "generated" / digest(text) / "card.sv"
    write_if_changed(path, text)
    return path
