# SPDX-License-Identifier: Apache-2.0
"""Services, tenants and chains of a running card, as the sections of a design file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ruamel.yaml.comments import CommentedBase, CommentedMap

from girih.compiler.emit.scheduling import describe
from girih.compiler.model import Card
from girih.compiler.scheduling import PUSH, Service
from girih.errors import GirihError
from girih.services.chains import chain_action
from girih.services.facts import OPERATOR, Facts
from girih.services.policies import FLAGS
from girih.services.policy import CLASSES, class_values, class_words
from girih.services.tenants import MOST_WEIGHT, OBJECTS
from girih.services.words import action_text, parse_actions, parse_pattern, pattern_text

if TYPE_CHECKING:
    from girih.card.client import ControlClient
    from girih.management.client import NetworkCard
    from girih.services.remote import RemoteServices

ROUNDED = 10  # with this least weight all tenths are whole numbers
REGISTERS_OF_TENANTS = {"weight": "inverse_weight", "guarantee": "guaranteed_cells", "limit": "limit", "services": "rights"}


@dataclass(frozen=True)
class Scheduling:
    """The state that a card's own process reports. chains: None over the network, where they have no names. entries: the locations
    of table entries that belong to no chain. meters: those of meters that have rates."""

    facts: Facts
    policies: list[dict]
    tenants: list[dict]
    chains: list[dict] | None
    entries: list[str]
    meters: list[str]

    @staticmethod
    def of(card: ControlClient | NetworkCard) -> Scheduling:
        services = card.services
        try:
            chains = services.list_chains()
        except GirihError:
            chains = None
        facts = Facts(card.registers.manifest)
        entries = [f"entry {row['index']} of {stage}" for stage, row in _of_stages(services, facts, services.list_entries) if row["chain"] is None]
        meters = [f"meter {row['index']} of {stage}" for stage, row in _of_stages(services, facts, services.list_meters)]
        return Scheduling(facts, services.list_policies(), services.list_tenants(), chains, entries if chains is not None else [], meters)

    def left(self, now: Card) -> list[str]:
        """The part of it that the design of a card cannot express."""
        wanted = {service.name: _policy_of(now, service) for service in now.scheduling.services}
        left = [f"the policy of {row['service']}" for row in self.policies if {**row} != wanted[row["service"]]]
        if self.chains is None:
            return [*left, "chains, which have no names over the network", *self.meters]
        live, known = _by_name(self.chains), _chains_of(now, self.facts)
        left += [f"chain {name}" for name, chain in live.items() if known.get(name) != _words(chain)]
        left += [f"chain {name}" for name in known if name not in live]
        left += [*self.entries, *self.meters]
        return left + [f"{what} of tenant {row['name']}" for row in self.tenants for what in OBJECTS if row[what]]


def _of_stages(services: RemoteServices, facts: Facts, listed: Callable[[str, int], list[dict]]) -> Iterator[tuple[str, dict]]:
    """What the stages of all ports hold, each with the name of its stage. listed: the contents of one stage of a port."""
    for port in facts.ports:
        for stage in services.list_stages(port):
            yield from ((f"stage {stage} of {port}", row) for row in listed(port, stage))


def own_part(section: CommentedMap, name: str) -> CommentedMap:
    """A part of a file, to be changed: one that is also elsewhere, by an alias, is copied first."""
    part = section[name]
    if isinstance(part, CommentedBase) and part.anchor.value is not None:
        part = section[name] = deepcopy(part)
        part.anchor.value = None
    return part


def write_scheduling(document: CommentedMap, was: Card, card: Scheduling, found: Mapping[str, int]) -> None:
    """Changes those keys of the three sections that differ. found: the card's registers by name."""
    for row in card.policies:
        _write_service(document["services"], was, row, found)
    for row in card.tenants:
        if row["name"] in document.get("tenants", {}):
            _write_tenant(document["tenants"], was, row, found)
    if card.chains is not None:
        _write_chains(document, was, card)


def _write_service(section: CommentedMap, was: Card, row: Mapping, found: Mapping[str, int]) -> None:
    service = was.scheduling.service(row["service"])
    changed = _changed_of_service(was, service, row, found)
    if not changed:
        return
    if not isinstance(section[service.name], dict):  # a list of its units
        section[service.name] = CommentedMap(units=section[service.name])
        section[service.name].fa.set_flow_style()
    own_part(section, service.name).update(changed)


def _changed_of_service(was: Card, service: Service, row: Mapping, found: Mapping[str, int]) -> dict[str, object]:
    scheduler, units = was.scheduling.scheduler, was.scheduling.unit_names
    before = _policy_of(was, service)
    changed: dict[str, object] = {flag: row[flag] for flag in FLAGS if row[flag] != before[flag]}
    if (row["policy"], row["classes"]) != (before["policy"], before["classes"]):
        changed["policy"] = _policy_text(row)
    others = (
        ("affinity", service.affinity, bool(found.get(f"{scheduler}.affinity[{service.number}]", service.affinity))),
        ("push", PUSH[service.push], PUSH[found.get(f"{scheduler}.push[{service.number}]", service.push)]),
        ("credits", service.credits, max(found.get(f"{scheduler}.unit_credits[{units.index(unit)}]", service.credits) for unit in service.units)),
    )
    return changed | {key: value for key, present, value in others if value != present}


def _policy_of(card: Card, service: Service) -> dict:
    """The policy of a design, as `list_policies` gives that of a card."""
    policy = service.policy
    words = class_words(policy.kind, {entry.number: dict(entry.values) for entry in policy.classes}, card.clock_mhz)
    classes = class_values(policy.kind, words, card.clock_mhz)
    flags = {flag: getattr(policy, flag) for flag in FLAGS}
    return {"service": service.name, "policy": policy.kind, **flags, "classes": [{"class": number, **values} for number, values in classes.items()]}


def _policy_text(row: Mapping) -> object:
    classes = [dict(entry) for entry in row["classes"]]
    if not classes:
        return row["policy"]
    if row["policy"] == "fair":
        entries: dict = _whole_weights({entry["class"]: entry["weight"] for entry in classes})
    else:
        entries = {entry.pop("class"): next(iter(entry.values())) if len(entry) == 1 else _flow(entry) for entry in classes}
    return _flow({row["policy"]: _flow(entries)})


def _whole_weights(relative: Mapping[int, float]) -> dict[int, int]:
    """Whole weights for a design, from those of a card, which are relative to the least and rounded to a tenth."""
    least = next(n for n in range(1, MOST_WEIGHT) if all(round(round(weight * n) / n, 1) == weight for weight in relative.values()) or n == ROUNDED)
    weights = {number: min(round(weight * least), MOST_WEIGHT) for number, weight in relative.items()}
    one_of_the_others = next((number for number in range(CLASSES) if number not in weights), None)
    return weights if one_of_the_others is None else {one_of_the_others: least, **weights}


def _write_tenant(section: CommentedMap, was: Card, row: Mapping, found: Mapping[str, int]) -> None:
    config = dict(was.tile(was.scheduling.scheduler or "").config)
    for key, register in REGISTERS_OF_TENANTS.items():
        before = config[register]
        assert isinstance(before, tuple)
        if found.get(f"{was.scheduling.scheduler}.{register}[{row['number']}]", before[row["number"]]) != before[row["number"]]:
            own_part(section, row["name"])[key] = min(row[key], MOST_WEIGHT) if key == "weight" else row[key]


def _write_chains(document: CommentedMap, was: Card, card: Scheduling) -> None:
    live, known = _by_name(card.chains or []), _chains_of(was, card.facts)
    section = document.setdefault("chains", CommentedMap()) if live else document.get("chains", {})
    for name in known:
        if name not in live:
            del section[name]
    for name, chain in live.items():
        if known.get(name) != _words(chain) and (text := _chain_text(chain, card.facts)) is not None:
            section[name] = text


def _by_name(chains: list[dict]) -> dict[str, dict]:
    return {chain["name"]: chain for chain in chains}


def _words(chain: Mapping) -> tuple[str, str, str]:
    return chain["owner"], chain["pattern"], chain["actions"]


def _chains_of(card: Card, facts: Facts) -> dict[str, tuple[str, str, str]]:
    """The chains of a design that are in the tables from the start."""
    chains = [chain for chain in describe(card)["chains"] if chain["match"]]
    return {chain["name"]: (facts.tenant_name(0), pattern_text(chain["match"]), action_text(chain_action(chain), facts)) for chain in chains}


def _chain_text(chain: Mapping, facts: Facts) -> object:
    """A chain as a design has it; None for one that no design can have: a tenant's own, or one that matches a part of a field."""
    pattern, action = parse_pattern(chain["pattern"]), parse_actions(chain["actions"], facts)
    if pattern.masks or chain["owner"] not in (OPERATOR, facts.tenant_name(0)):
        return None
    text: dict[str, Any] = {"services": [_hop_text(hop, facts) for hop in action["chain"]], "match": _flow(dict(_match_texts(chain["pattern"])))}
    if "tenant" in action:
        text["tenant"] = facts.tenant_name(action["tenant"])
    if "exit" in action:
        text["exit"] = facts.tile_name(action["exit"])
    return _flow(text)


def _match_texts(pattern: str) -> list[tuple[str, object]]:
    """The fields of a pattern with their values as they are written: `udp dst is 4500` is udp.dst and 4500."""
    found: list[tuple[str, object]] = []
    for item in pattern.split(" / "):
        field, _, value = item.partition(" is ")
        found.append((field.replace(" ", "."), int(value) if value.isdecimal() else value))
    return found


def _hop_text(hop: Mapping, facts: Facts) -> object:
    name = facts.service_name(hop["service"])
    given = {key: hop[field] for key, field in (("class", "rank_class"), ("meta", "meta")) if hop.get(field)}
    return _flow({name: _flow(given)}) if given else name


def _flow(entries: Mapping) -> CommentedMap:
    found = CommentedMap(entries)
    found.fa.set_flow_style()
    return found
