# SPDX-License-Identifier: Apache-2.0
"""`girih ctl`: changes chains, tenants, policies, tables, meters and registers of a running card while traffic flows."""

from __future__ import annotations

import json
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from girih.card.client import ControlClient
from girih.cli.check import design_path
from girih.cli.live import CardDesign, CardHost, KeyFile, Socket, console, open_card
from girih.errors import GirihError
from girih.management import configuration
from girih.management.client import NetworkCard
from girih.management.design_file import save_design, source_of
from girih.services.remote import RemoteServices

# rte_tm's names for the parameters of a class, accepted beside those of the design file.
CLASS_WORDS = {"priority": "level", "rate": "mbps", "slack": "cycles"}
CLASS_HELP = "0:weight=2, 0:priority=1, 0:rate=1000,burst=3000 or 0:slack=500; repeat it for more classes."
LIST_SEPARATOR = ","
WIDEST = 10_000  # of a table, in characters

AsTenant = Annotated[str | None, typer.Option("--tenant", help="Act as this tenant's own controller, not as the operator.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Pattern = Annotated[str, typer.Option("--pattern", help='Packets, such as "ipv4 dst is 10.0.0.1 / udp dst is 4500".')]
Port = Annotated[str, typer.Option("--port", help="The port's tile, such as wire.")]
Stage = Annotated[int, typer.Option("--stage", help="Which of the port's tables; chains are in table 0.")]


_over: ContextVar[tuple[str | None, Path | None, Path | None]] = ContextVar("_over")  # the options of ctl itself


def _open(socket: Socket) -> ControlClient | NetworkCard:
    """The card that the command's options, and those of ctl before it, name."""
    return open_card(socket, *_over.get())


class _Card:
    """The services of a running card, on behalf of the operator or of a tenant."""

    def __init__(self, socket: Socket, tenant: str | None = None):
        self._client = _open(socket)
        self._tenant = tenant

    def __enter__(self) -> RemoteServices:
        self._client.__enter__()
        return self._client.services if self._tenant is None else self._client.services.as_tenant(self._tenant)

    def __exit__(self, *exception: object) -> None:
        self._client.__exit__(*exception)


def _done(sentence: str, as_json: bool, **facts: object) -> None:
    """Prints what was done, in words or as JSON."""
    if as_json:
        print(json.dumps(facts))
    else:
        console.print(sentence, markup=False, highlight=False)


def _show(title: str, rows: list[dict], as_json: bool) -> None:
    """Prints a list of dicts with the same keys as a table or as JSON; where the lines are too short for a table, one below the other."""
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


def parse_class(text: str) -> dict[str, int]:
    """`0:weight=2` or `1:rate=1000,burst=3000` as {"class": 1, "mbps": 1000, "burst": 3000}. Raises GirihError."""
    try:
        number, _, rest = text.partition(":")
        pairs = [item.split("=") for item in rest.split(LIST_SEPARATOR)]
        return {"class": int(number), **{CLASS_WORDS.get(name, name): int(value) for name, value in pairs}}
    except ValueError as error:
        remedy = "Write NUMBER:NAME=VALUE,..., such as 0:weight=2, 1:priority=3, 2:rate=1000,burst=3000 (Mbit/s, bytes) or 3:slack=500 (cycles)."
        raise GirihError(f"the class {text!r} cannot be read", "--class", remedy) from error


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(LIST_SEPARATOR) if name.strip()]


def _range(text: str | None) -> list[int] | None:
    """`0-7`, `5` or `none` as the first and the last."""
    if text is None or text == "none":
        return None if text is None else []
    first, _, last = text.partition("-")
    try:
        return [int(first), int(last or first)]
    except ValueError as error:
        raise GirihError(f"the range {text!r} cannot be read", "ctl tenant set", "Write FIRST-LAST, such as 0-7, or none.") from error


def register(app: typer.Typer) -> None:
    ctl = typer.Typer(
        no_args_is_help=True,
        help="Changes chains, tenants, policies, tables, meters and registers of a running card while traffic flows.",
        epilog='Example: ./girih ctl chain add late --pattern "udp dst is 4501" --actions "queue aes / queue sha"',
    )
    app.add_typer(ctl, name="ctl")

    @ctl.callback()
    def over(host: CardHost = None, key: KeyFile = None, design: CardDesign = None) -> None:
        _over.set((host, key, design))

    _registers(ctl)
    for name, help_text, commands in (
        ("chain", "Which packets visit which services.", _chain),
        ("tenant", "Shares, memory and rights of tenants.", _tenant),
        ("policy", "The order in which a service sends packets.", _policy),
        ("table", "Entries of the ports' match-action tables.", _table),
        ("meter", "Rates to which the action `meter N` limits packets.", _meter),
        ("counter", "The counts of the action `count N`.", _counter),
        ("register", "Registers that the action `register N` reads and changes.", _register),
    ):
        group = typer.Typer(no_args_is_help=True, help=help_text)
        commands(group)
        ctl.add_typer(group, name=name)


def _registers(app: typer.Typer) -> None:
    @app.command("get", epilog="Example: ./girih ctl get balancer.by_flow")
    def get(
        names: Annotated[list[str], typer.Argument(metavar="TILE.REGISTER...", help="Registers of tiles; card.rdl and docs list them.")],
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Reads registers of tiles."""
        with _open(socket) as card:
            values = {name: card.registers.read(name) for name in names}
        _done("\n".join(f"{name} = {value:#x}" for name, value in values.items()), as_json, **values)

    @app.command("set", epilog="Example: ./girih ctl set balancer.by_flow=1")
    def set_(
        values: Annotated[list[str], typer.Argument(metavar="TILE.REGISTER=VALUE...", help="Written in order; over the network as one change, whole or not at all.")],
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Writes registers of tiles."""
        wanted = dict(map(_assignment, values))
        with _open(socket) as card:
            card.registers.write_many(wanted)
        _done("\n".join(f"{name} = {value:#x}" for name, value in wanted.items()), as_json, **wanted)

    @app.command("save", epilog="Example: ./girih ctl save good.yaml")
    def save(file: Annotated[Path, typer.Argument(help="Where to write them.")], socket: Socket = None) -> None:
        """Writes the configuration and the node tables of all tiles that can be read to a file."""
        with _open(socket) as card:
            count = configuration.save(card.registers, file)
        _done(f"{count} registers are in {file}.", False)

    @app.command("restore", epilog="Example: ./girih ctl restore good.yaml")
    def restore(file: Annotated[Path, typer.Argument(help="What save has written.")], as_json: AsJson = False, socket: Socket = None) -> None:
        """Writes the registers that differ from such a file, in changes of up to eight words."""
        with _open(socket) as card:
            names = configuration.restore(card.registers, file)
        _done("\n".join(f"{name} is as in {file}" for name in names) or f"The card is as in {file}.", as_json, restored=names)


    @app.command("design", epilog="Example: ./girih ctl design good.yaml && ./girih run good.yaml")
    def design(
        file: Annotated[Path, typer.Argument(help="Where to write it.")],
        of: Annotated[Path | None, typer.Option("--of", help="The design file that the card runs, where the card does not know its path.")] = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Writes the card as a design file: its own, with what has been changed since it was started."""
        with _open(socket) as card:
            source = design_path(of) if of else source_of(card.registers.manifest)
            saved = save_design(card, source, file)
        sentences = [f"{file} is {source} with {len(saved.changed)} registers changed.", *(f"It does not say: {what}." for what in saved.left)]
        _done("\n".join(sentences), as_json, changed=saved.changed, left=saved.left)


def _assignment(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name, int(value, 0)
    except ValueError as error:
        raise GirihError(f"the assignment {text!r} cannot be read", "ctl set", "Write TILE.REGISTER=NUMBER, such as balancer.by_flow=1.") from error


def _chain(app: typer.Typer) -> None:
    @app.command("add", epilog='Example: ./girih ctl chain add late --pattern "udp dst is 4501" --actions "queue aes / port_id host"')
    def add(
        name: Annotated[str, typer.Argument(help="A name of your choice.")],
        pattern: Pattern,
        actions: Annotated[str, typer.Option("--actions", help='"queue SERVICE class N meta N / ... / port_id TILE / tenant NAME".')],
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Sends matching packets along services, in rte_flow's syntax. The chain takes effect atomically."""
        with _Card(socket, tenant) as services:
            services.add_rule(name, pattern, actions)
        _done(f"Chain {name} is in the card.", as_json, added=name)

    @app.command("del", epilog="Example: ./girih ctl chain del late")
    def delete(
        name: Annotated[str, typer.Argument(help="The chain.")],
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Deletes a chain: its packets then go where their port sends packets without a chain."""
        with _Card(socket, tenant) as services:
            services.delete_chain(name)
        _done(f"Chain {name} is deleted.", as_json, deleted=name)

    @app.command("list", epilog="Example: ./girih ctl chain list")
    def list_(tenant: AsTenant = None, as_json: AsJson = False, socket: Socket = None) -> None:
        """Lists the chains; a tenant sees its own."""
        with _Card(socket, tenant) as services:
            _show("Chains", services.list_chains(), as_json)


def _tenant(app: typer.Typer) -> None:
    @app.command("set", epilog="Example: ./girih ctl tenant set video --weight 4 --guarantee 65536 --services aes,sha")
    def set_(
        name: Annotated[str, typer.Argument(help="The tenant.")],
        weight: Annotated[int | None, typer.Option(help="Its share where a service is shared.")] = None,
        guarantee: Annotated[int | None, typer.Option(help="Bytes of packet memory guaranteed to it.")] = None,
        limit: Annotated[int | None, typer.Option(help="Maximum bytes of packet memory it may use; 0: no limit.")] = None,
        services: Annotated[str | None, typer.Option(help="Services it may use, separated by commas.")] = None,
        meters: Annotated[str | None, typer.Option(help="Range of meters it owns, such as 0-7, or none.")] = None,
        counters: Annotated[str | None, typer.Option(help="Range of counters it owns.")] = None,
        registers: Annotated[str | None, typer.Option(help="Range of registers it owns.")] = None,
        entries: Annotated[str | None, typer.Option(help="Range of table entries it owns, such as 128-191.")] = None,
        stage: Annotated[int | None, typer.Option(help="The stage of the ports that --entries is for; default: all stages.")] = None,
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Changes the given settings of a tenant and leaves the others."""
        ranges = {"meters": _range(meters), "counters": _range(counters), "registers": _range(registers), "entries": _range(entries)}
        given = {"weight": weight, "guarantee": guarantee, "limit": limit, "services": _names(services)} | ranges
        if all(value is None for value in given.values()):
            raise GirihError("there is nothing to change", f"tenant {name}", f"Give {', '.join(f'--{what}' for what in given)}.")
        with _Card(socket, tenant) as control:
            control.set_tenant(name, stage=stage, **given)
        _done(f"Tenant {name} is changed.", as_json, changed=name)

    @app.command("list", epilog="Example: ./girih ctl tenant list")
    def list_(tenant: AsTenant = None, as_json: AsJson = False, socket: Socket = None) -> None:
        """Lists the tenants with their settings in the card."""
        with _Card(socket, tenant) as services:
            _show("Tenants", services.list_tenants(), as_json)


def _policy(app: typer.Typer) -> None:
    @app.command("set", epilog="Example: ./girih ctl policy set aes shaped --class 0:rate=1000,burst=3000")
    def set_(
        service: Annotated[str, typer.Argument(help="The service.")],
        kind: Annotated[str, typer.Argument(help="strict, fair, slack or shaped.")],
        classes: Annotated[list[str] | None, typer.Option("--class", help=CLASS_HELP)] = None,
        share: Annotated[bool | None, typer.Option("--share/--no-share", help="Tenants share the service by their weights.")] = None,
        by_tenant: Annotated[bool | None, typer.Option("--by-tenant/--by-class", help="Order by tenant instead of by class.")] = None,
        given_rank: Annotated[bool | None, typer.Option("--given-rank/--own-rank", help="Keep a rank that an earlier hop has set.")] = None,
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Changes the order of a service's packets, in rte_tm's terms. Packets that already wait keep their rank."""
        with _Card(socket, tenant) as services:
            services.set_policy(
                service, kind, [parse_class(text) for text in classes or []], share=share, by_tenant=by_tenant, given_rank=given_rank
            )
        _done(f"Service {service} is {kind}.", as_json, changed=service)

    @app.command("list", epilog="Example: ./girih ctl policy list")
    def list_(tenant: AsTenant = None, as_json: AsJson = False, socket: Socket = None) -> None:
        """Lists the policies in effect in the card."""
        with _Card(socket, tenant) as services:
            _show("Policies", services.list_policies(), as_json)


def _list_of_stage(app: typer.Typer, group: str, title: str, call: str, help_text: str) -> None:
    """The command `list` of a group, for objects that exist in every stage of a port."""

    @app.command("list", help=help_text, epilog=f"Example: ./girih ctl {group} list --port wire")
    def list_(port: Port, stage: Stage = 0, tenant: AsTenant = None, as_json: AsJson = False, socket: Socket = None) -> None:
        with _Card(socket, tenant) as services:
            _show(f"{title} {stage} of {port}", getattr(services, call)(port, stage), as_json)


def _table(app: typer.Typer) -> None:
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
        with _Card(socket, tenant) as services:
            index = services.add_entry(port, pattern, actions, stage=stage, priority=priority)
        _done(f"Entry {index} is in stage {stage} of {port}.", as_json, index=index)

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
        with _Card(socket, tenant) as services:
            services.delete_entry(port, index, stage=stage)
        _done(f"Entry {index} is deleted.", as_json, deleted=index)

    _list_of_stage(app, "table", "Stage", "list_entries", "Lists what is in a table; a tenant sees its own entries.")


def _meter(app: typer.Typer) -> None:
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
        with _Card(socket, tenant) as services:
            services.set_meter(port, index, cir=cir, cbs=cbs, pir=pir, pbs=pbs, stage=stage)
        _done(f"Meter {index} of stage {stage} of {port} is set.", as_json, changed=index)

    _list_of_stage(app, "meter", "Meters of stage", "list_meters", "Lists the meters that have rates (Mbit/s, bytes); a tenant sees its own.")


def _counter(app: typer.Typer) -> None:
    _list_of_stage(app, "counter", "Counters of stage", "list_counters", "Lists the counters that have counted; a tenant sees its own.")


def _register(app: typer.Typer) -> None:
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
        with _Card(socket, tenant) as services:
            services.set_register(port, index, value, stage=stage)
        _done(f"Register {index} of stage {stage} of {port} is {value}.", as_json, changed=index)

    _list_of_stage(app, "register", "Registers of stage", "list_registers", "Lists the registers that are not 0; a tenant sees its own.")
