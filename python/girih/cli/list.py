# SPDX-License-Identifier: Apache-2.0
"""`girih list`: the designs, kinds of tiles and experiments."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    @app.command("list", epilog="Example: ./girih list")
    def list_() -> None:
        """Lists the designs, the kinds of tiles with their settings, and the experiments."""
        from rich import box
        from rich.console import Console
        from rich.table import Column, Table

        from girih.compiler.check.card import check_file
        from girih.compiler.check.fill import settable
        from girih.compiler.emit.heading import summary
        from girih.experiments import load_all
        from girih.paths import DESIGNS, ROOT
        from girih.spec.kinds import load_kinds

        def show(title: str, columns: list[str | Column], rows: list[tuple[str, ...]]) -> None:
            table = Table(*columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
            for row in rows:
                table.add_row(*row)
            console.print(table)

        console = Console(highlight=False)
        designs = sorted(DESIGNS.glob("*.yaml"))
        show(
            "Designs",
            ["file", "card"],
            [(str(path.relative_to(ROOT)), summary(check_file(path))) for path in designs],
        )
        show(
            "Kinds of tiles",
            ["kind", "what it does", "key of next", "settings"],
            [
                (
                    kind.name,
                    kind.summary,
                    kind.next.key if kind.next and kind.next.key != "0" else "",
                    ", ".join(settable(kind)),
                )
                for kind in load_kinds().values()
            ],
        )
        show(
            "Parameters of tiles: settings that cannot be changed at run time",
            ["kind", Column("parameter", no_wrap=True), "allowed values", "description"],
            [
                (kind.name, item.name, f"{item.rule}; by default {item.default}", item.doc)
                for kind in load_kinds().values()
                for item in kind.parameters
                if item.name in settable(kind)
            ],
        )
        show("Experiments", ["id", "title"], [(exhibit.id, exhibit.title) for exhibit in load_all()])
