# SPDX-License-Identifier: Apache-2.0
"""Third pass, for tables: the entries that tenants have of their own fit into the tables of each port."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler.check.settings import parameter
from girih.compiler.model import Design
from girih.compiler.read.parse import Report
from girih.compiler.scheduling import Tenant
from girih.rmt.stage import KINDS
from girih.rmt.tables import OPERATOR, layout
from girih.spec.kinds import Kind


def check_entries(tenants: tuple[Tenant, ...], design: Design, kinds: Mapping[str, Kind | None], report: Report) -> None:
    wanted = {tenant.number: tenant.entries for tenant in tenants}
    lines = {text.name.text: text.entries_line for text in design.scheduling.tenants}
    names = ", ".join(f"{tenant.entries} of {tenant.name}" for tenant in tenants if tenant.entries)
    if wanted.get(OPERATOR):
        owner = next(tenant for tenant in tenants if tenant.number == OPERATOR)
        report.error(lines[owner.name], f"tenant {owner.name} is the operator, whose entries cannot be set", "The operator has all entries that other tenants leave.")
    elif names:
        line = next(lines[tenant.name] for tenant in tenants if tenant.entries)
        for tile in design.tiles:
            kind = kinds[tile.name]
            stages = parameter(tile, kind, "stages", design.params) if kind else None
            for number in range(stages or 0):
                table, entries = (parameter(tile, kind, f"{what}_{number}", design.params) for what in ("kind", "entries"))
                if table is None or entries is None or not 0 <= table < len(KINDS) or layout(KINDS[table], entries, wanted):
                    continue
                rule = " In an exact table each has a power of two, at least 4." if KINDS[table] == "exact" else ""
                report.error(
                    line,
                    f"the entries of tenants ({names}) do not fit into the {entries} of stage {number} of {tile.name}",
                    f"Give tenants fewer, or set entries_{number}; some must be left for the operator.{rule}",
                )
