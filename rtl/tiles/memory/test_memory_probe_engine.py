# SPDX-License-Identifier: Apache-2.0
"""The memory probe against a memory that answers after a number of cycles: what it asks, how much is in flight, and what it measures."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.spec.windows import offset
from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import config_word
from girih.testing.messages import FLIT_BYTES, Events, Message, Sink, Source, reset
from rtl.tiles.memory.memory_bench import OPS, op, status

TENANT, WORDS = 5, FLIT_BYTES // 4


@pytest.mark.parametrize("data_width", WIDTHS)
def test_memory_probe_engine(data_width):
    run_cocotb("memory_probe_engine", __file__, groups=["memory"], data_width=data_width)


class Bench:
    """The probe, and a memory that answers each request `late` cycles after it has come whole, with `data` for a read."""

    def __init__(self, dut, late: int, stall: float):
        self.dut, self.late, self.most, self.failing = dut, late, 0, lambda _number: False
        self.data = bytes(FLIT_BYTES)
        self.replies, self.requests = Source(dut, "reply_in"), Sink(dut, "out", stall=stall)
        self.events = Events(dut, ["made_requests", "used_replies", "mark_failed"])
        cocotb.start_soon(self._answer())

    @classmethod
    async def start(cls, dut, late: int = 10, stall: float = 0.0) -> "Bench":
        dut.cfg_i.value = config_word("memory_probe", tenant=TENANT)
        await reset(dut, reply_in_valid_i=0, out_ready_i=0, window_valid_i=0)
        return cls(dut, late, stall)

    async def _answer(self) -> None:
        waiting, seen, cycle = [], 0, 0
        while True:
            await RisingEdge(self.dut.clk_i)
            cycle += 1
            for message in self.requests.messages[seen:]:
                what = "slave" if self.failing(seen) else "ok"
                data = self.data if what == "ok" and message.desc["memory_op"] == op("read") else bytes(FLIT_BYTES)
                waiting.append((cycle + self.late, Message(data, {"memory_op": message.desc["memory_op"], "memory_status": status(what)})))
                seen += 1
            self.most = max(self.most, len(waiting))
            while waiting and waiting[0][0] <= cycle:
                self.replies.send(waiting.pop(0)[1])

    async def access(self, at: int, value: int | None = None, tenant: int = 0) -> tuple[bool, int]:
        """Whether the window refuses an access, and what it answers."""
        dut = self.dut
        dut.window_addr_i.value, dut.window_tenant_i.value = at, tenant
        dut.window_write_i.value, dut.window_data_i.value = int(value is not None), value or 0
        dut.window_valid_i.value = 1
        await RisingEdge(dut.clk_i)
        answer = bool(dut.window_error_o.value), int(dut.window_data_o.value)
        dut.window_valid_i.value = 0
        await RisingEdge(dut.clk_i)
        return answer

    async def command(self, what: int, address: int, size: int, count: int, window: int = 1, stride: int = 0, rounds: int = 0) -> bool:
        """Whether the command is refused."""
        for half in (0, 1):
            await self.access(offset("probe_window", "address", half=half), address >> 32 * half & 0xFFFFFFFF)
        for part, value in (("bytes", size), ("what", what), ("window", window), ("count", count), ("stride", stride), ("rounds", rounds)):
            await self.access(offset("probe_window", part), value)
        return (await self.access(offset("probe_window", "start"), 1))[0]

    async def read(self, part: str) -> int:
        return (await self.access(offset("probe_window", part)))[1]

    async def finish(self) -> None:
        for _ in range(20_000):
            if not await self.read("state"):
                return
        raise AssertionError("the probe does not end")


@cocotb.test()
@cocotb.parametrize(what=["read", "write", "add"], stall=[0.0, 0.5])
async def asks_as_it_is_told(dut, what, stall):
    """Each request has its address, and the flits of its bytes; no more than the window are in flight."""
    bench = await Bench.start(dut, late=30, stall=stall)
    for _ in range(4):
        size = 8 if what == "add" else random.choice((1, FLIT_BYTES, 3 * FLIT_BYTES + 5, 4096))
        count, window, stride, rounds = random.randint(1, 20), random.choice((1, 3, 64)), random.randrange(1 << 20), random.choice((0, 1, 4))
        address, first = random.getrandbits(39), len(bench.requests.messages)
        bench.most = 0
        assert not await bench.command(op(what), address, size, count, window, stride, rounds)
        await bench.finish()
        asked = bench.requests.messages[first:]
        assert len(asked) == count and bench.most <= window
        for number, message in enumerate(asked):
            at = address + stride * (number % rounds if rounds else number)
            assert (message.desc["memory_addr"], message.desc["memory_bytes"], message.desc["tenant"], OPS[message.desc["memory_op"]]) == (at, size, TENANT, what)
            assert len(message.data) == (1 if what == "read" else at % FLIT_BYTES + size)
            assert message.data == (number.to_bytes(4, "little") * (len(message.data) // 4 + 1))[: len(message.data)]
    assert bench.events.count["made_requests"] == bench.events.count["used_replies"] == len(bench.requests.messages)


@cocotb.test()
async def measures_what_passes(dut):
    """One at a time, an access takes the memory's time and the same cycles beside it; the times of many add up."""
    bench = await Bench.start(dut)
    times = {}
    for late in (10, 50):
        bench.late = late
        assert not await bench.command(op("read"), 0, 4, 20)
        await bench.finish()
        times[late] = await bench.read("waits")
        assert await bench.read("posted") == 20
        assert times[late] <= await bench.read("cycles") <= times[late] + 21
    assert times[50] - times[10] == 20 * 40
    assert not await bench.command(op("write"), 0, 4 * FLIT_BYTES, 20, window=20)
    await bench.finish()
    assert await bench.read("posted") == 20 * 4 and await bench.read("cycles") < 20 * 4 + 50 + 10
    bench.data = random.randbytes(FLIT_BYTES)
    bench.failing, bench.requests.stall = (lambda number: number % 2 == 0), 0.7
    assert not await bench.command(op("read"), 0, 4, 10)
    await bench.finish()
    wanted = 0
    for at in range(0, FLIT_BYTES, 4):
        wanted ^= int.from_bytes(bench.data[at : at + 4], "little")
    assert await bench.read("failed") == 5 == bench.events.count["mark_failed"]
    assert await bench.read("sum") == wanted  # of five


@cocotb.test()
async def counts_wrap(dut):
    bench = await Bench.start(dut, late=100)
    bench.failing = lambda _number: True
    assert not await bench.command(op("write"), 0, 4, 2)
    for name in ("cycles_q", "waits_q", "posted_q", "failed_q"):
        getattr(dut, name).value = (1 << 32) - 1
    await bench.finish()
    for part in ("cycles", "waits", "posted", "failed"):
        assert await bench.read(part) < 400


@cocotb.test()
async def refuses_what_makes_no_sense(dut):
    bench = await Bench.start(dut)
    assert await bench.command(op("read"), 0, 0, 1) and await bench.command(op("read"), 0, 4, 1, window=0)
    for part in ("state", "cycles", "sum"):
        assert (await bench.access(offset("probe_window", part), 1))[0]
    assert (await bench.access(0x3C))[0] and (await bench.access(offset("probe_window", "state"), tenant=TENANT))[0]
    assert not bench.requests.messages
    assert not await bench.command(op("read"), 0, 4, 3)
    assert (await bench.access(offset("probe_window", "start"), 1))[0] and (await bench.access(offset("probe_window", "count"), 1))[0], "it works"
    await bench.finish()
    assert not await bench.command(op("read"), 0, 4, 0)
    await bench.finish()
    assert len(bench.requests.messages) == 3
