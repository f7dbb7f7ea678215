# SPDX-License-Identifier: Apache-2.0
"""realign_insert: content under idles and stalls, empty streams, throughput, latency."""

import random

import cocotb
import pytest

from girih.testing import WIDTHS, run_cocotb
from rtl.primitives.realign_bench import Bench, sizes


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("header_bytes", [54, 255])
def test_realign_insert(width, header_bytes):
    run_cocotb("realign_insert", __file__, parameters={"Width": width, "HeaderBytes": header_bytes})


def job(stream: bytes, header: bytes, room: int) -> tuple[bytes, dict[str, int]]:
    padded = header + random.randbytes(room - len(header))
    return stream, {"bytes_i": len(header), "header_i": int.from_bytes(padded, "little")}


@cocotb.test()
async def the_header_stands_before_the_stream(dut):
    bench = Bench(dut)
    await bench.start()
    room = len(dut.header_i) // 8
    edges = sizes(8 * bench.beat_bytes)
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)]:
        bench.idle, bench.stall = idle, stall
        jobs, want = [], []
        for _ in range(300):
            stream = random.randbytes(random.choice([0, *edges, random.randint(0, 600)]))
            count = random.choice([0, 1, room, min(room, bench.beat_bytes), random.randint(0, room)])
            header = random.randbytes(count)
            jobs.append(job(stream, header, room))
            want.append(header + stream)
        assert want.count(b"") > 0
        assert await bench.run(jobs) == want


@cocotb.test()
async def the_output_has_no_bubbles(dut):
    bench = Bench(dut)
    await bench.start()
    room = len(dut.header_i) // 8
    jobs = []
    for _ in range(200):
        stream = random.randbytes(random.randint(0, 6 * bench.beat_bytes))
        jobs.append(job(stream, random.randbytes(random.randint(0, room)), room))
    got = await bench.run(jobs)
    beats = sum(max(1, -(-len(stream) // bench.beat_bytes)) for stream in got)
    assert bench.given_at == list(range(bench.given_at[0], bench.given_at[0] + beats))
    # One beat: taken at the end of a cycle, given in the next.
    await bench.run([job(b"payload", b"header", room)])
    assert bench.given_at[0] - bench.taken_at[0] == 1
