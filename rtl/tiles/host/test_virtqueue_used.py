# SPDX-License-Identifier: Apache-2.0
"""virtqueue_split_used and virtqueue_packed_used say how many frames come into memory: at any time those that the driver finds in its ring."""

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

SIZE, RING = 512, 0x4000  # entries, and where the ring of used chains is
BELOW = 16 + 16 + 5 + 4  # bits of place_t below its addresses: start, size, what is so of the queue, and what may be cut
CYCLES = 6000
USED_OR_AVAILABLE = 0x8080  # flags of a descriptor


def test_virtqueue_split_used():
    run_cocotb("virtqueue_split_used", __file__, data_width=512, testcase="frames_in_a_split_ring")


def test_virtqueue_packed_used():
    run_cocotb("virtqueue_packed_used", __file__, data_width=512, testcase="frames_in_a_packed_ring")


@dataclass
class Memory:
    """Takes the writes of a ring in order, each when it ends."""

    content: dict[int, int] = field(default_factory=dict)
    asks: deque[tuple[int, int]] = field(default_factory=deque)
    data: deque[tuple[int, int]] = field(default_factory=deque)

    @property
    def whole(self) -> int:
        """Writes whose address and data have come, and that have not ended."""
        return min(len(self.asks), len(self.data))

    def end(self, flit: int) -> None:
        address, _ = self.asks.popleft()
        strobe, data = self.data.popleft()
        first = address - address % flit
        for byte in range(flit):
            if strobe >> byte & 1:
                self.content[first + byte] = data >> 8 * byte & 0xFF

    def word(self, address: int) -> int:
        return self.content.get(address, 0) | self.content.get(address + 1, 0) << 8


def flags_of(slot: int) -> int:
    """The address of a descriptor's flags."""
    return RING + 16 * (slot % SIZE) + 14


def first_lap(slot: int) -> bool:
    return slot // SIZE % 2 == 0


async def drive(dut, packed: bool) -> None:
    """Frames of one chain or several; writes end late, one by one or many in a row."""
    start_clock(dut)
    addr_bits = (len(dut.place_i) - BELOW) // 3
    bytes_bits, flit = len(dut.ask_o) - addr_bits, 64
    for name in ("halt", "used_valid", "checked", "said", "tell", "tell_index", "refused", "done", "done_error"):
        getattr(dut, f"{name}_i").value = 0
    ring = RING << 2 * addr_bits if packed else RING
    dut.place_i.value = ring << BELOW | int(packed) << 32 | SIZE << 16 | int(packed) << 15
    dut.rst_i.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    memory, ends_of_frames, slots, shown, busy, found = Memory(), [0], [0], 0, 0, 0
    waiting = deque[tuple[bool, int]]()  # chains: {more, links}
    for cycle in range(CYCLES):
        if not waiting and cycle < CYCLES - 1000 and random.random() < (0.05, 0.6)[cycle // 500 % 2]:
            count = random.choice([1, 1, 1, 2, 5])
            waiting.extend((number + 1 < count, random.choice([1, 1, 3]) if packed else 0) for number in range(count))
        if waiting:
            more, links = waiting[0]
            dut.used_i.value = int(more) << 39 | links << 33 | random.getrandbits(16) << 17 | random.getrandbits(16)
        dut.used_valid_i.value = int(bool(waiting))
        busy = busy or (random.random() < 0.02) * 20
        busy = max(busy - 1, 0)
        ends = memory.whole > 0 and not busy and cycle % 3000 > 200
        dut.done_i.value = int(ends)
        dut.ask_ready_i.value, dut.data_ready_i.value = random.randrange(2), random.randrange(2)
        await ReadOnly()
        if ends:
            memory.end(flit)
        shown += int(dut.shown_o.value)
        if packed:
            while found + 1 < len(slots) and memory.word(flags_of(slots[found])) & USED_OR_AVAILABLE == (USED_OR_AVAILABLE if first_lap(slots[found]) else 0):
                found += 1
        else:
            found = memory.word(RING + 2)
        assert shown == sum(end <= found for end in ends_of_frames[1:]), f"cycle {cycle}: {shown} frames are said to be in memory, with {found} chains"
        if waiting and dut.used_ready_o.value == 1:
            more, links = waiting.popleft()
            if packed:  # as the driver has made it available
                memory.content[flags_of(slots[-1])], memory.content[flags_of(slots[-1]) + 1] = (0x80, 0) if first_lap(slots[-1]) else (0, 0x80)
            slots.append(slots[-1] + links)
            if not more:
                ends_of_frames.append(len(slots) - 1)
        if dut.ask_valid_o.value == 1 and dut.ask_ready_i.value == 1:
            ask = int(dut.ask_o.value)
            memory.asks.append((ask >> bytes_bits, ask % (1 << bytes_bits)))
        if dut.data_valid_o.value == 1 and dut.data_ready_i.value == 1:
            data = int(dut.data_o.value)
            memory.data.append((data >> 8 * flit & ((1 << flit) - 1), data & ((1 << 8 * flit) - 1)))
        await RisingEdge(dut.clk_i)
    assert shown == len(ends_of_frames) - 1 > 300


@cocotb.test()
async def frames_in_a_split_ring(dut):
    await drive(dut, False)


@cocotb.test()
async def frames_in_a_packed_ring(dut):
    await drive(dut, True)
