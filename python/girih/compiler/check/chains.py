# SPDX-License-Identifier: Apache-2.0
"""Third pass, for chains: their services exist, their tenants have rights to them, and their exits accept messages."""

from __future__ import annotations

from collections.abc import Mapping

from girih.compiler import values
from girih.compiler.check.settings import parameter
from girih.compiler.model import Design
from girih.compiler.read.parse import Report, Scalar
from girih.compiler.scheduling import Chain, ChainHop, ChainText, Service, Tenant
from girih.rmt.action import most_hops
from girih.rmt.stage import KINDS, Shape, run
from girih.rmt.tables import TableFull, layout, table_for
from girih.services.chains import Bits, bits_of, key_for, match_fields
from girih.spec.kinds import Kind

# Parameters of a port that describe its first table, which selects the chain.
TABLE_KIND, KEY_HALVES, ENTRIES = "kind_0", "key_halves_0", "entries_0"
EXACT, TERNARY, PREFIX = range(len(KINDS))
Kinds = Mapping[str, Kind | None]


def is_unit(kind: Kind | None) -> bool:
    return kind is not None and "credits_out" in kind.uses


def is_scheduler(kind: Kind | None) -> bool:
    return kind is not None and "credits_in" in kind.uses


def why_no_exit(kind: Kind | None) -> str | None:
    """Why a tile cannot be an exit, to which messages go when their chain is done; None if it can."""
    if kind is not None and not kind.has_input:
        return "takes no messages from the fabric"
    if kind is not None and kind.sends_replies:
        return "takes only requests of tiles that take replies"
    return "takes only messages with a chain" if is_unit(kind) or is_scheduler(kind) else None


def is_service(word: Scalar, owner: str, names: list[str], report: Report) -> bool:
    if word.text in names:
        return True
    hint = values.did_you_mean(word.text, names)
    report.error(word.line, f"{owner} names {word.text}, which is not a service", f"{hint}The services are {values.listing(names, 'and')}.")
    return False


def check_chains(
    texts: tuple[ChainText, ...],
    services: tuple[Service, ...],
    tenants: tuple[Tenant, ...],
    design: Design,
    kinds: Kinds,
    report: Report,
) -> tuple[Chain, ...]:
    """The chains of a design. kinds: the kind of every tile, None if unknown."""
    names = [service.name for service in services]
    chains = []
    fields_were = len(report.errors)
    for number, text in enumerate(texts):
        owner = f"chain {text.name.text}"
        if len(text.hops) > design.params.chain_hops:
            what, most = f"{owner} visits {len(text.hops)} services", most_hops()
            if len(text.hops) > most:
                report.error(text.name.line, what, f"A chain has at most {most}.")
            else:
                report.error(text.name.line, f"{what}, and chain_hops is {design.params.chain_hops}", f"Write chain_hops: {len(text.hops)} or leave it out.")
        hops = [hop for hop in text.hops if is_service(hop.service, owner, names, report)]
        tenant = _chain_tenant(text, tenants, report)
        for hop in hops if tenant else ():
            if hop.service.text not in tenant.services:
                report.error(
                    hop.service.line,
                    f"{owner} visits {hop.service.text}, to which its tenant {tenant.name} has no right",
                    f"Add {hop.service.text} to the services of {tenant.name}, or leave it out.",
                )
        chains.append(
            Chain(
                name=text.name.text,
                number=number,
                hops=tuple(ChainHop(hop.service.text, hop.rank_class, hop.meta) for hop in hops),
                tenant=tenant.name if tenant else None,
                exit=_exit(text, kinds, report),
                match=_match(text, report),
            )
        )
    if len(report.errors) == fields_were:
        wanted = {tenant.number: tenant.entries for tenant in tenants}
        _check_keys(chains, texts, wanted, design, kinds, report)
    return tuple(chains)


def _check_keys(
    chains: list[Chain], texts: tuple[ChainText, ...], wanted: Mapping[int, int], design: Design, kinds: Kinds, report: Report
) -> None:
    """Checks that the first table of each port can distinguish the chains and hold them all. An exact table compares its whole key."""
    matched = [(text, bits_of(dict(chain.match))) for chain, text in zip(chains, texts, strict=True) if chain.match]
    for index, (text, bits) in enumerate(matched):
        same = next((other for other, others in matched[:index] if others == bits), None)
        if same is not None:
            what = f"chains {same.name.text} and {text.name.text} match the same packets"
            report.error(text.name.line, what, "Match different packets, or remove one of them.")
            return
    for tile in design.tiles:
        kind = kinds[tile.name]
        halves = None if kind is None else parameter(tile, kind, KEY_HALVES, design.params)
        sort = None if halves is None else parameter(tile, kind, TABLE_KIND, design.params)
        if sort == PREFIX:
            what = f"the first table of {tile.name} is a prefix table, which cannot select chains"
            report.error(tile.line, what, f"Write {TABLE_KIND}: {EXACT}, exact, or {TABLE_KIND}: {TERNARY}, ternary.")
        if halves is None or sort not in (EXACT, TERNARY) or not matched:
            continue
        first, bits = matched[0]
        other = next((text for text, more in matched if more.masks != bits.masks), None)
        if other is not None and sort == EXACT:
            report.error(
                other.name.line,
                f"chains {first.name.text} and {other.name.text} match different fields, which the exact table of {tile.name} cannot",
                f"Match the same fields, or make it ternary with {TABLE_KIND}: {TERNARY} in {tile.name}.",
            )
            continue
        needed = len({half for _, more in matched for half in more.masks})
        if needed > halves:
            report.error(
                first.name.line,
                f"the chains match {needed} halfwords of a packet; the key of {tile.name} has {halves}",
                f"Match fewer fields, or set {KEY_HALVES} in {tile.name}.",
            )
            continue
        entries = parameter(tile, kind, ENTRIES, design.params)
        if entries is not None and not _fit(KINDS[sort], entries, halves, [bits for _, bits in matched], wanted):
            what = f"the {len(matched)} chains that match packets do not fit the first table of {tile.name}, of {entries} entries"
            if any(wanted.values()):
                what += ", of which tenants have some"
            report.error(first.name.line, what, f"Give it more with {ENTRIES} in {tile.name}, or remove chains.")


def _fit(sort: str, entries: int, halves: int, matched: list[Bits], wanted: Mapping[int, int]) -> bool:
    """Whether all entries fit into a table when the card starts. wanted: the entries of tenants."""
    table = table_for(Shape(sort, entries, halves, meters=0, counters=0, registers=0, tenants=0), ranges=layout(sort, entries, wanted))
    key = key_for(matched, halves)
    try:
        for bits in matched:
            run(table.insert(key.entry(bits, {}, owner=0, order=0)), lambda _write, _offset, _data: 0)
    except TableFull:
        return False
    return True


def _chain_tenant(text: ChainText, tenants: tuple[Tenant, ...], report: Report) -> Tenant | None:
    if text.tenant is None:
        return None
    by_name = {tenant.name: tenant for tenant in tenants}
    if text.tenant.text not in by_name:
        hint = values.did_you_mean(text.tenant.text, by_name)
        report.error(
            text.tenant.line,
            f"chain {text.name.text} belongs to tenant {text.tenant.text}, which does not exist",
            f"{hint}The tenants are {values.listing(by_name, 'and')}.",
        )
    return by_name.get(text.tenant.text)


def _exit(text: ChainText, kinds: Kinds, report: Report) -> str | None:
    if text.exit is None:
        return None
    name = text.exit.text
    if name not in kinds:
        good = [each for each, kind in kinds.items() if why_no_exit(kind) is None]
        hint = values.did_you_mean(name, good)
        report.error(
            text.exit.line, f"chain {text.name.text} leads to {name}, which is not a tile", f"{hint}Name one of: {', '.join(good)}."
        )
        return None
    kind = kinds[name]
    if kind is not None and why_no_exit(kind):
        report.error(
            text.exit.line, f"chain {text.name.text} leads to {name}, a {kind.name}, where no chain can end", "Name a tile that takes finished messages."
        )
        return None
    return name


def _match(text: ChainText, report: Report) -> tuple[tuple[str, int], ...]:
    found = []
    fields = match_fields()
    for key, value in text.match:
        whose = f"match of chain {text.name.text}"
        if key.text not in fields:
            hint = values.did_you_mean(key.text, fields)
            report.error(key.line, f"{key.text} in {whose} is not a field of a packet", f"{hint}It may be {values.listing(fields)}.")
            continue
        number = values.number(value)
        if number is None:
            number = values.address(value.text, fields[key.text])
        if number is None or not 0 <= number < 1 << fields[key.text]:
            report.error(
                value.line, f"{key.text} in {whose} is {value.text}", f"It has {fields[key.text]} bits: a number, or an address as text."
            )
            continue
        found.append((key.text, number))
    return tuple(found)
