# SPDX-License-Identifier: Apache-2.0
"""`girih build`: from a design file to a card and its virtual card."""

from __future__ import annotations

import os

import typer

from girih.cli.check import DesignFile, design_path


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih build designs/udp_echo.yaml")
    def build(design: DesignFile) -> None:
        """Compiles a design file and builds the virtual card, unless both exist already.

        Prints the folder with the top level (card.sv), the manifest (card.json), the register map
        (card.rdl, card.h, card_registers.py), the service and next-hop tables (tables.txt) and a drawing
        (card.svg).
        """
        from girih.build.model import build_model
        from girih.cli.live import progress_bar
        from girih.compiler.compile import compile_design

        folder = compile_design(design_path(design))
        with progress_bar() as progress:
            build_model(folder, progress=progress)
        print(os.path.relpath(folder))
