# SPDX-License-Identifier: Apache-2.0
"""packet_buffer: each packet is reported once; reads give the written data; no cell is lost."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.message import pack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import DESC_FIELDS, FLIT_BYTES, PARAMS, Message, Sink, Source, flits_of, reset

CELL_FLITS = int(os.environ.get("CELL_FLITS", "2"))
CELLS = int(os.environ.get("CELLS", "1024"))
RESERVE = int(os.environ.get("RESERVE", "0"))

LENGTHS = 1 << next(field.bits for field in DESC_FIELDS if field.name == "length")  # a length is less

RANDOM = ["random_traffic", "full_buffer", "descriptor_trims", "reads_are_independent_of_the_packet_written", "no_length_can_say_it"]
RATE = ["one_flit_per_cycle"]
LOSSLESS = ["lossless_waits", "held_packet_waits"]


def run(cells, cell_flits, width, testcase, reserve=0):
    run_cocotb(
        "packet_buffer",
        __file__,
        data_width=width,
        chained=width == 512,
        parameters={"Cells": cells, "CellFlits": cell_flits},
        testcase=testcase,
        environment={"CELLS": str(cells), "CELL_FLITS": str(cell_flits), "RESERVE": str(reserve)},
    )


@pytest.mark.parametrize("cell_flits", [1, 2, 4])
@pytest.mark.parametrize("width", WIDTHS)
def test_packet_buffer(width, cell_flits):
    run(1024, cell_flits, width, RANDOM + RATE)


@pytest.mark.parametrize("cell_flits", [1, 2, 4])
def test_small_packet_buffer(cell_flits):
    run(16, cell_flits, 128, RANDOM)


def test_lossless():
    run(16, 2, 128, LOSSLESS, reserve=4)


def cells_of(length):
    return -(-flits_of(bytes(length)) // CELL_FLITS)


class Store:
    """The rest of the scheduler: takes reports, reads and discards stored packets."""

    def __init__(self, dut, sent, *, wait=0.0, idle=0.3, discard=0.1, oldest=False):
        self.dut, self.sent = dut, sent
        self.wait, self.idle, self.discard, self.oldest = wait, idle, discard, oldest
        self.reported, self.stored, self.read, self.request_cycles = [], [], [], []
        self.held = self.discarded = 0
        self.enabled = True
        dut.stored_ready_i.value = dut.read_valid_i.value = dut.discard_valid_i.value = 0
        for process in (self._reports, self._reads, self._discards):
            cocotb.start_soon(process())

    def _report(self):
        dut = self.dut
        message = self.sent[len(self.reported)]
        limit = message.desc.get("length", 0)
        length = min(len(message.data), limit) if limit else len(message.data)
        bad, overflow = int(dut.stored_bad_o.value), int(dut.stored_overflow_o.value)
        assert bad == message.bad and int(dut.stored_desc_o.value) == pack(DESC_FIELDS, message.desc)
        if length < LENGTHS:
            assert int(dut.stored_length_o.value) == length
            assert int(dut.stored_flits_o.value) == flits_of(bytes(length))
        else:
            assert overflow
        self.reported.append(message)
        message.beside["overflow"] = overflow
        if bad or overflow:
            return
        cells = int(dut.stored_cells_o.value)
        assert cells == cells_of(length)
        self.held += cells
        handle = (int(dut.stored_first_o.value), int(dut.stored_last_o.value), cells)
        self.stored.append((message, message.data[:length], handle))

    async def _reports(self):
        dut = self.dut
        ready = False
        while True:
            await RisingEdge(dut.clk_i)
            if ready and dut.stored_valid_o.value == 1:
                self._report()
            ready = random.random() >= self.wait
            dut.stored_ready_i.value = int(ready)

    async def _reads(self):
        dut = self.dut
        offered = None
        while True:
            await RisingEdge(dut.clk_i)
            if offered and dut.read_ready_o.value == 1:
                self.read.append(offered)
                self.request_cycles.append(cycle_now())
                offered = None
            if not offered and self.stored and self.enabled and random.random() >= self.idle:
                message, data, handle = self.stored.pop(0 if self.oldest else random.randrange(len(self.stored)))
                desc = {**message.desc, "timestamp": random.getrandbits(24), "dst": random.getrandbits(8)}
                offered = (data, desc)
                self.held -= handle[2]
                dut.read_first_i.value = handle[0]
                dut.read_length_i.value = len(data)
                dut.read_desc_i.value = pack(DESC_FIELDS, desc)
            dut.read_valid_i.value = int(offered is not None)

    async def _discards(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            go = bool(self.stored) and self.enabled and random.random() < self.discard
            dut.discard_valid_i.value = int(go)
            if go:
                _, _, handle = self.stored.pop(random.randrange(len(self.stored)))
                self.discarded += 1
                self.held -= handle[2]
                dut.discard_first_i.value, dut.discard_last_i.value, dut.discard_cells_i.value = handle

    async def done(self, source, sink, limit=400_000):
        """Waits until all packets are reported, and read or discarded; then no cell may be held."""
        for _ in range(limit):
            await RisingEdge(self.dut.clk_i)
            if not source.busy and len(self.reported) == len(self.sent) and not self.stored and self.enabled:
                break
        else:
            raise AssertionError(f"{len(self.reported)} of {len(self.sent)} reported, {len(self.stored)} stored")
        kept = [m for m in self.reported if not (m.bad or m.beside["overflow"])]
        await sink.count(len(kept) - self.discarded)
        await ClockCycles(self.dut.clk_i, 6)
        assert int(self.dut.free_cells_o.value) == CELLS
        assert len(sink.messages) == len(self.read) == len(kept) - self.discarded
        for have, (data, desc) in zip(sink.messages, self.read, strict=True):
            assert have.data == data and not have.bad
            assert {name: have.desc[name] for name in desc} == desc


def choose(dut, name: str, bit: int) -> None:
    """Sets an input of a packet's first flit for the present value of in_which_i, and its contrary for the other one."""
    which = int(dut.in_which_i.value)
    getattr(dut, name).value = bit << which | (bit ^ 1) << (which ^ 1)


async def begin(dut, *, idle=0.0, stall=0.0, **options):
    await reset(dut, in_valid_i=0, in_which_i=random.getrandbits(1), out_ready_i=0, read_valid_i=0, discard_valid_i=0, stored_ready_i=0)
    dut.reserve_i.value = RESERVE
    for name in ("in_hold_i", "in_refuse_i", "in_waits_i", "in_reserved_i"):
        choose(dut, name, 0)
    sent = []
    source, sink = Source(dut, "in", idle=idle), Sink(dut, "out", stall=stall)
    return sent, source, sink, Store(dut, sent, **options)


def make(size, bad=0.1, **desc):
    return Message(random.randbytes(size), {"timestamp": random.getrandbits(24), **desc}, random.random() < bad)


def send(sent, source, *messages):
    sent.extend(messages)
    source.send(*messages)


def any_size():
    return random.choice([1, FLIT_BYTES, random.randint(1, 6 * FLIT_BYTES), random.randint(1, 40 * FLIT_BYTES)])


@cocotb.test()
async def random_traffic(dut):
    sent, source, sink, store = await begin(dut)
    for idle, stall, wait, pause, discard in [
        (0, 0, 0, 0, 0),
        (0, 0, 0, 0.2, 0.5),
        (0.5, 0.1, 0.3, 0, 0.02),
        (0, 0.4, 0.8, 0.5, 0.1),
        (0.2, 0.7, 0.1, 0.9, 0.3),
    ]:
        source.idle, sink.stall, store.wait, store.idle, store.discard = idle, stall, wait, pause, discard
        send(sent, source, *[make(min(any_size(), PARAMS.max_frame)) for _ in range(150)])
        send(sent, source, *[make(random.randint(1, PARAMS.max_frame)) for _ in range(2)])
        await source.drained()
    await store.done(source, sink)


@cocotb.test()
async def full_buffer(dut):
    """Nobody reads: packets overflow, none waits, and the free cells are always the exact number."""
    sent, source, sink, store = await begin(dut)
    for _ in range(3):
        store.enabled = False
        before = len(sent)
        room = CELLS * CELL_FLITS * FLIT_BYTES
        sizes = []
        while sum(sizes) < 2 * room:
            sizes.append(random.randint(1, min(PARAMS.max_frame, room // 2)))
        send(sent, source, *[make(size) for size in sizes])
        start = cycle_now()
        await source.drained()
        assert cycle_now() - start <= sum(flits_of(bytes(size)) for size in sizes) + 3
        await ClockCycles(dut.clk_i, 6)
        assert int(dut.free_cells_o.value) == CELLS - store.held
        lost = [m.beside["overflow"] for m in store.reported[before:]]
        assert any(lost) and not all(lost)
        store.enabled = True
        send(sent, source, *[make(any_size()) for _ in range(100)])
        await store.done(source, sink)


@cocotb.test()
async def descriptor_trims(dut):
    sent, source, sink, store = await begin(dut, stall=0.2, wait=0.2)
    for _ in range(300):
        size = any_size()
        message = make(size, length=random.choice([random.randint(1, size), size, size + 5]))
        send(sent, source, message)
    await store.done(source, sink)


@cocotb.test()
async def no_length_can_say_it(dut):
    """A packet too long for the length field overflows, however long it is, and gives its cells back."""
    sent, source, sink, store = await begin(dut)
    for bad in (0, 1):
        for size in (LENGTHS - 1, LENGTHS, LENGTHS + 1, 2 * LENGTHS + 70):
            send(sent, source, make(size, bad=bad), make(any_size(), bad=0))
    await store.done(source, sink)


@cocotb.test()
async def reads_are_independent_of_the_packet_written(dut):
    """A stored packet is read while another arrives slowly, and bad packets affect neither."""
    sent, source, sink, store = await begin(dut, idle=0.7, discard=0.05)
    send(sent, source, *[make(any_size(), bad=0.5) for _ in range(100)])
    await store.done(source, sink)


@cocotb.test()
async def one_flit_per_cycle(dut):
    """In and out at once, without a bubble, and the first flit comes in the cycle after its request."""
    sent, source, sink, store = await begin(dut, idle=0, discard=0, oldest=True)
    store.idle = 0
    for size in (1, 64, 129, FLIT_BYTES, FLIT_BYTES + 1, 2 * FLIT_BYTES + 1, 1500, PARAMS.max_frame):
        flits = flits_of(bytes(size))
        number, ahead = max(4, 200 // flits), max(1, 20 // flits)
        store.enabled = False
        for record in (sent, sink.messages, store.reported, store.read, store.request_cycles):
            record.clear()
        await ClockCycles(dut.clk_i, 3)
        send(sent, source, *[make(size, bad=0) for _ in range(number)])
        await ClockCycles(dut.clk_i, ahead * flits)
        store.enabled = True
        await store.done(source, sink)
        assert sent[-1].last - sent[0].first + 1 == number * flits, size
        got = sink.messages
        assert got[-1].last - got[0].first + 1 == number * flits, size
        assert got[0].first - store.request_cycles[0] == 1


@cocotb.test()
async def lossless_waits(dut):
    """Droppable packets overflow before the reserve is touched; those that wait do without it, or take it and then wait."""
    sent, source, sink, store = await begin(dut)
    store.enabled = False
    cell = CELL_FLITS * FLIT_BYTES
    send(sent, source, *[make(cell, bad=0) for _ in range(CELLS)])
    await source.drained()
    await ClockCycles(dut.clk_i, 6)
    assert [m.beside["overflow"] for m in sent] == [0] * (CELLS - RESERVE) + [1] * RESERVE
    choose(dut, "in_waits_i", 1)
    send(sent, source, *[make(2 * cell, bad=0, lossless=1) for _ in range(RESERVE)])
    await ClockCycles(dut.clk_i, 100)
    assert source.busy and dut.in_ready_o.value == 0 and int(dut.free_cells_o.value) == RESERVE
    choose(dut, "in_reserved_i", 1)
    await ClockCycles(dut.clk_i, 100)
    assert source.busy and dut.in_ready_o.value == 0 and int(dut.free_cells_o.value) == 0
    store.enabled = True
    await store.done(source, sink)
    assert not any(m.beside["overflow"] for m in sent[CELLS:])
    for waits in (1, 0, 1, 0):
        choose(dut, "in_waits_i", waits)
        choose(dut, "in_reserved_i", waits & random.getrandbits(1))
        kinds = [make(any_size() % (8 * cell) + 1) for _ in range(100)]
        send(sent, source, *kinds)
        await store.done(source, sink)
        assert not (waits and any(m.beside["overflow"] for m in kinds))


@cocotb.test()
async def held_packet_waits(dut):
    sent, source, sink, store = await begin(dut)
    choose(dut, "in_waits_i", 1)
    choose(dut, "in_hold_i", 1)
    send(sent, source, make(3 * FLIT_BYTES, bad=0))
    await ClockCycles(dut.clk_i, 10)
    assert source.busy and int(dut.free_cells_o.value) == CELLS
    choose(dut, "in_hold_i", 0)
    await store.done(source, sink)
