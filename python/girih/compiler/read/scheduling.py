# SPDX-License-Identifier: Apache-2.0
"""Second pass, for the sections `services`, `tenants` and `chains`: knows their keys and types, but no tiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from girih.compiler import values
from girih.compiler.read import keys as read
from girih.compiler.read.parse import Map, Report, Scalar, Seq, Tree
from girih.compiler.scheduling import (
    POLICIES,
    PUSH,
    ChainHopText,
    ChainText,
    ClassText,
    Policy,
    SchedulingText,
    ServiceText,
    TenantText,
)
from girih.services.policy import CLASS_VALUES
from girih.services.tenants import MOST_BYTES, MOST_ENTRIES, MOST_WEIGHT
from girih.spec.message import TENANTS, struct_fields

ANY = "any"  # stands for everything that is not named
SECTIONS = ("services", "tenants", "chains")
SERVICE_KEYS = ("units", "policy", "push", "affinity", "credits", "share", "by_tenant", "given_rank")
TENANT_KEYS = ("id", "weight", "guarantee", "limit", "entries", "services", "ports")
CHAIN_KEYS = ("services", "tenant", "exit", "match")
HOP_KEYS = ("class", "meta")
MOST_TENANTS = TENANTS[1]
_HOP_BITS = {field.name: field.bits for field in struct_fields("hop")}
MOST_CLASSES = 1 << _HOP_BITS["rank_class"]
MOST_META = (1 << _HOP_BITS["meta"]) - 1
MOST_CREDITS = 255
DEFAULT_CREDITS = 16
POLICY_EXAMPLE = "Write policy: strict, or by class, such as policy: {fair: {0: 2, 1: 1}}"

Entry = TypeVar("Entry")


def read_scheduling(keys: dict[str, Tree], report: Report) -> SchedulingText:
    """The three sections of a design; each may be missing."""
    lines = {f"{section}_line": keys[section].line for section in ("services", "tenants") if section in keys}
    return SchedulingText(
        services=_entries(keys, "services", "{units: [unit_0]}", _service, report),
        tenants=_entries(keys, "tenants", "{weight: 1}", _tenant, report),
        chains=_entries(keys, "chains", "[service]", _chain, report),
        there=any(section in keys for section in SECTIONS),
        **lines,
    )


def _entries(
    keys: dict[str, Tree], section: str, example: str, one: Callable[[Scalar, Tree, Report], Entry | None], report: Report
) -> tuple[Entry, ...]:
    tree = keys.get(section)
    if tree is None:
        return ()
    if not isinstance(tree, Map):
        report.error(
            tree.line, f"{section} is {values.what_it_is(tree)}", f"Write {section}: and below it lines such as name: {example}"
        )
        return ()
    found = []
    for name, value in tree.entries:
        if fault := values.name_fault(name.text, reserved=(ANY,)):
            report.error(name.line, f"the name {name.text} in {section} {fault}", "Rename it, such as aes or video_0.")
        found.append(one(name, value, report))
    return tuple(entry for entry in found if entry is not None)


def _service(name: Scalar, tree: Tree, report: Report) -> ServiceText | None:
    owner = f"service {name.text}"
    if not isinstance(tree, Map):
        tree = Map(name.line, ((Scalar(name.line, "units", "units"), tree),))  # a list of units
    keys = read.mapping(tree, SERVICE_KEYS, owner, report)
    return ServiceText(
        name=name,
        units=read.names(keys, "units", report, owner, "[unit_0, unit_1]"),
        policy=_policy(keys, owner, report),
        push=PUSH.index(read.word(keys, "push", PUSH, "always", report, owner)),
        affinity=read.flag(keys, "affinity", report, owner),
        credits=read.number(keys, "credits", 1, MOST_CREDITS, DEFAULT_CREDITS, report, owner),
    )


def _policy(keys: dict[str, Tree], owner: str, report: Report) -> Policy:
    flags = [read.flag(keys, key, report, owner) for key in ("share", "by_tenant", "given_rank")]
    tree = keys.get("policy")
    kind = "strict"
    classes: tuple[ClassText, ...] = ()
    if isinstance(tree, Map) and len(tree.entries) == 1:
        (key, value), = tree.entries
        kind = read.word({"policy": key}, "policy", POLICIES, "strict", report, owner)
        if key.text == kind:
            classes = _classes(value, kind, owner, report)
    elif isinstance(tree, Scalar):
        kind = read.word(keys, "policy", POLICIES, "strict", report, owner)
    elif tree is not None:
        report.error(tree.line, f"policy of {owner} is {values.what_it_is(tree)}", POLICY_EXAMPLE)
    return Policy(kind, classes, *flags)


def _classes(tree: Tree, kind: str, owner: str, report: Report) -> tuple[ClassText, ...]:
    known = CLASS_VALUES[kind]
    if not isinstance(tree, Map):
        report.error(tree.line, f"{kind} of {owner} is {values.what_it_is(tree)}", POLICY_EXAMPLE)
        return ()
    classes = []
    for key, value in tree.entries:
        number = values.number(key)
        if number is None or not 0 <= number < MOST_CLASSES:
            report.error(key.line, f"{key.text} in the policy of {owner} is not a traffic class", values.span(0, MOST_CLASSES - 1))
            continue
        whose = f"class {number} of {owner}"
        first = next(iter(known))
        settings = value if isinstance(value, Map) else Map(key.line, ((Scalar(key.line, first, first), value),))
        given = read.mapping(settings, tuple(known), whose, report)
        found = {name: read.number(given, name, *known[name], known[name][0], report, whose) for name in known if name in given}
        classes.append(ClassText(number, tuple(found.items())))
    return tuple(classes)


def _tenant(name: Scalar, tree: Tree, report: Report) -> TenantText | None:
    owner = f"tenant {name.text}"
    if not isinstance(tree, Map):
        report.error(name.line, f"{owner} is {values.what_it_is(tree)}", f"Write {name.text}: {{weight: 1}}")
        return None
    keys = read.mapping(tree, TENANT_KEYS, owner, report)
    return TenantText(
        name=name,
        number=read.number(keys, "id", 0, MOST_TENANTS - 1, 0, report, owner) if "id" in keys else None,
        number_line=keys["id"].line if "id" in keys else name.line,
        weight=read.number(keys, "weight", 1, MOST_WEIGHT, 1, report, owner),
        guarantee=read.number(keys, "guarantee", 0, MOST_BYTES, 0, report, owner),
        limit=read.number(keys, "limit", 0, MOST_BYTES, 0, report, owner),
        entries=read.number(keys, "entries", 0, MOST_ENTRIES, 0, report, owner),
        entries_line=keys["entries"].line if "entries" in keys else name.line,
        services=read.names(keys, "services", report, owner, "[aes, sha]") if "services" in keys else None,
        ports=read.names(keys, "ports", report, owner, "[0]"),
    )


def _chain(name: Scalar, tree: Tree, report: Report) -> ChainText | None:
    owner = f"chain {name.text}"
    if not isinstance(tree, Map):
        tree = Map(name.line, ((Scalar(name.line, "services", "services"), tree),))  # a list of services
    keys = read.mapping(tree, CHAIN_KEYS, owner, report)
    services = keys.get("services")
    if services is None or (isinstance(services, Seq) and not services.items):
        report.error(name.line, f"{owner} visits no service", f"Write {name.text}: [aes, sha]")
        return None
    items = services.items if isinstance(services, Seq) else (services,)
    hops = [_hop(item, owner, report) for item in items]
    return ChainText(
        name=name,
        hops=tuple(hop for hop in hops if hop is not None),
        tenant=read.name(keys, "tenant", report, owner, "video"),
        exit=read.name(keys, "exit", report, owner, "host"),
        match=_match(keys, owner, report),
    )


def _hop(tree: Tree, owner: str, report: Report) -> ChainHopText | None:
    """`aes`, or `{aes: {class: 1, meta: 3}}`."""
    service: Tree = tree
    given: Tree = Map(tree.line, ())
    if isinstance(tree, Map) and len(tree.entries) == 1:
        service, given = tree.entries[0]
    if not isinstance(service, Scalar) or service.value is None or not isinstance(given, Map):
        found = values.what_it_is(tree)
        report.error(tree.line, f"a hop of {owner} is {found}", "Write a service, or one with its class: {aes: {class: 1}}")
        return None
    whose = f"{service.text} in {owner}"
    keys = read.mapping(given, HOP_KEYS, whose, report)
    return ChainHopText(
        service,
        read.number(keys, "class", 0, MOST_CLASSES - 1, 0, report, whose),
        read.number(keys, "meta", 0, MOST_META, 0, report, whose),
    )


def _match(keys: dict[str, Tree], owner: str, report: Report) -> tuple[tuple[Scalar, Scalar], ...]:
    tree = keys.get("match")
    if tree is None:
        return ()
    if not isinstance(tree, Map) or not all(isinstance(v, Scalar) and v.value is not None for _, v in tree.entries):
        report.error(tree.line, f"match of {owner} is {values.what_it_is(tree)}", "Write match: {udp.dst: 4500}")
        return ()
    return tuple((key, value) for key, value in tree.entries if isinstance(value, Scalar))
