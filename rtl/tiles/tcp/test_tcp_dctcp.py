# SPDX-License-Identifier: Apache-2.0
"""DCTCP's estimate of the marked share, against the formula of RFC 8257 in floating point."""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import reset

ONE = 1 << 16
G = 1 / 16
MOST = (1 << 20) - 1
STEP = 2.0**-16 + 2.0**-12 * G  # how much alpha may be too small after one step


def test_tcp_dctcp():
    run_cocotb("tcp_dctcp", __file__)


async def visit(dut, alpha: int, acked: int, marked: int) -> int:
    """The estimate after a window; it comes before the timer visits the next connection."""
    connection = random.randrange(1 << 14)
    assert dut.ready_o.value
    for name, value in {"visit_i": 1, "id_i": connection, "alpha_i": alpha, "acked_i": acked, "marked_i": marked}.items():
        getattr(dut, name).value = value
    await RisingEdge(dut.clk_i)
    dut.visit_i.value = 0
    for name in ("id_i", "alpha_i", "acked_i", "marked_i"):
        getattr(dut, name).value = random.randrange(1 << 14)
    for _ in range(15):
        await RisingEdge(dut.clk_i)
        if dut.alpha_valid_o.value:
            break
        assert not dut.ready_o.value
    assert dut.alpha_valid_o.value and int(dut.alpha_id_o.value) == connection
    result = int(dut.alpha_o.value)
    for _ in range(random.choice([0, 0, 3])):
        await RisingEdge(dut.clk_i)
        assert dut.alpha_valid_o.value and int(dut.alpha_o.value) == result and not dut.ready_o.value
    dut.alpha_ready_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.alpha_ready_i.value = 0
    await RisingEdge(dut.clk_i)
    assert not dut.alpha_valid_o.value
    return result


async def begin(dut) -> None:
    await reset(dut, visit_i=0, alpha_ready_i=0)


@cocotb.test()
async def one_step_is_that_of_the_rfc(dut):
    """From any alpha, with any window: never above the formula, and below it by no more than is rounded off."""
    await begin(dut)
    cases = [(ONE, 1, 1), (ONE, 1, 0), (0, MOST, MOST), (0, MOST, 1), (0, MOST, 0), (ONE, MOST, MOST - 1), (ONE, MOST, MOST)]
    for _ in range(600):
        acked = random.randint(1, 1 << random.randint(1, 20)) & MOST or 1
        cases.append((random.randint(0, ONE), acked, random.choice([0, acked, random.randint(0, acked)])))
    for alpha, acked, marked in cases:
        want = alpha / ONE * (1 - G) + G * marked / acked
        got = await visit(dut, alpha, acked, marked) / ONE
        assert want - STEP <= got <= want + 2.0**-16, (alpha, acked, marked, got, want)


@cocotb.test()
async def a_history_is_that_of_the_rfc(dut):
    """Many windows in a row: what is rounded off in each does not add up, because alpha forgets it."""
    await begin(dut)
    for share in (0.0, 0.02, 0.3, 1.0):
        got, want = ONE, 1.0
        for turn in range(150):
            acked = random.randint(1000, 65536)
            marked = round(acked * share) if turn % 50 < 40 else 0
            got = await visit(dut, got, acked, marked)
            want = want * (1 - G) + G * marked / acked
            assert want - STEP / G <= got / ONE <= want + 2.0**-12, (share, turn, got / ONE, want)
