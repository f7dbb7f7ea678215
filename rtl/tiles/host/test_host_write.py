# SPDX-License-Identifier: Apache-2.0
"""host_write while what it reports is not taken: packets go on being written, as many as it has room for, and each is reported once."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, flits_of, reset

PACKETS = 64  # for which there is room
PARTS = 32  # of a chain, at most
SIZE = PARTS * 3


def test_host_write():
    run_cocotb("host_write", __file__, data_width=128)


class Driver:
    """Buffers for packets, each a chain of many parts, and a memory that is done with what it has got some cycles later."""

    def __init__(self, dut):
        self.dut = dut
        self.parts: deque[int] = deque()
        self.flits: deque[tuple[int, int]] = deque()  # data and last
        self.done: deque[int] = deque()  # when accesses end
        self.accesses = self.answered = self.cycle = 0
        self.used: list[int] = []  # names of chains
        cocotb.start_soon(self.run())

    def add(self, name: int, size: int, parts: int) -> None:
        """A packet of `size` bytes, and the chain for it."""
        each = size // parts
        for number in range(parts):
            last = number == parts - 1
            address = (name * PARTS + number) << 12 | random.randrange(64)
            # part_t: addr, bytes, writes, last, chain (links, id)
            self.parts.append(((address << 32 | each) << 2 | last) << 22 | 1 << 16 | name)
        count = flits_of(bytes(size))
        self.flits += [(random.getrandbits(8 * FLIT_BYTES), int(at == count - 1)) for at in range(count)]

    async def run(self) -> None:
        dut = self.dut
        while True:
            dut.part_valid_i.value, dut.data_valid_i.value = int(bool(self.parts)), int(bool(self.flits))
            if self.parts:
                dut.part_i.value = self.parts[0]
            if self.flits:
                dut.data_i.value, dut.data_last_i.value = self.flits[0]
            ends = bool(self.done) and self.done[0] <= self.cycle
            dut.done_i.value = int(ends)
            self.answered += ends
            if ends:
                self.done.popleft()
            await RisingEdge(dut.clk_i)
            self.cycle += 1
            if dut.part_valid_i.value == 1 and dut.part_ready_o.value == 1:
                self.parts.popleft()
            if dut.data_valid_i.value == 1 and dut.data_ready_o.value == 1:
                self.flits.popleft()
            self.accesses += dut.ask_valid_o.value == 1
            if dut.out_valid_o.value == 1 and int(dut.out_o.value) >> 9 * FLIT_BYTES:  # `last` of write_t
                self.done.append(self.cycle + 20)
            if dut.used_valid_o.value == 1 and dut.used_ready_i.value == 1:
                self.used.append(int(dut.used_o.value) >> 17 & 0xFFFF)


@cocotb.test()
async def what_is_reported_late_is_reported(dut):
    """All at once, after more accesses than a narrow count of them tells apart, and in order."""
    await reset(
        dut, halt_i=0, data_valid_i=0, part_valid_i=0, refused_i=0, done_i=0, done_error_i=0, used_ready_i=0, ask_ready_i=1, out_ready_i=1, length_i=SIZE
    )
    driver = Driver(dut)
    for round_ in range(2):
        names = list(range(round_ * 100, round_ * 100 + PACKETS))
        dut.used_ready_i.value = 0
        for name in names:
            driver.add(name, SIZE, PARTS)
        for _ in range(3 * PACKETS * PARTS):
            await RisingEdge(dut.clk_i)
        assert driver.accesses == driver.answered >= (round_ + 1) * PACKETS * PARTS and not driver.parts
        assert dut.busy_o.value == 0 and driver.used == list(range(PACKETS)) * round_
        dut.used_ready_i.value = 1
        for _ in range(2 * PACKETS):
            await RisingEdge(dut.clk_i)
        assert driver.used[-PACKETS:] == names and len(driver.used) == (round_ + 1) * PACKETS
