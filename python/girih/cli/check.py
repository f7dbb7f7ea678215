# SPDX-License-Identifier: Apache-2.0
"""`girih check`: is a design file right?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DesignFile = Annotated[Path, typer.Argument(metavar="DESIGN", help="A design file, or the name of one in designs/.")]


def design_path(text: Path) -> Path:
    """A design file by its path, or by its name in designs/."""
    from girih.paths import DESIGNS

    named = DESIGNS / f"{text}.yaml"
    return named if not text.exists() and text.suffix == "" and named.exists() else text


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih check designs/udp_echo.yaml")
    def check(design: DesignFile) -> None:
        """Checks a design file, and says what the card will be, or every mistake with its line and its remedy."""
        from girih.compiler.check import check_file
        from girih.compiler.emit_manifest import emit_tables

        card = check_file(design_path(design))
        print(f"{design}: ok")
        print("\n".join(emit_tables(card).splitlines()[1:]))
