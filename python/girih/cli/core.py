# SPDX-License-Identifier: Apache-2.0
"""`girih core`: the processor cores of a running card: their state, their consoles, new programs, and a debugger."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from girih import interrupts
from girih.card.client import ControlClient
from girih.card.manifest import Tile
from girih.cli.debugging import alone, notes, symbols
from girih.cli.live import Socket, console
from girih.errors import GirihError
from girih.firmware import load as cores
from girih.firmware.debug import Debugger
from girih.firmware.gdb import GdbServer
from girih.firmware.trace import trace as traced


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih core echo --load firmware/programs/udp_echo.c")
    def core(
        tile: Annotated[str | None, typer.Argument(help="One core; the default is all of them.")] = None,
        load: Annotated[Path | None, typer.Option(help="Compile this C file and run it instead of the program that is there.")] = None,
        gdb: Annotated[int | None, typer.Option(metavar="PORT", min=0, max=65535, help="Serve gdb at this TCP port of this machine until Ctrl-C; 0: a free one.")] = None,
        trace: Annotated[int | None, typer.Option(metavar="COUNT", min=1, help="Print the next instructions as the core executes them, disassembled.")] = None,
        number: Annotated[int | None, typer.Option("--core", metavar="NUMBER", min=0, help="Only this core of a cluster; with --gdb and --trace, the default is 0.")] = None,
        socket: Socket = None,
    ) -> None:
        """Shows the state of the cores of a running card and their console output since the last call.

        With --load a core gets another program while the card runs; messages that it holds are dropped and counted.
        With --gdb a core can be debugged: connect with gdb-multiarch -ex 'target remote 127.0.0.1:PORT'. The core runs while no gdb is connected.
        With --trace a core executes some instructions one by one, each of which is shown with the value that it leaves in its register.
        """
        with ControlClient.find(socket) as card:
            there = {found.name: found for found in card.registers.manifest.tiles if found.memory_bytes}
            if tile is not None and tile not in there:
                raise GirihError(f"{tile} is not a core", card.registers.manifest.name, f"Its cores: {', '.join(there) or 'none'}.")
            for option, value, word in (("--core", number, "NUMBER"), ("--load", load, "FILE.c"), ("--gdb", gdb, "PORT"), ("--trace", trace, "COUNT")):
                if value is not None and tile is None:
                    raise GirihError("no core is named", option, f"Write ./girih core TILE {option} {word}")
            if gdb is not None and trace is not None:
                raise GirihError("a core has one debugger at a time", "--trace", "Leave out --gdb.")
            if tile is not None and number is not None:
                if number >= there[tile].cores:
                    raise GirihError(f"{tile} has no core {number}", "--core", f"Name one from 0 to {there[tile].cores - 1}.")
                if load is not None and gdb is None and trace is None and there[tile].cores > 1:
                    raise GirihError("all cores of a tile run one program", "--core", "Leave it out with --load.")
            if tile is not None and load is not None:
                _load(card, tile, load)
            if tile is not None and gdb is not None:
                _debug(card, tile, number or 0, gdb)
            elif tile is not None and trace is not None:
                _trace(card, tile, number or 0, trace)
            else:
                for name in [tile] if tile else there:
                    _show(card, there[name], range(there[name].cores) if number is None else [number])


def _load(card: ControlClient, tile: str, source: Path) -> None:
    try:
        cores.load_program(card.registers, tile, source)
    except KeyboardInterrupt:
        print(f"interrupted: {tile} may be held, with a part of the program. Load it again: ./girih core {tile} --load {source}", file=sys.stderr)
        raise


def _show(card: ControlClient, tile: Tile, numbers: Iterable[int]) -> None:
    for number in numbers:
        state = cores.state(card.registers, tile.name, number)
        words = "runs" if state.running else "has stopped" if state.stopped else "is held"
        which = f"{tile.name}, core {number}," if tile.cores > 1 else tile.name
        console.print(f"{which} {words}, {state.restarts} restarts, last code {state.code:#x}")
        console.print(cores.console(card.registers, tile.name, number), end="", highlight=False)


def _end(*_: object) -> None:
    """Acts on the first signal only: a later one must not keep the core from being resumed."""
    for number in interrupts.NUMBERS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _debugger(card: ControlClient, tile: str, core: int) -> Debugger:
    """The debugger of a core that runs and has a debug mode. A signal then raises KeyboardInterrupt, also in the background of a shell, where SIGINT is
    ignored at first."""
    for number in interrupts.taken():
        signal.signal(number, _end)
    debugger = Debugger(card.registers, tile, core, notes(card.path, tile, core))
    debugger.check()
    return debugger


def _trace(card: ControlClient, tile: str, core: int, count: int) -> None:
    debugger = _debugger(card, tile, core)
    with alone(card.path, tile, core):
        try:
            for line in traced(debugger, count):
                console.print(line, highlight=False, soft_wrap=True)
        except KeyboardInterrupt:
            console.print(f"{tile} runs without a debugger.")


def _debug(card: ControlClient, tile: str, core: int, port: int) -> None:
    """Serves gdb until Ctrl-C or the end of its terminal."""
    debugger = _debugger(card, tile, core)
    with alone(card.path, tile, core), GdbServer(debugger, symbols, port) as server:
        console.print(f"{tile}: gdb-multiarch -ex 'target remote 127.0.0.1:{server.port}'", highlight=False)
        try:
            while True:
                server.serve_one()
        except KeyboardInterrupt:
            console.print(f"{tile} runs without a debugger.")
