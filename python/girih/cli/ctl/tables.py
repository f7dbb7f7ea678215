# SPDX-License-Identifier: Apache-2.0
"""`girih ctl table`, `meter`, `counter`, `register`: what the stages of match-action ports hold."""

from __future__ import annotations

from typing import Annotated

import typer

from girih.cli.ctl.common import AsJson, AsTenant, Pattern, ServicesOf, done, show
from girih.cli.live import Socket

Port = Annotated[str, typer.Option("--port", help="The port's tile, such as wire.")]
Stage = Annotated[int, typer.Option("--stage", help="Which of the port's tables; chains are in table 0.")]


def _list_of_stage(app: typer.Typer, group: str, title: str, call: str, help_text: str) -> None:
    """The command `list` of a group, for objects that exist in every stage of a port."""

    @app.command("list", help=help_text, epilog=f"Example: ./girih ctl {group} list --port wire")
    def list_(port: Port, stage: Stage = 0, tenant: AsTenant = None, as_json: AsJson = False, socket: Socket = None) -> None:
        with ServicesOf(socket, tenant) as services:
            show(f"{title} {stage} of {port}", getattr(services, call)(port, stage), as_json)


def table(app: typer.Typer) -> None:
    @app.command("add", epilog='Example: ./girih ctl table add --port wire --pattern "udp dst is 9" --actions "count 3 / drop"')
    def add(
        port: Port,
        pattern: Pattern,
        actions: Annotated[str, typer.Option("--actions", help="The actions, such as \"count 3 / drop\"; see docs/operating.md.")],
        stage: Stage = 0,
        priority: Annotated[int, typer.Option(help="The lowest value wins; chains have 16.")] = 16,
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Adds an entry to one table, in rte_flow's syntax."""
        with ServicesOf(socket, tenant) as services:
            index = services.add_entry(port, pattern, actions, stage=stage, priority=priority)
        done(f"Entry {index} is in stage {stage} of {port}.", as_json, index=index)

    @app.command("del", epilog="Example: ./girih ctl table del 17 --port wire")
    def delete(
        index: Annotated[int, typer.Argument(help="Its index, as shown by ./girih ctl table list.")],
        port: Port,
        stage: Stage = 0,
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Deletes an entry that is not part of a chain."""
        with ServicesOf(socket, tenant) as services:
            services.delete_entry(port, index, stage=stage)
        done(f"Entry {index} is deleted.", as_json, deleted=index)

    _list_of_stage(app, "table", "Stage", "list_entries", "Lists what is in a table; a tenant sees its own entries.")


def meter(app: typer.Typer) -> None:
    @app.command("set", epilog="Example: ./girih ctl meter set 2 --port wire --cir 1000 --cbs 3000")
    def set_(
        index: Annotated[int, typer.Argument(help="Its index.")],
        port: Port,
        cir: Annotated[float, typer.Option(help="Committed rate, Mbit/s.")],
        cbs: Annotated[int, typer.Option(help="Committed burst, bytes.")],
        pir: Annotated[float | None, typer.Option(help="Peak rate, Mbit/s; as committed if not given.")] = None,
        pbs: Annotated[int | None, typer.Option(help="Peak burst, bytes; as committed if not given.")] = None,
        stage: Stage = 0,
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Sets a meter of two rates and three colours (RFC 2698); its buckets start full."""
        with ServicesOf(socket, tenant) as services:
            services.set_meter(port, index, cir=cir, cbs=cbs, pir=pir, pbs=pbs, stage=stage)
        done(f"Meter {index} of stage {stage} of {port} is set.", as_json, changed=index)

    _list_of_stage(app, "meter", "Meters of stage", "list_meters", "Lists the meters that have rates (Mbit/s, bytes); a tenant sees its own.")


def counter(app: typer.Typer) -> None:
    _list_of_stage(app, "counter", "Counters of stage", "list_counters", "Lists the counters that have counted; a tenant sees its own.")


def register(app: typer.Typer) -> None:
    @app.command("set", epilog="Example: ./girih ctl register set 3 0 --port wire")
    def set_(
        index: Annotated[int, typer.Argument(help="Its index.")],
        value: Annotated[int, typer.Argument(help="Its new value.")],
        port: Port,
        stage: Stage = 0,
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Writes a register between two packets."""
        with ServicesOf(socket, tenant) as services:
            services.set_register(port, index, value, stage=stage)
        done(f"Register {index} of stage {stage} of {port} is {value}.", as_json, changed=index)

    _list_of_stage(app, "register", "Registers of stage", "list_registers", "Lists the registers that are not 0; a tenant sees its own.")
