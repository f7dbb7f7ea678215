# SPDX-License-Identifier: Apache-2.0
"""`girih ctl chain`, `tenant`, `policy`: which packets visit which services, and in which order."""

from __future__ import annotations

from typing import Annotated

import typer

from girih.cli.ctl.common import AsJson, AsTenant, Pattern, ServicesOf, done, list_command
from girih.cli.live import Socket
from girih.errors import GirihError

# rte_tm's names for the parameters of a class, accepted beside those of the design file.
CLASS_WORDS = {"priority": "level", "rate": "mbps", "slack": "cycles"}
CLASS_HELP = "0:weight=2, 0:priority=1, 0:rate=1000,burst=3000 or 0:slack=500; repeat it for more classes."
LIST_SEPARATOR = ","


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


def chain(app: typer.Typer) -> None:
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
        with ServicesOf(socket, tenant) as services:
            services.add_rule(name, pattern, actions)
        done(f"Chain {name} is in the card.", as_json, added=name)

    @app.command("del", epilog="Example: ./girih ctl chain del late")
    def delete(
        name: Annotated[str, typer.Argument(help="The chain.")],
        tenant: AsTenant = None,
        as_json: AsJson = False,
        socket: Socket = None,
    ) -> None:
        """Deletes a chain: its packets then go where their port sends packets without a chain."""
        with ServicesOf(socket, tenant) as services:
            services.delete_chain(name)
        done(f"Chain {name} is deleted.", as_json, deleted=name)

    list_command(app, "chain", "Chains", "list_chains", "Lists the chains; a tenant sees its own.")


def tenant(app: typer.Typer) -> None:
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
        with ServicesOf(socket, tenant) as control:
            control.set_tenant(name, stage=stage, **given)
        done(f"Tenant {name} is changed.", as_json, changed=name)

    list_command(app, "tenant", "Tenants", "list_tenants", "Lists the tenants with their settings in the card.")


def policy(app: typer.Typer) -> None:
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
        with ServicesOf(socket, tenant) as services:
            services.set_policy(
                service, kind, [parse_class(text) for text in classes or []], share=share, by_tenant=by_tenant, given_rank=given_rank
            )
        done(f"Service {service} is {kind}.", as_json, changed=service)

    list_command(app, "policy", "Policies", "list_policies", "Lists the policies in effect in the card.")
