# SPDX-License-Identifier: Apache-2.0
"""What the commands of `girih ctl` share: the card that their options name, and how they print."""

from __future__ import annotations

import json
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from girih.card.client import ControlClient
from girih.cli.live import Socket, console, open_card
from girih.management.client import NetworkCard
from girih.services.remote import RemoteServices

WIDEST = 10_000  # of a table, in characters

AsTenant = Annotated[str | None, typer.Option("--tenant", help="Act as this tenant's own controller, not as the operator.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Pattern = Annotated[str, typer.Option("--pattern", help='Packets, such as "ipv4 dst is 10.0.0.1 / udp dst is 4500".')]

over: ContextVar[tuple[str | None, Path | None, Path | None]] = ContextVar("over")  # the options of ctl itself


def open_ctl(socket: Socket) -> ControlClient | NetworkCard:
    """The card that the options of the command, or of ctl before it, name."""
    return open_card(socket, *over.get())


class ServicesOf:
    """The services of a running card, on behalf of the operator or of a tenant."""

    def __init__(self, socket: Socket, tenant: str | None = None):
        self._client = open_ctl(socket)
        self._tenant = tenant

    def __enter__(self) -> RemoteServices:
        self._client.__enter__()
        return self._client.services if self._tenant is None else self._client.services.as_tenant(self._tenant)

    def __exit__(self, *exception: object) -> None:
        self._client.__exit__(*exception)


def list_command(app: typer.Typer, group: str, title: str, call: str, help_text: str) -> None:
    """The command `list` of a group, for objects of the whole card. call: the method of the services."""

    @app.command("list", help=help_text, epilog=f"Example: ./girih ctl {group} list")
    def list_(tenant: AsTenant = None, as_json: AsJson = False, socket: Socket = None) -> None:
        with ServicesOf(socket, tenant) as services:
            show(title, getattr(services, call)(), as_json)


def done(sentence: str, as_json: bool, **facts: object) -> None:
    """Prints what was done, in words or as JSON."""
    if as_json:
        print(json.dumps(facts))
    else:
        console.print(sentence, highlight=False)


def show(title: str, rows: list[dict], as_json: bool) -> None:
    """Prints a list of dicts with the same keys as a table or as JSON; key by key where the terminal is too narrow for a table."""
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(title=title, title_justify="left")
    for column in rows[0] if rows else ("none",):
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    if table.__rich_measure__(console, console.options.update(max_width=WIDEST)).maximum <= console.width:
        console.print(table)
        return
    console.print(title, style="table.title", highlight=False)
    for row in rows:
        record = Table.grid("", "", padding=(0, 2))
        for column, value in row.items():
            record.add_row(f"  {column.replace('_', ' ')}", _cell(value))
        console.print(record, "")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " ".join(f"{key} {_cell(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_cell, value)) or "-"
    if isinstance(value, float):
        return f"{value:g}"
    return "-" if value is None else str(value)
