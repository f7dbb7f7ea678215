# SPDX-License-Identifier: Apache-2.0
"""`girih synth`: the area of a card or of one module, by open synthesis."""

from __future__ import annotations

from typing import Annotated

import typer

from girih.cli.check import DesignFile, design_path


def register(app: typer.Typer) -> None:
    @app.command(epilog="Examples: ./girih synth udp_echo    ./girih synth udp_echo --module router")
    def synth(
        design: DesignFile,
        module: Annotated[
            str | None,
            typer.Option(metavar="NAME", help="Only this module of rtl/ or kind of tile, with the design's data width and its own defaults."),
        ] = None,
    ) -> None:
        """Synthesizes a card for UltraScale+ with Yosys and prints the area of each tile.

        LUT: logic look-up tables (LUT1 to LUT6). LUTRAM: those used as memory or shift register. FF:
        flip-flops. BRAM: blocks of 36 Kb. Each part is synthesized by itself; unchanged parts are
        not synthesized again. A new card takes some minutes.
        """
        from rich import box
        from rich.console import Console
        from rich.table import Table

        from girih.bootstrap import ensure
        from girih.compiler.check.card import check_file
        from girih.synth import Area, total
        from girih.synth.design import card_areas, module_area

        ensure(("synth",))
        console = Console(highlight=False)
        path = design_path(design)
        view = Table(box=box.SIMPLE_HEAD)
        view.add_column("part")
        for column in ("LUT", "LUTRAM", "FF", "BRAM", "URAM", "DSP"):
            view.add_column(column, justify="right")

        def add(name: str, area: Area, style: str | None = None) -> None:
            figures = (area.lut, area.lutram, area.ff, area.bram, area.uram, area.dsp)
            view.add_row(name, *(f"{figure:,g}" if figure < 1e6 else f"{figure:,}" for figure in figures), style=style)

        with console.status("synthesizing") as status:
            if module is not None:
                add(module, module_area(module, check_file(path).params))
            else:
                areas = card_areas(path, lambda name, _area: status.update(f"synthesizing: {name} done"))
                for tile in areas.card.tiles:
                    add(f"{tile.name} ({tile.kind.name})", areas.tiles[tile.name])
                add("all tiles", total(areas.tiles.values()), "bold")
                fabric = [*areas.routers.values(), *([areas.crossbar] if areas.crossbar else [])]
                add(f"fabric ({areas.card.fabric.topology}, {len(areas.routers) or 1} parts)", total(fabric))
                add("control", areas.control)
                add("card", total([*areas.tiles.values(), *fabric, areas.control]), "bold")
        console.print(view)
