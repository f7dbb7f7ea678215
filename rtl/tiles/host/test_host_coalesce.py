# SPDX-License-Identifier: Apache-2.0
"""host_coalesce: each interrupt that is due comes, in time, and not before it may."""

import random

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

MICROSECOND = 20  # cycles
REACTS = 3  # cycles in which an interrupt follows what causes it


def test_host_coalesce():
    run_cocotb("host_coalesce", __file__, data_width=512)


class Queue:
    """A virtqueue: frames come into memory, and its driver is asked about them in the cycle after, one question at a time. wanted: its answer."""

    def __init__(self, dut):
        self.dut, self.cycle, self.shown_bits = dut, 0, len(dut.notice_i) - 3
        self.fresh = self.asking = 0
        self.answers_in = None

    async def begin(self):
        start_clock(self.dut)
        for name in ("coalesce", "microsecond", "active", "notice"):
            getattr(self.dut, f"{name}_i").value = 0
        self.dut.rst_i.value = 1
        for _ in range(3):
            await RisingEdge(self.dut.clk_i)
        self.dut.rst_i.value = 0
        self.dut.active_i.value = 1

    def set(self, microseconds: int, frames: int) -> None:
        self.dut.coalesce_i.value = microseconds << 16 | frames

    async def step(self, shown: int = 0, wanted: bool = True, takes: int = 1) -> tuple[bool, int]:
        """A cycle in which so many frames come into memory; a question of this cycle takes so many. Whether the driver is interrupted, and the frames of the question that
        is answered."""
        asks = self.answers_in is None and self.fresh > 0
        answers = self.answers_in == 0
        dut = self.dut
        dut.microsecond_i.value = int(self.cycle % MICROSECOND == 0)
        dut.notice_i.value = (asks << 2 | (answers and wanted) << 1 | (answers and not wanted)) << self.shown_bits | shown
        answered = self.asking if answers else 0
        if asks:
            self.asking, self.fresh, self.answers_in = self.fresh, 0, takes - 1
        elif self.answers_in is not None:
            self.answers_in = None if answers else self.answers_in - 1
        self.fresh += shown
        await ReadOnly()
        interrupt = bool(dut.interrupt_o.value)
        await RisingEdge(dut.clk_i)
        self.cycle += 1
        return interrupt, answered

    async def steps(self, count: int) -> list[bool]:
        return [(await self.step())[0] for _ in range(count)]

    async def asked(self, shown: int, wanted: bool = True) -> list[bool]:
        """Frames come, and the driver is asked about them."""
        return [(await self.step(number, wanted))[0] for number in (shown, 0, 0)]


@cocotb.test()
async def without_a_time_interrupts_come_at_once(dut):
    queue = Queue(dut)
    await queue.begin()
    for frames in (0, 1, 500):
        queue.set(0, frames)
        for _ in range(100):
            wanted = random.random() < 0.5
            assert await queue.asked(random.randint(1, 5), wanted) == [False, False, wanted]


@cocotb.test()
async def enough_frames_bring_the_interrupt(dut):
    """Also if they are all there before the driver wants one. Fewer do not."""
    queue = Queue(dut)
    await queue.begin()
    for frames in (1, 2, 7, 64, 1000, 65535):
        for most in (1, 5, 64) if frames < 1000 else (64,):
            queue.set(65535, frames)
            came = 0
            while came + 1 < frames:
                shown = min(random.randint(1, most), frames - 1 - came)
                came += shown
                assert not any(await queue.asked(shown))
            assert not any(await queue.steps(100))
            assert not any(await queue.asked(1)) and sum(await queue.steps(REACTS)) == 1
            assert not any(await queue.steps(100))


@cocotb.test()
async def a_count_does_not_overflow(dut):
    """As many frames as the counter has values come while an interrupt waits for any number; then few are enough."""
    queue = Queue(dut)
    await queue.begin()
    queue.set(65535, 0)
    for _ in range(2048):
        assert not any(await queue.asked(64))
    queue.set(65535, 5)
    assert sum(await queue.steps(REACTS)) == 1


@cocotb.test()
async def time_brings_the_interrupt(dut):
    queue = Queue(dut)
    await queue.begin()
    for microseconds in (1, 2, 9, 100):
        for frames in (0, 5000):
            for _ in range(6):
                queue.set(microseconds, frames)
                assert not any(await queue.steps(random.randrange(1, 3 * MICROSECOND)))
                assert not any(await queue.asked(1))
                waits = 1
                while not (await queue.step(shown=1, wanted=False))[0]:
                    waits += 1
                assert (microseconds - 1) * MICROSECOND < waits <= microseconds * MICROSECOND + REACTS
                await queue.asked(0, False)
                await queue.asked(0, False)


@cocotb.test()
async def frames_that_the_driver_looked_for_do_not_count(dut):
    queue = Queue(dut)
    await queue.begin()
    queue.set(100, 10)
    for _ in range(50):
        assert not any(await queue.asked(3, False))
    assert not any(await queue.asked(1))
    for _ in range(8):
        assert not any(await queue.asked(1, False))
    assert not any(await queue.asked(1, False)) and sum(await queue.steps(REACTS)) == 1


@cocotb.test()
async def an_end_or_a_shorter_wait_brings_what_is_held_back(dut):
    queue = Queue(dut)
    await queue.begin()
    for ends in (True, False):
        queue.set(50_000, 0)
        assert not any(await queue.asked(1))
        assert not any(await queue.steps(300))
        if ends:
            dut.active_i.value = 0
        else:
            queue.set(0, 0)
        assert sum(await queue.steps(REACTS)) == 1
        dut.active_i.value = 1


@cocotb.test()
async def none_is_lost_and_none_comes_without_cause(dut):
    """Any traffic and settings. `first` is when the driver wanted the interrupt that it has not had, and `count` the frames that it was asked about since the last one."""
    queue = Queue(dut)
    await queue.begin()
    microseconds, frames, first, count, changed, soonest = 0, 0, None, 0, 0, 0
    for cycle in range(60_000):
        if random.random() < 0.001:
            microseconds, frames, changed = random.choice([0, 1, 3, 30]), random.choice([0, 1, 4, 30]), cycle
            queue.set(microseconds, frames)
            soonest = min(soonest, microseconds)
        busy = cycle // 1000 % 3
        shown = random.randint(1, 8) if random.random() < (0.001, 0.02, 0.3)[busy] else 0
        wanted = random.random() < 0.8
        interrupt, answered = await queue.step(shown, wanted, random.choice([1, 2, 40]))
        if answered and wanted and first is None:
            first, soonest = cycle, microseconds
        if interrupt:
            assert first is not None, "none was wanted"
            waited = cycle - first
            assert waited > (soonest - 1) * MICROSECOND or (frames and count >= frames) or cycle - changed < REACTS, "too early"
            first, count = None, 0
        elif answered and first is None:
            count = 0
        else:
            count += answered
            longest = 30 if cycle - changed < 30 * MICROSECOND else microseconds
            assert first is None or cycle - first <= longest * MICROSECOND + REACTS, "too late"
