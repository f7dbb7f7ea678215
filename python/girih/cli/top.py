# SPDX-License-Identifier: Apache-2.0
"""`girih top`: a live view of the tiles or services, units, queues and ports of a running card."""

from __future__ import annotations

import json
import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table

from girih.card.client import ControlClient
from girih.cli.live import CardDesign, CardHost, KeyFile, Socket, console, open_card
from girih.management.client import NetworkCard

SECONDS = 1.0
BAR = 12  # characters
EMPTY = {"cycle": 0}


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih top")
    def top(
        once: Annotated[bool, typer.Option("--once", help="Print it once: rates and means since the card was started.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print it once as JSON.")] = False,
        socket: Socket = None,
        host: CardHost = None,
        key: KeyFile = None,
        design: CardDesign = None,
    ) -> None:
        """Shows services, units, queues, drops and ports of a running card, or tiles if it has no services, refreshed every second, until q or Ctrl-C.

        Rates and waits are those of the last second, in the card's own time. Nothing in the card is changed.
        """
        with open_card(socket, host, key, design) as card:
            state = card.services.state()
            if as_json:
                print(json.dumps(state, indent=1))
            elif once:
                console.print(page(state, EMPTY))
            else:
                _watch(card, state)


def _watch(card: ControlClient | NetworkCard, state: dict) -> None:
    try:
        with _keys() as key_pressed, Live(page(state, EMPTY), console=console, auto_refresh=False, screen=console.is_terminal) as live:
            live.refresh()
            while key_pressed() != "q":
                before, state = state, card.services.state()
                live.update(page(state, before), refresh=True)
    except KeyboardInterrupt:
        pass


@contextmanager
def _keys() -> Iterator:
    """A function that waits a second for a key; without a terminal, it only waits."""
    if not sys.stdin.isatty():
        yield lambda: select.select([], [], [], SECONDS) and ""
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield lambda: sys.stdin.read(1) if select.select([descriptor], [], [], SECONDS)[0] else ""
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class _Interval:
    """Differences of two states, per cycle between them."""

    def __init__(self, state: Mapping, before: Mapping):
        self.state, self.before = state, before
        self.cycles = max(state["cycle"] - before["cycle"], 0)

    def grown(self, section: str, index: int, name: str) -> int:
        """The increase of a counter."""
        old = self.before.get(section)
        return self.state[section][index][name] - (old[index][name] if old else 0)

    def per_cycle(self, section: str, index: int, name: str) -> float:
        return self.grown(section, index, name) / self.cycles if self.cycles else 0.0


def page(state: Mapping, before: Mapping) -> Group:
    """Everything at `state`; rates since `before`."""
    interval = _Interval(state, before)
    microseconds = state["cycle"] / state["clock_mhz"]
    head = f"cycle {state['cycle']:,} = {microseconds:,.0f} µs of card time; rates over the last {interval.cycles:,} cycles. q ends."
    tables = [*([] if state["services"] else [_tiles(interval)]), _services(interval), _units(interval), _queues(state), _tenants(state), _drops(state), _ports(interval)]
    return Group(head, *[part for table in tables if table.row_count for part in ("", table)])


def _table(title: str, left: str, right: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in left.split(","):
        table.add_column(column)
    for column in right.split(",") if right else ():
        table.add_column(column, justify="right")
    return table


def _tiles(interval: _Interval) -> Table:
    table = _table("Tiles", "tile", "in/µs,out/µs,in,out,dropped")
    for index, tile in enumerate(interval.state["tiles"]):
        rates = [f"{interval.per_cycle('tiles', index, name) * interval.state['clock_mhz']:.2f}" for name in ("in", "out")]
        table.add_row(tile["name"], *rates, *[str(tile[name]) for name in ("in", "out", "dropped")])
    return table


def _services(interval: _Interval) -> Table:
    table = _table("Services", "service,units", "waiting,packets/µs,wait mean,p99 since start,largest,queued,sent,dropped")
    clock, state = interval.state["clock_mhz"], interval.state
    for index, service in enumerate(state["services"]):
        waits = interval.grown("services", index, "waits")
        mean = interval.grown("services", index, "wait_sum") / waits if waits else 0.0
        waiting = sum(queue["packets"] for queue in state["queues"] if queue["service"] == service["name"])
        rate = interval.per_cycle("services", index, "dispatched") * clock
        p99 = "-" if service["wait_p99"] is None else service["wait_p99"]
        row = [waiting, f"{rate:.2f}", f"{mean:.1f}", p99, service["wait_max"]]
        row += [service["accepted"], service["dispatched"], service["dropped"]]
        table.add_row(service["name"], ", ".join(service["units"]), *map(str, row))
    return table


def _units(interval: _Interval) -> Table:
    table = _table("Units", "unit,service,busy", "credits,in,out,pulled,pushed,detours")
    for index, unit in enumerate(interval.state["units"]):
        busy = min(interval.per_cycle("units", index, "busy_cycles"), 1.0)
        bar = ("█" * round(busy * BAR)).ljust(BAR, "·") + f" {busy:4.0%}"
        names = ("in_messages", "out_messages", "pulled", "pushed", "detoured")
        table.add_row(unit["name"], unit["service"], bar, f"{unit['credits']}/{unit['most_credits']}", *[str(unit[name]) for name in names])
    return table


def _queues(state: Mapping) -> Table:
    table = _table("Queues", "service,tenant", "packets,head rank")
    for queue in state["queues"]:
        if queue["packets"]:
            rank = "-" if queue["head_rank"] is None else f"{queue['head_rank']}{' (detoured)' if queue['head_detoured'] else ''}"
            table.add_row(queue["service"], queue["tenant"], str(queue["packets"]), rank)
    return table


def _tenants(state: Mapping) -> Table:
    table = _table("Tenants", "tenant", "packets in memory,bytes,dropped")
    for tenant in state["tenants"]:
        table.add_row(tenant["name"], *[str(tenant[name]) for name in ("packets", "bytes", "dropped")])
    return table


def _drops(state: Mapping) -> Table:
    table = _table("Drops", "tenant or tile,service,reason", "packets")
    for drop in (*state["drops"], *state["tile_drops"]):
        table.add_row(drop.get("tenant") or drop["tile"], drop.get("service", "-"), drop["reason"], str(drop["packets"]))
    return table


def _ports(interval: _Interval) -> Table:
    """Rates at the pins, which are not known over the network; the frames of ports with tables are those that the tiles counted."""
    table = _table("Ports", "port", "in Gbit/s,out Gbit/s,frames in,frames out")
    pins = interval.state["pins"] or []
    plain = [{"port": number, "tile": str(number), "in_frames": pin["rx_frames"], "out_frames": pin["tx_frames"]} for number, pin in enumerate(pins)]
    for port in interval.state["ports"] or plain:
        rates = ["-", "-"]
        if pins:
            rates = [f"{interval.per_cycle('pins', port['port'], name) * 8 * interval.state['clock_mhz'] / 1000:.2f}" for name in ("rx_bytes", "tx_bytes")]
        table.add_row(port["tile"], *rates, str(port["in_frames"]), str(port["out_frames"]))
    return table
