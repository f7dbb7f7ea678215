# SPDX-License-Identifier: Apache-2.0
"""realign_strip: content under idles and stalls, streams of which nothing is left, throughput, latency."""

import random

import cocotb
import pytest

from girih.testing import WIDTHS, run_cocotb
from rtl.primitives.realign_bench import Bench, sizes


@pytest.mark.parametrize("width", WIDTHS)
def test_realign_strip(width):
    run_cocotb("realign_strip", __file__, parameters={"Width": width})


@cocotb.test()
async def the_rest_comes_out_aligned(dut):
    bench = Bench(dut)
    await bench.start()
    edges, empties = sizes(8 * bench.beat_bytes), 0
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)]:
        bench.idle, bench.stall = idle, stall
        jobs = []
        for _ in range(300):
            size = random.choice([*edges, random.randint(1, 600)])
            strip = random.choice([0, 42, 255, random.randint(0, 255), min(255, size), size % bench.beat_bytes])
            jobs.append((random.randbytes(size), {"bytes_i": strip}))
        want = [stream[beside["bytes_i"] :] for stream, beside in jobs]
        empties += want.count(b"")
        assert await bench.run(jobs) == want
    assert empties > 50


@cocotb.test()
async def the_input_never_waits(dut):
    bench = Bench(dut)
    await bench.start()
    jobs = [
        (random.randbytes(random.randint(1, 6 * bench.beat_bytes)), {"bytes_i": random.getrandbits(8)})
        for _ in range(200)
    ]
    await bench.run(jobs)
    assert bench.taken_at == list(range(bench.taken_at[0], bench.taken_at[0] + len(bench.taken_at)))
    # One beat: taken at the end of a cycle, given two cycles later.
    await bench.run([(bytes(5), {"bytes_i": 2})])
    assert bench.given_at[0] - bench.taken_at[0] == 2
