# SPDX-License-Identifier: Apache-2.0
"""Programs the services of a running card through its registers: policies, parsers, chains.

    control = ServiceControl(card.registers)
    control.install()                     # what the design says
    control.add_chain("late", ["aes"], match={"udp.dst": 4501})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from girih.card.registers import WORD_BYTES, Registers
from girih.errors import GirihError
from girih.rmt import stage
from girih.rmt.tables import Table, table_for
from girih.services.chains import Key, bits_of, chain_action, key_for, match_fields, shipped_program
from girih.services.policy import CLASSES, class_words

CHAIN_STAGE = 0  # of each port, which decides the chain
MOST_HOPS = 8
_FIRST_ORDER = 16  # of the entries of chains; lower ones are free for entries that must win


class ServiceControl:
    """The services of one card. It knows what it has written; a card that others write to is loaded anew."""

    def __init__(self, registers: Registers):
        self._registers = registers
        self._facts = registers.manifest.scheduling
        if not self._facts:
            raise GirihError("the card has no services", registers.manifest.name, "Give the design services.")
        self._ports = [port["tile"] for port in self._facts["ports"]]
        self._keys: dict[str, Key] = {}
        self._tables: dict[str, Table] = {}
        self.chains: dict[str, dict] = {}

    # ---- the card as a whole ----

    def install(self) -> None:
        """Everything that the design says, on a card that was just reset."""
        for service in self._facts["services"]:
            self.set_policy(service["name"], service["policy"]["kind"], _classes(service))
        for port in self._ports:
            for offset, value in shipped_program().writes():
                self._registers.write_window(port, offset, value)
        chains = [chain for chain in self._facts["chains"] if chain["match"]]
        for port in self._ports:
            self._install_key(port, [chain["match"] for chain in chains])
        for chain in chains:
            self._insert(chain)

    # ---- policies ----

    def set_policy(self, service: str, kind: str, classes: Mapping[int, Mapping[str, int]]) -> None:
        """The classes of a service under a policy: strict, fair, slack or shaped."""
        number = self._service(service)["number"]
        words = class_words(kind, classes, self._registers.manifest.clock_mhz)
        for index, entry in enumerate(words):
            for word, value in enumerate(entry.words):
                offset = ((number * CLASSES + index) * 2 + word) * WORD_BYTES
                self._registers.write_window(self._facts["scheduler"], offset, value)

    # ---- chains ----

    def add_chain(
        self,
        name: str,
        services: Sequence[str | Mapping],
        *,
        match: Mapping[str, int],
        tenant: str | None = None,
        exit: str | None = None,
    ) -> None:
        """Sends packets that match along services; one is a name, or {"service": "aes", "class": 1, "meta": 0}.

        Packets see the chain whole or not at all. Raises GirihError for what the card cannot do.
        """
        if name in self.chains:
            raise GirihError(f"there is a chain {name} already", name, "Delete it first, or choose another name.")
        if not 1 <= len(services) <= MOST_HOPS:
            raise GirihError(f"a chain of {len(services)} services", name, f"It may have 1 to {MOST_HOPS}.")
        unknown = sorted(set(match) - set(match_fields()))
        if unknown or not match:
            raise GirihError(f"no match on {', '.join(unknown) or 'nothing'}", name, f"Fields: {', '.join(match_fields())}.")
        hops = []
        for item in services:
            hop = {"service": item} if isinstance(item, str) else dict(item)
            hops.append({"class": 0, "meta": 0} | hop | {"number": self._service(hop["service"])["number"]})
        self._insert(
            {
                "name": name,
                "hops": hops,
                "tenant_number": None if tenant is None else self._tenant(tenant)["number"],
                "exit_node": None if exit is None else self._registers.manifest.tile(exit).node,
                "match": dict(match),
            }
        )

    def delete_chain(self, name: str) -> None:
        """Packets that matched go where their port sends all others."""
        if name not in self.chains:
            raise GirihError(f"there is no chain {name}", name, f"There are: {', '.join(self.chains) or 'none'}.")
        chain = self.chains[name]
        for port in self._ports:
            self._run(port, self._tables[port].delete(self._entry(port, chain)))
        del self.chains[name]

    def _insert(self, chain: dict) -> None:
        for port in self._ports:
            self._run(port, self._tables[port].insert(self._entry(port, chain)))
        self.chains[chain["name"]] = chain

    def _entry(self, port: str, chain: Mapping) -> stage.Entry:
        return self._keys[port].entry(bits_of(chain["match"]), chain_action(chain), owner=0, order=_FIRST_ORDER)

    def _install_key(self, port: str, matches: Sequence[Mapping[str, int]]) -> None:
        """The key of a port's stage for chains. Exact tables compare all of it, so all must match the same bits."""
        shape = self._run(port, stage.shape())
        every = [bits_of(match) for match in matches] or [bits_of({"udp.dst": 0})]
        if shape.kind == "exact" and any(bits.masks != every[0].masks for bits in every):
            raise GirihError("chains match different fields, and the port's table is exact", port, "Write kind_0: 1 in the port, for a ternary table.")
        if shape.kind == "lpm":
            raise GirihError("chains cannot be matched by prefix", port, "Write kind_0: 0, exact, or 1, ternary.")
        key = key_for(every, shape.key_halves)
        rest = [(0, 0)] * (shape.key_halves - len(key.halves))
        self._run(port, stage.set_key([*key.halves, *rest]))
        self._keys[port], self._tables[port] = key, table_for(shape)

    def _run(self, port: str, steps: stage.Steps):
        """Carries out steps in the window of a port's stage for chains."""
        base = (1 + CHAIN_STAGE) * stage.WINDOW_BYTES

        def access(write: bool, offset: int, data: int) -> int:
            if write:
                self._registers.write_window(port, base + offset, data)
                return 0
            return self._registers.read_window(port, base + offset)

        return stage.run(steps, access)

    # ---- names ----

    def _service(self, name: str) -> dict:
        return self._named("services", name)

    def _tenant(self, name: str) -> dict:
        return self._named("tenants", name)

    def _named(self, section: str, name: str) -> dict:
        for entry in self._facts[section]:
            if entry["name"] == name:
                return entry
        known = ", ".join(entry["name"] for entry in self._facts[section]) or "none"
        raise GirihError(f"{name} is not among the {section}", self._registers.manifest.name, f"There are: {known}.")


def _classes(service: Mapping) -> dict[int, dict[str, int]]:
    return {entry["class"]: {key: value for key, value in entry.items() if key != "class"} for entry in service["policy"]["classes"]}
