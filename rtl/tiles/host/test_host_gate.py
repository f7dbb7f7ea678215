# SPDX-License-Identifier: Apache-2.0
"""host_gate: what leaves lies within what is granted, all else is refused, and its client is told."""

import random
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from girih.spec.formats import Format
from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, reset

CLIENTS = 3
SIZES = Format("host_access").sizes
PAGE, REGIONS, TOP = (SIZES[name]["value"] for name in ("HostPageBytes", "HostRegions", "HostAddrBits"))
BYTES_BITS = PAGE.bit_length()


def test_host_gate():
    run_cocotb("host_gate", __file__, data_width=128, parameters={"Clients": CLIENTS})


def packed(regions: list[tuple[int, int] | None]) -> int:
    """regions_t: valid, first byte, last byte; the first region lowest. One that is not granted has the bytes of all memory."""
    word = 0
    for region in reversed(regions):
        first, last = region or (0, (1 << TOP) - 1)
        word = word << 2 * TOP + 1 | (region is not None) << 2 * TOP | first << TOP | last
    return word


def asks(regions: list[tuple[int, int] | None]) -> tuple[int, int]:
    """An address and a number of bytes, within a page: often at an end of a region, or of all memory."""
    ends = [end for region in regions if region for end in region]
    at = random.choice([random.getrandbits(TOP), (1 << TOP) - 1, 0, *ends * 3])
    address = (at + random.choice([0, 0, 1, -1, -random.randrange(64), -random.randrange(PAGE), random.randrange(64)])) % (1 << TOP)
    most = PAGE - address % PAGE
    to_end = (at - address) % (1 << TOP) + 1  # the access ends with the byte at the end
    size = random.choice([1, most, random.randint(1, most), to_end, to_end + 1, to_end - 1])
    return address, min(max(size, 1), most)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5])
async def only_what_is_granted_is_passed(dut, stall):
    """Clients ask at the same time. The accesses of each come out in its order, each marked and reported as its address demands."""
    await reset(dut, ask_valid_i=0, out_ready_i=0, ask_i=0, regions_i=0)
    for _ in range(20):
        starts = [random.getrandbits(TOP - 1) for _ in range(REGIONS)]
        regions = [random.choice((None, (start, start + random.choice((0, 15, 63, PAGE - 1, random.randrange(1 << 20)))))) for start in starts]
        if random.random() < 0.2:
            regions[0] = ((1 << TOP) - random.randrange(1, 2 * PAGE), (1 << TOP) - 1)
        dut.regions_i.value = packed(regions)
        waiting = [deque(asks(regions) for _ in range(60)) for _ in range(CLIENTS)]
        expected = [deque(queue) for queue in waiting]
        wanted = [sum(not granted(regions, *one) for one in queue) for queue in waiting]
        refused, offered = [0] * CLIENTS, 0
        for _ in range(4000):
            offered |= sum((bool(queue) and random.random() < 0.8) << client for client, queue in enumerate(waiting))
            dut.ask_valid_i.value = offered
            word = 0
            for queue in reversed(waiting):
                address, size = queue[0] if queue else (0, 1)
                word = word << TOP + BYTES_BITS | address << BYTES_BITS | size
            dut.ask_i.value = word
            dut.out_ready_i.value = int(random.random() >= stall)
            await RisingEdge(dut.clk_i)
            taken = offered & int(dut.ask_ready_o.value)
            for client in range(CLIENTS):
                refused[client] += int(dut.refused_o.value) >> client & 1
                if taken >> client & 1:
                    waiting[client].popleft()
            offered &= ~taken
            if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
                request = int(dut.out_request_o.value)
                client, at, beats = request >> TOP + 8, request >> 8 & (1 << TOP) - 1, (request & 0xFF) + 1
                address, size = expected[client].popleft()
                assert int(dut.out_granted_o.value) == granted(regions, address, size), (hex(address), size)
                flits = {byte // FLIT_BYTES for byte in range(address, address + size)}
                assert at // FLIT_BYTES == min(flits) and at % FLIT_BYTES == 0 and beats == len(flits)
            if not any(expected):
                break
        assert not any(expected) and refused == wanted and 0 < sum(wanted) < 60 * CLIENTS


def granted(regions: list[tuple[int, int] | None], address: int, size: int) -> bool:
    """Whether one region has all bytes."""
    return any(all(first <= byte <= last for byte in (address, address + size - 1)) for first, last in filter(None, regions))
