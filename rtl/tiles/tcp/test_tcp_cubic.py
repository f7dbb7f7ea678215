# SPDX-License-Identifier: Apache-2.0
"""CUBIC's window at each visit, against the formulas of RFC 9438 in floating point."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

CONNECTIONS = 16
NEWRENO, START, LOSS, RUN = range(4)
C = 0.4  # segments per s^3
CONVERGED = 109 / 128  # the RFC has 0.85
SECOND = 1 << 32
MOST = (1 << 19) - 1
POWER_ERROR, ROOT_ERROR = 0.015, 0.007  # relative errors of C |t - K|^3 and of K that the module promises


def test_tcp_cubic():
    run_cocotb("tcp_cubic", __file__, parameters={"Connections": CONNECTIONS})


class Visitor:
    """Visits connections as the timer does, and keeps CUBIC's time."""

    def __init__(self, dut):
        self.dut, self.now = dut, 0.0

    @classmethod
    async def start(cls, dut) -> Visitor:
        await reset(dut, tick_i=0, round_i=0, clear_i=0, visit_i=0, window_ready_i=1, rate_i=0)
        self = cls(dut)
        await self.round(0.0)
        return self

    async def _pulse(self, **values: int) -> None:
        for name, value in values.items():
            getattr(self.dut, name).value = value
        await RisingEdge(self.dut.clk_i)
        for name in values:
            if name in ("tick_i", "round_i", "clear_i", "visit_i"):
                getattr(self.dut, name).value = 0

    async def round(self, seconds: float, ticks: int = 1) -> None:
        """Each connection is visited once in this time."""
        for _ in range(ticks):
            await self._pulse(tick_i=1, rate_i=round(seconds / ticks * SECOND))
        await self._pulse(round_i=1)

    async def clear(self, connection: int) -> None:
        await self._pulse(clear_i=1, clear_id_i=connection)

    async def visit(self, connection: int, mode: int, cwnd: int, mss: int, *, threshold: int = 0, estimate: int = 0, pressed: bool = True) -> tuple[int, bool] | None:
        """The window, and whether the estimate has reached the window before the loss; None if the visit yields none."""
        await self._pulse(
            visit_i=1, id_i=connection, mode_i=mode, cwnd_i=cwnd, threshold_i=threshold, estimate_i=estimate, mss_i=mss, pressed_i=int(pressed)
        )
        for _ in range(15):
            await RisingEdge(self.dut.clk_i)
            if self.dut.window_valid_o.value:
                assert int(self.dut.window_id_o.value) == connection and int(self.dut.window_mode_o.value) == mode
                return int(self.dut.window_target_o.value), bool(self.dut.window_reaches_o.value)
        return None


@dataclass
class Model:
    """RFC 9438, 4.2 to 4.8, of one connection, in bytes and seconds."""

    mss: int
    cwnd_prior: float = 0.0
    w_max: float = 0.0
    k: float = 0.0
    t: float = 0.0

    def loss(self, before: float, cwnd: float) -> None:
        self.w_max = before * CONVERGED if before < self.w_max else before
        self.cwnd_prior, self.t = before, 0.0
        self.k = (max(0.0, self.w_max - cwnd) / self.mss / C) ** (1 / 3)

    def time_out(self, before: float, cwnd: float) -> None:
        self.w_max, self.cwnd_prior, self.t, self.k = cwnd, before, 0.0, 0.0

    def window(self) -> float:
        return C * (self.t - self.k) ** 3 * self.mss + self.w_max

    def bound(self) -> float:
        """Of the error of the window in bytes: that of the power, that of K, and of rounding."""
        of_root = 3 * C * self.mss * max(abs(self.t - self.k), abs(self.t - self.k * (1 - ROOT_ERROR))) ** 2 * self.k * ROOT_ERROR
        return POWER_ERROR * abs(self.window() - self.w_max) + of_root + 4


@cocotb.test()
async def the_window_is_that_of_rfc_9438(dut):
    """Losses of several connections, a second one sooner or later, with windows of all sizes; each visit is within the bound, from far below W_max to far above."""
    visitor = await Visitor.start(dut)
    rng = random.Random(9438)
    worst = 0.0
    for turn in range(60):
        connection, mss = turn % CONNECTIONS, rng.choice([64, 536, 1220, 1460, 8948])
        await visitor.clear(connection)
        model = Model(mss)
        for _ in range(3):
            before = min(MOST, round(mss * 10 ** rng.uniform(0.7, 2.5)))
            cwnd = before * 45 // 64
            model.loss(before, cwnd)
            assert await visitor.visit(connection, LOSS, cwnd, mss, threshold=cwnd, estimate=before) == (cwnd, False)
            step = model.k / rng.choice([7, 15, 31]) + 2**-10
            for visit in range(rng.choice([5, 20, 40])):
                pressed = visit % 5 != 3
                await visitor.round(step, ticks=2)
                if pressed:
                    model.t += round(step / 2 * SECOND) * 2 / SECOND
                answer = await visitor.visit(connection, RUN, cwnd, mss, threshold=cwnd, estimate=cwnd, pressed=pressed)
                assert answer is not None
                error = abs(answer[0] - min(MOST, model.window()))
                worst = max(worst, error / model.bound())
                assert error <= model.bound(), (mss, before, model, answer, error, model.bound())
    dut._log.info(f"the largest error is {worst:.0%} of what is promised")


@cocotb.test()
async def after_a_time_out_it_starts_at_the_plateau(dut):
    visitor = await Visitor.start(dut)
    for mss in (64, 1460):
        model = Model(mss)
        cwnd, before = 20 * mss, 31 * mss
        assert await visitor.visit(3, START, cwnd - mss, mss, threshold=cwnd, estimate=before) is None, "slow start"
        assert await visitor.visit(3, NEWRENO, cwnd, mss) is None
        assert await visitor.visit(3, START, cwnd, mss, threshold=cwnd, estimate=before) == (cwnd, False)
        model.time_out(before, cwnd)
        for _ in range(30):
            await visitor.round(0.25)
            model.t += 0.25
            answer = await visitor.visit(3, RUN, cwnd, mss, threshold=cwnd, estimate=cwnd)
            assert answer is not None and abs(answer[0] - min(MOST, model.window())) <= model.bound()
        assert (await visitor.visit(3, RUN, cwnd, mss, estimate=before - 1))[1] is False
        assert (await visitor.visit(3, RUN, cwnd, mss, estimate=before))[1] is True


@cocotb.test()
async def extremes_stay_within_their_limits(dut):
    """Ages of half a minute and more, the largest windows, W_max below the window: no number wraps. A new connection knows nothing of the former one in its place."""
    visitor = await Visitor.start(dut)
    for mss, before in ((64, MOST), (16383, MOST), (64, 128), (16383, 32766)):
        cwnd = max(2 * mss, before * 45 // 64)
        await visitor.visit(7, LOSS, cwnd, mss, estimate=before)
        last = 0
        for _ in range(80):
            await visitor.round(0.9)
            window, _ = await visitor.visit(7, RUN, cwnd, mss, estimate=cwnd)
            assert last <= window <= MOST
            last = window
        assert last == MOST
        # Far above a W_max of before: fast convergence, unless the place has a new connection.
        for clears in (False, True):
            if clears:
                await visitor.clear(7)
            await visitor.visit(7, LOSS, before // 2, mss, estimate=before)
            await visitor.visit(7, LOSS, before // 2, mss, estimate=before // 2)
            await visitor.round(2 ** -20)
    await visitor.clear(5)
    assert await visitor.visit(5, LOSS, 30000, 1460, estimate=10000) == (30000, True)
    window, _ = await visitor.visit(5, RUN, 30000, 1460)
    assert window == 10000, "W_max below the window: K is 0"
    # Before K with larger segments than at the loss: the formula is below zero.
    cwnd = MOST * 45 // 64
    await visitor.visit(6, LOSS, cwnd, 64, estimate=MOST)
    window, _ = await visitor.visit(6, RUN, cwnd, 16383)
    assert window == 0


@cocotb.test()
async def a_window_waits_until_it_is_taken(dut):
    """Visits come every 16 cycles; the window of one waits while the next is computed, and none is lost if it is taken within 16 cycles."""
    visitor = await Visitor.start(dut)
    got = []

    async def take() -> None:
        rng = random.Random(1)
        while True:
            dut.window_ready_i.value = 0
            while not dut.window_valid_o.value:
                await RisingEdge(dut.clk_i)
            await ClockCycles(dut.clk_i, rng.randrange(13))
            dut.window_ready_i.value = 1
            await RisingEdge(dut.clk_i)
            got.append(int(dut.window_id_o.value))
            dut.window_ready_i.value = 0
            await RisingEdge(dut.clk_i)

    cocotb.start_soon(take())
    for number in range(64):
        await visitor._pulse(visit_i=1, id_i=number % CONNECTIONS, mode_i=LOSS, cwnd_i=14600, threshold_i=0, estimate_i=29200, mss_i=1460, pressed_i=1)
        await ClockCycles(dut.clk_i, 15)
    await ClockCycles(dut.clk_i, 40)
    assert got == [number % CONNECTIONS for number in range(64)]


@cocotb.test()
async def a_window_that_is_not_taken_is_not_overwritten(dut):
    visitor = await Visitor.start(dut)
    dut.window_ready_i.value = 0
    for number in (4, 9):
        await visitor._pulse(visit_i=1, id_i=number, mode_i=LOSS, cwnd_i=14600, threshold_i=0, estimate_i=29200, mss_i=1460, pressed_i=1)
        await ClockCycles(dut.clk_i, 30)
        assert dut.window_valid_o.value and int(dut.window_id_o.value) == 4
    dut.window_ready_i.value = 1
    await ClockCycles(dut.clk_i, 2)
    assert dut.window_valid_o.value and int(dut.window_id_o.value) == 9
