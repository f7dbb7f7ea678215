# SPDX-License-Identifier: Apache-2.0
"""Crossbar, mesh and butterfly of 8 to 32 tiles: latency, throughput and area, with one message class and with two."""

from __future__ import annotations

from girih.experiments import Exhibit, Progress, Row

FABRICS = ("crossbar", "mesh", "butterfly")  # by their numbers in the card
# By tiles: the fabric, x, y and, of a butterfly, tiles at each router.
SHAPES = {
    8: [("crossbar", 8, 1, 1), ("mesh", 4, 2, 1), ("butterfly", 2, 2, 2)],
    16: [("crossbar", 16, 1, 1), ("mesh", 4, 4, 1), ("butterfly", 4, 2, 2), ("butterfly", 2, 2, 4)],
    24: [("crossbar", 24, 1, 1), ("mesh", 6, 4, 1), ("butterfly", 4, 3, 2), ("butterfly", 3, 2, 4)],
    32: [("crossbar", 32, 1, 1), ("mesh", 8, 4, 1), ("butterfly", 4, 4, 2), ("butterfly", 4, 2, 4)],
}
TWO_CLASSES = (8, 16)  # tiles of the fabrics that are measured with two classes, too
DESCRIPTORS = ("udp_echo_xbar", "panic", "panic_delay")  # designs
PATTERNS = ("uniform", "opposite", "hotspot")  # by their numbers in the card
WIDTH = 128  # of the links that carry the load; their width does not change the cycle counts
WARM_UP, CYCLES = 2_000, 20_000
LIGHT, FULL = 0.005, 1.0  # messages started by an idle port per cycle
RATE, PATTERN_AT, FLITS, MESSAGES, LATENCY = 0x0, 16, 0x4, 0x8, 0xC  # registers of the card


def run(progress: Progress) -> list[Row]:
    from girih.bootstrap import ensure
    from girih.experiments.cards import open_special

    ensure(("synth",))
    rows = []
    for tiles, fabric, x, y, each, classes in _all():
        constants = {name.capitalize(): number for number, name in enumerate(FABRICS)}
        constants |= {"Topology": FABRICS.index(fabric), "X": x, "Y": y, "Tiles": each, "Classes": classes}
        params = _params(tiles, fabric, x, y, each, classes)
        with open_special("fabric_load", progress, WIDTH, constants) as card:
            progress(f"load on {params['fabric']}, classes: {classes}")
            _flits, latency = _measure(card, tiles, "uniform", LIGHT)
            rows.append(Row("latency", {**params, "traffic": "uniform"}, "cycles", None, round(latency, 2)))
            for pattern in PATTERNS:
                flits, _latency = _measure(card, tiles, pattern, FULL)
                rows.append(Row("throughput", {**params, "traffic": pattern}, "flits/cycle/tile", None, round(flits, 3)))
    return [*rows, *_areas(progress)]


def _all() -> list[tuple[int, str, int, int, int, int]]:
    """Tiles, fabric, x, y, tiles at each router, classes."""
    shapes = [(tiles, *shape) for tiles, shapes in SHAPES.items() for shape in shapes]
    return [(*shape, 1) for shape in shapes] + [(*shape, 2) for shape in shapes if shape[0] in TWO_CLASSES]


def _params(tiles: int, fabric: str, x: int, y: int, each: int, classes: int) -> dict[str, object]:
    sizes = {"crossbar": (x,), "mesh": (x, y), "butterfly": (x, y, each)}[fabric]
    return {"fabric": f"{fabric} {' x '.join(map(str, sizes))}", "tiles": tiles, "classes": classes}


def _measure(card, tiles: int, pattern: str, rate: float) -> tuple[float, float]:
    """Flits that arrive per cycle and tile, and the latency of a first flit in cycles."""
    control = min(round(rate * 2**16), 0xFFFF) | PATTERNS.index(pattern) << PATTERN_AT
    card.write32(RATE, control)
    card.run(WARM_UP)
    card.write32(RATE, control)  # the counts restart
    card.run(CYCLES)
    cycles, flits, messages, latency = (card.read32(address) for address in (RATE, FLITS, MESSAGES, LATENCY))
    card.write32(RATE, 0)
    card.run(WARM_UP)  # drains the fabric for the next run
    return flits / cycles / tiles, latency / messages


def _areas(progress: Progress) -> list[Row]:
    """Links of 512 bits. Each part is measured once: open synthesis of a whole crossbar of 32 ports takes very long."""
    from collections import Counter

    from girih.synth import synthesize_all, total

    rows = _descriptors(progress)
    parts = {shape: Counter(_parts(*shape[1:])) for shape in _all() if shape[5] == 1 or shape[:2] != (16, "crossbar")}
    jobs = {part: {"top": part[0], "parameters": dict(part[1:])} for counts in parts.values() for part in counts}
    areas = synthesize_all(jobs, lambda part, _area: progress(f"{part[0]} {dict(part[1:])} done"))
    for shape, counts in parts.items():
        area = total(areas[part] for part in counts.elements())
        params = _params(*shape)
        rows.append(Row("lut", params, "LUT", None, area.lut))
        rows.append(Row("lutram", params, "LUT sites", None, area.lutram))
    return rows


def _descriptors(progress: Progress) -> list[Row]:
    """A crossbar of 8 with the descriptor of a design, and with everything that chains of eight services can need."""
    from girih.compiler.check.card import check_file
    from girih.paths import DESIGNS
    from girih.spec.message import CardParams, descriptor_fields
    from girih.synth import synthesize_all, total

    of = {name: check_file(DESIGNS / f"{name}.yaml").params for name in DESCRIPTORS}
    of |= {"eight hops, every field": CardParams.chained()}
    parts = _parts("crossbar", 8, 1, 1, 1)
    jobs = {(name, part): {"top": part[0], "parameters": dict(part[1:]), "params": params} for name, params in of.items() for part in parts}
    areas = synthesize_all(jobs, lambda job, _area: progress(f"{job[1][0]} with the descriptor of {job[0]} done"))
    rows = []
    for name, params in of.items():
        area = total(areas[name, part] for part in parts)
        which = {**_params(8, "crossbar", 8, 1, 1, 1), "descriptor": name}
        rows.append(Row("bits", which, "bits", None, sum(field.width for field in descriptor_fields(params))))
        rows.append(Row("lut", which, "LUT", None, area.lut))
        rows.append(Row("lutram", which, "LUT sites", None, area.lutram))
    return rows


def _parts(fabric: str, x: int, y: int, tiles: int, classes: int) -> list[tuple]:
    """The modules that a fabric is made of: name, then parameters. With two classes every tile sends both."""
    if classes == 2:
        if fabric == "crossbar":
            return [("crossbar", ("Ports", x), ("Classes", 2))]
        return [(*part, ("Classes", 2)) for part in _parts(fabric, x, y, tiles, 1)] + [("class_port",)] * (x * y * tiles)
    if fabric == "crossbar":
        others = x - 1
        return [("fabric_input", ("Ways", x)), ("fabric_output", ("Inputs", others)), ("flit_mux", ("N", others))] * x
    if fabric == "butterfly":
        return [("butterfly_router", ("Columns", x), ("Rows", y), ("Tiles", tiles))] * (x * y)
    from girih.synth.design import EAST, LOCAL, NORTH, SOUTH, WEST

    # Routers at opposite sides are mirror images: they are counted as if the east or south port were missing.
    across = [EAST | WEST if 0 < i < x - 1 else WEST for i in range(x)]
    along = [NORTH | SOUTH if 0 < j < y - 1 else NORTH for j in range(y)]
    return [("router", ("Exists", LOCAL | sides | ends)) for ends in along for sides in across]


EXHIBIT = Exhibit(
    id="fabric-scale",
    title="crossbar, mesh and butterfly of 8 to 32 tiles",
    source="no published exhibit; the butterfly is of Kim, Dally and Abts, ISCA 2007",
    differs=(
        "every port sends messages of four flits and takes what comes in each cycle. latency: of a first flit from its offer to its "
        "arrival, between random tiles under a load of 2 %. throughput: what arrives while every port always offers a message: to "
        "any other port (uniform), from port i to port N - 1 - i (opposite), one in four to port 0 (hotspot). lut: by Yosys at "
        "512 bits, queues apart (lutram); each sort of router, and of a crossbar's ports the parts, is measured once and counted as often as it is there. classes: with 2, requests and replies "
        "both are such traffic; throughput is that of both, latency their mean; there is no area of the crossbar of 16. "
        "descriptor: of a crossbar of 8, with the fields and sizes that the compiler chooses for a design."
    ),
    run=run,
)
