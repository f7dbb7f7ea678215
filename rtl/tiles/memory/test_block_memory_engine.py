# SPDX-License-Identifier: Apache-2.0
"""The tile `block_memory`: it answers as a memory does, has an end, keeps up with its link, and forgets requests but no bytes in a reset."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC, config_word
from girih.testing.messages import FLIT_BYTES, Message
from rtl.tiles.memory.memory_bench import (
    PAGE,
    READ,
    STATUS,
    WRITE,
    Grant,
    Model,
    bench_of,
    config,
    converse,
    exchange,
    request,
    status,
)
from rtl.tiles.memory.test_memory_engine import MOST, requesters_of

PAGES = int(os.environ.get("GIRIH_PAGES", "256"))


@pytest.mark.parametrize("data_width", WIDTHS)
def test_block_memory_engine(data_width):
    run_cocotb("block_memory_engine", __file__, groups=["memory"], data_width=data_width, parameters={"Pages": 256}, environment={"GIRIH_KIND": "block_memory"})


def test_a_memory_of_one_page():
    run_cocotb(
        "block_memory_engine", __file__, groups=["memory"], parameters={"Pages": 1},
        testcase=["it_ends_where_it_says", "a_flit_is_read_and_written_in_every_cycle"], environment={"GIRIH_KIND": "block_memory", "GIRIH_PAGES": "1"},
    )  # fmt: skip


async def fill(bench, addr: int, data: bytes) -> None:
    """Writes bytes from a multiple of a flit on."""
    size = MOST - MOST % FLIT_BYTES
    pieces = []
    while data:
        count = min(size, PAGE - addr % PAGE)
        pieces.append(request("write", addr, len(data[:count]), data[:count]))
        addr, data = addr + count, data[count:]
    out = await exchange(bench, pieces)
    assert [reply.desc["memory_status"] for reply in out] == [status("ok")] * len(pieces)


def bytes_of(reply: Message, addr: int, size: int) -> bytes:
    return reply.data[addr % FLIT_BYTES :][:size]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def answers_as_a_memory_does(dut, traffic):
    bench = await bench_of(dut, idle=traffic[0], stall=traffic[1])
    askers = requesters_of(Model())
    for asker in askers:
        await fill(bench, asker.base, bytes(asker.size))  # the model holds zeros, a RAM anything
    await converse(bench, askers, 400)
    assert bench.events == {}


@cocotb.test()
async def it_ends_where_it_says(dut):
    """What lies beyond is no memory: such a write changes nothing, and such a read brings nothing."""
    bench = await bench_of(dut)
    end = PAGES * PAGE
    await fill(bench, end - PAGE, bytes([0xA5]) * PAGE)
    await fill(bench, 0, bytes([0x5A]) * FLIT_BYTES)
    beyond = [end, 2 * end, (1 << 40) - PAGE, 1 << 39]
    asked = [request(kind, addr, 8, b"" if kind == "read" else b"\xff" * 8, bytes(8)) for addr in beyond for kind in ("write", "read", "add", "swap", "masked")]
    out = await exchange(bench, asked)
    assert [STATUS[reply.desc["memory_status"]] for reply in out] == ["decode"] * len(asked)
    assert all(reply.data == bytes(FLIT_BYTES) for reply in out)
    assert bench.events == {"mark_decode_errors": len(asked)}
    last, first = await exchange(bench, [request("read", end - FLIT_BYTES, FLIT_BYTES), request("read", 0, FLIT_BYTES)])
    assert (last.data, first.data) == (bytes([0xA5]) * FLIT_BYTES, bytes([0x5A]) * FLIT_BYTES)


@cocotb.test()
async def a_flit_is_read_and_written_in_every_cycle(dut):
    """Alone and by turns: the link is what bounds it."""
    bench = await bench_of(dut)
    places = [FLIT_BYTES * number % PAGE for number in range(600)]
    reads = [request("read", (place + PAGE // 2) % PAGE, FLIT_BYTES) for place in places]
    writes = [request("write", place, FLIT_BYTES, bytes(FLIT_BYTES)) for place in places]
    for asked in (writes, reads, [each for pair in zip(writes, reads, strict=True) for each in pair]):
        out = await exchange(bench, [Message(each.data, each.desc) for each in asked])
        assert out[-1].first - out[1].first == len(asked) - 2  # the very first write takes a cycle less than a read


@cocotb.test()
async def the_tiles_own_time(dut):
    bench = await bench_of(dut)
    for kind, cycles in (("write", 7), ("read", 8)):
        message = request(kind, 0, FLIT_BYTES, b"" if kind == "read" else bytes(FLIT_BYTES))
        (reply,) = await exchange(bench, [message])
        assert reply.first - message.first == cycles, f"a {kind} took {reply.first - message.first} cycles"


@cocotb.test()
async def a_read_beside_a_write_of_the_same_flit_gets_it_before_or_after(dut):
    """Not ordered, in the same cycle in some of the tries: the old bytes or the new ones, never others."""
    bench = await bench_of(dut)
    old = bytes([0x11]) * FLIT_BYTES
    for gap in range(6):
        await fill(bench, 0, old)
        new = random.randbytes(FLIT_BYTES)
        fillers = [request("read", FLIT_BYTES, FLIT_BYTES) for _ in range(gap)]
        read, write = request("read", 0, FLIT_BYTES), request("write", 0, FLIT_BYTES, new)
        before, *_, after = await exchange(bench, [read, *fillers, write, *fillers, Message(read.data, read.desc), request("read", 0, FLIT_BYTES, ordered=True)])
        assert before.data in (old, new)
        assert after.data == new


@cocotb.test()
async def nobody_reaches_what_is_not_granted(dut):
    bench = await bench_of(dut, [Grant(0, 0, node=1, tenant=0, rights=READ | WRITE)] if PAGES == 1 else [Grant(2, 3, node=1, tenant=0, rights=READ | WRITE)])
    asked = [request("write", page * PAGE, 8, b"\xff" * 8, src=src, tenant=tenant) for page in (1, 4, 2) for src in (1, 2) for tenant in (0, 1)]
    out = await exchange(bench, asked)
    assert [STATUS[reply.desc["memory_status"]] for reply in out] == ["refused"] * 8 + ["ok"] + ["refused"] * 3
    dut.cfg_i.value = config_word("block_memory", **config([Grant(0, PAGES - 1)]))
    out = await exchange(bench, [request("read", page * PAGE, 8) for page in (1, 4, 2)])
    assert bytes_of(out[2], 0, 8) == b"\xff" * 8
    assert all(bytes_of(reply, 0, 8) != b"\xff" * 8 for reply in out[:2])


@cocotb.test()
async def a_reset_forgets_requests_and_keeps_bytes(dut):
    bench = await bench_of(dut)
    kept = random.randbytes(PAGE)
    await fill(bench, 5 * PAGE, kept)
    bench.source.send(*(requesters_of(Model())[0].ask() for _ in range(200)))
    await ClockCycles(dut.clk_i, 150)
    dut.rst_i.value = 1
    bench.source.forget()
    await ClockCycles(dut.clk_i, 2)
    dut.rst_i.value = 0
    await ClockCycles(dut.clk_i, 3)
    already = len(bench.sink.messages)
    size = MOST - MOST % FLIT_BYTES
    places = range(0, PAGE, size)
    await exchange(bench, [request("read", 5 * PAGE + place, min(size, PAGE - place)) for place in places])
    assert b"".join(reply.data for reply in bench.sink.messages[already:]) == kept
