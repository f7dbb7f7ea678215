# SPDX-License-Identifier: Apache-2.0
"""`girih stats`: the counters of a running card."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from girih.card.client import ControlClient
from girih.card.memory import MemoryStats
from girih.cli.live import (
    CardDesign,
    CardHost,
    KeyFile,
    Socket,
    console,
    histogram_table,
    key_table,
    open_card,
    port_table,
    stall_table,
    traffic_table,
)
from girih.management.client import NetworkCard
from girih.management.prometheus import exposition, serve


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih stats --watch")
    def stats(
        watch: Annotated[bool, typer.Option("--watch", "-w", help="Refresh every second until Ctrl-C.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print all counters as JSON.")] = False,
        prometheus: Annotated[bool, typer.Option("--prometheus", help="Print all counters as text for Prometheus.")] = False,
        listen: Annotated[str | None, typer.Option("--listen", metavar="[ADDRESS:]PORT", help="Serve that text to Prometheus at http://ADDRESS:PORT/metrics, until Ctrl-C; the default address is 127.0.0.1.")] = None,
        socket: Socket = None,
        host: CardHost = None,
        key: KeyFile = None,
        design: CardDesign = None,
    ) -> None:
        """Shows frames and drops of a running card, by port, tile and reason, links that stalled, its latency histogram, and the traffic at its external memory.

        All counters are taken at the same moment, from a copy of the card; the card itself is not disturbed. Over the network they are read one after the other.
        """
        with open_card(socket, host, key, design) as card:
            if listen is not None:
                serve(listen, lambda: _exposition(card))
            elif prometheus:
                print(_exposition(card), end="")
            elif as_json:
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


def _exposition(card: ControlClient | NetworkCard) -> str:
    kinds = {tile.name: tile.kind for tile in card.registers.manifest.tiles}
    return exposition(card.call("info"), card.call("snapshot"), kinds)


def _page(card: ControlClient | NetworkCard) -> Group:
    info, found = card.call("info"), card.call("snapshot")
    tables: list[RenderableType] = [port_table(found["ports"], found["faults"])] if "ports" in found else []
    tables += [traffic_table(found["tiles"]), stall_table(found["link_stalls"], found["cycle"])]
    tables += [key_table(found["drops_by_key"])] if any(any(keys.values()) for keys in found["drops_by_key"].values()) else []
    tables += [histogram_table(bins, tile) for tile, bins in found["histograms"].items() if any(bins)]
    memory = [MemoryStats(**found["memory"]).text] if "memory" in found else []
    wrong = [info["stall"]] if info.get("stall") else found.get("missing", [])
    return Group(f"Card {info['name']}, cycle {found['cycle']}, {_state(info)}", *[Text(text, style="bold red") for text in wrong], *tables, *memory)


def _state(info: dict) -> str:
    if "where" in info:
        return f"at {info['where']}"
    return "paused" if info["paused"] else f"{info['cycles_per_second']:,.0f} cycles a second while busy"
