# SPDX-License-Identifier: Apache-2.0
"""The state of tiles, services, units, queues and tenants of a running card, obtained only by reads."""

from __future__ import annotations

from collections.abc import Iterator

from girih.card.registers import Registers
from girih.services.facts import Facts
from girih.spec.windows import offset

WAIT_BINS, FIRST_BIN = 25, 4
WAIT_BITS = 32  # of the count of waits, and of a bin: they wrap
FATE_NAMES = ("no_right", "bad_service", "void", "overflow", "shortage", "evicted", "accepted", "dispatched")  # policy_pkg::fate_e
DROPS = FATE_NAMES[:6]
UNIT_COUNTERS = ("in_messages", "out_messages", "mark_pulled", "mark_pushed", "mark_detoured", "mark_busy_cycles")
PARTS = ("services", "units", "queues", "tenants", "drops", "ports")


class Monitor:
    """Reads the state of one card as the operator."""

    def __init__(self, registers: Registers):
        self._registers = registers
        self._services = ServiceMonitor(registers) if registers.manifest.scheduling else None

    def state(self) -> dict:
        """Messages of tiles and their drops, services, units, queues and tenants, for JSON. On a card without services
        their lists are empty. Counters count from reset."""
        found = self._services.state() if self._services else {part: [] for part in PARTS}
        counters = self._registers.counters()
        return {**found, "tiles": [_tile(tile, values) for tile, values in counters.items()], "tile_drops": list(self._tile_drops(counters))}

    def _tile_drops(self, counters: dict[str, dict[str, int]]) -> Iterator[dict]:
        """Drops of the tiles, without the scheduler's, which are listed by tenant and service."""
        for tile, values in counters.items():
            for name, packets in values.items() if not self._services or tile != self._services.scheduler else ():
                if packets and name.startswith("drop_"):
                    yield {"tile": tile, "reason": name.removeprefix("drop_"), "packets": packets}


def _tile(name: str, values: dict[str, int]) -> dict:
    total = {prefix: sum(value for counter, value in values.items() if counter.startswith(prefix)) for prefix in ("in_", "out_", "drop_")}
    return {"name": name, "in": total["in_"], "out": total["out_"], "dropped": total["drop_"]}


class ServiceMonitor:
    """Reads the parts that only a card with services has: its scheduler, units and ports with tables."""

    def __init__(self, registers: Registers):
        self._registers = registers
        self._facts = Facts(registers.manifest)
        self.scheduler = self._facts.scheduler

    def state(self) -> dict:
        """The lists that PARTS names."""
        fates = list(self._fates())
        return {
            "services": [self._service(service, fates) for service in self._facts.services],
            "units": [self._unit(unit) for unit in self._facts.units],
            "queues": [self._queue(service, tenant) for service in self._facts.services for tenant in self._facts.tenants],
            "tenants": [self._tenant(tenant, fates) for tenant in self._facts.tenants],
            "drops": [fate for fate in fates if fate["reason"] in DROPS],
            "ports": [self._port(tile, port) for tile, port in self._facts.ports.items() if port is not None],
        }

    def _window(self, part: str, **indices: int) -> int:
        return self._registers.read_window(self.scheduler, offset("scheduler_window", part, **indices))

    def _counter(self, tile: str, name: str) -> int:
        return self._registers.counter(self._registers.manifest.tile(tile), name)

    def _fates(self) -> Iterator[dict]:
        """The nonzero counts of packets by fate. A counter's low word is read first, which latches the high one."""
        for tenant in self._facts.tenants:
            for service in self._facts.services:
                place = offset("scheduler_window", "fates", tenant=tenant["number"], service=service["number"])
                words = self._registers.read_window_words(self.scheduler, place, 2 * len(FATE_NAMES))
                for fate, packets in zip(FATE_NAMES, (low | high << 32 for low, high in zip(words[::2], words[1::2]))):
                    if packets:
                        yield {"tenant": tenant["name"], "service": service["name"], "reason": fate, "packets": packets}

    def _service(self, service: dict, fates: list[dict]) -> dict:
        number = service["number"]
        ours = {fate: sum(f["packets"] for f in fates if f["service"] == service["name"] and f["reason"] == fate) for fate in FATE_NAMES}
        count = nearest(self._window("waits", service=number, word=0), WAIT_BITS, ours["dispatched"])
        total, largest = self._wait_sum(number), self._window("waits", service=number, word=3)
        bins = [self._window("waits", service=number, word=FIRST_BIN + b) for b in range(WAIT_BINS)] if count else []
        return {
            "name": service["name"],
            "units": list(service["units"]),
            "accepted": ours["accepted"],
            "dispatched": ours["dispatched"],
            "dropped": sum(ours[reason] for reason in DROPS),
            "waits": count,
            "wait_sum": total,
            "wait_mean": total / count if count else 0.0,
            "wait_p99": percentile(bins, 0.99, largest) if count < 1 << WAIT_BITS else None,  # a bin may have wrapped
            "wait_max": largest,
        }

    def _wait_sum(self, service: int) -> int:
        """The sum of the waits at a service, whose low word may overflow into the high one between two reads."""
        while True:
            high, low, again = (self._window("waits", service=service, word=word) for word in (2, 1, 2))
            if high == again:
                return high << 32 | low

    def _unit(self, unit: dict) -> dict:
        word = self._window("units", unit=unit["number"])
        values = {name.removeprefix("mark_"): self._counter(unit["name"], name) for name in UNIT_COUNTERS}
        values["busy_cycles"] = int(values["busy_cycles"] * self._registers.manifest.ratio(self._registers.manifest.tile(unit["name"])))  # of the card
        return {
            "name": unit["name"],
            "service": unit["service"],
            "credits": word - (1 << 32) if word >> 31 else word,
            "most_credits": self._registers.read(f"{self.scheduler}.unit_credits[{unit['number']}]"),
            **values,
        }

    def _queue(self, service: dict, tenant: dict) -> dict:
        word = self._window("queues", service=service["number"], tenant=tenant["number"])
        known, rank, packets = word >> 31, word >> 16 & 0xFFF, word & 0xFFFF
        return {
            "service": service["name"],
            "tenant": tenant["name"],
            "packets": packets,
            "head_rank": rank >> 1 if known and packets else None,  # its lowest bit is 0 for a detoured packet
            "head_detoured": bool(known and packets and not rank & 1),
        }

    def _tenant(self, tenant: dict, fates: list[dict]) -> dict:
        word = self._window("tenants", tenant=tenant["number"])
        return {
            "name": tenant["name"],
            "packets": word >> 16,
            "bytes": (word & 0xFFFF) * self._facts.memory["cell_bytes"],
            "dropped": sum(fate["packets"] for fate in fates if fate["tenant"] == tenant["name"] and fate["reason"] in DROPS),
        }

    def _port(self, tile: str, port: int) -> dict:
        return {"tile": tile, "port": port, "in_frames": self._counter(tile, "in_frames"), "out_frames": self._counter(tile, "out_frames")}


def nearest(low: int, bits: int, number: int) -> int:
    """The number nearest to `number` whose lowest bits are `low`."""
    span = 1 << bits
    return number + (low - number + span // 2) % span - span // 2


def percentile(bins: list[int], share: float, largest: int) -> int:
    """The upper end of the bin in which a share of the waits ends: bin b holds those below 2^b cycles."""
    wanted = share * sum(bins)
    for number, upto in enumerate(_running_sums(bins)):
        if upto >= wanted and upto:
            return min((1 << number) - 1, largest)
    return 0


def _running_sums(bins: list[int]) -> Iterator[int]:
    total = 0
    for count in bins:
        total += count
        yield total
