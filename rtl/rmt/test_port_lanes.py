# SPDX-License-Identifier: Apache-2.0
"""port_lanes: each message leaves by its lane, in order, or is dropped and counted for its tenant; a stalled lane holds up no other; a tenant that
sends too much takes no room from one that sends little."""

import random
from collections import Counter

import cocotb
from cocotb.triggers import RisingEdge

from girih.spec.message import unpack
from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import DESC_FIELDS, FLIT_BITS, FLIT_BYTES, FLIT_FIELDS, Message, Source, reset

LANES, FLITS, LARGEST = 3, 1024, 9018
SMALL = 4 * FLIT_BYTES  # bytes of a message that is charged 7 flits


def test_port_lanes():
    run_cocotb("port_lanes", __file__, data_width=512, chained=True, parameters={"Lanes": LANES, "Flits": FLITS})


class Bench:
    """stalls: for each lane, the probability that it does not take a flit in a cycle."""

    @classmethod
    async def start(cls, dut, idle=0.0, stalls=(0.0, 0.0, 0.0)):
        self = cls()
        self.dut, self.stalls = dut, list(stalls)
        self.came = [[] for _ in range(LANES)]
        self.open: list = [None] * LANES
        self.dropped: Counter[int] = Counter()
        self.number = 0
        await reset(dut, in_valid_i=0, in_key_i=0, out_ready_i=0)
        self.source = Source(dut, idle=idle, beside=lambda message, index, _: {"in_key_i": 0 if index else message.beside["key"]})
        cocotb.start_soon(self._run())
        return self

    def message(self, lane: int, size: int, tenant: int = 0, bad: bool = False) -> Message:
        self.number += 1
        desc = {"chain_count": random.randint(1, 3) if lane else 0, "tenant": tenant, "flow": self.number & 0xFFFF}
        return Message(random.randbytes(size), desc, bad, {"key": lane or random.randint(1, 2)})

    async def _run(self):
        dut, ready = self.dut, 0
        while True:
            await RisingEdge(dut.clk_i)
            moves = int(dut.out_valid_o.value) & ready if ready else 0
            if dropped := int(dut.dropped_o.value) if dut.in_valid_i.value == 1 else 0:
                self.dropped[dropped.bit_length() - 1] += 1
            if moves:
                flits = int(dut.out_flit_o.value)
                for lane in range(LANES):
                    if moves >> lane & 1:
                        self._take(lane, unpack(FLIT_FIELDS, flits >> lane * FLIT_BITS & (1 << FLIT_BITS) - 1))
            ready = sum((random.random() >= stall) << lane for lane, stall in enumerate(self.stalls))
            dut.out_ready_i.value = ready

    def _take(self, lane, flit):
        message = self.open[lane] or Message(b"", unpack(DESC_FIELDS, flit["desc"]), first=cycle_now())
        assert message.desc == unpack(DESC_FIELDS, flit["desc"])
        message.data += flit["data"].to_bytes(FLIT_BYTES, "little")[: FLIT_BYTES - flit["empty"]]
        self.open[lane] = None if flit["last"] else message
        if flit["last"]:
            message.bad = bool(flit["bad"])
            self.came[lane].append(message)

    async def steps(self, cycles):
        for _ in range(cycles):
            await RisingEdge(self.dut.clk_i)

    async def rest(self, cycles=20_000):
        await self.source.drained()
        self.stalls = [0.0] * LANES
        await self.steps(4)
        for _ in range(cycles):
            if self.dut.out_valid_o.value == 0:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError("it does not come to rest")


def charged(size: int) -> int:
    return -(-size // FLIT_BYTES) + 3


def shown(message: Message) -> tuple:
    return message.data, message.bad, message.desc["tenant"], message.desc["flow"]


@cocotb.test()
async def all_leave_by_their_lanes_in_order(dut):
    for idle, stall in ((0, 0), (0.3, 0.2), (0, 0.6)):
        bench = await Bench.start(dut, idle, [stall] * LANES)
        sent = [[] for _ in range(LANES)]
        for _ in range(120):
            lane = random.randrange(LANES)
            message = bench.message(lane, random.choice([1, 60, 64, 65, 300, 1500, 1500, LARGEST]), random.randrange(8), random.random() < 0.1)
            sent[lane].append(message)
            bench.source.send(message)
        await bench.rest()
        for lane in range(LANES):
            wanted, came = [shown(m) for m in sent[lane]], [shown(m) for m in bench.came[lane]]
            assert [each for each in wanted if each in came] == came and len(set(came)) == len(came)
        assert sum(map(len, bench.came)) + sum(bench.dropped.values()) == 120
        if stall == 0:
            assert not sum(bench.dropped.values())


@cocotb.test()
async def one_cycle_and_no_bubble(dut):
    bench = await Bench.start(dut)
    sent = [bench.message(1, size) for size in (1, 64, 65, 1500, 64, LARGEST, 1, 1)]
    bench.source.send(*sent)
    await bench.rest()
    assert [came.first - message.first for came, message in zip(bench.came[1], sent, strict=True)] == [1] * len(sent)


@cocotb.test()
async def a_lane_that_stands_still_holds_up_no_other(dut):
    for still in range(LANES):
        bench = await Bench.start(dut, stalls=[float(lane == still) for lane in range(LANES)])
        sent = [bench.message(random.choice([still, still, random.randrange(LANES)]), random.choice([64, 1500, 1500, LARGEST])) for _ in range(60)]
        for message in sent:
            bench.source.send(message)
        await bench.source.drained()
        await bench.steps(200)
        lanes = [0 if not m.desc["chain_count"] else m.beside["key"] for m in sent]
        for lane in set(range(LANES)) - {still}:
            assert [shown(m) for m in bench.came[lane]] == [shown(m) for m, of in zip(sent, lanes, strict=True) if of == lane]
        assert not bench.came[still] and bench.dropped[0] > 0
        await bench.rest()


@cocotb.test()
async def who_sends_too_much_takes_no_room_of_others(dut):
    """One lane is stalled. Tenants that send endlessly, each the same sizes, come to hold equal amounts but for one message; one that has sent nothing before
    gets as much, and the last of them at least a message of the largest size."""
    for greedy in (1, 2, 3):
        bench = await Bench.start(dut, stalls=[0.0, 0.0, 1.0])
        for _ in range(150):
            size = random.choice([SMALL, 1, 1500])
            bench.source.send(*(bench.message(2, size, tenant) for tenant in range(greedy)))
        await bench.source.drained()
        before = bench.dropped.copy()
        assert all(before[tenant] for tenant in range(greedy))
        modest = [bench.message(2, SMALL, 6) for _ in range((FLITS - 2 * charged(LARGEST)) // (greedy + 2) // 28)]
        last = bench.message(2, LARGEST, 7)
        bench.source.send(*modest, last)
        await bench.source.drained()
        await bench.steps(2)
        assert bench.dropped == before
        await bench.rest()
        held = [sum(charged(len(m.data)) for m in bench.came[2] if m.desc["tenant"] == tenant) for tenant in range(greedy)]
        # The first to be refused held the least of all, more than what was free beyond two messages of the largest size.
        assert max(held) - min(held) <= charged(1500)
        assert min(held) > (FLITS - 2 * charged(LARGEST) - (greedy - 1) * charged(1500)) / (greedy + 1) and modest
        assert len([m for m in bench.came[2] if m.desc["tenant"] >= 6]) == len(modest) + 1


@cocotb.test()
async def the_last_room_is_taken(dut):
    """A tenant that has nothing here is given room for a message of the largest size as long as there is any. Then everybody's messages are dropped
    until flits have left, and are dropped and taken in the same cycles while some leave."""
    bench = await Bench.start(dut, stalls=[0.0, 0.0, 1.0])
    for _ in range(80):
        bench.source.send(bench.message(2, SMALL, 0))
    newcomers = [bench.message(2, LARGEST, tenant) for tenant in range(1, 8)]
    bench.source.send(*newcomers)
    await bench.source.drained()
    await bench.steps(2)
    refused = [tenant for tenant in range(1, 8) if bench.dropped[tenant]]
    assert refused == list(range(min(refused), 8)) and min(refused) > 2, bench.dropped
    assert FLITS - 2 * charged(LARGEST) < sum(charged(len(m.data)) for m in newcomers[: min(refused) - 1]) + charged(SMALL) * (80 - bench.dropped[0]) <= FLITS
    bench.stalls[2] = 0.5
    before = bench.dropped.copy()
    more = [bench.message(2, random.choice([1, SMALL]), random.randrange(8)) for _ in range(1500)]
    bench.source.send(*more)
    await bench.rest()
    dropped = sum((bench.dropped - before).values())
    assert 0 < dropped < len(more) and len(bench.came[2]) == 80 + 7 + len(more) - sum(bench.dropped.values())
