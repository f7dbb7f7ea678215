# SPDX-License-Identifier: Apache-2.0
"""A scheduler engine among model units: every cycle of its links, credits and window, and a scoreboard.

    bench = await Bench.start(dut, units=[Unit(service=0, credits=4)])
    bench.send(0, bench.packet(64, chain=[(0, 0)], tenant=1))
    await bench.quiet()

New lossless messages arrive by channel 0, and messages from units by the last one: a message that waits at the link for
a token or a place must not block those that hold one.

The models stand for the crossbar (one cycle) and for compute units: they take messages, give credits, push,
detour and cancel as the contract says. Whatever enters must end in `bench.done`, or be counted as dropped.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter, deque
from dataclasses import dataclass, field, replace

from cocotb.triggers import RisingEdge

from girih.spec.kinds import load_kind
from girih.spec.message import CardParams, descriptor_fields, flit_fields, pack, struct_fields, unpack
from girih.spec.windows import offset as window_offset
from girih.testing.clock import start_clock

UNITS, SERVICES, TENANTS = (int(os.environ.get(name, default)) for name, default in (("UNITS", "8"), ("SERVICES", "8"), ("TENANTS", "4")))
PARAMS = replace(
    CardParams.chained(int(os.environ.get("GIRIH_DATA_WIDTH", "512"))),
    tenants=max(CardParams.tenants, TENANTS),
    service_bits=max(CardParams.service_bits, (SERVICES - 1).bit_length()),
)
FLIT = flit_fields(PARAMS)
DESC = descriptor_fields(PARAMS)
HOP = struct_fields("hop", PARAMS)
FLIT_BYTES = PARAMS.flit_bytes
DESC_BITS = FLIT[0].bits
EXIT = 0xF0  # the node that every finished message goes to
SOURCE = 0xF1  # the node that new messages come from
FIRST_UNIT = 0x10
CELLS = int(os.environ.get("CELLS", "2048" if PARAMS.data_width < 256 else "1024"))  # of each channel
WRAP = 300  # cycles behind the start of a test in which the card's time wraps
FATES = ("NoRight", "BadService", "Void", "Overflow", "Shortage", "Evicted", "Accepted", "Dispatched")


def at(part: str, **indices: int) -> int:
    """The place of an element in the window."""
    return window_offset("scheduler_window", part, **indices)


def hop(service: int, rank_class: int = 0, meta: int = 0) -> int:
    return pack(HOP, {"service": service, "rank_class": rank_class, "meta": meta})


@dataclass
class Packet:
    """A packet under way. `visits` lists the units that it was served by."""

    number: int
    size: int
    tenant: int
    services: list[int]
    classes: list[int]
    desc: dict
    bad: bool = False
    visits: list[int] = field(default_factory=list)
    entered: int = 0  # cycle in which its last flit entered the scheduler, the last time
    left: int = 0  # cycle in which its first flit left it, the last time
    detours: int = 0

    @property
    def flits(self) -> int:
        return -(-self.size // FLIT_BYTES)

    def data(self) -> bytes:
        return random.Random(self.number).randbytes(self.size)


@dataclass
class Unit:
    """A model unit. `busy(packet)` gives the cycles that it works on one; capacity: messages that it can hold."""

    service: int
    credits: int = 16
    capacity: int = 64
    cycles: int = 1
    lossless_slots: int = 2
    pushes: bool = True
    rank: int | None = None  # what it sets as the rank of the next hop
    holds: deque = field(default_factory=deque)
    working: Packet | None = None
    until: int = 0
    outstanding: int = 0  # credits that are used, as the unit sees them
    served: list = field(default_factory=list)
    stopped: bool = False
    most: int = 0


class Bench:
    def __init__(self, dut, units: list[Unit], channels: int, stall: float, idle: float):
        self.dut, self.units, self.channels, self.stall, self.idle = dut, units, channels, stall, idle
        self.cycle = 0
        self.pace = 1  # how much later it is after each cycle
        self.wrap = 0  # the cycle in which the card's time wraps
        self.offers: list[deque] = [deque() for _ in range(channels)]
        self.offered = [False] * channels
        self.held: list = [None] * channels
        self.open: list = [None] * channels
        self.wires: deque = deque()  # (cycle, unit, packet): messages in the crossbar
        self.packets: dict[int, Packet] = {}
        self.done: list[Packet] = []
        self.entries = 0  # messages that entered the scheduler
        self.left: list[Packet] = []  # in the order in which their first flits left
        self.left_at: list[int] = []
        self.events: Counter[str] = Counter()
        self.names = [c.name for c in load_kind("scheduler").engine_counters]
        self.credits: dict[int, int] = {}
        self.detoured = 0
        self.window_request: dict | None = None

    @classmethod
    async def start(cls, dut, units, *, channels=2, stall=0.0, idle=0.0, clear=2200, pace=1, **config) -> Bench:
        bench = cls(dut, units, channels, stall, idle)
        bench.pace, bench.wrap = pace, clear + WRAP
        values = {
            "unit_credits": [u.credits for u in units],
            "unit_service": [u.service for u in units],
            "unit_node": [FIRST_UNIT + i for i in range(len(units))],
        } | config
        dut.cfg_i.value = config_value(**values)
        dut.rst_i.value = 1
        dut.in_valid_i.value = 0
        dut.out_ready_i.value = 0
        dut.window_valid_i.value = 0
        dut.now_i.value = 0
        for link in range(len(dut.credit_i)):
            dut.credit_i[link].value = 0
        start_clock(dut)
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
        for _ in range(clear):
            await bench.step()
        return bench

    # What tests call.

    def packet(self, size: int, chain, *, tenant: int = 0, flow: int = 0, lossless: int = 0, bad=False, **desc) -> Packet:
        """chain: (service, class) pairs."""
        number = len(self.packets)
        desc = {
            "src": SOURCE,
            "tenant": tenant,
            "flow": flow,
            "lossless": lossless,
            "exit": EXIT,
            "chain_count": len(chain),
            "chain": [hop(*pair) for pair in chain],
            "length": size,
        } | desc
        packet = Packet(number, size, tenant, [pair[0] for pair in chain], [pair[1] for pair in chain], desc, bad)
        self.packets[number] = packet
        return packet

    def send(self, channel: int, *packets: Packet) -> None:
        for packet in packets:
            self.offers[channel].extend((packet, index) for index in range(packet.flits))

    @property
    def dropped(self) -> int:
        return sum(count for name, count in self.events.items() if name.startswith("drop_"))

    async def steps(self, number: int) -> None:
        for _ in range(number):
            await self.step()

    async def quiet(self, limit: int = 100_000) -> None:
        """Until every packet is done or dropped; then checks that all is conserved."""
        idle = 0
        for _ in range(limit):
            await self.step()
            busy = any(self.offers) or self.wires or any(u.working or u.holds for u in self.units) or any(self.open)
            idle = 0 if busy or len(self.done) + self.dropped < len(self.packets) else idle + 1
            if idle == 40:
                break
        else:
            raise AssertionError(f"{len(self.done)} done and {self.dropped} dropped of {len(self.packets)}")
        await self.check_conserved()

    async def check_conserved(self) -> None:
        assert len(self.done) + self.dropped == len(self.packets)
        assert len({p.number for p in self.done}) == len(self.done)
        assert self.entries == len(self.left) + self.dropped, "what entered has left or was dropped"
        assert self.events["mark_accepted"] == self.events["mark_dispatched"] + self.events["drop_evicted"]
        for packet in self.done:
            assert [self.units[u].service for u in packet.visits] == packet.services
        for index, unit in enumerate(self.units):
            assert await self.read(at("units", unit=index)) == unit.credits, f"credits of unit {index}"
        for channel in range(self.channels):
            assert await self.read(at("channels", channel=channel)) == CELLS, "cells are missing"
        for tenant in range(TENANTS):
            assert await self.read(at("tenants", tenant=tenant)) == 0, f"tenant {tenant} still holds cells or entries"

    # The window.

    async def access(self, addr: int, data: int | None = None, tenant: int = 0) -> tuple[int, bool]:
        dut = self.dut
        dut.window_valid_i.value = 1
        dut.window_write_i.value = int(data is not None)
        dut.window_addr_i.value = addr
        dut.window_data_i.value = data or 0
        dut.window_tenant_i.value = tenant
        for _ in range(20_000):
            await self.step()
            if dut.window_done_o.value == 1:
                answer = int(dut.window_data_o.value), dut.window_error_o.value == 1
                dut.window_valid_i.value = 0
                await self.step()
                return answer
        raise AssertionError(f"the window does not answer 0x{addr:x}")

    async def read(self, addr: int) -> int:
        data, error = await self.access(addr)
        assert not error
        return data

    async def set_class(self, service: int, rank_class: int, *, offset: int = 0, scale: int = 0, exponent: int = 0) -> None:
        """A class of a service, as policy_pkg::class_policy_t."""
        words = [at("classes", service=service, word=word, **{"class": rank_class}) for word in range(2)]
        assert not (await self.access(words[0], exponent << 16 | scale))[1]
        assert not (await self.access(words[1], offset))[1]

    async def fates(self, tenant: int, service: int) -> dict[str, int]:
        return {name: await self.read(at("fates", tenant=tenant, service=service, fate=fate)) for fate, name in enumerate(FATES)}

    # One cycle.

    async def step(self) -> None:
        dut = self.dut
        await RisingEdge(dut.clk_i)
        self.cycle += 1
        ready = int(dut.in_ready_o.value)
        valid = int(dut.out_valid_o.value) if dut.rst_i.value == 0 else 0
        self._count()
        for c in range(self.channels):
            if self.offered[c] and ready >> c & 1:
                packet, index = self.offers[c].popleft()
                self.offered[c] = False
                if index == packet.flits - 1:
                    self.entries += 1
                    packet.entered = self.cycle
            if valid >> c & 1:
                self._leave(c)
            else:
                assert self.held[c] is None, "valid was withdrawn"
        self._units()
        bits = 0
        for c in range(self.channels):
            if not self.offered[c] and self.offers[c] and (not self.idle or random.random() >= self.idle):
                packet, index = self.offers[c][0]
                dut.in_flit_i[c].value = flit(packet, index)
                self.offered[c] = True
            bits |= int(self.offered[c]) << c
        dut.in_valid_i.value = bits
        self.ready = (1 << self.channels) - 1
        if self.stall:
            self.ready = sum(int(random.random() >= self.stall) << c for c in range(self.channels))
        dut.out_ready_i.value = self.ready
        dut.now_i.value = (self.cycle - self.wrap) * self.pace & 0xFFFFFF

    ready = 0

    def _count(self) -> None:
        events = int(self.dut.event_o.value) if self.dut.rst_i.value == 0 else 0
        if events:
            for i, name in enumerate(self.names):
                self.events[name] += events >> i & 1

    def _leave(self, c: int) -> None:
        left = unpack(FLIT, int(self.dut.out_flit_o[c].value))
        data, last = left["data"].to_bytes(FLIT_BYTES, "little"), left["last"]
        body = data[: FLIT_BYTES - left["empty"]] if last else data
        shown = (last, body, left["desc"] if self.open[c] is None else 0)
        assert self.held[c] in (None, shown), "a flit changed while it was held back"
        if not self.ready >> c & 1:
            self.held[c] = shown
            return
        self.held[c] = None
        if self.open[c] is None:
            self.open[c] = [unpack(DESC, left["desc"]), b""]
            self.left_at.append(self.cycle)
        self.open[c][1] += body
        if last:
            desc, whole = self.open[c]
            self.open[c] = None
            self._dispatched(desc, whole, c)

    def _dispatched(self, desc: dict, whole: bytes, c: int) -> None:
        """Checks a message that has left the scheduler against the contract with its unit."""
        packet = self.packets[self.numbers[whole[:8]]]
        assert whole == packet.data(), "the message changed"
        done = len(packet.visits)
        route = desc["route"][: desc["route_count"]]
        assert desc["credit"] == 1 and desc["detoured"] == 0 and desc["rank_valid"] == 0
        assert desc["chain_count"] == len(packet.services) - done
        assert desc["route_count"] >= 1 and all(node in (EXIT, *self.nodes) for node in route)
        assert all(here != there for here, there in itertools.pairwise(route)), "a unit has no way to itself"
        assert self.units[route[0] - FIRST_UNIT].service == packet.services[done], "it goes to a unit of another service"
        for node, service in zip(route[1:], packet.services[done + 1 :]):
            assert self.units[node - FIRST_UNIT].service == service
        if packet.desc["lossless"]:
            assert len(route) == 1, "a lossless message is never pushed"
        packet.desc = desc
        packet.left = self.left_at[len(self.left)] if self.channels == 1 else self.cycle
        self.left.append(packet)
        self.wires.append((self.cycle + 1, route[0] - FIRST_UNIT, packet))

    @property
    def nodes(self):
        return range(FIRST_UNIT, FIRST_UNIT + len(self.units))

    @property
    def numbers(self) -> dict[bytes, int]:
        for number in range(len(self._numbers), len(self.packets)):
            self._numbers[self.packets[number].data()[:8]] = number
        return self._numbers

    def _units(self) -> None:
        if not hasattr(self, "_numbers"):
            self._numbers = {}
        pulses: dict[int, int] = {}  # {give, give_lossless, cancel}
        arrived: dict[int, Packet] = {}  # a unit has one link: one message per cycle
        later = deque()
        for wire in self.wires:
            if wire[0] <= self.cycle and wire[1] not in arrived:
                arrived[wire[1]] = wire[2]
            else:
                later.append(wire)
        self.wires = later
        for index, packet in arrived.items():
            unit = self.units[index]
            pulled = packet.desc["credit"]
            unit.outstanding += pulled
            lossless = packet.desc["lossless"]
            if lossless:
                assert pulled and sum(p.desc["lossless"] for p in unit.holds) < unit.lossless_slots + 1
            if lossless or len(unit.holds) < unit.capacity:
                unit.holds.append(packet)
                if not pulled:
                    unit.outstanding += 1
                    pulses[index] = pulses.get(index, 0) | 1
            else:
                if pulled:
                    self._give(unit, index, packet, pulses)
                self.detoured += 1
                packet.detours += 1
                packet.desc |= {"route_count": 0, "credit": 0, "detoured": 1, "src": FIRST_UNIT + index}
                self.send(self.channels - 1, packet)
            unit.most = max(unit.most, unit.outstanding)
        for index, unit in enumerate(self.units):
            if unit.working and self.cycle >= unit.until:
                self._finish(unit, index)
            if not unit.working and unit.holds and not unit.stopped and not pulses.get(index, 0) & 4:
                unit.working = unit.holds.popleft()
                unit.until = self.cycle + unit.cycles
                self._give(unit, index, unit.working, pulses)
        for index in set(pulses) | set(self.credits):
            self.dut.credit_i[index].value = pulses.get(index, 0)
        self.credits = pulses

    def _give(self, unit: Unit, index: int, packet: Packet, pulses: dict[int, int]) -> None:
        unit.outstanding -= 1
        pulses[index] = pulses.get(index, 0) | 4 | 2 * packet.desc["lossless"]

    def _finish(self, unit: Unit, index: int) -> None:
        packet, unit.working = unit.working, None
        desc = packet.desc
        packet.visits.append(index)
        unit.served.append(packet)
        desc |= {"chain": desc["chain"][1:], "chain_count": desc["chain_count"] - 1, "credit": 0, "src": FIRST_UNIT + index}
        if unit.rank is not None:
            desc |= {"rank_valid": 1, "rank": unit.rank}
        desc |= {"route": desc["route"][1:], "route_count": desc["route_count"] - 1}
        if desc["route_count"]:
            node = desc["route"][0]
            if node == EXIT:
                self.done.append(packet)
            else:
                self.wires.append((self.cycle + 2, node - FIRST_UNIT, packet))
        elif desc["chain_count"]:
            self.send(self.channels - 1, packet)
        else:
            self.done.append(packet)


def flit(packet: Packet, index: int) -> int:
    chunk = packet.data()[index * FLIT_BYTES : (index + 1) * FLIT_BYTES]
    last = index == packet.flits - 1
    desc = pack(DESC, packet.desc) if index == 0 else random.getrandbits(DESC_BITS)
    empty = FLIT_BYTES - len(chunk)
    values = {"desc": desc, "first": int(index == 0), "bad": int(packet.bad and last), "last": int(last), "empty": empty, "data": int.from_bytes(chunk, "little")}
    return pack(FLIT, values)


def config_value(**values) -> int:
    """`cfg_i`: the fields that are given (arrays from their start), the others as they are at reset."""
    fields = load_kind("scheduler").config
    assert set(values) <= {f.name for f in fields}, set(values) - {f.name for f in fields}
    word = 0
    for f in fields:
        whole = f.whole_default
        if f.name in values:
            items = values[f.name] if isinstance(values[f.name], list) else [values[f.name]]
            for i, item in enumerate(items):
                whole = whole & ~((1 << f.width) - 1 << f.width * i) | int(item) << f.width * i
        word = word << f.bits | whole
    return word
