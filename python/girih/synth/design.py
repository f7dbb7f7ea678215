# SPDX-License-Identifier: Apache-2.0
"""Area and timing of a whole card: its tiles, its fabric and its control, each synthesized by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from girih.build.generate import generated_rtl
from girih.build.sources import groups_of, modules, resolve
from girih.compiler.check.card import check_file
from girih.compiler.compile import emit
from girih.compiler.emit.edges import crossings
from girih.compiler.model import Card, Tile
from girih.compiler.values import did_you_mean
from girih.errors import GirihError
from girih.paths import DESIGNS
from girih.spec.message import CardParams, group_names
from girih.synth import Area, netlist, synthesize, synthesize_all, total
from girih.synth.crossings import Crossing, crossings_of
from girih.synth.seams import seam_file
from girih.synth.timing import Timing, timing_of

NORTH, EAST, SOUTH, WEST, LOCAL = (1 << direction for direction in range(5))  # as in fabric_pkg


@dataclass(frozen=True)
class CardAreas:
    """tiles: by name, engine, shell and registers together. edges: crossings to other clocks, by what they are for. routers: by node, on a butterfly that of a router's first
    tile; empty on a crossbar, whose area is `crossbar`, and where no tile is on the fabric. control: the card's end of the control network."""

    card: Card
    tiles: dict[str, Area]
    edges: dict[str, Area]
    routers: dict[int, Area]
    crossbar: Area | None
    control: Area


def _all_of(areas: dict[str, Area], card: Card) -> dict[str, Area]:
    """The areas of the crossings at the card's edges, each sort for all of its number."""
    return {name: total([areas[f"edge {name}"]] * crossing.count) for name, crossing in crossings(card).items()}


def module_area(module: str, params: CardParams) -> Area:
    """The area of one module of rtl/, or of a kind of tile, with its own defaults and the widths of a card.

    A module for cards with services gets their descriptor. Raises GirihError if there is no such module.
    """
    return synthesize(**_module(module, params))


def module_timing(
    module: str, params: CardParams, parameters: dict[str, object] | None = None, seam: bool = False
) -> Timing:
    """The timing of the module whose area `module_area` gives.

    parameters: Verilog parameters that are not its defaults. seam: with the routers at the fabric ports of this kind of tile.
    """
    job = _module(module, params)
    if seam:
        job |= {"top": f"seam_{module}", "extra": [seam_file(module)]}
    return timing_of(netlist(**job, parameters=parameters))


def module_crossings(module: str, params: CardParams) -> list[Crossing]:
    """The clock domain crossings of a module, by the arguments of `module_area`. Raises GirihErrors for those outside rtl/cdc."""
    return crossings_of(**_module(module, params))


def card_crossings(design: Path) -> list[Crossing]:
    """The clock domain crossings of a card. Raises as `module_crossings`, and as `card_areas`."""
    card = check_file(Path(design))
    top = emit(card) / "card.sv"
    sources = resolve(["card"], [generated_rtl(card.params)], [top])
    if not any("crossing =" in source.read_text() for source in sources):
        return []  # without rtl/cdc a card has one clock
    return crossings_of("card", card.params, extra=[top])


def _module(module: str, params: CardParams) -> dict:
    """How to synthesize one module by its name."""
    everything = CardParams.with_groups(params.data_width, params.max_frame, group_names())
    generated = generated_rtl(replace(everything, timing=params.timing))
    known = {*modules(), *(path.stem for path in generated.glob("*.sv") if not path.stem.endswith("_pkg"))}
    if module not in known:
        if (DESIGNS / f"{module}.yaml").is_file():
            raise GirihError(f"{module} is a design, and no module", "synth", f"Leave out --module: ./girih synth {module}")
        hint = did_you_mean(module, known)
        raise GirihError(f"there is no module {module}", "synth", f"{hint}It may be a kind of tile, or a module of rtl/.")
    groups = groups_of(resolve([module], [generated]))
    if not groups <= set(params.groups):
        params = replace(CardParams.with_groups(params.data_width, params.max_frame, groups), timing=params.timing)
    return {"top": module, "params": params}


def card_areas(design: Path, progress: Callable[[str, Area], None] | None = None) -> CardAreas:
    """Synthesizes the parts of a design, two at a time; `progress(name, area)` after each.

    Takes minutes for a new card, and no time for one that has not changed. Raises GirihError for a design with
    mistakes.
    """
    card = check_file(Path(design))
    areas = synthesize_all(parts(card), progress)
    routers = {int(name.split()[1]): area for name, area in areas.items() if name.startswith("router ")}
    if "router" in areas:
        routers = {card.fabric.node(at): areas["router"] for at in card.fabric.shape.places if at[2] == 0}
    return CardAreas(
        card=card,
        tiles={tile.name: areas[f"tile {tile.name}"] for tile in card.tiles},
        edges=_all_of(areas, card),
        routers=routers,
        crossbar=areas.get("crossbar"),
        control=areas["control"],
    )


def card_timings(design: Path, progress: Callable[[str], None] | None = None) -> dict[str, Timing]:
    """The timing of the parts of a design, by name as in `parts`; `progress(name)` after each. Raises as `card_areas`."""
    timings = {}
    for name, job in parts(check_file(Path(design))).items():
        timings[name] = timing_of(netlist(**job))
        if progress:
            progress(name)
    return timings


def clocks(card: Card) -> dict[str, float]:
    """The clock in MHz in which each part works, by name as in `parts`: the card's, that of the tiles with cores, or the faster one of a crossing."""
    apart = {f"tile {tile.name}": card.clocks.own["cores"] for tile in card.apart}
    edges = {f"edge {name}": crossing.clock for name, crossing in crossings(card).items()}
    return {name: (apart | edges).get(name, card.clock_mhz * 1_000_000) / 1e6 for name in parts(card)}


def whole_timing(design: Path) -> Timing:
    """The timing of a card as one netlist, flattened, with what each part knows of the others. Raises as `card_areas`.

    Takes minutes and gigabytes for a card of many tiles at 512 bits.
    """
    card = check_file(Path(design))
    return timing_of(netlist("card", card.params, extra=[emit(card) / "card.sv"]))


def parts(card: Card) -> dict[str, dict]:
    """How to synthesize each part of a card: its tiles by name, routers by node or one for all, crossbar, crossings at its edges, control."""
    nodes = sum(1 << node for tile in card.tiles for node in tile.nodes)
    classes = {"Classes": card.classes} if card.classes > 1 else {}
    jobs = {f"tile {tile.name}": _tile(tile, nodes) for tile in card.tiles}
    if card.fabric.topology == "mesh":
        for y in range(card.fabric.y):
            for x in range(card.fabric.x):
                jobs[f"router {y << 4 | x}"] = _router(x, y, card.fabric.x, card.fabric.y, classes)
    elif card.fabric.topology == "butterfly":
        # All its routers have the same ports; the place of one changes only the constants that it compares with.
        sizes = {"Columns": card.fabric.x, "Rows": card.fabric.y, "Tiles": card.fabric.tiles, **classes}
        jobs["router"] = {"top": "butterfly_router", "parameters": sizes}
    elif card.links:
        jobs["crossbar"] = {"top": "crossbar", "parameters": {"Ports": card.fabric.ports, **classes}}
    for name, crossing in crossings(card).items():
        jobs[f"edge {name}"] = {"top": crossing.module, "parameters": crossing.parameters}
    links = len(list(card.fabric.shape.links()))
    jobs["control"] = {"top": "ctrl_bridge", "parameters": {"Ports": card.ports, "Tiles": len(card.tiles), "Links": links}}
    return {name: {**job, "params": card.params} for name, job in jobs.items()}


def _tile(tile: Tile, nodes: int) -> dict:
    # What a register holds after reset, such as an address, does not change the area.
    parameters: dict[str, object] = {"Node": f"8'h{tile.node:x}"}
    if tile.kind.many_ports:
        packed = sum(node << 8 * port for port, node in enumerate(tile.nodes))
        parameters = {"PortNodes": f"{8 * len(tile.nodes)}'h{packed:x}"}
    if tile.kind.has_output:
        parameters["Nodes"] = f"256'h{nodes:x}"
    names = {parameter.name: parameter.verilog_name for parameter in tile.kind.parameters}
    parameters |= {names[name]: value for name, value in tile.parameters}
    return {"top": tile.kind.name, "parameters": parameters}


def _router(x: int, y: int, columns: int, rows: int, classes: dict[str, int]) -> dict:
    exists = LOCAL
    exists |= (y > 0) * NORTH | (x < columns - 1) * EAST | (y < rows - 1) * SOUTH | (x > 0) * WEST
    return {"top": "router", "parameters": {"X": x, "Y": y, "Exists": exists, **classes}}
