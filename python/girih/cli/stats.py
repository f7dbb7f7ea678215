# SPDX-License-Identifier: Apache-2.0
"""`girih stats`: the counters of a running card."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.markup import escape

from girih.card.client import ControlClient
from girih.card.memory import MemoryStats
from girih.cli.live import Socket, console, histogram_table, port_table, stall_table, traffic_table


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih stats --watch")
    def stats(
        watch: Annotated[bool, typer.Option("--watch", "-w", help="Refresh every second until Ctrl-C.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print all counters as JSON.")] = False,
        socket: Socket = None,
    ) -> None:
        """Shows frames and drops of a running card, by port, tile and reason, links that stalled, its latency histogram, and the traffic at its external memory.

        All counters are taken at the same moment, from a copy of the card; the card itself is not disturbed.
        """
        with ControlClient.find(socket) as card:
            if as_json:
                print(json.dumps(card.call("snapshot"), indent=1))
            elif not watch:
                console.print(_page(card))
            else:
                try:
                    with Live(_page(card), console=console, auto_refresh=False) as live:
                        while True:
                            time.sleep(1)
                            live.update(_page(card), refresh=True)
                except KeyboardInterrupt:
                    pass


def _page(card: ControlClient) -> Group:
    info, found = card.call("info"), card.call("snapshot")
    state = "paused" if info["paused"] else f"{info['cycles_per_second']:,.0f} cycles a second while busy"
    tables: list[RenderableType] = [port_table(found["ports"], found["faults"]), traffic_table(found["tiles"]), stall_table(found["link_stalls"], found["cycle"])]
    tables += [histogram_table(bins, tile) for tile, bins in found["histograms"].items() if any(bins)]
    memory = [MemoryStats(**found["memory"]).text] if "memory" in found else []
    wrong = [info["stall"]] if info["stall"] else found["missing"]
    return Group(f"Card {info['name']}, cycle {found['cycle']}, {state}", *[f"[bold red]{escape(text)}[/]" for text in wrong], *tables, *memory)
