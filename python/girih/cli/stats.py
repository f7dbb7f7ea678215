# SPDX-License-Identifier: Apache-2.0
"""`girih stats`: the counters of a running card."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape

from girih.card.client import ControlClient
from girih.cli.live import Socket, console, histogram_table, stall_table, traffic_table


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih stats --watch")
    def stats(
        watch: Annotated[bool, typer.Option("--watch", "-w", help="Show them again each second until Ctrl-C.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print all counters as JSON.")] = False,
        socket: Socket = None,
    ) -> None:
        """Shows frames and drops of a running card, by tile and reason, links that stalled, and its latency histogram."""
        with ControlClient.find(socket) as card:
            if as_json:
                print(json.dumps(card.call("counters") | {"link_stalls": card.call("link_stalls")}, indent=1))
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
    info = card.call("info")
    state = "paused" if info["paused"] else f"{info['cycles_per_second']:,.0f} cycles a second while busy"
    tables = [traffic_table(card.call("counters")), stall_table(card.call("link_stalls"), info["cycle"])]
    tables += [histogram_table(bins, tile) for tile, bins in card.call("histograms").items() if any(bins)]
    stall = [f"[bold red]{escape(info['stall'])}[/]"] if info["stall"] else []
    return Group(f"Card {info['name']}, cycle {info['cycle']}, {state}", *stall, *tables)
