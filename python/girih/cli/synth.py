# SPDX-License-Identifier: Apache-2.0
"""`girih synth`: the area or the timing of a card or of one module, by open synthesis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from girih.cli.check import design_path
from girih.errors import GirihError

if TYPE_CHECKING:
    from rich.console import Console

    from girih.spec.message import CardParams


def register(app: typer.Typer) -> None:
    @app.command(
        epilog="Examples: ./girih synth udp_echo    ./girih synth udp_echo --timing    ./girih synth --module router --timing"
    )
    def synth(
        design: Annotated[
            Path | None,
            typer.Argument(metavar="[DESIGN]", help="A design file, or the name of one in designs/; may be left out with --module."),
        ] = None,
        module: Annotated[
            str | None,
            typer.Option(
                metavar="NAME",
                help="Only this module of rtl/ or kind of tile, with its own defaults and the design's data width, else 512 bits.",
            ),
        ] = None,
        timing: Annotated[bool, typer.Option("--timing", help="Print the longest paths and the clock rate that they allow.")] = False,
        seam: Annotated[
            bool, typer.Option("--seam", help="With --module and --timing: the kind of tile with the routers of a mesh at its fabric ports.")
        ] = False,
        whole: Annotated[
            bool, typer.Option("--whole", help="With a design and --timing: the card as one netlist, without boundaries between its parts.")
        ] = False,
        constraints: Annotated[
            Path | None,
            typer.Option(metavar="FILE", help="Only write the constraints of its clock domain crossings, for Vivado (.xdc) or other tools (.sdc)."),
        ] = None,
        json: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the timing as JSON.")] = None,
    ) -> None:
        """Synthesizes a card for UltraScale+ with Yosys and prints the area of each tile.

        LUT: logic look-up tables (LUT1 to LUT6). LUTRAM: those used as memory or shift register. FF:
        flip-flops. BRAM: blocks of 36 Kb. Each part is synthesized by itself; unchanged parts are
        not synthesized again. A new card takes some minutes.

        With --constraints, each register whose input comes from another clock must be part of a crossing; others are errors.

        With --timing, prints an estimate before placement: the slowest path between registers of each part, in ns and in levels (LUTs,
        reads of LUTRAM, carry chains), and the number of register inputs later than 4 ns. With --whole the card is one netlist, which
        also has the paths through several parts; it takes minutes and gigabytes.
        """
        from rich.console import Console

        from girih.bootstrap import ensure
        from girih.compiler.check.card import check_file
        from girih.spec.message import CardParams
        from girih.whole_file import check_place

        if design is None and module is None:
            raise GirihError("neither a design nor a module is given", "synth", "Name a design, or give --module.")
        if json and not timing:
            raise GirihError("--json is given without --timing", "synth", "Give both: the JSON file holds the timing.")
        if seam and not (module and timing):
            raise GirihError("--seam is given without --module and --timing", "synth", "Give all three: --seam is for one kind of tile.")
        if whole and (module or not timing):
            raise GirihError("--whole is given without a design and --timing", "synth", "Give a design and --timing: --whole is for the timing of a card.")
        if constraints and timing:
            raise GirihError("--constraints is given with --timing", "synth", "Give one of them: --timing covers paths within one clock domain.")
        if constraints:
            check_place(constraints, "constraints")
        if json:
            check_place(json, "timing", folders=True)
        ensure(("synth",))
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = 140  # do not wrap lines in a file or a pipe
        path = design_path(design) if design else None
        params = check_file(path).params if path else CardParams()
        if constraints:
            _constraints(console, path, module, params, constraints)
        elif timing:
            _timing(console, path, module, params, seam, whole, json)
        else:
            _area(console, path, module, params)


def _constraints(console: Console, path: Path | None, module: str | None, params: CardParams, file: Path) -> None:
    from girih.synth.constraints import check_format, write_constraints
    from girih.synth.design import card_crossings, module_crossings

    check_format(file.suffix)
    with console.status("looking for crossings"):
        if module is not None:
            name, found = module, module_crossings(module, params)
        elif path is not None:
            name, found = path.stem, card_crossings(path)
    write_constraints(file, name, found)
    console.print(f"{file}: {len(found)} crossings", markup=False)


def _timing(
    console: Console, path: Path | None, module: str | None, params: CardParams, seam: bool, whole: bool, json: Path | None
) -> None:
    from girih.compiler.check.card import check_file
    from girih.experiments import load
    from girih.experiments.report import write_json
    from girih.synth.design import card_timings, clocks, module_timing, whole_timing
    from girih.synth.report import print_timings, rows

    own = None
    with console.status("synthesizing") as status:
        if module is not None:
            timings = {f"{module} with router" if seam else module: module_timing(module, params, seam=seam)}
        elif path is not None and whole:
            timings = {f"card {path.stem}": whole_timing(path)}
        elif path is not None:
            timings = card_timings(path, lambda name: status.update(f"synthesizing: {name} done"))
            own = clocks(check_file(path))
    print_timings(console, params.data_width, timings, own)
    if json:
        found = [row for name, timing in timings.items() for row in rows(name, params.data_width, timing)]
        write_json(load("timing"), found, json)


def _area(console: Console, path: Path | None, module: str | None, params: CardParams) -> None:
    from rich import box
    from rich.table import Table

    from girih.synth import Area, total
    from girih.synth.design import card_areas, module_area

    view = Table(box=box.SIMPLE_HEAD)
    view.add_column("part")
    for column in ("LUT", "LUTRAM", "FF", "BRAM", "URAM", "DSP"):
        view.add_column(column, justify="right")

    def add(name: str, area: Area, style: str | None = None) -> None:
        figures = (area.lut, area.lutram, area.ff, area.bram, area.uram, area.dsp)
        view.add_row(name, *(f"{figure:,g}" if figure < 1e6 else f"{figure:,}" for figure in figures), style=style)

    with console.status("synthesizing") as status:
        if module is not None:
            add(module, module_area(module, params))
        elif path is not None:
            areas = card_areas(path, lambda name, _area: status.update(f"synthesizing: {name} done"))
            for tile in areas.card.tiles:
                add(f"{tile.name} ({tile.kind.name})", areas.tiles[tile.name])
            add("all tiles", total(areas.tiles.values()), "bold")
            fabric = [*areas.routers.values(), *([areas.crossbar] if areas.crossbar else [])]
            if fabric:
                add(f"fabric ({areas.card.fabric.topology}, {len(fabric)} parts)", total(fabric))
            for name, area in areas.edges.items():
                add(f"crossing ({name})", area)
            add("control", areas.control)
            add("card", total([*areas.tiles.values(), *fabric, *areas.edges.values(), areas.control]), "bold")
    console.print(view)
