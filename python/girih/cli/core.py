# SPDX-License-Identifier: Apache-2.0
"""`girih core`: the processor cores of a running card: their state, their consoles, and new programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from girih.card.client import ControlClient
from girih.cli.live import Socket, console
from girih.errors import GirihError
from girih.firmware import load as cores
from girih.firmware.compile import compile_program


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih core echo --load firmware/programs/udp_echo.c")
    def core(
        tile: Annotated[str | None, typer.Argument(help="One core; the default is all of them.")] = None,
        load: Annotated[Path | None, typer.Option(help="Compile this C file and run it instead of the program that is there.")] = None,
        socket: Socket = None,
    ) -> None:
        """Shows the state of the cores of a running card and what they have written to their consoles since the last time.

        With --load a core gets another program while the card runs; the messages that it has are dropped and counted.
        """
        with ControlClient.find(socket) as card:
            there = {found.name: found for found in card.registers.manifest.tiles if found.memory_bytes}
            if tile is not None and tile not in there:
                raise GirihError(f"{tile} is no core", card.registers.manifest.name, f"Its cores: {', '.join(there) or 'none'}.")
            if load is not None:
                if tile is None:
                    raise GirihError("no core is named", "--load", "Write ./girih core TILE --load FILE.c")
                cores.load(card.registers, tile, compile_program(load, memory_bytes=there[tile].memory_bytes).image)
            for name in [tile] if tile else there:
                for number in range(there[name].cores):
                    state = cores.state(card.registers, name, number)
                    words = "runs" if state.running else "has stopped" if state.stopped else "is held"
                    which = f"{name}, core {number}," if there[name].cores > 1 else name
                    console.print(f"{which} {words}, {state.restarts} restarts, last code {state.code:#x}")
                    console.print(cores.console(card.registers, name, number), end="", markup=False, highlight=False)
