# SPDX-License-Identifier: Apache-2.0
"""`girih ctl get`, `set`, `save`, `restore`, `design`, `drops`: what the tiles of a running card hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from girih.card.drops import Drop, in_order, key_text, last_drops_of, logging_tiles
from girih.card.manifest import Manifest
from girih.cli.check import design_path
from girih.cli.ctl.common import AsJson, done, open_ctl, show
from girih.cli.live import Socket
from girih.errors import GirihError
from girih.management import configuration
from girih.whole_file import check_place


def register(app: typer.Typer) -> None:
    @app.command("get", epilog="Example: ./girih ctl get balancer.by_flow")
    def get(
        names: Annotated[list[str], typer.Argument(metavar="TILE.REGISTER...", help="Registers of tiles; card.rdl and docs list them.")],
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Reads registers of tiles."""
        with open_ctl(socket) as card:
            values = {name: card.registers.read(name) for name in names}
        done("\n".join(f"{name} = {value:#x}" for name, value in values.items()), as_json, **values)

    @app.command("set", epilog="Example: ./girih ctl set balancer.by_flow=1")
    def set_(
        values: Annotated[list[str], typer.Argument(metavar="TILE.REGISTER=VALUE...", help="Written in order; over the network as one change, whole or not at all.")],
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Writes registers of tiles."""
        wanted = dict(map(_assignment, values))
        with open_ctl(socket) as card:
            card.registers.write_many(wanted)
        done("\n".join(f"{name} = {value:#x}" for name, value in wanted.items()), as_json, **wanted)

    @app.command("save", epilog="Example: ./girih ctl save good.yaml")
    def save(file: Annotated[Path, typer.Argument(help="Where to write them.")], socket: Socket = None) -> None:
        """Writes the configuration and the node tables of all tiles that can be read to a file."""
        check_place(file, "configuration")
        with open_ctl(socket) as card:
            count = configuration.save(card.registers, file)
        done(f"{count} registers are in {file}.", False)

    @app.command("restore", epilog="Example: ./girih ctl restore good.yaml")
    def restore(file: Annotated[Path, typer.Argument(help="What save has written.")], as_json: AsJson = False, socket: Socket = None) -> None:
        """Writes the registers that differ from such a file, in changes of up to eight words."""
        with open_ctl(socket) as card:
            names = configuration.restore(card.registers, file)
        done("\n".join(f"{name} is as in {file}" for name in names) or f"The card is as in {file}.", as_json, restored=names)

    @app.command("design", epilog="Example: ./girih ctl design good.yaml && ./girih run good.yaml")
    def design(
        file: Annotated[Path, typer.Argument(help="Where to write it.")],
        of: Annotated[Path | None, typer.Option("--of", help="The design file that the card runs, where the card does not know its path.")] = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Writes the card's design file, with the settings that have been changed since it was started."""
        from girih.management.design_file import save_design, source_of  # which takes the compiler

        with open_ctl(socket) as card:
            source = design_path(of) if of else source_of(card.registers.manifest)
            saved = save_design(card, source, file)
        sentences = [f"{file} is {source} with {len(saved.changed)} registers changed.", *(f"It does not say: {what}." for what in saved.left)]
        done("\n".join(sentences), as_json, changed=saved.changed, left=saved.left)

    @app.command("drops", epilog="Example: ./girih ctl drops eth_rx udp_rx")
    def drops(
        tiles: Annotated[list[str] | None, typer.Argument(metavar="TILE...", help="Tiles with drop_log in the design file; default: all of them.")] = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Lists the last drops of tiles, each with its cycle and its reasons."""
        with open_ctl(socket) as card:
            manifest = card.registers.manifest
            names = list(dict.fromkeys(tiles or [tile.name for tile in logging_tiles(card.registers)]))
            if not names and any(tile.drop_log for tile in manifest.tiles):
                raise GirihError("none of the tiles that keep their drops can be read", manifest.name, "In the design file, name them under `read` of the controller's `control`.")
            if not names:
                raise GirihError("no tile keeps its drops", manifest.name, "Give tiles drop_log: 64 in the design file.")
            found = {name: last_drops_of(answer) for name, answer in card.call("drops", tiles=names).items()}
            now = card.call("info")["cycle"]
        rows = [_row(manifest, drop) for drop in in_order((drop for last in found.values() for drop in last.drops), now)]
        overwritten = {name: last.overwritten for name, last in found.items() if last.overwritten}
        if as_json:
            done("", as_json, drops=rows, overwritten=overwritten)
            return
        if rows:
            show("Last drops", rows, as_json)
        elif not overwritten:
            done("No tile that keeps its drops has dropped anything.", as_json)
        for name, count in overwritten.items():
            done(f"{count} {'earlier ones' if found[name].drops else 'drops'} of {name} were overwritten.", as_json)


def _row(manifest: Manifest, drop: Drop) -> dict[str, object]:
    """A drop as a line of the list."""
    log = manifest.tile(drop.tile).drop_log
    key = None if log is None or drop.key is None else key_text(log, drop.key)
    return {"cycle": drop.cycle, "tile": drop.tile, "reasons": [reason.removeprefix("drop_") for reason in drop.reasons], "key": key}


def _assignment(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name, int(value, 0)
    except ValueError as error:
        raise GirihError(f"the assignment {text!r} cannot be read", "ctl set", "Write TILE.REGISTER=NUMBER, such as balancer.by_flow=1.") from error
