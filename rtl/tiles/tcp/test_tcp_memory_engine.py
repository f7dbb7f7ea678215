# SPDX-License-Identifier: Apache-2.0
"""The tile `tcp_memory`: the tests of `tcp`, with buffers that are written and read late; accesses that fail, places that are used again, and rates."""

import random
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from rtl.tiles.tcp.tcp_bench import ABORT, CLOSE, CONNECTIONS, FLIT_BYTES, WINDOW, Peer, TcpBench

FOLDER = Path(__file__).parent
BUFFERS = {"Connections": CONNECTIONS, "Window": WINDOW}
GROUPS = ["stream", "memory"]
KIND_OF_BENCH = {"GIRIH_KIND": "tcp_memory"}
# Of the tests of tcp, those that are left out.
OTHERWISE = (
    "segments_are_taken_as_fast_as_they_come",  # a cycle passes between the flits of two messages
    "segments_with_them_are_taken_as_fast_as_they_come",
    "bytes_are_right_whatever_is_lost",  # what is sent again was chosen some time ago, and the peer may have reported it meanwhile
)
SHARED = ["", "_active", "_attacks", "_cookies", "_cubic", "_dctcp", "_delays", "_ecn", "_idle", "_pacing", "_path_mtu", "_rack", "_sack", "_states", "_tail", "_tenants", "_timestamps"]
DEFAULT = ("", "_sack", "_tenants")
ANYWHERE = (
    "opens_carries_bytes_both_ways_and_closes",
    "bytes_come_out_in_order_however_they_come",
    "what_is_lost_is_sent_again_with_backoff",
    "events_of_one_connection_lose_nothing_between_them",
    "half_closed_from_either_side",
    "both_close_at_once",
    "the_window_closes_and_opens",
    "a_segment_wider_than_the_window_fills_it",
)
GENERATIONS = 16  # of a place
BROKEN = 2  # why a connection has ended
ALWAYS = (1 << 16) - 1


def shared_tests(path: Path) -> list[str]:
    """The cocotb tests of a file that run with late buffers, too."""
    lines = path.read_text().splitlines()
    names = [line.split("(")[0].removeprefix("async def ") for line, before in zip(lines[1:], lines, strict=False) if line.startswith("async def ") and before.startswith("@cocotb")]
    return [name for name in names if name not in OTHERWISE]


@pytest.mark.parametrize("name", [name if name in DEFAULT else pytest.param(name, marks=pytest.mark.thorough) for name in SHARED])
def test_the_tests_of_tcp(name):
    path = FOLDER / f"test_tcp_engine{name}.py"
    run_cocotb("tcp_memory_bench", str(path), groups=GROUPS, parameters=BUFFERS, environment=KIND_OF_BENCH, testcase=shared_tests(path))


@pytest.mark.parametrize("data_width", [pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024)])
def test_the_tests_of_tcp_at_other_widths(data_width):
    """Those that do not depend on how long a round trip is."""
    path = FOLDER / "test_tcp_engine.py"
    run_cocotb("tcp_memory_bench", str(path), data_width=data_width, groups=GROUPS, parameters=BUFFERS, environment=KIND_OF_BENCH, testcase=list(ANYWHERE))


@pytest.mark.parametrize("data_width", [512, *(pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024))])
def test_tcp_memory_engine(data_width):
    run_cocotb("tcp_memory_bench", __file__, data_width=data_width, groups=GROUPS, parameters=BUFFERS, environment=KIND_OF_BENCH)


class Counts:
    """Pulses of an output."""

    def __init__(self, dut, name: str):
        self.count = 0
        cocotb.start_soon(self._run(dut, getattr(dut, name)))

    async def _run(self, dut, pin) -> None:
        while True:
            await RisingEdge(dut.clk_i)
            self.count += int(pin.value == 1 and dut.rst_i.value == 0)


@cocotb.test()
async def a_segment_whose_bytes_cannot_be_read_is_sent_later(dut):
    """No other bytes are sent in their place: a later time-out sends it when the memory works again."""
    bench = await TcpBench.start(dut, retries=15)
    failed, lost = Counts(dut, "failed_o"), Counts(dut, "lost_o")
    peer = await bench.open()
    text = random.randbytes(300)
    peer.write(text)
    first = await bench.segment()
    assert bytes(first.payload) == text
    dut.fails_i.value = ALWAYS
    while lost.count < 2:
        await ClockCycles(dut.clk_i, 100)
        bench._sort()
        assert not bench.segments
    dut.fails_i.value = 0
    again = await bench.segment(limit=100_000)
    assert (again.seq, bytes(again.payload)) == (first.seq, text)
    assert failed.count >= lost.count  # with narrow flits, several pieces
    peer.ack = (first.seq + len(text)) % (1 << 32)
    peer.send(b"still here")
    peer.read()
    assert (await peer.data()).data == b"still here"


@cocotb.test()
async def bytes_that_were_not_written_are_never_handed_out(dut):
    """Requests of any sort fail. A connection ends as by a reset with its own reason, or goes on; until then, both ends have got a beginning of what was
    sent, and nothing else. The others go on."""
    bench = await TcpBench.start(dut, retries=15, rto_max=16)
    failed = Counts(dut, "failed_o")
    ends = {"told": 0, "reset": 0, "whole": 0}
    for number in range(40):
        peer = await bench.open()
        size = random.choice((10, 300, 1400, 1900))
        inwards, outwards = random.randbytes(size), random.randbytes(size)
        peer.read(stands=True)
        dut.fails_i.value = random.choice((0, 1 << 12, 1 << 14, 1 << 15))
        for first in range(0, size, 700):
            peer.send(inwards[first : first + 700])
            peer.write(outwards[first : first + 700])
        got = answered = b""
        start, told, reset = peer.ack, False, False
        for _ in range(800):
            await ClockCycles(dut.clk_i, 100)
            bench._sort()
            for segment in bench.segments:
                reset |= "R" in segment.flags
                if segment.payload and (segment.seq - start) % (1 << 32) == len(got):
                    got += bytes(segment.payload)
                    peer.ack = (start + len(got)) % (1 << 32)
                    peer.send()
            for message in bench.told:
                assert not told, "nothing follows the end"
                if message.desc.get("stream_reset"):
                    assert message.desc["stream_room"] == BROKEN and message.desc["stream_end"] and not message.desc.get("stream_bytes")
                    told = True
                else:
                    answered += message.data[: message.desc.get("stream_bytes", 0)]
            bench.segments.clear()
            bench.told.clear()
            if reset or told or (got == outwards and answered == inwards):
                break
        dut.fails_i.value = 0
        assert outwards.startswith(got) and inwards.startswith(answered), number
        whole = got == outwards and answered == inwards
        assert reset or told or whole, (number, len(got), len(answered), size)
        for _ in range(40 if (reset or told) and not (reset and told) else 0):  # the other end hears of it, too
            await ClockCycles(dut.clk_i, 100)
            bench._sort()
            reset |= any("R" in segment.flags for segment in bench.segments)
            told |= any(message.desc.get("stream_reset") for message in bench.told)
            bench.segments.clear()
            if reset and told:
                break
        assert reset == told
        ends["told"] += told
        ends["reset"] += reset
        ends["whole"] += whole
        bench.command(CLOSE if told else ABORT, peer.connection)
        await ClockCycles(dut.clk_i, 600)
        bench._sort()
        bench.segments.clear()
        bench.told.clear()
    dut._log.info(f"{ends}, {failed.count} accesses failed")
    assert ends["told"] >= 5 and ends["whole"] >= 5 and failed.count > 20
    assert bench.events["mark_freed"] == 40


@cocotb.test()
async def a_place_that_is_used_again_has_the_new_bytes_only(dut):
    """Connections that are opened, filled and aborted as fast as possible: each gets its own bytes, both ways. The first write into each buffer is ordered
    behind all accesses for the former connection of the place, and no other is."""
    bench = await TcpBench.start(dut, stall=0.0)
    ordered = Counts(dut, "ordered_o")
    for number in range(3 * CONNECTIONS):
        peer = await bench.open()
        text, answer = bytes([number % 251 + 1]) * 900, bytes([250 - number % 251]) * 700
        peer.send(text)
        peer.write(answer)
        peer.read(stands=True)
        assert (await peer.data()).data[:900] == text
        while not (segment := await bench.segment()).payload:
            pass
        assert bytes(segment.payload) == answer[: len(segment.payload)]
        bench.command(ABORT, peer.connection)
        while "R" not in (await bench.segment()).flags:
            pass
        bench._sort()
        bench.segments.clear()
        bench.told.clear()
    assert ordered.count == 2 * 2 * CONNECTIONS  # both buffers of each place, twice


@cocotb.test()
async def a_place_forgets_that_its_memory_has_failed(dut):
    """The memory fails for one connection of each place. Those that come later do not suffer from it, also when their generation's number is that one's."""
    bench = await TcpBench.start(dut, stall=0.0, retries=15, rto_max=16)
    for number in range((GENERATIONS + 1) * CONNECTIONS):
        peer = await bench.open()
        peer.read(stands=True)
        dut.fails_i.value = ALWAYS * (number < CONNECTIONS)
        text = random.randbytes(20)
        peer.send(text)
        told = await bench.notice(limit=20_000)
        dut.fails_i.value = 0
        assert bool(told.desc.get("stream_reset")) == (number < CONNECTIONS), number
        assert told.desc.get("stream_reset") or told.data == text
        bench.command(CLOSE if number < CONNECTIONS else ABORT, peer.connection)
        await bench.closed(number + 1)
        bench._sort()
        bench.segments.clear()
        bench.told.clear()


async def many(bench: TcpBench, count: int) -> list[Peer]:
    return [await bench.open(window=65535) for _ in range(count)]


@cocotb.test()
async def the_memorys_time_does_not_bound_the_rate(dut):
    """Bytes of several connections to the application, and from it: many accesses are in flight, so a message costs its flits, not the memory's time."""
    bench = await TcpBench.start(dut, stall=0.0)
    peers = await many(bench, 8)
    size = 1400
    for peer in peers:
        peer.read(stands=True)
    start = cycle_now()
    for peer in peers:
        peer.send(random.randbytes(size))
    told = [await bench.notice() for _ in peers]
    received = cycle_now() - start
    assert sum(message.desc["stream_bytes"] for message in told) == 8 * size
    await ClockCycles(dut.clk_i, 400)
    bench._sort()
    bench.segments.clear()
    start = cycle_now()
    for peer in peers:
        peer.write(random.randbytes(size))
    sent = 0
    while sent < 8 * size:
        sent += len((await bench.segment()).payload)
    cycles = cycle_now() - start
    flits = 8 * -(-size // FLIT_BYTES)
    dut._log.info(f"8 messages of {size} bytes, {flits} flits: {received} cycles to the application, {cycles} cycles from it")
    assert received < 3 * flits + 250 and cycles < 3 * flits + 250
