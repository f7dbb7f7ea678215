# SPDX-License-Identifier: Apache-2.0
"""`girih place`: finds positions for the tiles of a design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from girih.cli.check import DesignFile, design_path


def register(app: typer.Typer) -> None:
    @app.command(epilog="Examples: ./girih place demo    ./girih place my_card.yaml --keep eth_rx --write")
    def place(
        design: DesignFile,
        output: Annotated[
            Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the design here; else it is printed.")
        ] = None,
        write: Annotated[bool, typer.Option("--write", help="Write the design back to its file.")] = False,
        keep: Annotated[list[str] | None, typer.Option(metavar="TILE", help="Keep this tile in its place; may be repeated.")] = None,
        seed: Annotated[int, typer.Option(help="The same seed finds the same positions, another may find better ones.")] = 0,
        steps: Annotated[int | None, typer.Option(min=1, metavar="N", help="Steps of the search.")] = None,
    ) -> None:
        """Finds positions for the tiles of a design: no deadlock, and the fewest links for its traffic.

        Prints the design file with at: in each tile; the rest of the file is unchanged. Also prints the gain over
        the positions in the file. The expected traffic is that of the
        section traffic of the file; by default it is shared evenly.
        """
        from rich.console import Console
        from rich.progress import Progress

        from girih.compiler.read.parse import read_text
        from girih.errors import GirihError
        from girih.placement.place import place_design
        from girih.placement.state import Worth
        from girih.whole_file import check_place, replaceable, write_whole

        path = design_path(design)
        if write and output:
            raise GirihError("--write and --output are both given", "place", "Give one of them.")
        target = path if write else output
        if target:
            check_place(target, "design")
            if target.is_file():
                replaceable(target)
        console = Console(stderr=True, highlight=False)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("placing")
            quarters = iter(range(1, 5))
            due = next(quarters)

            def progress(done: int, total: int, best: Worth) -> None:
                nonlocal due
                text = f"{best.hops:.2f} links per packet" if best.good else "no positions without deadlock yet"
                bar.update(task, completed=done, total=total, description=text)
                if not console.is_terminal and 4 * done >= due * total:
                    console.print(f"{done:,} of {total:,} steps: {text}", soft_wrap=True)
                    due = next(quarters, 5)

            text, answer = place_design(path, seed, steps, keep or [], progress)
        if target is None:
            print(text, end="")
        elif not write or text != read_text(path):
            write_whole(target, text)
        console.print(f"{design}: {answer}", markup=False, soft_wrap=True)
