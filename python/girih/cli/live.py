# SPDX-License-Identifier: Apache-2.0
"""Common parts of the commands that run or watch a card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from girih.card.client import ControlClient
from girih.cli.check import design_path
from girih.errors import GirihError
from girih.management.client import NetworkCard
from girih.management.key import read_key

console = Console(markup=False)  # brackets in names of files and in texts of a card are no styles

Socket = Annotated[
    Path | None, typer.Option("--socket", help="The card's control socket; needed only when several cards run.")
]

MOST_SECONDS = 10**9


def checked_seconds(value: float | None) -> float | None:
    """The seconds that an option gives, of a time that can pass. Raises typer.BadParameter."""
    if value is not None and not 0 < value <= MOST_SECONDS:  # which nan is not, either
        raise typer.BadParameter(f"Input should be a number of seconds above 0 and up to {MOST_SECONDS:,}")
    return value


Seconds = Annotated[float | None, typer.Option("--seconds", callback=checked_seconds, help="Stop after this many seconds instead of at Ctrl-C.")]

CardHost = Annotated[str | None, typer.Option("--card", metavar="HOST[:PORT]", help="The card over the network, through its controller.")]
KeyFile = Annotated[Path | None, typer.Option("--key", help="With --card: the file with the card's key.")]
CardDesign = Annotated[Path | None, typer.Option("--design", help="With --card: the card's design file, or its name in designs/.")]


def open_card(socket: Path | None, host: str | None, key: Path | None, design: Path | None) -> ControlClient | NetworkCard:
    """The running card at a control socket, or over the network."""
    if host is None:
        if key or design:
            raise GirihError("--key and --design are for a card over the network", "options", "Give --card, too, or leave them out.")
        return ControlClient.find(socket)
    if socket or not key or not design:
        raise GirihError(f"no way to reach the card {host} is given", "--card", "Give --key FILE and --design DESIGN, and no --socket.")
    return NetworkCard.connect(host, read_key(key), design_path(design))


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar; call it with the activity, the steps done and the total."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.completed}/{task.total}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("checking what is built", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


Column = tuple[str, Literal["left", "right"]]  # its title and alignment


def traffic_table(counters: dict[str, dict[str, int]]) -> Table:
    """Frames in and out of each tile, and its drops by reason."""
    table = Table(title="Frames by tile", title_justify="left")
    columns: list[Column] = [("tile", "left"), ("in", "right"), ("out", "right"), ("made or used", "right"), ("dropped", "left")]
    for column, justify in columns:
        table.add_column(column, justify=justify)
    for tile, values in counters.items():
        total = {prefix: sum(v for n, v in values.items() if n.startswith(prefix)) for prefix in ("in_", "out_")}
        other = [f"{n} {v}" for n, v in values.items() if v and n.startswith(("made_", "used_"))]
        drops = [f"{n.removeprefix('drop_')} {v}" for n, v in values.items() if v and n.startswith("drop_")]
        table.add_row(tile, str(total["in_"]), str(total["out_"]), ", ".join(other), ", ".join(drops) or "-")
    return table


def port_table(ports: list[dict], faults: list[dict]) -> Table:
    """Frames at the pins of each port, and frames lost between the pins and the wire. ports: statistics of each port; faults:
    by direction, the counts of the fault injector."""
    table = Table(title="Frames at the ports", title_justify="left")
    columns: list[Column] = [("port", "right"), ("in", "right"), ("out", "right"), ("not taken by the wire", "right"), ("injected faults", "left")]
    for column, justify in columns:
        table.add_column(column, justify=justify)
    for port, (stats, ways) in enumerate(zip(ports, faults, strict=True)):
        befell = [f"{way}: {name} {count}" for way, counts in ways.items() for name, count in counts.items() if count and name != "frames"]
        row = [port, stats["rx_frames"], stats["tx_frames"], stats["backend_drops"]]
        table.add_row(*map(str, row), ", ".join(befell) or "-")
    return table


def stall_table(stalls: dict[str, int], cycles: int) -> Table:
    """Links that held a flit that was not taken, worst first; `[0, 0] > [1, 0]` is a link between routers."""
    table = Table(title="Links that stalled", title_justify="left")
    table.add_column("link")
    table.add_column("cycles", justify="right")
    table.add_column("of all", justify="right")
    for link, count in sorted(stalls.items(), key=lambda item: -item[1]):
        if count:
            table.add_row(link, str(count), f"{count / cycles:.1%}")
    if not table.rows:
        table.add_row("none", "", "")
    return table


def key_table(drops: dict[str, dict[str, int]]) -> Table:
    """Messages without a next hop, by tile and key, most of them first."""
    table = Table(title="Messages without a next hop", title_justify="left")
    for column in ("tile", "key"):
        table.add_column(column)
    table.add_column("dropped", justify="right")
    for count, tile, key in sorted(((count, tile, key) for tile, keys in drops.items() for key, count in keys.items() if count), reverse=True):
        table.add_row(tile, key, str(count))
    return table


def histogram_table(bins: list[int], tile: str) -> Table:
    """The bins of a latency histogram that are not empty."""
    from girih.spec.histogram import bin_start

    table = Table(title=f"Latency in the card, first beat in to first beat out ({tile}; 1 cycle = 4 ns)", title_justify="left")
    table.add_column("cycles", justify="right")
    table.add_column("frames", justify="right")
    table.add_column("")
    most = max(bins, default=0)
    for index, count in enumerate(bins):
        if count:
            last = index + 1 == len(bins)
            span = f"{bin_start(index)} or more" if last else f"{bin_start(index)} - {bin_start(index + 1) - 1}"
            table.add_row(span, str(count), "█" * max(1, round(40 * count / most)))
    return table
