# SPDX-License-Identifier: Apache-2.0
"""rank_stage against a model with unbounded integers (so that every wrap shows), and the bytes
that each class gets from an ideal server in the order of these ranks."""

import random
from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from girih.errors import GirihError
from girih.testing import run_cocotb
from girih.testing.clock import start_clock

STRICT, FAIR, SLACK, SHAPED = range(4)
LEVELS, HALF = 1 << 11, 1 << 10
REACH = {FAIR: 960, SLACK: 512, SHAPED: 512}  # levels from the base that a rank may have
UNIT = 1 << 16  # of time, in fine units


@pytest.mark.parametrize("services, tenants", [(8, 4), (3, 1), (1, 5)])
def test_random(services, tenants):
    run_cocotb(
        "rank_stage", __file__, parameters={"Services": services, "Tenants": tenants}, testcase=["as_the_model_says"]
    )


def test_at_a_server():
    run_cocotb(
        "rank_stage",
        __file__,
        parameters={"Services": 8, "Tenants": 4},
        testcase=["shares_are_exact", "an_idle_class_saves_nothing", "rates_are_exact", "earliest_deadline_first", "a_new_policy_starts_anew"],
    )


@pytest.mark.parametrize("parameter", ["Services", "Tenants"])
def test_seventeen_are_refused(parameter):
    with pytest.raises(GirihError):
        run_cocotb("rank_stage", __file__, parameters={parameter: 17})


@dataclass
class Policy:
    policy: int
    shift: int = 8
    given_rank: int = 0
    by_tenant: int = 0
    hierarchy: int = 0

    def bits(self) -> int:
        return self.hierarchy << 8 | self.by_tenant << 7 | self.given_rank << 6 | self.shift << 2 | self.policy


@dataclass
class Packet:
    service: int
    tenant: int = 0
    rank_class: int = 0
    length: int = 64
    timestamp: int = 0
    rank_valid: int = 0
    rank: int = 0
    detoured: int = 0
    # The model's values in the cycle in which the packet enters.
    now: int = 0
    clock: int = 0  # virtual time of its queue, in levels
    level: int = -1  # as it came out

    def bits(self) -> int:
        fields = [(self.service, 4), (self.tenant, 4), (self.rank_class, 4), (self.length, 14), (self.timestamp, 24)]
        fields += [(self.rank_valid, 1), (self.rank, 11), (self.detoured, 1)]
        word = 0
        for value, bits in fields:
            word = word << bits | value & (1 << bits) - 1
        return word


@dataclass
class Model:
    """Time and state without bounds. Classes: {(service, class): (scale, exponent, offset)}."""

    policies: list
    classes: dict
    now: int = 0
    states: dict = field(default_factory=dict)
    clocks: dict = field(default_factory=dict)

    def queue(self, service, tenant):
        return service, tenant if self.policies[service].hierarchy else 0

    def dequeued(self, service, tenant, rank):
        """The level of a rank that left, without bounds."""
        queue = self.queue(service, tenant)
        clock = self.clocks.get(queue, 0)
        distance = ((rank >> 1) - clock) % LEVELS
        if distance < HALF and self.policies[service].policy == FAIR:
            self.clocks[queue] = clock + distance

    def judge(self, packet):
        """Returns (level, beyond, key of the state, its finish if it is charged)."""
        policy = self.policies[packet.service]
        flow = packet.tenant if policy.by_tenant else packet.rank_class
        scale, exponent, offset = self.classes[packet.service, flow]
        shift = policy.shift
        given = policy.given_rank and packet.rank_valid
        if policy.policy == STRICT:
            return (packet.rank if given else offset % LEVELS), False, None, None
        clock = packet.clock if policy.policy == FAIR else packet.now >> shift
        if given:
            ahead = (packet.rank - clock) % LEVELS
            return (clock + (min(ahead, REACH[policy.policy] - 1) if ahead < HALF else 0)) % LEVELS, False, None, None
        if policy.policy == SLACK:
            age = (packet.now - packet.timestamp) % (1 << 24)
            start = packet.now - age + offset
            return self.clamp(start >> shift, clock, REACH[SLACK])[0], False, None, None
        if packet.detoured:
            return clock % LEVELS, False, None, None
        key = (*self.queue(packet.service, packet.tenant), flow)
        base = (clock << shift if policy.policy == FAIR else packet.now) * UNIT
        state = max(self.states.get(key, 0), base)
        cost = min(packet.length * scale * 16**exponent, (1 << 37) - 1)
        start = state - (offset * UNIT if policy.policy == SHAPED else 0)
        level, beyond = self.clamp(start // UNIT >> shift, clock, REACH[policy.policy])
        finish = state if state - base >= 1 << 38 else state + cost
        return level, beyond and policy.policy == SHAPED, key, finish

    @staticmethod
    def clamp(level, clock, reach):
        return min(max(level, clock), clock + reach - 1) % LEVELS, level >= clock + reach


class Bench:
    """One step is one clock cycle: packets in, their ranks out, dequeues reported."""

    def __init__(self, dut, policies, classes, start=0):
        self.dut = dut
        self.model = Model(policies, classes, now=start)
        self.inside = deque()
        self.heard = deque([None, None])  # dequeues on their way to the clocks
        self.taken = lambda packet: True
        self.accepted = []  # (packet, rank) of this cycle

    async def start(self):
        dut, model = self.dut, self.model
        start_clock(dut)
        for name in ("in_valid_i", "accept_i", "dequeued_valid_i", "class_write_i", "in_request_i", "in_payload_i"):
            getattr(dut, name).value = 0
        for name in ("dequeued_service_i", "dequeued_tenant_i", "dequeued_rank_i", "class_addr_i", "class_data_i"):
            getattr(dut, name).value = 0
        dut.now_i.value = model.now % (1 << 24)
        for service, policy in enumerate(model.policies):
            dut.policy_i[service].value = policy.bits()
        dut.rst_i.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
        while True:
            await FallingEdge(dut.clk_i)
            if dut.in_ready_o.value == 1:
                break
        for (service, rank_class), (scale, exponent, offset) in model.classes.items():
            for word, data in enumerate((exponent << 16 | scale, offset)):
                dut.class_write_i.value = 1
                dut.class_addr_i.value = service << 5 | rank_class << 1 | word
                dut.class_data_i.value = data
                await FallingEdge(dut.clk_i)
        dut.class_write_i.value = 0
        for (service, rank_class), (scale, exponent, offset) in random.sample(sorted(model.classes.items()), 3):
            for word, data in enumerate((exponent << 16 | scale, offset)):
                dut.class_addr_i.value = service << 5 | rank_class << 1 | word
                await FallingEdge(dut.clk_i)
                assert int(dut.class_data_o.value) == data
        for _ in range(2 * 1024 + 64):  # two sweeps: the new policies' states
            await FallingEdge(dut.clk_i)
        return self

    async def step(self, packet=None, dequeued=None):
        """dequeued: (service, tenant, rank). Called, and returns, on the falling edge."""
        dut, model = self.dut, self.model
        self.accepted = []
        # What came out in this cycle is accepted or not in this cycle.
        arrived = self.inside[0] if len(self.inside) == 2 else None
        if len(self.inside) == 2:
            self.inside.popleft()
        assert dut.out_valid_o.value == int(arrived is not None)
        accept = 0
        if arrived is not None:
            rank = int(dut.out_rank_o.value)
            level, beyond, key, finish = model.judge(arrived)
            assert rank == (level << 1 | (not arrived.detoured)), f"{arrived} has rank {rank:#x}, not level {level:#x}"
            assert dut.out_beyond_o.value == int(beyond)
            assert int(dut.out_payload_o.value) == arrived.bits() % 251
            accept = int(self.taken(arrived) and not beyond)
            if accept:
                if key is not None:
                    model.states[key] = finish
                self.accepted.append((arrived, rank))
        dut.accept_i.value = accept
        heard = self.heard.popleft()
        if heard is not None:
            model.dequeued(*heard)
        self.heard.append(dequeued)
        dut.dequeued_valid_i.value = int(dequeued is not None)
        if dequeued is not None:
            dut.dequeued_service_i.value, dut.dequeued_tenant_i.value, dut.dequeued_rank_i.value = dequeued
        dut.in_valid_i.value = int(packet is not None)
        if packet is not None:
            packet.now = model.now
            packet.clock = model.clocks.get(model.queue(packet.service, packet.tenant), 0)
            dut.in_request_i.value = packet.bits()
            dut.in_payload_i.value = packet.bits() % 251
        self.inside.append(packet)
        dut.now_i.value = model.now % (1 << 24)
        await FallingEdge(dut.clk_i)
        model.now += 1


def random_classes(services, policies):
    classes = {}
    for service in range(services):
        for c in range(16):
            if policies[service].policy == SHAPED:
                offset = random.randrange(1 << random.choice([8, 14, 24]))
                classes[service, c] = (random.randrange(1, 1 << 16), random.choice([0, 0, 1, 1, 2, 2, 3]), offset)
            else:
                offset = random.randrange(1 << random.choice([13, 13, 24]))
                classes[service, c] = (random.randrange(1, 1 << 16), 0, offset)
    return classes


@cocotb.test()
async def as_the_model_says(dut):
    services, tenants = len(dut.policy_i), len(dut.circular_o) // len(dut.policy_i)
    policies = [
        Policy(
            random.choice([STRICT, FAIR, FAIR, SLACK, SHAPED]),
            shift=random.randrange(4, 14),
            given_rank=random.randrange(2),
            by_tenant=random.randrange(2),
            hierarchy=random.randrange(2),
        )
        for _ in range(services)
    ]
    if services > 4:
        for service, policy in enumerate((STRICT, FAIR, SLACK, SHAPED, FAIR)):
            policies[service].policy = policy
        policies[4].shift = 4  # its circle is small: virtual time laps often
    bench = await Bench(dut, policies, random_classes(services, policies), start=(1 << 24) - 5000).start()
    circular = int(dut.circular_o.value)
    for service, policy in enumerate(policies):
        assert (circular >> service * tenants) % (1 << tenants) == ((1 << tenants) - 1) * (policy.policy != STRICT)
    queued = {}
    bench.taken = lambda packet: random.random() < keep
    for cycle in range(20_000):
        if cycle % 500 == 0:
            rate, keep, drain = (random.choice([0.1, 0.6, 1.0]) for _ in range(3))
            favourite = random.randrange(16)
        for packet, rank in bench.accepted:
            queued.setdefault((packet.service, packet.tenant), []).append(rank)
        dequeued = None
        candidates = [queue for queue, ranks in queued.items() if ranks]
        if candidates and random.random() < drain:
            service, tenant = random.choice(candidates)
            clock = bench.model.clocks.get(bench.model.queue(service, tenant), 0)
            ranks = queued[service, tenant]
            rank = min(ranks, key=lambda r: (r - 2 * clock + 2048) % 4096)
            ranks.remove(rank)
            dequeued = service, tenant, rank
        packet = None
        if random.random() < rate:
            packet = Packet(
                random.randrange(services),
                random.randrange(tenants),
                favourite if random.random() < 0.7 else random.randrange(16),
                random.choice([64, 64, 1500, random.randrange(1, 9019)]),
                bench.model.now - random.randrange(1 << random.choice([*range(1, 18), 24])),
                random.random() < 0.1,
                random.randrange(LEVELS),
                random.random() < 0.1,
            )
            if policies[packet.service].by_tenant and tenants < 16:
                packet.rank_class = random.randrange(16)
        await bench.step(packet, dequeued)


class Server:
    """One service with a queue per hierarchy's tenant and class kept filled, and a server of 64 bytes per cycle."""

    def __init__(self, bench, service, flows, depth, shaped=None):
        self.bench, self.service, self.flows = bench, service, flows  # flows: (tenant, class)
        self.want = deque(flow for _ in range(depth) for flow in flows)
        random.shuffle(self.want)
        self.queue = []  # (rank, sequence, packet)
        self.last = 0
        self.sequence = 0
        self.busy = 0
        self.bytes = dict.fromkeys(flows, 0)
        self.served = []
        self.shaped = shaped

    def push(self, packet, rank):
        self.queue.append((rank, self.sequence, packet))
        self.sequence += 1

    def head(self):
        return min(self.queue, key=lambda entry: ((entry[0] - self.last + 2048) % 4096, entry[1]), default=None)

    def cycle(self, now):
        """The rank of the packet that leaves in this cycle, or None."""
        if self.busy > 0:
            self.busy -= 1
            return None
        entry = self.head()
        if entry is None:
            return None
        if self.shaped is not None and ((now >> self.shaped) - (entry[0] >> 1)) % LEVELS >= HALF:
            return None
        self.queue.remove(entry)
        rank, _, packet = entry
        self.last = rank
        flow = packet.tenant, packet.rank_class
        self.bytes[flow] += packet.length
        self.served.append((now, packet))
        self.want.append(flow)
        self.busy = -(-packet.length // 64) - 1
        return self.service, packet.tenant, rank


async def serve(bench, servers, cycles, length=lambda flow: random.choice([64, 576, 1500, random.randrange(64, 1501)])):
    """Keeps every flow of every server backlogged by a constant number of packets."""
    by_service = {server.service: server for server in servers}
    order = list(servers)
    left = deque()
    for _ in range(cycles):
        for packet, rank in bench.accepted:
            if packet.service in by_service:  # else from before
                by_service[packet.service].push(packet, rank)
        for server in servers:
            gone = server.cycle(bench.model.now)
            if gone is not None:
                left.append(gone)
        packet = None
        order.append(order.pop(0))
        for server in order:
            if server.want:
                flow = server.want.popleft()
                packet = Packet(server.service, flow[0], flow[1], length(flow), timestamp=bench.model.now)
                break
        await bench.step(packet, left.popleft() if left else None)


@cocotb.test()
async def shares_are_exact(dut):
    """2:1, 3:1, 1:1:5, and 2:1 with packets of very different sizes, within 0.2 % over 25,000 cycles."""
    weights = {0: [2, 1], 1: [3, 1], 2: [1, 1, 5], 3: [2, 1]}
    policies = [Policy(FAIR) for _ in range(8)]
    classes = {(s, c): (65520, 0, 0) for s in range(8) for c in range(16)}
    for service, shares in weights.items():
        for c, share in enumerate(shares):
            classes[service, c] = (65520 * min(shares) // share, 0, 0)
    bench = await Bench(dut, policies, classes).start()
    servers = [Server(bench, s, [(0, c) for c in range(len(shares))], depth=12) for s, shares in weights.items()]
    small = lambda flow: 64 if flow[1] == 0 else 1500  # noqa: E731
    await serve(bench, servers[:3], 2000)
    for server in servers[:3]:
        server.bytes = dict.fromkeys(server.bytes, 0)
    await serve(bench, servers[:3], 25_000)
    servers[3].want.extend([(0, 0)] * 150)  # many small ones against few large ones
    await serve(bench, servers[3:], 25_000, small)
    for server in servers:
        shares = weights[server.service]
        total = sum(server.bytes.values())
        for (_, c), sent in server.bytes.items():
            fair = Fraction(shares[c], sum(shares))
            error = abs(float(Fraction(sent, total) - fair))
            dut._log.info("service %d class %d: %.4f of %.4f", server.service, c, sent / total, float(fair))
            assert error < 0.002, f"service {server.service}: class {c} has {sent / total:.4f}, not {float(fair):.4f}"
    assert bench.model.clocks[0, 0] > LEVELS  # went round the circle


@cocotb.test()
async def a_new_policy_starts_anew(dut):
    """What a class owes under one policy, in virtual time, means nothing under another: until all states are new, its packets
    get the base."""
    classes = {(s, c): (65535, 0, 0) for s in range(8) for c in range(16)}
    bench = await Bench(dut, [Policy(FAIR) for _ in range(8)], classes).start()
    for _ in range(300):
        await bench.step(Packet(0, length=1500))
    for _ in range(3):
        await bench.step()
    bench.model.policies[0] = Policy(SHAPED)
    dut.policy_i[0].value = bench.model.policies[0].bits()
    await bench.step()
    for cycle in range(200):
        bench.model.states.clear()
        await bench.step(Packet(0, length=1500) if cycle % 3 else None)


@cocotb.test()
async def an_idle_class_saves_nothing(dut):
    policies = [Policy(FAIR) for _ in range(8)]
    classes = {(s, c): (65535, 0, 0) for s in range(8) for c in range(16)}
    bench = await Bench(dut, policies, classes).start()
    server = Server(bench, 0, [(0, 0)], depth=10)
    await serve(bench, [server], 20_000)
    server.bytes[0, 1] = 0
    server.bytes[0, 0] = 0
    server.want.extend([(0, 1)] * 10)
    await serve(bench, [server], 2_000)
    assert abs(server.bytes[0, 1] - server.bytes[0, 0]) < 8_000


@cocotb.test()
async def rates_are_exact(dut):
    """Backlogged leaky buckets: bytes in 25,000 cycles are rate * time + burst."""
    shift = 5
    policies = [Policy(SHAPED, shift=shift) for _ in range(8)]
    rates = {0: Fraction(1), 1: Fraction(8), 2: Fraction(5, 2)}  # bytes per cycle
    burst = 4096
    classes = {(s, c): (65535, 0, 0) for s in range(8) for c in range(16)}
    for c, rate in rates.items():
        classes[0, c] = (min(round(UNIT / rate), 65535), 0, int(burst / rate))
    bench = await Bench(dut, policies, classes, start=(1 << 24) - 10_000).start()
    server = Server(bench, 0, [(0, c) for c in rates], depth=8, shaped=shift)
    begin = bench.model.now
    await serve(bench, [server], 25_000)
    end = bench.model.now
    for c, rate in rates.items():
        expected = float((end - begin) * rate + burst)
        sent = server.bytes[0, c]
        dut._log.info("class %d: %d bytes of %.0f", c, sent, expected)
        assert abs(sent - expected) < 1500 + 64 * rate + expected * 0.0002


@cocotb.test()
async def earliest_deadline_first(dut):
    shift = 2
    policies = [Policy(SLACK, shift=shift) for _ in range(8)]
    classes = {(s, c): (1, 0, 100 * c) for s in range(8) for c in range(16)}
    bench = await Bench(dut, policies, classes, start=(1 << 24) - 2_000).start()
    server = Server(bench, 0, [(0, c) for c in range(16)], depth=1)
    await serve(bench, [server], 10_000)
    waiting = {c: [] for c in range(16)}
    for now, packet in server.served:
        waiting[packet.rank_class].append(now - packet.timestamp)
    waits = [sum(times) / len(times) for times in waiting.values()]
    assert waits[0] < waits[5] < waits[10] < waits[15]
