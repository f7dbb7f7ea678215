# SPDX-License-Identifier: Apache-2.0
"""`girih check`: checks a design file."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from girih.errors import GirihError

if TYPE_CHECKING:
    from girih.compiler.check.deadlock import DeadlockError

DesignFile = Annotated[Path, typer.Argument(metavar="DESIGN", help="A design file, or the name of one in designs/.")]


def design_path(text: Path) -> Path:
    """A design file by its path, or by its name in designs/."""
    from girih.paths import DESIGNS

    named = DESIGNS / f"{text}.yaml"
    return named if not text.exists() and text.suffix == "" and named.exists() else text


def _drawn(error: DeadlockError) -> str:
    """Draws the cycle in which a card can hang, and returns the file."""
    from girih.build.generate import write_if_changed
    from girih.compiler.draw.cycle import draw_cycle
    from girih.paths import BUILD

    file = BUILD / "deadlock" / f"{error.card.name}.svg"
    write_if_changed(file, draw_cycle(error.card, error.cycle))
    return relpath(file)


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih check designs/udp_echo.yaml")
    def check(design: DesignFile) -> None:
        """Checks a design file, and describes the card, or reports every mistake with its line and a remedy."""
        from girih.compiler.check.card import check_file
        from girih.compiler.check.deadlock import DeadlockError
        from girih.compiler.check.warn import warnings
        from girih.compiler.emit.manifest import emit_tables

        try:
            card = check_file(design_path(design))
        except DeadlockError as error:
            raise GirihError(error.what, error.where, f"{error.remedy}\n  {_drawn(error)} shows it") from error
        print(f"{design}: ok")
        for warning in warnings(card):
            print(f"{design}: warning: {warning}")
        print("\n".join(emit_tables(card).splitlines()[1:]))
