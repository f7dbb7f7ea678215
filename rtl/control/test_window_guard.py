# SPDX-License-Identifier: Apache-2.0
"""window_guard: every request is answered in time, with the window's own answer or an error; a late answer reaches nobody."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

LIMIT = 12


@pytest.mark.parametrize("limit", [2, LIMIT])
def test_window_guard(limit):
    run_cocotb("window_guard", __file__, parameters={"Limit": limit})


class Window:
    """An engine's window that answers each request after `delay()` cycles (None: never), with its address."""

    def __init__(self, dut, delay):
        self.dut, self.delay = dut, delay
        self.requests: list[dict[str, int]] = []
        self.answers = 0
        cocotb.start_soon(self._run())

    def _request(self) -> dict[str, int]:
        return {name: int(getattr(self.dut, f"window_{name}_o").value) for name in ("write", "addr", "data", "tenant")}

    async def _run(self) -> None:
        dut = self.dut
        while True:
            dut.window_done_i.value = 0
            await RisingEdge(dut.clk_i)
            if not dut.window_valid_o.value:
                continue
            request, left = self._request(), self.delay()
            self.requests.append(request)
            while left is None or left:
                await RisingEdge(dut.clk_i)
                assert dut.window_valid_o.value and self._request() == request, "a request changed before its answer"
                left = None if left is None else left - 1
            dut.window_done_i.value = 1
            dut.window_error_i.value = request["addr"] & 1
            dut.window_data_i.value = request["addr"] << 8 | 0xA5
            await RisingEdge(dut.clk_i)
            assert dut.window_valid_o.value and self._request() == request
            self.answers += 1


async def access(dut, addr: int, limit: int) -> tuple[bool, bool, int]:
    """The error, the lateness and the data of one request; fails if the request takes too long."""
    request = {"write": random.getrandbits(1), "addr": addr, "data": random.getrandbits(32), "tenant": random.getrandbits(4)}
    for name, value in request.items():
        getattr(dut, f"{name}_i").value = value
    dut.valid_i.value = 1
    for _ in range(limit + 2):
        await RisingEdge(dut.clk_i)
        if dut.done_o.value:
            dut.valid_i.value = 0
            return bool(dut.error_o.value), bool(dut.late_o.value), int(dut.data_o.value)
    raise AssertionError(f"no answer in {limit + 2} cycles")


@cocotb.test()
async def every_request_ends_with_its_own_answer_or_an_error(dut):
    limit = int(dut.Limit.value)
    await reset(dut, valid_i=0, window_done_i=0, window_error_i=0, window_data_i=0)
    window = Window(dut, lambda: random.choice([0, 1, limit // 2, limit - 2, limit, 2 * limit, 4 * limit]))
    own = late = 0
    for number in range(400):
        addr = number * 4 | random.getrandbits(1)
        error, is_late, data = await access(dut, addr, limit)
        if is_late:
            late += 1
            assert error
        else:
            own += 1
            assert (error, data) == (bool(addr & 1), addr << 8 | 0xA5)
            assert window.requests[-1]["addr"] == addr
        for _ in range(random.choice([1, 1, 2, 3 * limit])):
            await RisingEdge(dut.clk_i)
    assert own > 50 and late > 50
    assert window.answers > own, "no answer came late"


@cocotb.test()
async def a_window_that_never_answers_holds_nobody_up(dut):
    limit = int(dut.Limit.value)
    await reset(dut, valid_i=0, window_done_i=0, window_error_i=0, window_data_i=0)
    window = Window(dut, lambda: None)
    for number in range(20):
        error, is_late, _ = await access(dut, 4 * number, limit if number == 0 else 0)
        assert error and is_late
        await RisingEdge(dut.clk_i)
    assert len(window.requests) == 1 and window.answers == 0
