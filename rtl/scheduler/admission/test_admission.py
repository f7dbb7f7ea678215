# SPDX-License-Identifier: Apache-2.0
"""admission between models of the packet buffers and of the PIFO: every packet has one fate and the right one,
accounts are exact in every cycle, guarantees hold under flood, and the highest rank of the service that holds the most cells is evicted."""

import random
from collections import Counter, deque
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import FallingEdge, Timer

from girih.errors import GirihError
from girih.testing import run_cocotb
from girih.testing.clock import start_clock

NO_RIGHT, BAD_SERVICE, VOID, OVERFLOW, SHORTAGE, EVICTED, ACCEPTED, DISPATCHED = range(8)
SERVICES, TENANTS, ENTRIES, CHANNELS, CELLS, LARGEST, LOSSLESS = 4, 3, 64, 2, 128, 8, 3
PARAMETERS = {
    "Services": SERVICES,
    "Tenants": TENANTS,
    "Entries": ENTRIES,
    "Channels": CHANNELS,
    "ChannelCells": CELLS,
    "MaxPacketCells": LARGEST,
    "LosslessPackets": LOSSLESS,
}
HEADROOM = 32
POP_LATENCY = 5  # from a pop to the release of its slot
TAIL_LATENCY = 3  # during which the tail of a queue is not known after an operation on it


def test_admission():
    run_cocotb("admission", __file__, parameters=PARAMETERS)


@pytest.mark.parametrize(
    "parameter, value", [("Tenants", 17), ("ChannelCells", 39), ("Entries", 63)]
)
def test_refused(parameter, value):
    with pytest.raises(GirihError):
        run_cocotb("admission", __file__, parameters={**PARAMETERS, parameter: value})


@dataclass
class Packet:
    service: int
    tenant: int
    cells: int = 1
    rank: int = 0
    channel: int = 0
    lossless: int = 0
    bad: int = 0
    overflow: int = 0
    homeless: int = 0
    entitled: int = 1
    beyond: int = 0
    slot: int = -1

    def bits(self) -> int:
        word = self.service << 4 | self.tenant
        word = word << 4 | self.channel
        word = word << 16 | self.cells
        return word << 5 | self.lossless << 4 | self.bad << 3 | self.overflow << 2 | self.homeless << 1 | self.entitled


@dataclass
class Tenant:
    cells: int = 0
    entries: int = 0
    limit: int = 0

    def bits(self) -> int:
        return ((0xFFFF << 16 | self.cells) << 16 | self.entries) << 28 | self.limit << 12 | 1


class Bench:
    def __init__(self, dut, tenants, circular=0):
        self.dut, self.tenants, self.circular = dut, tenants, circular
        self.free = [CELLS] * CHANNELS
        self.queues = [[] for _ in range(SERVICES * TENANTS)]  # (rank, sequence, packet)
        self.unknown = [0] * len(self.queues)  # until the tail is known
        self.leaving = deque([None] * POP_LATENCY)  # (packet, evicted)
        self.used_cells, self.used_entries = [0] * TENANTS, [0] * TENANTS
        self.fates = Counter()  # (tenant, fate)
        self.slots = set()
        self.sequence = 0
        self.pops = 0.0  # probability of a pop
        self.evictions = []
        self.tight = 1000  # cycles since room was last nearly short
        self.base = 0  # of circular ranks
        self.tokens = LOSSLESS

    async def start(self):
        dut = self.dut
        start_clock(dut)
        for name in ("in_valid_i", "in_request_i", "in_rank_i", "in_beyond_i", "release_valid_i", "release_evicted_i"):
            getattr(dut, name).value = 0
        for name in ("slot", "service", "tenant", "cells", "lossless"):
            getattr(dut, f"release_{name}_i").value = 0
        for name in ("evict_ready_i", "nonempty_i", "tail_valid_i", "tail_overdue_i", "demand_i"):
            getattr(dut, name).value = 0
        dut.headroom_i.value = HEADROOM
        dut.circular_i.value = self.circular
        for t, tenant in enumerate(self.tenants):
            dut.policy_i[t].value = tenant.bits()
        for c in range(CHANNELS):
            dut.free_cells_i[c].value = CELLS
        dut.tail_rank_i.value = 0
        for s in range(SERVICES):
            dut.overdue_rank_i[s].value = 0
        dut.rst_i.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk_i)
        dut.rst_i.value = 0
        for _ in range(2 * len(self.queues)):
            await FallingEdge(dut.clk_i)
        return self

    def key(self, q, entry):
        rank = (entry[0] - self.base) % 4096 if self.circular >> q & 1 else entry[0]
        return rank, entry[1]

    def tail(self, q):
        """The highest rank; of equals the one that came last."""
        return max(self.queues[q], key=lambda entry: self.key(q, entry))

    async def step(self, packet=None):
        """One cycle. A packet has its cells already (or overflow)."""
        dut = self.dut
        for c in range(CHANNELS):
            dut.free_cells_i[c].value = self.free[c]
        nonempty = valid = overdue = 0
        ranks = [0] * len(self.queues)
        told = set()  # services of which the rank of a tail is told as that of overdue packets: of one queue at most
        for q, queue in enumerate(self.queues):
            nonempty |= bool(queue) << q
            if queue and not self.unknown[q]:
                valid |= 1 << q
                rank = self.tail(q)[0]
                ranks[q] = rank
                service = q // TENANTS
                if service not in told and random.random() < 0.5:
                    told.add(service)
                    overdue |= 1 << q
                    dut.overdue_rank_i[service].value, ranks[q] = rank, random.randrange(4096)
            self.unknown[q] = max(0, self.unknown[q] - 1)
        dut.nonempty_i.value, dut.tail_valid_i.value, dut.tail_overdue_i.value = nonempty, valid, overdue
        dut.tail_rank_i.value = ranks[int(dut.tail_queue_o.value)]

        released, evicted = self.leaving.popleft() or (None, False)
        dut.release_valid_i.value = int(released is not None)
        if released is not None:
            dut.release_evicted_i.value = int(evicted)
            dut.release_slot_i.value = released.slot
            dut.release_service_i.value = released.service
            dut.release_tenant_i.value = released.tenant
            dut.release_cells_i.value = released.cells
            dut.release_lossless_i.value = released.lossless
            self.tokens += released.lossless

        dut.in_valid_i.value = int(packet is not None)
        if packet is not None:
            dut.in_request_i.value = packet.bits()
            dut.in_rank_i.value = packet.rank
            dut.in_beyond_i.value = packet.beyond
        dut.evict_ready_i.value = 0
        await Timer(1, "ns")
        # The pop port: an eviction or a dispatch.
        popped = None
        if dut.evict_valid_o.value == 1 and random.random() < 0.6:
            q = int(dut.evict_queue_o.value)
            if self.queues[q]:
                dut.evict_ready_i.value = 1
                entry = self.tail(q)
                self.check_eviction(q, entry)
                popped = (entry[2], True)
        elif random.random() < self.pops:
            candidates = [q for q, queue in enumerate(self.queues) if queue]
            if candidates:
                q = random.choice(candidates)
                entry = min(self.queues[q], key=lambda entry: self.key(q, entry))
                popped = (entry[2], False)
        if popped is not None:
            self.queues[q].remove(entry)
            self.unknown[q] = TAIL_LATENCY
        self.leaving.append(popped)
        if packet is not None:
            self.judge(packet)
        assert dut.departure_valid_o.value == int(released is not None)
        await FallingEdge(dut.clk_i)

        if released is not None:
            self.slots.remove(released.slot)
            self.free[released.channel] += released.cells
            self.fates[released.tenant, EVICTED if evicted else DISPATCHED] += 1
            if not released.lossless:
                self.used_cells[released.tenant] -= released.cells
                self.used_entries[released.tenant] -= 1
        for t in range(TENANTS):
            assert int(dut.used_cells_o[t].value) == self.used_cells[t]
            assert int(dut.used_entries_o[t].value) == self.used_entries[t]
        self.tight = 0 if self.room() < 2 * LARGEST else self.tight + 1

    def room(self):
        """The free room beyond all reservations: the minimum over channels and entries."""
        cells = LOSSLESS * LARGEST + HEADROOM
        entries = LOSSLESS + 4
        for tenant, used, held in zip(self.tenants, self.used_cells, self.used_entries, strict=True):
            cells += max(0, tenant.cells - used)
            entries += max(0, tenant.entries - held)
        return min(min(self.free) - cells, ENTRIES - len(self.slots) - entries)

    def check_eviction(self, q, entry):
        packet = entry[2]
        tenant = self.tenants[packet.tenant]
        on_the_way = [p for p, evicted in filter(None, self.leaving) if evicted]
        cells = self.used_cells[packet.tenant] - sum(p.cells for p in on_the_way if p.tenant == packet.tenant)
        entries = self.used_entries[packet.tenant] - sum(p.tenant == packet.tenant for p in on_the_way)
        assert cells > tenant.cells or entries > tenant.entries, f"{packet} was within its tenant's guarantee"
        assert not packet.lossless
        assert self.tight < 300, "a packet had to leave although there was room"
        self.evictions.append((q, entry))

    def judge(self, packet):
        """The fate of the arrival, given in this cycle."""
        dut = self.dut
        assert dut.arrival_valid_o.value == 1
        event = int(dut.arrival_event_o.value)
        fate = event & 7
        assert event >> 7 == packet.service and event >> 3 & 15 == packet.tenant
        accepted = dut.accept_o.value == 1
        assert accepted == (fate == ACCEPTED)
        assert dut.discard_o.value == int(not accepted and not packet.overflow)
        self.fates[packet.tenant, fate] += 1
        if not accepted and not packet.overflow:
            self.free[packet.channel] += packet.cells
        if packet.overflow or packet.bad or packet.homeless or packet.service >= SERVICES:
            expected = OVERFLOW if packet.overflow else VOID if packet.bad else BAD_SERVICE
            assert fate == expected
            return
        if packet.tenant >= TENANTS or not packet.entitled:
            assert fate == NO_RIGHT
            return
        tenant = self.tenants[packet.tenant]
        cells = self.used_cells[packet.tenant] + packet.cells
        below = cells <= tenant.cells and self.used_entries[packet.tenant] < tenant.entries
        over = packet.beyond or (tenant.limit and cells > tenant.limit)
        if packet.lossless:
            assert accepted
        elif over or len(self.slots) == ENTRIES:
            assert fate == SHORTAGE
        elif below:
            assert accepted, f"{packet} is within its tenant's guarantee"
        elif self.tight > 10:
            assert accepted, f"{packet} was dropped although there was room"
        if accepted:
            packet.slot = int(dut.slot_o.value)
            assert packet.slot not in self.slots
            self.slots.add(packet.slot)
            q = int(dut.queue_o.value)
            assert q == packet.service * TENANTS + packet.tenant
            self.queues[q].append((packet.rank, self.sequence, packet))
            self.sequence += 1
            self.unknown[q] = TAIL_LATENCY
            if not packet.lossless:
                self.used_cells[packet.tenant] += packet.cells
                self.used_entries[packet.tenant] += 1

    def arrive(self, packet):
        """Takes the packet's cells; a droppable packet leaves the reserve to lossless ones."""
        reserve = 0 if packet.lossless else LOSSLESS * LARGEST
        if packet.overflow or self.free[packet.channel] - packet.cells < reserve:
            assert not packet.lossless
            packet.overflow = 1
        else:
            self.free[packet.channel] -= packet.cells
        return packet

    async def enter_lossless(self, packet):
        """A new lossless message arrives, if there are not too many."""
        if self.tokens:
            self.tokens -= 1
            await self.step(self.arrive(packet))
            self.tokens += packet.slot < 0  # dropped

    async def drain(self):
        self.pops = 1.0
        for _ in range(2 * ENTRIES + 20):
            await self.step()
        assert not self.slots and self.free == [CELLS] * CHANNELS
        assert self.used_cells == [0] * TENANTS
        taken = sum(n for (_, fate), n in self.fates.items() if fate == ACCEPTED)
        gone = sum(n for (_, fate), n in self.fates.items() if fate in (EVICTED, DISPATCHED))
        assert taken == gone


def random_packet(services=SERVICES, tenants=TENANTS, **fields):
    return Packet(
        service=random.randrange(services),
        tenant=random.randrange(tenants),
        cells=random.choice([1, 1, 2, LARGEST]),
        channel=random.randrange(CHANNELS),
        **fields,
    )


@cocotb.test()
async def every_packet_has_one_fate(dut):
    tenants = [Tenant(cells=20, entries=10), Tenant(cells=12, entries=8, limit=60), Tenant()]
    bench = await Bench(dut, tenants, circular=0b111_000_000_111).start()
    for cycle in range(12_000):
        if cycle % 300 == 0:
            rate, bench.pops = random.choice([0.1, 0.5, 1.0]), random.choice([0.0, 0.3, 0.9])
        packet = None
        if random.random() < rate:
            packet = random_packet(SERVICES + (random.random() < 0.05), TENANTS + (random.random() < 0.05))
            packet.bad = int(random.random() < 0.03)
            packet.beyond = int(random.random() < 0.03)
            packet.overflow = int(random.random() < 0.02)
            packet.homeless = int(random.random() < 0.03)
            packet.entitled = int(random.random() < 0.95)
            packet.rank = random.choice([5, 600, 601, random.randrange(2000)])
            if random.random() < 0.02:
                packet.lossless = 1
                packet.beyond = packet.overflow = 0
                await bench.enter_lossless(packet)
                continue
            bench.arrive(packet)
        await bench.step(packet)
    await bench.drain()
    for fate in range(8):
        assert sum(n for (_, f), n in bench.fates.items() if f == fate) > 20, f"fate {fate} is rare"


@cocotb.test()
async def a_flood_does_not_touch_a_guarantee(dut):
    tenants = [Tenant(), Tenant(cells=24, entries=12), Tenant()]
    bench = await Bench(dut, tenants).start()
    bench.pops = 0.1
    flooded = 0
    for cycle in range(6_000):
        if cycle % 8 == 0 and bench.used_cells[1] + 2 <= 24 and bench.used_entries[1] < 12:
            packet = Packet(random.randrange(SERVICES), 1, 2, rank=4000, channel=random.randrange(CHANNELS))
        else:  # the flood has better ranks, and prefers one channel
            packet = Packet(random.randrange(2), random.choice([0, 2]), random.choice([1, 4]), rank=cycle % 50)
            flooded += 1
        await bench.step(bench.arrive(packet))
    assert bench.fates[1, ACCEPTED] > 150
    for fate in (SHORTAGE, EVICTED, OVERFLOW):
        assert bench.fates[1, fate] == 0
    assert bench.fates[0, SHORTAGE] + bench.fates[2, SHORTAGE] > flooded / 4
    await bench.drain()


@cocotb.test()
async def the_highest_rank_of_the_fullest_service_leaves(dut):
    bench = await Bench(dut, [Tenant(), Tenant(), Tenant()]).start()
    await the_fullest_gives_way(bench)


@cocotb.test()
async def the_counts_of_cells_wrap(dut):
    """The cells that came to a queue, and those that left it, are counted since reset, in 16 bits."""
    bench = await Bench(dut, [Tenant(), Tenant(), Tenant()]).start()
    bench.pops = 1.0
    came = 0
    while came < 65_536 - 64:
        cells = min(60, 65_536 - came)
        free = [c for c in range(CHANNELS) if bench.free[c] == CELLS]
        came += cells * bool(free)
        await bench.step(bench.arrive(Packet(1, 0, cells, channel=free[0])) if free else None)
    for _ in range(60):
        await bench.step()
    bench.pops = 0.0
    assert bench.fates[0, ACCEPTED] == bench.fates[0, DISPATCHED] > 1000
    for _ in range(8):
        await bench.step(bench.arrive(Packet(1, 0, 10, rank=50, channel=bench.sequence % CHANNELS)))
    await the_fullest_gives_way(bench, tenants=1)


async def the_fullest_gives_way(bench, tenants=TENANTS):
    """Service 1 holds the most cells. Better packets arrive for service 0: for each one the highest rank of service 1 is evicted."""
    while bench.room() > -1:
        await bench.step(bench.arrive(Packet(1, random.randrange(tenants), rank=100 + random.randrange(200))))
    for _ in range(60):
        await bench.step()
    bench.evictions.clear()
    for _ in range(12):
        left = sorted((e for q in bench.queues for e in q), key=lambda e: e[0])
        await bench.step(bench.arrive(Packet(0, 0, rank=3)))
        for _ in range(60):
            await bench.step()
        assert bench.evictions, "nothing left"
        for q, entry in bench.evictions:
            assert q // TENANTS == 1
            assert entry[0] == left.pop()[0], "not the highest rank of the service left"
        bench.evictions.clear()
    # A packet no better than the worst that could leave is dropped itself, and a better one is not.
    worst = max(e[0] for e in bench.queues[3] + bench.queues[4] + bench.queues[5])
    taken = bench.fates[0, ACCEPTED]
    await bench.step(bench.arrive(Packet(1, 0, rank=worst)))
    assert bench.fates[0, ACCEPTED] == taken
    await bench.step(bench.arrive(Packet(1, 0, rank=worst - 1)))
    assert bench.fates[0, ACCEPTED] == taken + 1
    await bench.drain()


@cocotb.test()
async def guarantees_of_more_than_there_is(dut):
    """Not all guarantees can be kept: a packet without a free slot is dropped, but one that arrives while a slot is given back is not."""
    bench = await Bench(dut, [Tenant(cells=4096, entries=4096) for _ in range(TENANTS)]).start()
    for cycle in range(2000):
        bench.pops = 0.0 if cycle < 100 else 0.5
        await bench.step(bench.arrive(Packet(cycle % SERVICES, cycle % TENANTS, channel=cycle % CHANNELS)))
        if cycle == 99:
            assert len(bench.slots) == ENTRIES
    assert sum(bench.fates[t, SHORTAGE] for t in range(TENANTS)) > 500
    await bench.drain()


@cocotb.test()
async def lossless_messages_are_accepted_when_all_is_full(dut):
    bench = await Bench(dut, [Tenant(), Tenant(), Tenant()]).start()
    for _ in range(400):  # everything full
        await bench.step(bench.arrive(Packet(2, 0, random.choice([1, 4]), rank=9, channel=random.randrange(2))))
    for _ in range(LOSSLESS):
        await bench.enter_lossless(Packet(2, 1, LARGEST, rank=10, channel=0, lossless=1))
    assert bench.fates[1, ACCEPTED] == LOSSLESS
    await bench.drain()


@cocotb.test()
async def droppable_packets_leave_for_a_message_that_waits_for_room(dut):
    """demand_i: packets of tenants above their guarantee are evicted until there is room for one more of the largest size."""
    bench = await Bench(dut, [Tenant(), Tenant(cells=16, entries=16), Tenant()]).start()
    for i in range(400):
        await bench.step(bench.arrive(Packet(2, i % 2, 3, rank=9, channel=i // 2 % 2)))
    await bench.enter_lossless(Packet(3, 1, LARGEST, rank=10, channel=0, lossless=1))
    for _ in range(100):
        await bench.step()
    assert int(dut.ample_o.value) != 3
    bench.evictions.clear()
    for _ in range(100):
        await bench.step()
    assert not bench.evictions
    dut.demand_i.value = 1
    for _ in range(100):
        await bench.step()
    assert int(dut.ample_o.value) == 3 and bench.evictions
    assert min(bench.free) >= LOSSLESS * LARGEST + LARGEST + HEADROOM // 2
    assert bench.used_cells[1] >= 16, "the guarantee holds"
    await bench.drain()
