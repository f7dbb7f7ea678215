# SPDX-License-Identifier: Apache-2.0
"""receive_crossing: a MAC never waits, and each of its frames comes out whole, or cut and marked bad, or as one byte marked bad, at any ratio of clocks."""

import random

import cocotb
from cocotb.triggers import Timer

from girih.testing import run_cocotb
from rtl.edge.edge_bench import WIDTH, Beat, Stream, frame, reset, start

STAND_IN = Beat(0, 1, True, True)
PERIODS = [2_000, 3_103, 4_000, 4_001, 6_206, 16_000]


def test_receive_crossing():
    run_cocotb("receive_crossing", __file__, data_width=WIDTH)


def judge(sent: list[list[Beat]], found: list[list[Beat]]) -> tuple[int, int]:
    """Checks that all that was sent is accounted for. Returns the numbers of frames that were cut and left out."""
    assert len(found) == len(sent), f"{len(sent)} frames were sent, {len(found)} came"
    left_out = sum(one == [STAND_IN] for one in found)
    place, cut = 0, 0
    for one in found:
        if one == [STAND_IN]:
            continue
        is_cut = one[-1].user
        cut += is_cut
        body = one[:-1] if is_cut else one
        while sent[place] != body if not is_cut else sent[place][: len(body)] != body:
            place += 1
        place += 1
    return cut, left_out


@cocotb.test()
async def every_frame_is_accounted_for(dut):
    mac, card = Stream(dut, "mac_axis"), Stream(dut, "card_axis")
    dut.mac_axis_tvalid.value = 0
    clocks = await start(dut)
    found: list[list[Beat]] = []
    cocotb.start_soon(card.take(found, [1.0]))
    number, cuts, lost = 0, 0, 0
    for _ in range(60):
        for clock in clocks:
            clock.period = random.choice(PERIODS)
        faster = clocks[1].period < clocks[0].period
        sent, gaps = [], random.choice([[0], [0, 0, 0, 0, 0, 0.9], [0.5]])
        found.clear()
        most = random.choice([1, 3, 40])
        for _ in range(40):
            sent.append(frame(number := number + 1, random.randint(1, most)))
            await mac.send(sent[-1], random.choice(gaps))
        await Timer(60 * 16_000, unit="ps")
        cut, left_out = judge(sent, found)
        assert faster or cut + left_out == 0, "frames were lost, although the card is as fast as the port"
        cuts, lost = cuts + cut, lost + left_out
    assert cuts > 20 and lost > 100, "the test has not been hard enough"


@cocotb.test()
async def a_reset_leaves_nothing_behind(dut):
    mac, card = Stream(dut, "mac_axis"), Stream(dut, "card_axis")
    dut.mac_axis_tvalid.value = 0
    clocks = await start(dut)
    found: list[list[Beat]] = []
    cocotb.start_soon(card.take(found, [1.0]))
    for number in range(40):
        for clock in clocks:
            clock.period = random.choice([2_000, 4_000, 6_206])
        for part in range(random.randint(1, 10)):
            await mac.send(frame(1000 * part + number, 7)[: random.randint(1, 7)])
        await reset(dut)
        found.clear()
        sent = [frame(number, random.randint(1, 9)) for _ in range(3)]
        for one in sent:
            await mac.send(one, 0.5)
        await Timer(60 * 6_206, unit="ps")
        assert found == sent


@cocotb.test()
async def a_frame_passes_soon_and_one_in_every_cycle_of_the_slower_clock(dut):
    mac, card = Stream(dut, "mac_axis"), Stream(dut, "card_axis")
    dut.mac_axis_tvalid.value = 0
    await start(dut)
    found: list[list[Beat]] = []
    cocotb.start_soon(card.take(found, [1.0]))
    sent = [frame(number, 1) for number in range(300)]
    await mac.send([beat for one in sent for beat in one])
    await Timer(6 * 4_000, unit="ps")
    assert found == sent
