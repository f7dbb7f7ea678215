# SPDX-License-Identifier: Apache-2.0
"""transmit_crossing: frames come out whole and in order, without a gap, at any ratio of clocks and however the card delivers them."""

import random

import cocotb
from cocotb.triggers import Timer

from girih.testing import run_cocotb
from rtl.edge.edge_bench import BYTES, WIDTH, Beat, Stream, frame, reset, start

MAX_FRAME = 500
LARGEST = -(-MAX_FRAME // BYTES)  # beats
PERIODS = [2_000, 3_103, 4_000, 4_001, 6_206, 16_000]


def test_transmit_crossing():
    run_cocotb("transmit_crossing", __file__, data_width=WIDTH, max_frame=MAX_FRAME)


async def drained(sent: list, found: list) -> None:
    for _ in range(2000):
        if len(found) == len(sent):
            return
        await Timer(16_000, unit="ps")


@cocotb.test()
async def frames_come_out_whole_and_without_gaps(dut):
    mac, card = Stream(dut, "mac_axis"), Stream(dut, "card_axis")
    dut.card_axis_tvalid.value = 0
    clocks = await start(dut)
    found: list[list[Beat]] = []
    ready = [1.0]
    cocotb.start_soon(mac.take(found, ready, whole=True))
    number = 0
    for _ in range(50):
        for clock in clocks:
            clock.period = random.choice(PERIODS)
        ready[0], gap, most = random.choice([1.0, 1.0, 0.3]), random.choice([0, 0.3, 0.9]), random.choice([1, 3, LARGEST])
        found.clear()
        sent = [frame(number := number + 1, random.randint(1, most)) for _ in range(15)]
        for one in sent:
            await card.send(one, gap)
        await drained(sent, found)
        assert found == sent


@cocotb.test(timeout_time=100, timeout_unit="us")
async def a_frame_larger_than_the_store_leaves(dut):
    """No tile sends one; but if one does, the port does not hang."""
    mac, card = Stream(dut, "mac_axis"), Stream(dut, "card_axis")
    dut.card_axis_tvalid.value = 0
    await start(dut)
    found: list[list[Beat]] = []
    cocotb.start_soon(mac.take(found, [1.0]))
    sent = [frame(1, 5), frame(2, 500), frame(3, LARGEST)]
    for one in sent:
        await card.send(one)
    await drained(sent, found)
    assert found == sent


@cocotb.test()
async def a_reset_leaves_nothing_behind(dut):
    mac, card = Stream(dut, "mac_axis"), Stream(dut, "card_axis")
    dut.card_axis_tvalid.value = 0
    clocks = await start(dut)
    found: list[list[Beat]] = []
    ready = [1.0]
    cocotb.start_soon(mac.take(found, ready, whole=True))
    for number in range(30):
        for clock in clocks:
            clock.period = random.choice([2_000, 4_000, 6_206])
        ready[0] = random.choice([0.1, 1.0])
        for part in range(random.randint(1, 3)):
            await card.send(frame(1000 * part + number, 7)[: random.randint(1, 7)])
        await reset(dut)
        found.clear()
        sent = [frame(number, random.randint(1, LARGEST)) for _ in range(3)]
        for one in sent:
            await card.send(one)
        await drained(sent, found)
        assert found == sent
