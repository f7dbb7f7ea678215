# SPDX-License-Identifier: Apache-2.0
"""Controls the services of a running card: chains, tenants, policies, tables, while traffic flows.

    control = ServiceControl(card.registers)
    control.install()                                              # from the design
    control.add_chain("late", ["aes"], match={"udp.dst": 4501})
    control.as_tenant("video").add_chain(...)                      # as a tenant: the card enforces its rights

A refused call raises GirihError and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from girih.card.registers import AccessRefused, Registers
from girih.errors import GirihError
from girih.rmt import stage as stages
from girih.rmt.stage import Entry, Refused
from girih.rmt.tables import Table
from girih.services.chains import bits_of, chain_action, key_for, match_fields, shipped_program
from girih.services.facts import Facts
from girih.services.objects import Objects
from girih.services.policies import Policies
from girih.services.stages import Stages
from girih.services.tenants import Tenants
from girih.services.words import (
    action_text,
    checked,
    entry_headers,
    entry_pattern,
    parse_actions,
    parse_pattern,
    pattern_text,
)

CHAIN_STAGE = 0  # of each port, which selects the chain
FIRST_ORDER = 16  # of the entries of chains; lower orders are free for entries that must win
MOST_ORDER = (1 << 16) - 1


class ServiceControl:
    """The services of one card, on behalf of the operator or of a tenant.

    It knows what was written through it and through `as_tenant`; if a card is written to by other means,
    `forget` makes it read the card's tables again.
    """

    def __init__(self, registers: Registers, tenant: str | None = None, relative: ServiceControl | None = None):
        self.facts = Facts(registers.manifest)
        number = 0 if tenant is None else self.facts.tenant(tenant)["number"]
        self.tenant = tenant if number else None  # None: the operator
        self._number = number
        self._registers = registers.as_tenant(number) if number else registers
        self._operator = registers
        self._policies = Policies(self._registers, self.facts)
        self._tables: dict[tuple[str, int, int], Table] = relative._tables if relative else {}
        self.chains: dict[str, dict] = relative.chains if relative else {}
        self._stages = Stages(self._registers, number, self._tables)
        self._tenants = Tenants(self._registers, self.facts, self._stages)
        self._objects = Objects(self._stages, self.facts.manifest.clock_mhz)

    def as_tenant(self, tenant: str) -> ServiceControl:
        """The same card on behalf of a tenant's own controller."""
        return ServiceControl(self._operator, tenant, self)

    # ---- the card as a whole ----

    def install(self) -> None:
        """Writes the design's configuration to a card that has just been reset."""
        self.chains.clear()
        self._stages.forget()
        chains = [chain for chain in self.facts.chains if chain["match"]]
        for port in self.facts.ports:
            for offset, value in shipped_program().writes():
                self._registers.write_window(port, offset, value)
            for tenant in self.facts.tenants:
                self._tenants.write_table_rights(port, tenant["number"], tenant["services"])
            self._install_key(port, [chain["match"] for chain in chains])
            wanted = {tenant["number"]: tenant.get("entries", 0) for tenant in self.facts.tenants if tenant["number"]}
            for number in self._stages.numbers(port):
                self._stages.cleared(port, number, wanted)
        # After the ports' long programs, because the scheduler clears its tables for some hundred cycles after reset.
        for service in self.facts.services:
            self._policies.write_classes(service["name"], service["policy"]["kind"], _by_class(service["name"], service["policy"]["classes"]))
        for chain in chains:
            self._insert({"masks": {}, "owner": 0} | chain)

    def forget(self) -> None:
        """Discards what is known of the card's tables; their next use reads them again."""
        self._stages.forget()

    # ---- chains ----

    def list_chains(self) -> list[dict]:
        """The chains that this controller may change, with their patterns and actions in words."""
        return [
            {
                "name": chain["name"],
                "owner": self.facts.tenant_name(chain["owner"]),
                "pattern": pattern_text(chain["match"], chain["masks"]),
                "actions": action_text(chain_action(chain), self.facts),
                "services": [hop["service"] for hop in chain["hops"]],
            }
            for chain in self.chains.values()
            if not self._foreign(chain)
        ]

    def add_chain(
        self,
        name: str,
        services: Sequence[str | Mapping],
        *,
        match: Mapping[str, int],
        masks: Mapping[str, int] = {},
        tenant: str | None = None,
        exit: str | None = None,
    ) -> None:
        """Sends matching packets through services; each is a name, or {"service": "aes", "class": 1, "meta": 0}.

        masks: the compared bits of a field, if not all. tenant: the packets' owner from then on.
        Packets see all of the chain or none of it. A tenant's chain takes only the tenant's packets.
        """
        if name in self.chains:
            raise GirihError(f"there is a chain {name} already", name, "Delete it first, or choose another name.")
        self.facts.chain_fits(len(services), name)
        _check_match(name, match)
        hops = []
        for item in services:
            hop: dict[str, Any] = {"class": 0, "meta": 0} | ({"service": item} if isinstance(item, str) else dict(item))
            hops.append(hop | {"number": self.facts.service(str(hop.get("service")))["number"]})
        chain = {
            "name": name,
            "owner": self._number,
            "hops": hops,
            "tenant_number": None if tenant is None else self.facts.tenant(tenant)["number"],
            "exit_node": None if exit is None else self.facts.exit(exit),
            "match": dict(match),
            "masks": dict(masks),
        }
        with self._acting(f"add chain {name}", "It may visit services that it has a right to: ./girih ctl tenant list."):
            self._insert(chain)

    def add_rule(self, name: str, pattern: str, actions: str) -> None:
        """The same in rte_flow's words: "udp dst is 4501", "queue aes class 1 / port_id host"."""
        what, action = parse_pattern(pattern), parse_actions(actions, self.facts)
        known = {"chain", "chain_set", "chain_count", "exit", "exit_set", "tenant", "tenant_set"}
        if not set(action) <= known or not action.get("chain_set"):
            remedy = "For other actions use ./girih ctl table add."
            raise GirihError("a chain's actions are queue, port_id and tenant, with at least one queue", name, remedy)
        services = [
            {"service": self.facts.service_name(hop["service"]), "class": hop.get("rank_class", 0), "meta": hop.get("meta", 0)}
            for hop in action["chain"]
        ]
        tenant = self.facts.tenant_name(action["tenant"]) if "tenant" in action else None
        exit = self.facts.tile_name(action["exit"]) if "exit" in action else None
        self.add_chain(name, services, match=what.values, masks=what.masks, tenant=tenant, exit=exit)

    def delete_chain(self, name: str) -> None:
        """Deletes a chain; packets that matched go where their port sends packets without a chain."""
        if name not in self.chains:
            mine = [chain["name"] for chain in self.list_chains()]
            raise GirihError(f"there is no chain {name}", name, f"There are: {', '.join(mine) or 'none'}.")
        chain = self.chains[name]
        with self._acting(f"delete chain {name}", f"It belongs to {self.facts.tenant_name(chain['owner'])}, who may delete it."):
            for port in self.facts.ports:
                index = self._place(port, chain)
                if index is not None:
                    self._stages.delete(port, CHAIN_STAGE, index)
        del self.chains[name]

    def _place(self, port: str, chain: Mapping) -> int | None:
        """The present index of a chain's entry, as its owner knows it."""
        owner = self.as_tenant(self.facts.tenant_name(chain["owner"])) if self._foreign(chain) else self
        return owner._stages.table(port, CHAIN_STAGE).find(chain["entries"][port])

    def _insert(self, chain: dict) -> None:
        """Inserts at all ports or at none."""
        action = checked(chain_action(chain))
        bits = bits_of(chain["match"], chain["masks"])
        entries = {port: self._stages.entry(port, CHAIN_STAGE, bits, action, FIRST_ORDER) for port in self.facts.ports}
        places: dict[str, int] = {}
        try:
            for port, entry in entries.items():
                places[port] = self._stages.insert(port, CHAIN_STAGE, entry)
        except GirihError:
            for port, index in places.items():
                self._stages.delete(port, CHAIN_STAGE, index)
            raise
        self.chains[chain["name"]] = chain | {"entries": entries}

    def _install_key(self, port: str, matches: Sequence[Mapping[str, int]]) -> None:
        """Sets the key of a port's stage for chains. Exact tables compare the whole key, so all chains must match the same bits."""
        shape = self._stages.shape(port, CHAIN_STAGE)
        every = [bits_of(match) for match in matches] or [bits_of({"udp.dst": 0})]
        if shape.kind == "exact" and any(bits.masks != every[0].masks for bits in every):
            remedy = "Write kind_0: 1 in the port, for a ternary table."
            raise GirihError("chains match different fields, and the port's table is exact", port, remedy)
        if shape.kind == "lpm":
            raise GirihError("chains cannot be matched by prefix", port, "Write kind_0: 0, exact, or 1, ternary.")
        key = key_for(every, shape.key_halves)
        rest = [(0, 0)] * (shape.key_halves - len(key.halves))
        self._stages.run(port, CHAIN_STAGE, stages.set_key([*key.halves, *rest]))

    # ---- policies ----

    def list_policies(self) -> list[dict]:
        """Each service's policy as the card has it."""
        with self._acting("read policies", "Leave --tenant out: policies are the operator's."):
            return self._policies.read_all()

    def set_policy(self, service: str, kind: str, classes: Sequence[Mapping[str, int]] = (), **flags: bool | None) -> None:
        """Sets the policy of a service: strict, fair, slack or shaped; classes such as {"class": 0, "weight": 2}.

        flags: share, by_tenant, given_rank; None does not change a flag. A queued packet keeps its rank.
        Classes that are not named have the policy's defaults.
        """
        with self._acting(f"set the policy of {service}", "Leave --tenant out: policies are the operator's."):
            self._policies.set(service, kind, _by_class(service, classes), flags)

    # ---- tenants ----

    def list_tenants(self) -> list[dict]:
        """Each tenant's share, part of the memory and rights, as the card has them."""
        with self._acting("read what tenants have", "Leave --tenant out: tenants are the operator's."):
            return self._tenants.read_all()

    def set_tenant(
        self,
        name: str,
        *,
        weight: int | None = None,
        guarantee: int | None = None,
        limit: int | None = None,
        services: Sequence[str] | None = None,
        meters: Sequence[int] | None = None,
        counters: Sequence[int] | None = None,
        registers: Sequence[int] | None = None,
        entries: Sequence[int] | None = None,
        stage: int | None = None,
    ) -> None:
        """Changes the given settings. guarantee, limit: bytes of packet memory; limit 0 is none. services: those that it may use.

        meters, counters, registers: the first and the last one that its actions may use, or none: (). entries: likewise those
        of tables that are its own, of one stage or of all.
        """
        ranges = {"meters": meters, "counters": counters, "registers": registers, "entries": entries}
        with self._acting(f"change tenant {name}", "Leave --tenant out: tenants are the operator's."):
            self._tenants.set(name, services, ranges, stage, weight=weight, guarantee=guarantee, limit=limit)

    # ---- tables ----

    def list_stages(self, port: str) -> list[int]:
        """The numbers of a port's tables, each of a stage."""
        return self._stages.numbers(self.facts.port(port))

    def list_entries(self, port: str, stage: int = CHAIN_STAGE) -> list[dict]:
        """The entries of a table, in words; a tenant sees its own entries."""
        table, key = self._stages.table(self.facts.port(port), stage), self._stages.key(port, stage)
        exact = table.shape.kind == "exact"
        chains = self._chains_of(table, port, stage)

        def listed(index: int, entry: Entry) -> dict:
            mask = (1 << table.shape.key_bits) - 1 if exact else entry.mask
            return {
                "index": index,
                "owner": self.facts.tenant_name(entry.owner),
                "priority": None if exact else entry.order,
                "pattern": entry_pattern(key, entry.key, mask),
                "actions": action_text(entry.action, self.facts, entry_headers(key, entry.key, mask)),
                "chain": chains.get(index),
            }

        return [listed(index, entry) for index, entry in table.listed()]

    def add_entry(
        self, port: str, pattern: str, actions: str, *, stage: int = CHAIN_STAGE, priority: int = FIRST_ORDER
    ) -> int:
        """Adds an entry in rte_flow's words; its index. priority: the lowest wins (not in exact tables)."""
        if not isinstance(priority, int) or not 0 <= priority <= MOST_ORDER:
            raise GirihError(f"priority {priority}", "entry", f"It may be 0 to {MOST_ORDER}; the lowest wins.")
        what, action = parse_pattern(pattern), parse_actions(actions, self.facts)
        entry = self._stages.entry(self.facts.port(port), stage, bits_of(what.values, what.masks), action, priority)
        remedy = "It may use only services to which it has a right, and its own counters, meters and registers."
        with self._acting("add this entry", remedy):
            return self._stages.insert(port, stage, entry)

    def delete_entry(self, port: str, index: int, *, stage: int = CHAIN_STAGE) -> None:
        """Deletes an entry that belongs to no chain."""
        table = self._stages.table(self.facts.port(port), stage)
        seen = table.ranges.get(self._number, ()) if self._number else range(table.shape.entries)
        if not isinstance(index, int) or ((index in seen or index >= table.shape.entries) and index not in dict(table.listed())):
            raise GirihError(f"there is no entry {index}", f"stage {stage} of {port}", "See ./girih ctl table list.")
        chain = self._chains_of(table, port, stage).get(index)
        if chain:
            raise GirihError(f"entry {index} is chain {chain}'s", f"stage {stage} of {port}", f"Delete that: ./girih ctl chain del {chain}")
        with self._acting(f"delete entry {index}", "It is another's: a tenant deletes its own entries."):
            self._stages.delete(port, stage, index)

    # ---- objects that entries name by number ----

    def list_meters(self, port: str, stage: int = CHAIN_STAGE) -> list[dict]:
        """The configured meters of a stage."""
        return self._objects.meters(self.facts.port(port), stage)

    def set_meter(
        self, port: str, index: int, *, cir: float, cbs: int, pir: float | None = None, pbs: int | None = None, stage: int = CHAIN_STAGE
    ) -> None:
        """Sets a meter of two rates and three colours (RFC 2698): Mbit/s and bytes. Without a peak rate, traffic beyond the committed
        rate is red."""
        pir, pbs = cir if pir is None else pir, cbs if pbs is None else pbs
        with self._acting(f"set meter {index}", "A tenant has the meters that the operator has given it: ./girih ctl tenant set."):
            self._objects.set_meter(self.facts.port(port), stage, index, cir=cir, cbs=cbs, pir=pir, pbs=pbs)

    def list_counters(self, port: str, stage: int = CHAIN_STAGE) -> list[dict]:
        """The counters of a stage that are not 0."""
        return self._objects.counters(self.facts.port(port), stage)

    def list_registers(self, port: str, stage: int = CHAIN_STAGE) -> list[dict]:
        """The registers of a stage that are not 0."""
        return self._objects.registers(self.facts.port(port), stage)

    def set_register(self, port: str, index: int, value: int, *, stage: int = CHAIN_STAGE) -> None:
        """Writes a register; packets of the same cycle come before."""
        with self._acting(f"set register {index}", "A tenant has the registers that the operator has given it: ./girih ctl tenant set."):
            self._objects.set_register(self.facts.port(port), stage, index, value)

    def _chains_of(self, table: Table, port: str, stage: int) -> dict[int, str]:
        """The chains of a table's entries, by index, as far as this controller sees them."""
        mine = [chain for chain in self.chains.values() if stage == CHAIN_STAGE and not self._foreign(chain)]
        found = {table.find(chain["entries"][port]): chain["name"] for chain in mine}
        return {index: name for index, name in found.items() if index is not None}

    def _foreign(self, chain: Mapping) -> bool:
        """Whether a chain belongs to another controller; never for the operator."""
        return bool(self._number) and chain["owner"] != self._number

    @contextmanager
    def _acting(self, what: str, remedy: str) -> Iterator[None]:
        """Adds the requester and a remedy to the error of a refused request."""
        try:
            yield
        except (AccessRefused, Refused) as refused:
            if self.tenant is None:
                remedy = "See what the card has: ./girih ctl table list, ./girih ctl tenant list."
            who = f"tenant {self.tenant}" if self.tenant else "the operator"
            raise AccessRefused(f"the card does not let {who} {what} ({refused.what})", self.facts.card, remedy) from refused


def _check_match(name: str, match: Mapping[str, int]) -> None:
    fields = match_fields()
    unknown = sorted(set(match) - set(fields))
    if unknown or not match:
        raise GirihError(f"no match on {', '.join(unknown) or 'nothing'}", name, f"Fields: {', '.join(fields)}.")
    for field, value in match.items():
        if not isinstance(value, int) or not 0 <= value < 1 << fields[field]:
            raise GirihError(f"{field} is {value}", name, f"It has {fields[field]} bits.")


def _by_class(service: str, classes: Sequence[Mapping[str, int]]) -> dict[int, dict[str, int]]:
    numbers = [entry.get("class") for entry in classes]
    if None in numbers or len(set(numbers)) < len(numbers):
        raise GirihError("a class without a number, or the same number twice", service, 'Write them such as {"class": 0, "weight": 2}.')
    return {entry["class"]: {key: value for key, value in entry.items() if key != "class"} for entry in classes}
