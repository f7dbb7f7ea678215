# SPDX-License-Identifier: Apache-2.0
"""`girih ctl`: changes chains, tenants, policies, tables, meters and registers of a running card while traffic flows."""

from __future__ import annotations

import typer

from girih.cli.ctl import registers, services, tables
from girih.cli.ctl.common import over
from girih.cli.live import CardDesign, CardHost, KeyFile


def register(app: typer.Typer) -> None:
    ctl = typer.Typer(
        no_args_is_help=True,
        help="Changes chains, tenants, policies, tables, meters and registers of a running card while traffic flows.",
        epilog='Example: ./girih ctl chain add late --pattern "udp dst is 4501" --actions "queue aes / queue sha"',
    )
    app.add_typer(ctl, name="ctl")

    @ctl.callback()
    def options(host: CardHost = None, key: KeyFile = None, design: CardDesign = None) -> None:
        over.set((host, key, design))

    registers.register(ctl)
    for name, help_text, commands in (
        ("chain", "Which packets visit which services.", services.chain),
        ("tenant", "Shares, memory and rights of tenants.", services.tenant),
        ("policy", "The order in which a service sends packets.", services.policy),
        ("table", "Entries of the ports' match-action tables.", tables.table),
        ("meter", "Rates to which the action `meter N` limits packets.", tables.meter),
        ("counter", "The counts of the action `count N`.", tables.counter),
        ("register", "Registers that the action `register N` reads and changes.", tables.register),
    ):
        group = typer.Typer(no_args_is_help=True, help=help_text)
        commands(group)
        ctl.add_typer(group, name=name)
