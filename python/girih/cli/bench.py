# SPDX-License-Identifier: Apache-2.0
"""`./girih bench`: runs a published experiment and prints the paper's figure beside ours."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from girih.experiments import load, load_all
from girih.experiments.report import table, write_json, write_plot
from girih.whole_file import check_place


def register(app: typer.Typer) -> None:
    """Adds the command."""

    @app.command()
    def bench(
        identifier: Annotated[
            str | None, typer.Argument(metavar="[ID]", help="The experiment; without it, they are listed.")
        ] = None,
        json: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the rows as JSON.")] = None,
    ) -> None:
        """Runs a published experiment and prints the paper's figure beside ours.

        Example: ./girih bench beehive-lat --json build/lat.json
        """
        console = Console()
        if not console.is_terminal:
            console.width = 140  # do not wrap lines in a file or a pipe
        if identifier is None:
            for exhibit in load_all():
                console.print(f"[bold]{exhibit.id:15}[/] {exhibit.title} ({exhibit.source})", highlight=False)
            return
        exhibit = load(identifier)
        if json:
            check_place(json, "rows", folders=True)
        with console.status(f"{exhibit.id}: starting") as status:

            def progress(what: str) -> None:
                status.update(f"{exhibit.id}: {what}")
                if not console.is_terminal:
                    print(f"{exhibit.id}: {what}", flush=True)

            rows = exhibit.run(progress)
        console.print(table(exhibit, rows))
        console.print(f"How it differs from the paper: {exhibit.differs}", highlight=False)
        plot = write_plot(exhibit, rows)
        if plot:
            console.print(f"Plot: {os.path.relpath(plot)}", highlight=False)
        if json:
            write_json(exhibit, rows, json)
            console.print(f"JSON: {json}", markup=False, highlight=False)
