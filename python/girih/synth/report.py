# SPDX-License-Identifier: Apache-2.0
"""Timings as rows of an experiment, and as tables."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from girih.experiments import Row
from girih.synth.timing import THRESHOLD_NS, Path, Timing

PATHS = 3  # paths that are printed


def rows(module: str, width: int, timing: Timing) -> list[Row]:
    """The figures of one module; width: of the card's data, in bits."""
    params = {"module": module, "width": width}
    figures = {
        "worst_ns": ("ns", round(timing.worst_ns, 2)),
        "levels": ("levels", timing.levels),
        "endpoints": ("endpoints", timing.registers.endpoints),
        "endpoints_over": ("endpoints", timing.registers.over),
        "clock_mhz": ("MHz", round(timing.clock_mhz)),
    }
    return [Row(metric, params, unit, None, measured) for metric, (unit, measured) in figures.items()]


def print_timings(console: Console, width: int, timings: Mapping[str, Timing], clocks: Mapping[str, float] | None = None) -> None:
    """A table of modules, and the slowest paths of all of them by name. clocks: in MHz, those in which the parts of a card work; they are shown if there are
    several."""
    several = sorted(set(clocks.values()), reverse=True) if clocks and len(set(clocks.values())) > 1 else []
    view = Table(box=box.SIMPLE_HEAD, caption="from pins, to pins: ns of the part within the module", caption_justify="left")
    view.add_column("module")
    for column in ("width", "worst ns", "levels", f"over {THRESHOLD_NS:g} ns", "%", "MHz", *["its clock"] * bool(several), "from pins", "to pins"):
        view.add_column(column, justify="right")
    for module, timing in timings.items():
        registers = timing.registers
        over = f"{registers.over:,}", f"{100 * registers.share_over:.1f}"
        clock = f"{timing.clock_mhz:.0f}" if registers.paths else "–"
        own = [f"{clocks[module]:g}"] if clocks and several else []
        pins = [f"{group.worst_ns:.2f}" if group.paths else "–" for group in (timing.from_pins, timing.to_pins)]
        view.add_row(module, str(width), f"{timing.worst_ns:.2f}", str(timing.levels), *over, clock, *own, *pins)
    console.print(view)
    slowest = sorted(
        ((path, module) for module, timing in timings.items() for path in timing.registers.paths),
        key=lambda item: -item[0].ns,
    )
    for path, module in slowest[:PATHS]:
        console.print(escape(f"{module}: {_text(path)}"), soft_wrap=True)
    deepest = [(timing.registers.deepest, module) for module, timing in timings.items() if timing.registers.deepest]
    for path, module in sorted(deepest, key=lambda item: -item[0].levels)[:1]:
        console.print(escape(f"most levels: {module}: {_text(path)}"), soft_wrap=True)
    if clocks and several:
        for mhz in several:
            module, timing = max(((name, timing) for name, timing in timings.items() if clocks[name] == mhz), key=lambda item: item[1].worst_ns)
            console.print(f"The slowest part in the clock of {mhz:g} MHz, {module}, allows {timing.clock_mhz:.0f} MHz.")
    elif len(timings) > 1:
        module, timing = max(timings.items(), key=lambda item: item[1].worst_ns)
        console.print(f"The slowest part, {module}, allows {timing.clock_mhz:.0f} MHz.")
    console.print("An estimate before placement, ± 30 %; see docs/timing.md.")


def _text(path: Path) -> str:
    """A path in two lines: its ends, and the named nets on the way, each with the time when it is last reached and its loads."""
    met = {point.net: f"{point.net} at {point.ns:.2f} ({point.loads})" for point in path.through}
    way = "\n    " + ", ".join(met.values()) if met else ""
    return f"{path.ns:.2f} ns, {path.levels} levels, {path.start} > {path.end}{way}"
