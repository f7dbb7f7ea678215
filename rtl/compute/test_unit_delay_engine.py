# SPDX-License-Identifier: Apache-2.0
"""unit_delay: each message takes exactly the time that follows from the configuration and the seed."""

import itertools
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import config_word
from girih.testing.messages import FLIT_BYTES, flits_of
from rtl.compute.compute_bench import UnitBench, detoured_desc, done_desc, tagged_messages

ONE = 1 << 16
FIXED, UNIFORM, BIMODAL = 0, 1, 2
CONFIG = {
    "slots": 64,
    "message_time": 0,
    "byte_time": 0,
    "distribution": FIXED,
    "spread": 0,
    "slow_share": 0,
    "slow_factor": 256,
    "seed": 1,
    "stall": 0,
}


@pytest.mark.parametrize("data_width", WIDTHS)
def test_unit_delay_engine(data_width):
    run_cocotb("unit_delay_engine", __file__, data_width=data_width, chained=True)


def gbps(rate: float) -> int:
    """The time per byte that makes an engine of that rate at 250 MHz."""
    return round(8 * 0.250 / rate * ONE)


def service_times(config: dict, sizes: list[int]) -> list[int]:
    """The model: cycles from the end of each message's service to the next one's, fractions carried over."""
    state, fraction, times = config["seed"] or 1, 0, []
    for size in sizes:
        draw = state >> 16
        factor = ONE
        if config["distribution"] == UNIFORM:
            factor = ONE - config["spread"] + (config["spread"] * draw >> 15)
        elif config["distribution"] == BIMODAL and draw < config["slow_share"]:
            factor = config["slow_factor"] << 8
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        total = (config["message_time"] * factor >> 16) + size * (config["byte_time"] * factor >> 16) + fraction
        fraction = total % ONE
        times.append(max(total // ONE, flits_of(bytes(size))))
    return times


async def feed(bench: UnitBench, messages: list, credits: int) -> None:
    """Sends like a scheduler with this many credits."""
    already = bench.credits.give
    for index, message in enumerate(messages):
        while index - (bench.credits.give - already) >= credits:
            await RisingEdge(bench.dut.clk_i)
        bench.source.send(message)
    while bench.credits.give - already < len(messages):
        await RisingEdge(bench.dut.clk_i)


async def intervals(dut, config: dict, sizes: list[int], credits: int = 16) -> list[int]:
    """The intervals between the ends of services, from the credits."""
    bench = await UnitBench.start(dut, "unit_delay", config)
    await ClockCycles(dut.clk_i, 10)
    sent = tagged_messages(len(sizes), size=iter(sizes).__next__, credit=1)
    await feed(bench, sent, credits)
    await bench.settled()
    ledger = bench.check(sent)
    assert not ledger.missing and not ledger.detoured
    for message in ledger.done:
        origin = ledger.origin(message)
        assert (message.data, message.desc) == (origin.data, done_desc(origin.desc))
        assert message.last - message.first == flits_of(message.data) - 1, "the beats of a message leave without gaps"
    gives = bench.credits.gives
    return [after - before for before, after in itertools.pairwise(gives)]


CASES = {
    "34 Gbps": {"byte_time": gbps(34)},
    "100 Gbps": {"byte_time": gbps(100)},
    "per message": {"message_time": round(20.3 * ONE)},
    "both": {"message_time": 7 * ONE, "byte_time": gbps(50)},
    "uniform": {"byte_time": gbps(20), "distribution": UNIFORM, "spread": round(0.4 * ONE), "seed": 77},
    "bimodal": {"message_time": 9 * ONE, "distribution": BIMODAL, "slow_share": ONE // 10, "slow_factor": 5 * 256},
}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def time_of_service(dut, case):
    config = CONFIG | CASES[case]
    sizes = [random.choice([64, 64, 100, random.randint(64, 1500)]) for _ in range(200)]
    assert await intervals(dut, config, sizes) == service_times(config, sizes)[1:]


@cocotb.test()
async def the_mean_is_right(dut):
    """The mean over many messages is within a hundredth of the configured one; the model is compared with the first of them."""
    base = {"byte_time": gbps(16), "seed": 5}
    for extra, factor in [
        ({}, 1.0),
        ({"distribution": UNIFORM, "spread": round(0.4 * ONE)}, 1.0),
        ({"distribution": BIMODAL, "slow_share": ONE // 4, "slow_factor": 2 * 256}, 1.25),
    ]:
        times = service_times(CONFIG | base | extra, [64] * 4000)
        assert await intervals(dut, CONFIG | base | extra, [64] * 200) == times[1:200]
        mean = sum(times) / len(times)
        assert abs(mean / (64 * 8 * 0.250 / 16 * factor) - 1) < 0.01, (extra, mean)


@cocotb.test()
async def the_seed_decides(dut):
    config = CONFIG | {"message_time": 12 * ONE, "distribution": UNIFORM, "spread": ONE // 2}
    first = await intervals(dut, config, [64] * 50)
    assert first == await intervals(dut, config, [64] * 50)
    assert first != await intervals(dut, config | {"seed": 2}, [64] * 50)
    # Zero is a seed as well, although a shift register would stand still at it.
    assert len(set(await intervals(dut, config | {"seed": 0}, [64] * 50))) > 1


@cocotb.test()
async def two_credits_keep_it_busy(dut):
    """The next message waits in the local buffer, so that its service begins in the next cycle."""
    config = CONFIG | {"message_time": 12 * ONE}
    assert set(await intervals(dut, config, [64] * 40, credits=2)) == {12}


@cocotb.test()
async def stalled_for_ever(dut):
    """Accepted messages stay and later ones are sent back; a message that has started to leave ends."""
    config = CONFIG | {"slots": 4, "message_time": 30 * ONE}
    bench = await UnitBench.start(dut, "unit_delay", config)
    await ClockCycles(dut.clk_i, 10)
    sent = tagged_messages(60, size=4 * FLIT_BYTES)
    bench.source.send(*sent)
    await bench.sink.count(40)
    dut.cfg_i.value = config_word("unit_delay", **config | {"stall": 1})
    await bench.source.drained()
    await ClockCycles(dut.clk_i, 300)
    held = 60 - len(bench.sink.messages)
    assert 0 < held <= 5 and not bench.sink.busy
    for message in bench.sink.messages:
        if message.desc["detoured"]:
            assert message.desc == detoured_desc(next(m for m in sent if m.data == message.data).desc)
    dut.cfg_i.value = config_word("unit_delay", **config)
    await bench.settled()
    assert not bench.check(sent).missing
