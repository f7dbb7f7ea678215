# SPDX-License-Identifier: Apache-2.0
"""virtqueue_split_ring with a driver that offers chains at any time, while those before them wait: their heads are given once and in order."""

import random
from collections import deque

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

SIZE, DRIVER = 256, 0x4000  # of the ring, of entries; where the driver's area is
BELOW = 16 + 16 + 5 + 4  # bits of place_t below its addresses: start, size, what is so of the queue, and what may be cut
INDEX, FLAGS, ENTRIES = range(3)  # split_read_e


def test_virtqueue_split_ring():
    run_cocotb("virtqueue_split_ring", __file__, data_width=512)


class Driver:
    """The driver's area in memory. What it has not written is no head that it offers."""

    def __init__(self, start: int):
        self.index, self.entries, self.offered = start, [0xFFFF] * SIZE, list[int]()

    def offer(self, count: int) -> None:
        for _ in range(count):
            head = random.randrange(0x8000)
            self.entries[self.index % SIZE] = head
            self.offered.append(head)
            self.index = (self.index + 1) % 65536

    def taken(self, number: int) -> None:
        """An entry that has been given is another chain's next."""
        self.entries[number % SIZE] = 0xFFFF

    def read(self, address: int, size: int) -> int:
        area = b"".join(value.to_bytes(2, "little") for value in (0, self.index, *self.entries))
        return int.from_bytes(area[address - DRIVER :][:size], "little")


@cocotb.test()
@cocotb.parametrize(latency=[3, 20, 120], start=[0, 65500])
async def heads_are_those_that_were_offered(dut, latency, start):
    start_clock(dut)
    addr_bits = (len(dut.place_i) - BELOW) // 3
    bytes_bits = len(dut.ask_o) - addr_bits
    for name in ("look", "check", "told", "ask_ready", "got", "got_what", "got_data", "head_ready"):
        getattr(dut, f"{name}_i").value = 0
    dut.place_i.value = DRIVER << (BELOW + addr_bits) | SIZE << 16 | start
    dut.rst_i.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    driver, asked, given = Driver(start), deque[tuple[int, int, int, int]](), 0
    pace = 0.0
    for cycle in range(20_000):
        if cycle % 400 == 0:
            pace = random.choice([0, 0.02, 1]) if cycle < 18_000 else 1
        looks = random.random() < 0.01
        if looks and cycle < 18_000:
            driver.offer(min(random.choice([0, 1, 5, 40]), SIZE - len(driver.offered) + given))
        comes = bool(asked) and asked[0][0] <= cycle
        if comes:
            _, what, address, size = asked.popleft()
            dut.got_what_i.value, dut.got_data_i.value = what, driver.read(address, size)
        dut.look_i.value, dut.got_i.value = int(looks), int(comes)
        takes, accepts = random.random() < pace, random.random() < 0.7
        dut.head_ready_i.value, dut.ask_ready_i.value = int(takes), int(accepts)
        await ReadOnly()
        assert dut.stop_o.value == 0
        if accepts and dut.ask_valid_o.value == 1:
            ask = int(dut.ask_o.value)
            asked.append((cycle + latency, int(dut.what_o.value), ask >> bytes_bits, ask % (1 << bytes_bits)))
        if takes and dut.head_valid_o.value == 1:
            assert given < len(driver.offered) and int(dut.head_o.value) == driver.offered[given], f"head {given} is not the one that was offered"
            driver.taken(start + given)
            given += 1
        await RisingEdge(dut.clk_i)
    assert given == len(driver.offered) > SIZE
