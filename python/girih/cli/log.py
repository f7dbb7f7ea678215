# SPDX-License-Identifier: Apache-2.0
"""`girih log`: the logs of a card, read over the network."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from girih.cli.check import design_path
from girih.cli.live import console, progress_bar
from girih.errors import GirihError
from girih.management.log import LogReader, card_logs
from girih.management.log_file import LogFile, write
from girih.paths import relative
from girih.whole_file import check_place


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih log --card 10.77.0.2 --design logged -o run.log; then ./girih replay run.log")
    def log(
        tiles: Annotated[list[str] | None, typer.Argument(help="Log tiles; none: all of the card.")] = None,
        card: Annotated[str, typer.Option("--card", metavar="HOST", help="The card's address.")] = "",
        design: Annotated[Path | None, typer.Option("--design", help="The card's design file, or its name in designs/.")] = None,
        output: Annotated[Path, typer.Option("--output", "-o", help="The file for the records.")] = Path("card.log"),
    ) -> None:
        """Reads the records of a card's log tiles over UDP, up to the latest one, and asks again for records that are lost on the way. The design
        says which addresses may read. The command reports a card that is silent for two seconds, and gives up after twelve, or after thirty if the card has answered before.
        """
        from girih.compiler.compile import compile_design

        if not card or design is None:
            raise GirihError("the card is not given", "log", "Give --card HOST and --design DESIGN.")
        check_place(output, "records")
        path = design_path(design)
        known = {each.name: each for each in card_logs(compile_design(path))}
        wanted = tiles or list(known)
        for name in wanted:
            if name not in known:
                raise GirihError(f"{name} is not a log of this design", str(path), f"Its logs: {', '.join(known)}." if known else "It has none.")
        if not wanted:
            raise GirihError("the design has no logs", str(path), "Add a tile of kind log: rtl/tiles/log/README.md.")
        texts, address = {}, card
        for name in wanted:
            with progress_bar() as progress, LogReader(card, known[name]) as reader:
                address = reader.address
                texts[name] = reader.read(said=partial(progress, name), silent=console.print)
        write(output, LogFile(relative(path.resolve()), address, texts))
        for name, text in texts.items():
            gone = f"; {text.gone} older ones are no longer there" if text.gone else ""
            console.print(f"{name}: {len(text.records)} records, up to number {text.end}{gone}")
        console.print(f"They are in {output}")
